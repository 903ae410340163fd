// SPDX-License-Identifier: Apache-2.0
#include "core/capture/check.h"

#include "core/capture/cupti_api.h"

#include <dlfcn.h>
#include <unistd.h>

#include <fstream>
#include <string>

namespace longpole::capture {

namespace {

constexpr const char *kRestricted =
    "Profiling is restricted to administrators. Load the module nvidia with "
    "NVreg_RestrictProfilingToAdminUsers=0 (a line \"options nvidia "
    "NVreg_RestrictProfilingToAdminUsers=0\" in /etc/modprobe.d, then restart), or record as root; "
    "in a "
    "container add --cap-add=SYS_ADMIN.";

std::string cudaText(int version) {
    return std::to_string(version / 1000) + '.' + std::to_string(version % 1000 / 10);
}

std::string cuptiText(uint32_t version) {
    return version >= 10'000
               ? std::to_string(version / 10'000) + '.' + std::to_string(version / 100 % 100)
               : "12, version " + std::to_string(version);
}

class Check {
public:
    Check(LongpoleSays says, void *to) : m_says(says), m_to(to) {}

    void run(const std::string &cupti) {
        driver();
        if (!library(cupti)) return;
        if (!m_driver) return;
        if (subscriber()) permission();
    }

private:
    bool say(const char *id, bool ok, const std::string &sentence) {
        m_says(m_to, id, ok, sentence.c_str());
        return ok;
    }

    template <class F>
    static F *find(void *library, const char *name) {
        return reinterpret_cast<F *>(dlsym(library, name));
    }

    void driver() {
        void *cuda = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_GLOBAL);
        const auto init = cuda ? find<CUresult(unsigned)>(cuda, "cuInit") : nullptr;
        if (!init) {
            say("driver", false,
                "There is no NVIDIA driver: libcuda.so.1 is not found. Install the driver; in "
                "a container, start it with --gpus all (NVIDIA Container Toolkit).");
            return;
        }
        if (const CUresult result = init(0); result != CUDA_SUCCESS) {
            say("driver", false,
                "The NVIDIA driver does not start: cuInit says " + std::to_string(int(result)) +
                    (result == CUDA_ERROR_NO_DEVICE ? ", no device. Is one visible "
                                                      "(CUDA_VISIBLE_DEVICES, nvidia-smi)?"
                                                    : ". See nvidia-smi and dmesg."));
            return;
        }
        m_driver = true;
        int count = 0;
        if (const auto version = find<CUresult(int *)>(cuda, "cuDriverGetVersion"))
            version(&m_version);
        if (const auto devices = find<CUresult(int *)>(cuda, "cuDeviceGetCount")) devices(&count);
        say("driver", true,
            "The driver serves CUDA " + cudaText(m_version) + " on " + std::to_string(count) +
                (count == 1 ? " device." : " devices."));
    }

    bool library(const std::string &wanted) {
        const std::string wrong = m_cupti.load(wanted, uint32_t(m_version));
        if (!wrong.empty()) return say("cupti", false, wrong);
        const uint32_t major = m_cupti.version >= 10'000 ? m_cupti.version / 10'000 : 12;
        if (m_driver && m_version / 1000 < int(major))
            return say("cupti", false,
                       "The CUPTI library " + m_cupti.path + " is of CUDA " +
                           cuptiText(m_cupti.version) + ", newer than the driver (CUDA " +
                           cudaText(m_version) +
                           "). Update the driver, or name an older libcupti with --cupti FILE.");
        return say("cupti", true,
                   "CUPTI of CUDA " + cuptiText(m_cupti.version) + ": " + m_cupti.path + '.');
    }

    bool subscriber() {
        CUpti_SubscriberHandle handle{};
        char other[CUPTI_OLD_SUBSCRIBER_NAME_MIN_LEN + 1] = {};
        CUptiResult result;
        const auto nothing = [](void *, CUpti_CallbackDomain, CUpti_CallbackId, const void *) {};
        if (m_cupti.cuptiSubscribe_v2) {
            CUpti_SubscriberParams params{};
            params.structSize = CUpti_SubscriberParams_STRUCT_SIZE;
            params.oldSubscriberName = other;
            params.oldSubscriberSize = sizeof other - 1;
            result = m_cupti.cuptiSubscribe_v2(&handle, nothing, nullptr, &params);
        } else {
            result = m_cupti.cuptiSubscribe(&handle, nothing, nullptr);
        }
        if (result == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED)
            return say(
                "subscriber", false,
                "Another profiler is attached" + (other[0] ? " (" + std::string(other) + ')' : "") +
                    ", and CUPTI serves one at a time. Stop it: Nsight, cuda-gdb, DCGM profiling, "
                    "or unset its CUDA_INJECTION64_PATH.");
        if (result == CUPTI_ERROR_INSUFFICIENT_PRIVILEGES)
            return say("permission", false, kRestricted);
        if (result != CUPTI_SUCCESS)
            return say("subscriber", false,
                       "CUPTI takes no subscriber: " + m_cupti.errorText(result) + '.');
        if (m_cupti.cuptiUnsubscribe) m_cupti.cuptiUnsubscribe(handle);
        return say("subscriber", true, "No other profiler is attached.");
    }

    void permission() {
        CUptiResult result = m_cupti.cuptiActivityEnable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
        if (result == CUPTI_SUCCESS)
            m_cupti.cuptiActivityDisable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
        if (result == CUPTI_ERROR_INSUFFICIENT_PRIVILEGES) {
            say("permission", false, kRestricted);
            return;
        }
        if (result != CUPTI_SUCCESS) {
            say("permission", false,
                "CUPTI records no kernels: " + m_cupti.errorText(result) + '.');
            return;
        }
        say("permission", true, "Kernels may be recorded by this user.");
    }

    LongpoleSays m_says;
    void *m_to;
    CuptiApi m_cupti;
    bool m_driver = false;
    int m_version = 0;
};

} // namespace

} // namespace longpole::capture

extern "C" __attribute__((visibility("default"))) void
LongpoleCheckCapture(const char *cupti, LongpoleSays says, void *to) {
    try {
        longpole::capture::Check(says, to).run(cupti ? cupti : "");
    } catch (...) {
        says(to, "cupti", 0, "The check ran out of memory.");
    }
}
