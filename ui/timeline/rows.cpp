// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/rows.h"

#include <algorithm>

namespace longpole {

namespace {

constexpr int kHeader = 18, kGutter = 6, kStream = 34, kQuietStream = 26, kTransfer = 22,
              kQuietTransfer = 18, kCounter = 36, kIdle = 16, kIdleShares = 40, kGhost = 11,
              kMaxNoteLanes = 2, kOtherProcess = 4;

QString directionName(Kind direction) {
    return direction == Kind::H2D   ? QStringLiteral("H2D")
           : direction == Kind::D2H ? QStringLiteral("D2H")
                                    : QStringLiteral("P2P");
}

QString countOf(size_t count, const QString &one, const QString &many) {
    return count == 1 ? one : many.arg(QString::fromStdString(formatCount(int64_t(count))));
}

QString transferDetail(const TransferRow &row) {
    if (row.bytes > 0 && row.time > 0) {
        const double rate = double(row.bytes) / double(row.time); // bytes per ns are GB/s
        return rate >= 1 ? QStringLiteral("%1 GB/s").arg(rate, 0, 'f', rate < 10 ? 2 : 1)
                         : QStringLiteral("%1 MB/s").arg(1000 * rate, 0, 'f', rate < 0.01 ? 1 : 0);
    }
    return countOf(row.ids.size(), QStringLiteral("1 copy"), QStringLiteral("%1 copies"));
}

/// Stacks the rows of one layout; owns them until they are taken.
class Stacking {
public:
    Stacking(const TimelineData &data, const RowChoices &choices)
        : m_data(data), m_trace(data.trace()), m_choices(choices), m_lane(choices.laneHeight) {}

    std::vector<Row> run() {
        bool first = true;
        for (uint32_t g = 0; g < m_data.groups().size(); ++g) {
            const TrackGroup &group = m_data.groups()[g];
            if (!anyShown(group)) continue;
            m_group = g;
            Row &header = push(Row::Type::Group, kHeader, kHeader);
            header.label = group.title;
            header.detail = group.detail;
            header.toggles = true;
            header.open = !m_choices.closedGroups.contains(group.key);
            if (!header.open) continue;
            if (group.type == TrackGroup::Type::Cpu) {
                threads(group, first ? cpuBudget() : kOtherProcess + 2 * int(group.tracks.size()));
                first = false;
            } else {
                others(group);
            }
        }
        return std::move(m_rows);
    }

private:
    bool hidden(uint32_t track) const {
        return track < m_choices.hiddenTracks.size() && m_choices.hiddenTracks[track];
    }
    bool anyShown(const TrackGroup &group) const {
        auto shown = [this](uint32_t t) { return !hidden(t); };
        return !group.items.empty() ||
               std::any_of(group.tracks.begin(), group.tracks.end(), shown) ||
               std::any_of(group.helpers.begin(), group.helpers.end(), shown) ||
               std::any_of(group.notes.begin(), group.notes.end(), shown);
    }

    Row &push(Row::Type type, int height, int bar) {
        Row row;
        row.type = type;
        row.y = m_y;
        row.height = height;
        row.bar = bar;
        row.group = m_group;
        m_y += height;
        m_rows.push_back(std::move(row));
        return m_rows.back();
    }
    void endTrack() {
        m_rows.back().height += kGutter;
        m_rows.back().endsTrack = true;
        m_y += kGutter;
        const Row &row = m_rows.back();
        const bool works = row.type == Row::Type::Lane || row.type == Row::Type::Density ||
                           row.type == Row::Type::Idle;
        if (!m_choices.ghosts || !works) return;
        m_rows.back().ghost = kGhost;
        m_rows.back().height += kGhost;
        m_y += kGhost;
    }

    /// Lanes that the first process may use so that transfers and the busiest stream stay visible.
    int cpuBudget() const {
        int below = 2 * kGutter + 2 * kHeader;
        bool stream = false;
        for (const TrackGroup &group : m_data.groups()) {
            if (m_choices.closedGroups.contains(group.key)) continue;
            if (group.type == TrackGroup::Type::Transfers)
                below += kHeader + int(group.items.size()) * kTransfer + kGutter;
            if (group.type == TrackGroup::Type::Gpu && !std::exchange(stream, true))
                below +=
                    kStream + kGutter + noteHeight(group) + (m_choices.idle ? kIdle + kGutter : 0);
        }
        return std::max(3, (m_choices.height - below) / m_lane);
    }
    int noteHeight(const TrackGroup &group) const {
        int height = 0;
        for (uint32_t t : group.notes)
            if (belongsAbove(group, t) && !hidden(t)) height += noteLanes(t) * m_lane + kGutter;
        return height;
    }
    /// The ranges of the busiest stream head the device; all others come below its streams.
    bool belongsAbove(const TrackGroup &group, uint32_t note) const {
        const auto &stream = m_trace.tracks[note].stream;
        return stream && !group.tracks.empty() && stream == m_trace.tracks[group.tracks[0]].stream;
    }
    int noteLanes(uint32_t track) const {
        return std::clamp(int(m_trace.tracks[track].table->lanes()), 1, kMaxNoteLanes);
    }

    void threads(const TrackGroup &group, int budget) {
        std::vector<uint32_t> shown;
        for (uint32_t t : group.tracks)
            if (!hidden(t)) shown.push_back(t);
        std::vector<uint32_t> helpers;
        for (uint32_t t : group.helpers)
            if (!hidden(t)) helpers.push_back(t);
        const bool openHelpers = m_choices.openHelpers.contains(group.key);
        std::vector<int> depths;
        for (uint32_t t : shown)
            depths.push_back(std::max(1, int(m_trace.tracks[t].table->lanes())));
        budget -= int(shown.size() + helpers.size() / 2) * kGutter / m_lane + !helpers.empty();
        const std::vector<int> shares = shareLanes(depths, budget);
        for (size_t i = 0; i < shown.size(); ++i) lanes(shown[i], shares[i], Row::Type::Lane);
        if (helpers.empty()) return;
        Row &more = push(Row::Type::MoreThreads, m_lane, m_lane - 1);
        more.tracks = helpers;
        more.toggles = true;
        more.open = openHelpers;
        more.label = countOf(helpers.size(), QStringLiteral("1 more thread"),
                             QStringLiteral("%1 more threads"));
        endTrack();
        if (!openHelpers) return;
        for (uint32_t t : helpers) lanes(t, 2, Row::Type::Lane);
    }

    /// The lanes of a track: all, or room - 1 of them and a density row for the deeper ones.
    void lanes(uint32_t track, int room, Row::Type type) {
        const int depth = std::max(1, int(m_trace.tracks[track].table->lanes()));
        const bool opened = m_choices.openTracks.count(track) > 0;
        const int single = opened || room >= depth ? depth : std::max(0, room - 1);
        for (int lane = 0; lane < single; ++lane) {
            Row &row = push(type, m_lane, m_lane - 1);
            row.track = track;
            row.firstLane = uint32_t(lane);
            if (lane == 0) nameTrack(row, track);
            if (lane == 1 && m_trace.tracks[track].kind == TrackKind::Thread) {
                row.isAside = true;
                row.toggles = row.open = opened && room < depth;
                row.label = row.toggles                  ? QStringLiteral("fold deep rows")
                            : m_data.isStepThread(track) ? QStringLiteral("step thread")
                                                         : QStringLiteral("thread");
            }
        }
        if (single < depth) {
            Row &row = push(Row::Type::Density, m_lane, m_lane - 1);
            row.track = track;
            row.firstLane = uint32_t(single);
            row.lanes = uint32_t(depth - single);
            row.toggles = true;
            row.indent = 1;
            if (single == 0) {
                nameTrack(row, track);
                row.indent = 0;
            } else {
                row.label = row.lanes == 1
                                ? QStringLiteral("depth %1").arg(single + 1)
                                : QStringLiteral("depth %1 – %2").arg(single + 1).arg(depth);
            }
        }
        endTrack();
    }

    void nameTrack(Row &row, uint32_t track) const {
        row.label = m_data.facts(track).label;
        row.detail = m_data.facts(track).detail;
    }

    void others(const TrackGroup &group) {
        for (uint32_t item : group.items) {
            if (group.type == TrackGroup::Type::Transfers)
                transfer(item);
            else
                counter(item);
        }
        if (group.type == TrackGroup::Type::Transfers && !group.items.empty()) endTrack();
        for (uint32_t t : group.notes)
            if (belongsAbove(group, t)) notes(t);
        for (uint32_t t : group.tracks)
            if (!hidden(t)) stream(t);
        if (group.type == TrackGroup::Type::Gpu && m_choices.idle && !group.tracks.empty())
            idle(group);
        for (uint32_t t : group.notes)
            if (!belongsAbove(group, t)) notes(t);
    }

    void notes(uint32_t track) {
        if (hidden(track)) return;
        const size_t first = m_rows.size();
        lanes(track, noteLanes(track), Row::Type::Annotation);
        if (m_rows[first].detail.isEmpty()) m_rows[first].detail = QStringLiteral("derived");
    }

    void stream(uint32_t track) {
        const int lanes = std::max(1, int(m_trace.tracks[track].table->lanes()));
        const int single = m_data.facts(track).quiet ? kQuietStream : kStream;
        const int height = lanes == 1 ? single : std::max(m_lane, single / lanes);
        for (int lane = 0; lane < lanes; ++lane) {
            Row &row = push(Row::Type::Lane, height, lanes == 1 ? height : height - 1);
            row.track = track;
            row.firstLane = uint32_t(lane);
            if (lane == 0) nameTrack(row, track);
        }
        endTrack();
    }

    void idle(const TrackGroup &group) {
        const int height = m_choices.idleStacked ? kIdleShares : kIdle;
        Row &row = push(Row::Type::Idle, height, height - 1);
        row.label = QStringLiteral("idle");
        const DeviceIdle *books =
            m_choices.idleBooks ? m_choices.idleBooks->device(m_trace, group) : nullptr;
        if (books) row.detail = QString::fromStdString(formatDuration(books->idle));
        endTrack();
    }

    void transfer(uint32_t item) {
        const TransferRow &transfers = m_data.transfers()[item];
        const bool quiet = double(transfers.time) < 0.02 * double(m_trace.range.length());
        const int height = quiet ? kQuietTransfer : kTransfer;
        const uint32_t lanes = uint32_t(transfers.laneBegin.size()) - 1;
        for (uint32_t lane = 0; lane < lanes; ++lane) {
            Row &row = push(Row::Type::Transfer, height, height - 4);
            row.item = item;
            row.firstLane = lane;
            if (lane > 0) continue;
            row.label = directionName(transfers.direction);
            if (severalDevices(transfers.file))
                row.label += QStringLiteral(" · GPU %1").arg(transfers.device);
            row.detail = transferDetail(transfers);
        }
    }
    bool severalDevices(uint32_t file) const {
        const auto &all = m_data.transfers();
        const auto first = std::find_if(all.begin(), all.end(),
                                        [&](const TransferRow &r) { return r.file == file; });
        return std::any_of(first, all.end(), [&](const TransferRow &r) {
            return r.file == file && r.device != first->device;
        });
    }

    void counter(uint32_t item) {
        const CounterSeries &series = m_data.counter(item);
        if (hidden(series.track)) return;
        Row &row = push(Row::Type::Counter, kCounter, kCounter - 4);
        row.item = item;
        row.track = series.track;
        row.label = QString::fromStdString(series.name.empty() ? series.series : series.name);
        row.detail = QString::fromStdString(series.series);
        if (row.detail == row.label) row.detail.clear();
    }

    const TimelineData &m_data;
    const Trace &m_trace;
    const RowChoices &m_choices;
    const int m_lane;
    int m_y = 0;
    uint32_t m_group = 0;
    std::vector<Row> m_rows;
};

} // namespace

std::vector<int> shareLanes(const std::vector<int> &depths, int budget) {
    constexpr int kFirst = 6, kOthers = 4;
    std::vector<int> shares(depths.size(), 1);
    int left = budget - int(depths.size());
    auto give = [&](size_t i, int limit) {
        const int more = std::clamp(std::min(depths[i], limit) - shares[i], 0, std::max(0, left));
        shares[i] += more;
        left -= more;
    };
    if (depths.empty()) return shares;
    give(0, kFirst);
    for (size_t i = 1; i < depths.size(); ++i) give(i, kOthers);
    for (size_t i = 0; i < depths.size(); ++i) give(i, depths[i]);
    return shares;
}

std::vector<Row> layoutRows(const TimelineData &data, const RowChoices &choices) {
    return Stacking(data, choices).run();
}

int totalHeight(const std::vector<Row> &rows) {
    return rows.empty() ? 0 : rows.back().bottom();
}

int rowAt(const std::vector<Row> &rows, int y) {
    const auto it = std::upper_bound(rows.begin(), rows.end(), y,
                                     [](int at, const Row &row) { return at < row.y; });
    if (it == rows.begin()) return -1;
    const Row &row = *(it - 1);
    return y < row.bottom() ? int(it - 1 - rows.begin()) : -1;
}

int rowOf(const std::vector<Row> &rows, const Trace &trace, IntervalId id) {
    if (!id.valid()) return -1;
    const uint32_t lane = trace.track(id).table->laneOf(id.row);
    for (size_t i = 0; i < rows.size(); ++i) {
        const Row &row = rows[i];
        if (row.type == Row::Type::MoreThreads && !row.open &&
            std::find(row.tracks.begin(), row.tracks.end(), id.track) != row.tracks.end())
            return int(i);
        if (row.type == Row::Type::Transfer || row.track != id.track) continue;
        if (lane >= row.firstLane && lane < row.firstLane + row.lanes) return int(i);
    }
    return -1;
}

} // namespace longpole
