// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/progress.h"
#include "core/model/trace.h"

namespace longpole {

/// Joins API calls with the device operations of the same correlation id and fills Trace::launches.
/// Ids are unique within a process only: where several processes of one file used an id, the
/// operation goes with the call of its own process, and to none when that is not known. Throws
/// Stopped.
void linkLaunches(Trace &trace, Diagnostics &diagnostics, const Progress &progress);

} // namespace longpole
