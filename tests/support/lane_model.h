// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/model/trace.h"

#include <memory>

namespace longpole {

/// A trace to measure painting with: about `count` intervals in 64 lanes of equal length, 16
/// threads with three lanes and 16 streams of two devices. Kinds alternate from one interval to the
/// next, so that every pixel mixes; calls of the innermost lane launch what the streams run. Made
/// as columns, because sorting a hundred million rows would cost more memory than the trace.
std::shared_ptr<const Trace> laneModel(uint32_t count);

} // namespace longpole
