// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cupti.h>

#include <string>

namespace longpole::capture {

/// The functions of whichever libcupti this machine has; found at run time, so that one build
/// serves many. The first line must be there; what else is null is done without.
#define LONGPOLE_CUPTI_REQUIRED(X)                                                                 \
    X(cuptiGetVersion)                                                                             \
    X(cuptiActivityRegisterCallbacks)                                                              \
    X(cuptiActivityGetNextRecord)                                                                  \
    X(cuptiActivityEnable)                                                                         \
    X(cuptiActivityDisable)                                                                        \
    X(cuptiActivityFlushAll)                                                                       \
    X(cuptiActivityGetNumDroppedRecords)                                                           \
    X(cuptiSubscribe)                                                                              \
    X(cuptiEnableCallback)
#define LONGPOLE_CUPTI_OPTIONAL(X)                                                                 \
    X(cuptiGetCallbackName)                                                                        \
    X(cuptiSubscribe_v2)                                                                           \
    X(cuptiUnsubscribe)                                                                            \
    X(cuptiGetResultString)                                                                        \
    X(cuptiSetThreadIdType)                                                                        \
    X(cuptiActivityFlushPeriod)                                                                    \
    X(cuptiActivityRegisterTimestampCallback)                                                      \
    X(cuptiActivityEnableRuntimeApi)                                                               \
    X(cuptiActivityEnableDriverApi)                                                                \
    X(cuptiActivityEnableCudaEventDeviceTimestamps)

struct CuptiApi {
    void *handle = nullptr;
    std::string path; ///< as it was found
    uint32_t version = 0;
#define LONGPOLE_MEMBER(f) decltype(&::f) f = nullptr;
    LONGPOLE_CUPTI_REQUIRED(LONGPOLE_MEMBER)
    LONGPOLE_CUPTI_OPTIONAL(LONGPOLE_MEMBER)
#undef LONGPOLE_MEMBER

    /// Loads the library at `wanted`, or the one that the process has, or that of the toolkit, or
    /// the one inside PyTorch's packages. What is wrong comes back as a sentence; empty: all is
    /// well.
    /// `driver` is the CUDA version that the driver serves: libraries newer than that do not work; 0 unknown.
    std::string load(const std::string &wanted, uint32_t driver);
    std::string errorText(CUptiResult result) const;
};

/// The oldest version whose records are understood: CUDA 12.0.
inline constexpr uint32_t kOldestCupti = 19;
/// From here on waits and recorded events carry a number that joins them (CUDA 12.8).
inline constexpr uint32_t kCuptiWithSyncIds = 26;

} // namespace longpole::capture
