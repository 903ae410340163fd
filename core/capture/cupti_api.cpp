// SPDX-License-Identifier: Apache-2.0
#include "core/capture/cupti_api.h"

#include <dlfcn.h>
#include <link.h>

#include <array>
#include <vector>

namespace longpole::capture {

namespace {

using Names = std::array<const char *, 3>;
constexpr Names kNewestFirst = {"libcupti.so.13", "libcupti.so.12", "libcupti.so"};
constexpr Names kOldestFirst = {"libcupti.so.12", "libcupti.so", "libcupti.so.13"};

/// Folders of loaded libraries in which PyTorch's packages lie: …/site-packages/nvidia/NAME/lib.
std::vector<std::string> packageFolders() {
    std::vector<std::string> folders;
    const auto look = [](dl_phdr_info *info, size_t, void *to) {
        const std::string path = info->dlpi_name ? info->dlpi_name : "";
        const size_t at = path.find("/nvidia/");
        if (at != path.npos)
            static_cast<std::vector<std::string> *>(to)->push_back(path.substr(0, at) + "/nvidia");
        const size_t torch = path.find("/torch/lib/");
        if (torch != path.npos)
            static_cast<std::vector<std::string> *>(to)->push_back(path.substr(0, torch) +
                                                                   "/nvidia");
        return 0;
    };
    dl_iterate_phdr(+look, &folders);
    return folders;
}

std::vector<std::string> candidates(const Names &names) {
    std::vector<std::string> all(names.begin(), names.end());
    for (const std::string &folder : packageFolders())
        for (const char *inside : {"/cuda_cupti/lib/", "/cu13/lib/"})
            for (const char *name : names) all.push_back(folder + inside + name);
    for (const char *folder : {"/usr/local/cuda/lib64/", "/usr/local/cuda/extras/CUPTI/lib64/"})
        all.push_back(std::string(folder) + "libcupti.so");
    return all;
}

} // namespace

std::string CuptiApi::load(const std::string &wanted, uint32_t driver) {
    const Names &names = driver > 0 && driver < 13000 ? kOldestFirst : kNewestFirst;
    if (!wanted.empty()) {
        path = wanted;
        handle = dlopen(wanted.c_str(), RTLD_LAZY | RTLD_LOCAL);
        if (!handle) return "The CUPTI library " + wanted + " cannot be loaded: " + dlerror() + ".";
    }
    for (const char *name : names)
        if (!handle && (handle = dlopen(name, RTLD_LAZY | RTLD_LOCAL | RTLD_NOLOAD))) path = name;
    if (!handle)
        for (const std::string &name : candidates(names))
            if ((handle = dlopen(name.c_str(), RTLD_LAZY | RTLD_LOCAL))) {
                path = name;
                break;
            }
    if (!handle)
        return "No CUPTI library was found. It comes with the CUDA Toolkit (package cuda-cupti) "
               "and "
               "with PyTorch (nvidia-cuda-cupti); name it with --cupti FILE.";
#define LONGPOLE_FIND(f) f = reinterpret_cast<decltype(f)>(dlsym(handle, #f));
    LONGPOLE_CUPTI_REQUIRED(LONGPOLE_FIND)
    LONGPOLE_CUPTI_OPTIONAL(LONGPOLE_FIND)
#undef LONGPOLE_FIND
#define LONGPOLE_MUST(f)                                                                           \
    if (!f)                                                                                        \
        return "The CUPTI library " + path + " has no function " #f ": it is too old or damaged.";
    LONGPOLE_CUPTI_REQUIRED(LONGPOLE_MUST)
#undef LONGPOLE_MUST
    if (const CUptiResult result = cuptiGetVersion(&version); result != CUPTI_SUCCESS)
        return "The CUPTI library " + path + " does not tell its version: " + errorText(result) +
               ". Name another one with --cupti FILE.";
    if (version < kOldestCupti)
        return "The CUPTI library " + path + " is too old (version " + std::to_string(version) +
               "): its records are those of CUDA 11 or before. Use CUDA 12.0 or newer.";
    return {};
}

std::string CuptiApi::errorText(CUptiResult result) const {
    const char *text = nullptr;
    if (cuptiGetResultString) cuptiGetResultString(result, &text);
    return (text ? std::string(text) : "CUPTI error") + " (" + std::to_string(int(result)) + ")";
}

} // namespace longpole::capture
