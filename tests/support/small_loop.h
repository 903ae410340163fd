// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/time.h"

#include <cstdint>
#include <string>

namespace longpole::test {

/// A loop whose step copies a batch, runs two kernels and waits for them: small, and every number
/// of it can be changed alone, for one side of a comparison.
struct SmallLoop {
    int steps = 14;
    TimeNs gemm = 6'000'000, add = 2'000'000; ///< ns on the device
    TimeNs jitter = 40'000;                   ///< of the first kernel, at most
    uint64_t seed = 1;
    int batch = 32;
    std::string device = "H200", kernel = "gemm_bf16";
    bool waits = true;
    int gemms = 1; ///< launches of the first kernel; together they last `gemm`
};

/// The loop as PyTorch's profiler writes it.
std::string textOf(const SmallLoop &loop);

} // namespace longpole::test
