// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/inputs.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    longpole::fuzz::capture(data, size);
    return 0;
}
