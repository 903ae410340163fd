// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/selection_links.h"

#include "core/analysis/interval_role.h"
#include "core/analysis/relatives.h"

#include <algorithm>

namespace longpole {

namespace {

constexpr size_t kMost = 8; ///< curves of a sort

bool isDrawn(EdgeType type) {
    return type != EdgeType::Launch && type != EdgeType::Stream && type != EdgeType::Program &&
           type != EdgeType::Window;
}

} // namespace

SelectionLinks linksOf(const Trace &trace, const WindowPath *path, IntervalId id) {
    SelectionLinks result;
    if (!id.valid()) return result;
    const auto add = [&](IntervalId other) {
        if (other.row == kNone || other.track == id.track) return;
        std::pair curve(id, other);
        if (trace.begin(other) < trace.begin(id)) std::swap(curve.first, curve.second);
        if (std::find(result.curves.begin(), result.curves.end(), curve) == result.curves.end())
            result.curves.push_back(curve);
    };
    for (const IntervalId other : autogradPartners(trace, id, kMost)) add(other);
    for (const IntervalId other : eventPartners(trace, id, kMost)) add(other);
    if (!path) return result;
    const IntervalRole role = roleOf(trace, *path->graph, path->path, id);
    if (!role.critical()) result.slack = role.slack.value_or(0);
    for (const auto *links : {&role.waitedFor, &role.waiting})
        for (size_t i = 0; i < std::min(links->size(), kMost); ++i)
            if (isDrawn((*links)[i].type)) add((*links)[i].interval);
    return result;
}

} // namespace longpole
