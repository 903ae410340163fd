// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace longpole {

/// The rank that the name of a file says, as in "step3_rank-12.json", or where it says none that of
/// a folder around it, as in "rank0_ascend_pt/trace_view.json". None for a name with two of them
/// ("dp_rank0_tp_rank1") or with the rank on one host only ("local_rank3").
std::optional<int64_t> rankInName(std::string_view path);

} // namespace longpole
