// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/analysis/critical_path.h"

#include <string>

namespace longpole {

/// Writes the window as Chrome JSON that Perfetto opens, gzip where the name ends in .gz: all
/// threads and streams, the intervals on the path with args.critical, and the path as a process of
/// its own above them. Times count from the trace's zero. False when the file cannot be written.
bool writeOverlay(const Trace &trace, const Phases &phases, const CriticalPath &path,
                  const std::string &fileName);

} // namespace longpole
