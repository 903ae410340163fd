// SPDX-License-Identifier: Apache-2.0
#include "core/import/argument_search.h"

#include "core/import/event_args.h"

#include <algorithm>

namespace longpole {

namespace {

struct Place {
    uint32_t file;
    IntervalId id;
    uint64_t offset;
};

} // namespace

Result<std::vector<IntervalId>> searchArguments(std::shared_ptr<const Trace> trace,
                                                const TextMatch &match, const std::string &category,
                                                Progress &progress) {
    std::vector<Place> places;
    for (uint32_t t = 0; t < trace->tracks.size(); ++t) {
        const Track &track = trace->tracks[t];
        if (!track.table) continue;
        const uint32_t file = trace->processes[track.process].file;
        for (uint32_t row = 0; row < track.table->size(); ++row)
            if (category.empty() || track.categoryOf(row) == category)
                places.push_back({file, {t, row}, track.table->offset[row]});
        if (progress.stopped()) return Error{ErrorKind::Cancelled, "cancelled", {}};
    }
    // In the order of the source a compressed file is inflated once.
    std::sort(places.begin(), places.end(), [](const Place &a, const Place &b) {
        return a.file != b.file ? a.file < b.file : a.offset < b.offset;
    });
    EventArgs arguments(trace);
    std::vector<IntervalId> found;
    for (size_t i = 0; i < places.size(); ++i) {
        if (i % 256 == 0) {
            if (progress.stopped()) return Error{ErrorKind::Cancelled, "cancelled", {}};
            progress.set(double(i) / double(places.size()));
        }
        const auto text = arguments.json(places[i].id);
        if (!text) return text.error();
        if (match.in(*text)) found.push_back(places[i].id);
    }
    progress.set(1);
    return found;
}

} // namespace longpole
