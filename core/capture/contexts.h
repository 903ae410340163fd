// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda.h>

#include <cstdint>
#include <mutex>
#include <vector>

namespace longpole::capture {

/// The CUDA contexts that a process has, and how to wait for what they run.
class Contexts {
public:
    void created(CUcontext context);
    void destroyed(CUcontext context);

    struct Waited {
        uint32_t contexts = 0, failed = 0;
    };
    /// Waits for each of them, on the calling thread, whose current context stays as it is.
    Waited synchroniseAll();
    uint32_t driverVersion(); ///< 0 unknown

private:
    bool findDriver();

    std::mutex m_mutex;
    std::vector<CUcontext> m_contexts;
    struct {
        CUresult (*push)(CUcontext);
        CUresult (*pop)(CUcontext *);
        CUresult (*synchronise)();
        CUresult (*version)(int *);
    } m_driver{};
};

} // namespace longpole::capture
