// SPDX-License-Identifier: Apache-2.0
// The two doors into this library. CUDA's driver calls the first one when a program initialises it,
// NVTX the second one at a program's first range. Nothing is thrown through either.
#include "core/capture/session.h"

#define NVTX_NO_IMPL
#include <nvtx3/nvToolsExt.h>

#include <cstdio>

namespace longpole::capture {
int attachNvtx(NvtxGetExportTableFunc_t getTable);
}

using longpole::capture::Session;

extern "C" __attribute__((visibility("default"))) int InitializeInjection() {
    try {
        if (Session *session = Session::start(Session::Door::Device)) session->startCupti();
    } catch (...) {
        std::fputs("longpole: recording could not start: out of memory.\n", stderr);
    }
    return 1;
}

extern "C" __attribute__((visibility("default"))) int
InitializeInjectionNvtx2(NvtxGetExportTableFunc_t getTable) {
    try {
        return longpole::capture::attachNvtx(getTable);
    } catch (...) {
        return 0;
    }
}
