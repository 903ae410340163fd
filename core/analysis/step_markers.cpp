// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/step_markers.h"

#include "core/base/grow_array.h"
#include "core/base/looking.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace longpole {

namespace {

constexpr std::string_view kMarkerPrefix = "ProfilerStep#";
constexpr size_t kLeast = 3;
constexpr double kEven = 0.2;     ///< coefficient of variation of distances
constexpr double kShare = 0.5;    ///< of the launches, between the first range and the last
constexpr double kCovers = 0.5;   ///< of the time from the first range to the last: …
constexpr double kWraps = 0.9;    ///< … of a part of the loop, of all of it
constexpr double kWorking = 0.75; ///< of the stretches from begin to begin launch device work

bool isDigit(char c) {
    return c >= '0' && c <= '9';
}

bool ofFile(const Trace &trace, const Track &track, std::optional<uint32_t> file) {
    return !file || trace.processes[track.process].file == *file;
}

void sortByBegin(const TrackTable &table, std::vector<uint32_t> &rows, const Progress &progress) {
    sortLooking(
        rows,
        [&](uint32_t a, uint32_t b) {
            return std::pair(table.start[a], -table.duration[a]) <
                   std::pair(table.start[b], -table.duration[b]);
        },
        progress);
}

/// A marker inside another one repeats it.
void dropInner(const TrackTable &table, std::vector<uint32_t> &rows) {
    TimeNs lastEnd = std::numeric_limits<TimeNs>::min();
    std::erase_if(rows, [&](uint32_t row) {
        if (table.end(row) <= lastEnd) return true;
        lastEnd = table.end(row);
        return false;
    });
}

/// Begins of the calls that launched device work, ascending.
GrowArray<TimeNs> launchTimes(const Trace &trace, std::optional<uint32_t> file,
                              const Progress &progress) {
    GrowArray<TimeNs> times;
    size_t count = 0;
    for (const Launch &launch : trace.launches) {
        progress.look(count++);
        if (ofFile(trace, trace.track(launch.call), file))
            times.push_back(trace.begin(launch.call));
    }
    if (!std::is_sorted(times.begin(), times.end())) sortLooking(times, std::less<>(), progress);
    return times;
}

/// "step", "iter" and their like, as words of their own or at the begin of one ("iteration").
bool speaksOfSteps(std::string_view family) {
    std::string lower(family);
    for (char &c : lower) c = char(c >= 'A' && c <= 'Z' ? c + 32 : c);
    if (lower.find("optim") != lower.npos) return false; // "optimizer.step" is a part of one
    return lower.find("step") != lower.npos || lower.find("iter") != lower.npos;
}

/// Digits of a name as one number, for comparing the counters of two names of a family.
std::vector<std::string_view> numbersOf(std::string_view name) {
    std::vector<std::string_view> numbers;
    for (size_t i = 0; i < name.size();) {
        size_t end = i;
        while (end < name.size() && isDigit(name[end])) ++end;
        if (end > i) {
            size_t from = i;
            while (from + 1 < end && name[from] == '0') ++from;
            numbers.push_back(name.substr(from, end - from));
        }
        i = end + 1;
    }
    return numbers;
}

bool countsUp(std::string_view before, std::string_view after) {
    const auto a = numbersOf(before), b = numbersOf(after);
    for (size_t i = 0; i < std::min(a.size(), b.size()); ++i)
        if (a[i] != b[i]) return std::pair(a[i].size(), a[i]) < std::pair(b[i].size(), b[i]);
    return false;
}

/// Ranges of one family on one thread, and how well they would do as steps.
struct Candidate {
    FoundMarkers markers;
    bool covers = false, named = false;
    double share = 0; ///< of its thread, from the first to the last
    bool operator<(const Candidate &o) const {
        const auto key = [](const Candidate &c) {
            return std::tuple(c.covers, c.covers && c.named, c.share);
        };
        if (key(*this) != key(o)) return key(*this) < key(o);
        return markers.rows.size() > o.markers.rows.size(); // fewer and longer ones
    }
};

class RepeatedRanges {
public:
    RepeatedRanges(const Trace &trace, std::optional<uint32_t> file, const Progress &progress)
        : m_trace(trace), m_file(file), m_progress(progress) {
        for (uint32_t t = 0; t < trace.tracks.size(); ++t) {
            const Track &track = trace.tracks[t];
            if (track.kind == TrackKind::Thread && ofFile(trace, track, file)) tryThread(t);
        }
    }
    FoundMarkers best() && { return std::move(m_best.markers); }

private:
    void tryThread(uint32_t t) {
        const Track &track = m_trace.tracks[t];
        const TrackTable &table = *track.table;
        std::map<uint32_t, std::string> families; // by name
        std::map<std::string, std::vector<uint32_t>> rows;
        for (uint32_t row = 0; row < table.size(); ++row) {
            m_progress.look(row);
            if (!StepMarkers::isRange(table.kind[row])) continue;
            auto [it, added] = families.try_emplace(table.name[row].index);
            if (added) it->second = nameFamily(track.nameOf(row));
            rows[it->second].push_back(row);
        }
        for (auto &[family, of] : rows)
            if (m_progress.look(); of.size() >= kLeast) tryFamily(t, family, of);
    }

    void tryFamily(uint32_t t, const std::string &family, std::vector<uint32_t> &rows) {
        const Track &track = m_trace.tracks[t];
        const TrackTable &table = *track.table;
        sortByBegin(table, rows, m_progress);
        std::vector<TimeNs> begins;
        TimeNs busy = 0, lastEnd = std::numeric_limits<TimeNs>::min();
        for (size_t i = 0; i < rows.size(); ++i) {
            m_progress.look(i);
            if (track.begin(rows[i]) < lastEnd) return; // nested in itself
            if (i > 0 && table.name[rows[i]] != table.name[rows[i - 1]] &&
                !countsUp(track.nameOf(rows[i - 1]), track.nameOf(rows[i])))
                return;
            lastEnd = track.end(rows[i]);
            busy += table.duration[rows[i]];
            begins.push_back(track.begin(rows[i]));
        }
        const TimeRange span{begins.front(), lastEnd};
        if (span.empty() || !areRegular(begins)) return;
        if (!m_launchesKnown) m_launches = launchTimes(m_trace, m_file, m_progress);
        m_launchesKnown = true;
        if (!spansTheWork(track, span) || !launchInEach(begins)) return;
        Candidate candidate{{t, rows, family, false}};
        candidate.share = double(busy) / double(span.length());
        candidate.covers = candidate.share >= kCovers;
        candidate.markers.wrap = candidate.share >= kWraps;
        candidate.named = speaksOfSteps(family);
        if (m_best < candidate || m_best.markers.rows.empty()) m_best = std::move(candidate);
    }

    bool spansTheWork(const Track &track, TimeRange span) const {
        if (m_launches.empty()) {
            TimeNs end = std::numeric_limits<TimeNs>::min(), begin = -(end + 1);
            for (uint32_t row = 0; row < track.table->size(); ++row) {
                m_progress.look(row);
                begin = std::min(begin, track.begin(row));
                end = std::max(end, track.end(row));
            }
            return double(span.length()) >= kShare * double(end - begin);
        }
        const auto from = std::lower_bound(m_launches.begin(), m_launches.end(), span.begin);
        const auto to = std::lower_bound(from, m_launches.end(), span.end);
        return double(to - from) >= kShare * double(m_launches.size());
    }

    bool launchInEach(const std::vector<TimeNs> &begins) const {
        if (m_launches.empty()) return true;
        size_t working = 0;
        for (size_t i = 0; i + 1 < begins.size(); ++i) {
            const auto at = std::lower_bound(m_launches.begin(), m_launches.end(), begins[i]);
            working += at != m_launches.end() && *at < begins[i + 1];
        }
        return double(working) >= kWorking * double(begins.size() - 1);
    }

    const Trace &m_trace;
    const std::optional<uint32_t> m_file;
    const Progress &m_progress;
    GrowArray<TimeNs> m_launches; ///< only where some ranges come back evenly
    bool m_launchesKnown = false;
    Candidate m_best;
};

} // namespace

bool isStepMarker(std::string_view name) {
    if (!name.starts_with(kMarkerPrefix) || name.size() == kMarkerPrefix.size()) return false;
    return std::all_of(name.begin() + kMarkerPrefix.size(), name.end(), isDigit);
}

bool marksStep(std::string_view name, const std::string &markers) {
    return isStepMarker(name) || (!markers.empty() && nameFamily(name) == markers);
}

std::string nameFamily(std::string_view name) {
    std::string family;
    for (size_t i = 0; i < name.size(); ++i) {
        if (!isDigit(name[i]))
            family += name[i];
        else if (i == 0 || !isDigit(name[i - 1]))
            family += 'N';
    }
    return family;
}

FoundMarkers profilerSteps(const Trace &trace, std::optional<uint32_t> file,
                           const Progress &progress) {
    FoundMarkers best;
    StepMarkers markers;
    for (uint32_t t = 0; t < trace.tracks.size(); ++t) {
        const Track &track = trace.tracks[t];
        const TrackTable &table = *track.table;
        if (track.kind != TrackKind::Thread || table.size() == 0 || !ofFile(trace, track, file))
            continue;
        markers.use(table);
        if (!markers.any()) continue;
        std::vector<uint32_t> rows;
        for (uint32_t row = 0; row < table.size(); ++row)
            if (progress.look(row); markers.has(row)) rows.push_back(row);
        sortByBegin(table, rows, progress);
        dropInner(table, rows);
        if (rows.size() > best.rows.size()) best = {t, std::move(rows), {}, true};
    }
    return best;
}

FoundMarkers repeatedRanges(const Trace &trace, std::optional<uint32_t> file,
                            const Progress &progress) {
    return RepeatedRanges(trace, file, progress).best();
}

bool areRegular(const std::vector<TimeNs> &begins) {
    if (begins.size() < kLeast) return false;
    std::vector<TimeNs> distances;
    for (size_t i = 1; i < begins.size(); ++i) distances.push_back(begins[i] - begins[i - 1]);
    distances.erase(distances.begin(), distances.begin() + ptrdiff_t(distances.size() / 4));
    std::sort(distances.begin(), distances.end());
    distances.resize(distances.size() - distances.size() / 50);
    double mean = 0, squares = 0;
    for (const TimeNs d : distances) mean += double(d) / double(distances.size());
    for (const TimeNs d : distances) squares += (double(d) - mean) * (double(d) - mean);
    return mean > 0 && std::sqrt(squares / double(distances.size())) < kEven * mean;
}

void StepMarkers::use(const TrackTable &table) {
    m_table = &table;
    auto [it, added] = m_byPool.try_emplace(table.strings.get());
    m_current = &it->second;
    if (!added || !table.strings) return;
    m_current->marks.resize(table.strings->size());
    for (uint32_t i = 0; i < table.strings->size(); ++i) {
        const std::string_view name = (*table.strings)[StringId{i}];
        Mark &mark = m_current->marks[i];
        if (isStepMarker(name))
            mark = Mark::Always;
        else if (!m_family.empty() && nameFamily(name) == m_family)
            mark = Mark::Ranges;
        if (mark != Mark::Never) m_current->any = true;
    }
}

} // namespace longpole
