// SPDX-License-Identifier: Apache-2.0
#include "core/export/interval_table.h"

#include "core/base/gzip_writer.h"
#include "core/base/json_text.h"

#include <map>
#include <optional>

namespace longpole {

namespace {

constexpr size_t kPiece = 256 << 10;

/// One line of cells.
class Line {
public:
    explicit Line(std::string &to) : m_to(to) {}

    Line &operator<<(std::string_view text) {
        separate();
        const std::string valid = toValidUtf8(text);
        if (valid.find_first_of(",\"\r\n") == valid.npos) {
            m_to += valid;
            return *this;
        }
        m_to += '"';
        for (const char c : valid) m_to.append(c == '"' ? 2 : 1, c);
        m_to += '"';
        return *this;
    }
    Line &operator<<(int64_t number) {
        separate();
        m_to += std::to_string(number);
        return *this;
    }
    Line &operator<<(std::optional<int64_t> number) {
        if (number) return *this << *number;
        separate();
        return *this;
    }

private:
    void separate() {
        if (m_any) m_to += ',';
        m_any = true;
    }
    std::string &m_to;
    bool m_any = false;
};

std::map<IntervalId, TimeNs> onPath(const CriticalPath &path) {
    std::map<IntervalId, TimeNs> sums;
    for (const PathSegment &s : path.segments)
        if (s.type == PathSegment::Type::Activity && s.interval.row != kNone)
            sums[s.interval] += s.end - s.begin;
    return sums;
}

} // namespace

bool writeIntervalTable(const Trace &trace, const Phases &phases, TimeRange window,
                        const CriticalPath *path, const std::string &fileName, uint64_t &rows) {
    GzipWriter file(fileName);
    const auto sums = path ? onPath(*path) : std::map<IntervalId, TimeNs>{};
    std::string text(kIntervalTableHead);
    rows = 0;
    for (uint32_t t = 0; t < trace.tracks.size(); ++t) {
        const Track &track = trace.tracks[t];
        const TrackTable &table = *track.table;
        const Process &process = trace.processes[track.process];
        for (uint32_t row = 0; row < table.size(); ++row) {
            const TimeNs begin = track.begin(row), end = track.end(row);
            if (!window.touches(begin, end)) continue;
            const int64_t correlation = table.sideOf(row).correlation;
            const auto sum = sums.find({t, row});
            const TimeNs own = sum == sums.end() ? 0 : sum->second;
            Line(text) << int64_t(t) << track.name << trackKindName(track.kind) << process.pid
                       << trace.files[process.file].rank << track.device << track.stream
                       << track.thread << int64_t(table.laneOf(row)) << int64_t(table.depth[row])
                       << track.nameOf(row) << track.categoryOf(row) << kindName(table.kind[row])
                       << phases.ruleOf({t, row}).id << begin << end << end - begin
                       << (correlation < 0 ? std::nullopt : std::optional(correlation))
                       << (path ? std::optional(own) : std::nullopt);
            text += '\n';
            ++rows;
            if (text.size() < kPiece) continue;
            file.write(text);
            text.clear();
        }
    }
    file.write(text);
    return file.finish();
}

} // namespace longpole
