// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/model/kind.h"

#include <string_view>

namespace longpole {

/// On which sort of track an event of a category lives.
enum class Place : uint8_t {
    Thread,        ///< the row it is written on
    Stream,        ///< a device stream
    GpuAnnotation, ///< device-side copy of a range: repeats time of its stream
    DeviceRecords, ///< cuda_sync and cuda_event rows: one annotation track per device
    Annotation,    ///< rows of the profiler itself: Trace, Spans, overhead
};

struct EventKind {
    Kind kind = Kind::CpuOp;
    Place place = Place::Thread;
};

/// Kind and place from category and name, old and new spellings of PyTorch's profiler alike; any
/// other category is a range on a thread.
EventKind eventKind(std::string_view category, std::string_view name);

/// What an operation of an Ascend device is, by its name: such rows have no category.
Kind ascendKind(std::string_view name);

/// Flow categories that only draw what correlation ids say already; they are counted, not kept.
bool isDisplayFlow(std::string_view category);

} // namespace longpole
