// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/model/trace.h"

namespace longpole {

/// How many operations of each device stream are enqueued and have not begun, as counters: one
/// series for each stream with launches in the trace, with a value wherever it changes. An
/// operation is enqueued when its call returns, or when it begins where that is earlier.
std::vector<CounterSeries> queueDepths(const Trace &trace);

/// The value of a series at a time, 0 before its first.
double valueAt(const CounterSeries &series, TimeNs time);

} // namespace longpole
