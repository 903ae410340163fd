// SPDX-License-Identifier: Apache-2.0
#include "core/capture/contexts.h"

#include <dlfcn.h>

#include <algorithm>

namespace longpole::capture {

void Contexts::created(CUcontext context) {
    const std::lock_guard lock(m_mutex);
    if (std::find(m_contexts.begin(), m_contexts.end(), context) == m_contexts.end())
        m_contexts.push_back(context);
}

void Contexts::destroyed(CUcontext context) {
    const std::lock_guard lock(m_mutex);
    std::erase(m_contexts, context);
}

bool Contexts::findDriver() {
    const std::lock_guard lock(m_mutex);
    if (m_driver.synchronise) return true;
    // the program has loaded it: nothing is loaded here
    void *driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
    if (!driver) return false;
    const auto find = [&](auto &function, const char *name) {
        function =
            reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(driver, name));
    };
    find(m_driver.push, "cuCtxPushCurrent_v2");
    find(m_driver.pop, "cuCtxPopCurrent_v2");
    find(m_driver.version, "cuDriverGetVersion");
    find(m_driver.synchronise, "cuCtxSynchronize");
    return m_driver.push && m_driver.pop && m_driver.synchronise;
}

Contexts::Waited Contexts::synchroniseAll() {
    std::vector<CUcontext> contexts;
    {
        const std::lock_guard lock(m_mutex);
        contexts = m_contexts;
    }
    Waited waited;
    const bool driver = findDriver();
    for (const CUcontext context : contexts) {
        ++waited.contexts;
        if (!driver || m_driver.push(context) != CUDA_SUCCESS) {
            ++waited.failed;
            continue;
        }
        if (m_driver.synchronise() != CUDA_SUCCESS) ++waited.failed;
        CUcontext popped{};
        m_driver.pop(&popped);
    }
    return waited;
}

uint32_t Contexts::driverVersion() {
    int version = 0;
    if (findDriver() && m_driver.version) m_driver.version(&version);
    return uint32_t(version);
}

} // namespace longpole::capture
