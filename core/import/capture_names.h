// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/model/kind.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace longpole {

// The numbers of a capture file, which are CUPTI's, as PyTorch's profiler names them, so that rules
// and habits hold for both.

Kind copyKindOf(uint32_t direction);
std::string copyName(uint32_t direction, uint32_t from,
                     uint32_t to); ///< "Memcpy HtoD (Pageable -> Device)"
std::string_view memoryName(uint32_t memory);
std::string_view waitName(uint32_t kind);
std::string overheadName(uint32_t kind);
std::string cuptiVersionText(uint32_t version); ///< "13.0"; before CUDA 13 "12.8"
std::string cudaVersionText(uint32_t version);  ///< "12.4" of 12040

} // namespace longpole
