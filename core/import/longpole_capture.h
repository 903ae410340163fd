// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/import/importer.h"

namespace longpole {

/// What `longpole-cli record` writes: core/capture/FORMAT.md.
extern const Importer kLongpoleCapture;
inline constexpr std::string_view kCaptureFormat = "Longpole capture";

} // namespace longpole
