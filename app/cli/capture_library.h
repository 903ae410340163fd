// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace longpole::cli {

/// The capture library: what LONGPOLE_CAPTURE_LIBRARY names, beside this program, or where it is
/// installed. Empty where there is none.
std::string captureLibrary();
/// What to do about that.
std::string withoutCaptureLibrary();

} // namespace longpole::cli
