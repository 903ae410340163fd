// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

namespace longpole::test {

/// What the made-up training run looks like; the default is the example that ships.
struct TrainingShape {
    uint32_t steps = 20;
    uint32_t layers = 6;
    uint64_t seed = 7;
};

/// Writes a trace in the form of PyTorch's profiler: a small transformer that trains on one of four
/// ranks, with a data loader, copies on a stream of their own, autograd, all-reduce beside the
/// backward pass, a wait per step and two slow first steps. The times obey the order of launches,
/// streams, events and waits. The same shape always gives the same bytes, on any machine.
void writeTrainingTrace(const TrainingShape &shape,
                        const std::function<void(std::string_view)> &out);

/// A shape whose text has about `bytes` bytes, for measurements.
TrainingShape shapeOfSize(uint64_t bytes);

} // namespace longpole::test
