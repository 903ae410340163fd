// SPDX-License-Identifier: Apache-2.0
// make_training_trace [--steps N] [--layers N] [--bytes N] > training.json
// Without options it writes what resources/examples/training.json.gz holds.
#include "tests/support/training_trace.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

int main(int argc, char **argv) {
    using namespace longpole::test;
    TrainingShape shape;
    for (int i = 1; i < argc; i += 2) {
        const uint64_t value = i + 1 < argc ? std::strtoull(argv[i + 1], nullptr, 10) : 0;
        if (value && !std::strcmp(argv[i], "--steps")) {
            shape.steps = uint32_t(value);
        } else if (value && !std::strcmp(argv[i], "--layers")) {
            shape.layers = uint32_t(value);
        } else if (value && !std::strcmp(argv[i], "--bytes")) {
            shape = shapeOfSize(value);
        } else {
            std::fputs("make_training_trace [--steps N] [--layers N] [--bytes N] > training.json\n",
                       stderr);
            return 2;
        }
    }
    bool written = true;
    writeTrainingTrace(shape, [&](std::string_view text) {
        written &= std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
    });
    return written && std::fflush(stdout) == 0 ? 0 : 1;
}
