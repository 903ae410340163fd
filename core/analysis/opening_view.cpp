// SPDX-License-Identifier: Apache-2.0
// The part of window.h that finds where to look first.
#include "core/analysis/window.h"

#include <algorithm>
#include <vector>

namespace longpole {

namespace {

constexpr size_t kBins = 4096;
constexpr int kMaxRounds = 12;
constexpr double kShare = 0.95;
constexpr double kWorthCutting = 0.7;

/// Busy time of threads and streams per equal part of a range.
class BusyBins {
public:
    explicit BusyBins(TimeRange range) : m_range(range), m_busy(kBins) {}

    void add(const Trace &trace) {
        for (const Track &track : trace.tracks) {
            if (!track.isResource()) continue;
            for (uint32_t row = 0; row < track.table->size(); ++row)
                if (track.table->parent[row] == kNone) add(track.begin(row), track.end(row));
        }
    }

    double total() const {
        double sum = 0;
        for (const double b : m_busy) sum += b;
        return sum;
    }

    /// The shortest run of bins that holds `wanted`.
    TimeRange shortest(double wanted) const {
        size_t bestFirst = 0, bestLast = kBins, first = 0;
        double held = 0;
        for (size_t last = 0; last < kBins; ++last) {
            held += m_busy[last];
            while (held - m_busy[first] >= wanted && first < last) held -= m_busy[first++];
            if (held >= wanted && last + 1 - first < bestLast - bestFirst) {
                bestFirst = first;
                bestLast = last + 1;
            }
        }
        return {at(bestFirst), at(bestLast)};
    }

private:
    TimeNs at(size_t bin) const {
        return m_range.begin + TimeNs(double(m_range.length()) * double(bin) / double(kBins));
    }
    void add(TimeNs begin, TimeNs end) {
        const TimeRange part = m_range.clipped({begin, end});
        if (part.empty()) return;
        const double width = double(m_range.length()) / double(kBins);
        const double from = double(part.begin - m_range.begin) / width;
        const double to = double(part.end - m_range.begin) / width;
        const size_t first = std::min(size_t(from), kBins - 1);
        const size_t last = std::min(size_t(to), kBins - 1);
        if (first == last) {
            m_busy[first] += (to - from) * width;
            return;
        }
        m_busy[first] += (double(first + 1) - from) * width;
        for (size_t bin = first + 1; bin < last; ++bin) m_busy[bin] += width;
        m_busy[last] += (to - double(last)) * width;
    }

    TimeRange m_range;
    std::vector<double> m_busy;
};

} // namespace

TimeRange openingView(const Trace &trace, const Steps &steps) {
    TimeRange view = trace.range;
    if (!steps.steps.empty()) {
        const auto window = resolveWindow(trace, steps, {});
        if (window) view = window->range;
    } else {
        double wanted = 0;
        // Each round looks closer; a trace of two bursts thirteen days apart needs several.
        for (int round = 0; round < kMaxRounds && view.length() > TimeNs(kBins); ++round) {
            BusyBins bins(view);
            bins.add(trace);
            if (round == 0) wanted = kShare * bins.total();
            if (wanted <= 0) break;
            const TimeRange closer = bins.shortest(wanted * (1 - 1e-9));
            const bool done = closer.length() > view.length() / 8;
            view = closer;
            if (done) break;
        }
        // What a cut would save is too little to be worth hiding an end of the trace.
        if (double(view.length()) > kWorthCutting * double(trace.range.length()))
            view = trace.range;
    }
    const TimeNs margin = view.length() / 100 * 3;
    return {view.begin - margin, view.end + margin};
}

} // namespace longpole
