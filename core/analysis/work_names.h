// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/model/trace.h"

#include <string>

namespace longpole {

/// The name of an interval as a sentence can hold it: of a kernel its last identifier and what
/// tells it from others of that template; without control characters, elided in the middle.
std::string shortName(const Trace &trace, IntervalId id);

} // namespace longpole
