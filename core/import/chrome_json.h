// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/import/importer.h"

namespace longpole {

/// The Chrome trace event format in its object and its array form, with what PyTorch's profiler
/// (Kineto) adds to it.
extern const Importer kChromeJson;

} // namespace longpole
