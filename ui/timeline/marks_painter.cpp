// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/marks_painter.h"

#include "ui/theme.h"

#include <algorithm>
#include <map>
#include <span>
#include <tuple>

namespace longpole {

namespace {

constexpr int kTick = 3; ///< px, as high as wide

/// Calls tick(column) for each column of `scale` in which one of the rows begins, as begin(row)
/// says; each column once.
template <class T, class Begin, class Tick>
void eachColumn(std::span<const T> rows, const Begin &begin, const TimeScale &scale, Tick &&tick) {
    const auto firstFrom = [&](TimeNs time, size_t from) { // gallops: hits are often dense
        size_t low = from, width = 1;
        while (low + width < rows.size() && begin(rows[low + width]) < time) {
            low += width;
            width *= 2;
        }
        const size_t high = std::min(rows.size(), low + width + 1);
        return size_t(std::lower_bound(rows.begin() + long(low), rows.begin() + long(high), time,
                                       [&](T row, TimeNs t) { return begin(row) < t; }) -
                      rows.begin());
    };
    size_t at = firstFrom(scale.view.begin, 0);
    while (at < rows.size() && begin(rows[at]) < scale.view.end) {
        const int column = int(scale.x(begin(rows[at])));
        tick(column);
        at = firstFrom(scale.firstTimeOf(column + 1), at);
    }
}

auto beginOn(const Track &track) {
    return [&track](uint32_t row) { return track.begin(row); };
}

} // namespace

TransferHits transferHits(const TimelineData &data, const SearchHits &hits) {
    const Trace &trace = data.trace();
    std::map<std::tuple<uint32_t, int64_t, Kind>, uint32_t> items;
    TransferHits found;
    for (const TransferRow &row : data.transfers()) {
        items[{row.file, row.device, row.direction}] = uint32_t(found.size());
        found.emplace_back(row.laneBegin.size() - 1);
    }
    for (const SearchHits::OfTrack &hit : hits.tracks) {
        const Track &track = trace.tracks[hit.track];
        if (track.kind != TrackKind::Stream) continue;
        for (const uint32_t row : hit.rows) {
            const Kind kind = track.table->kind[row];
            if (kind != Kind::H2D && kind != Kind::D2H && kind != Kind::P2P) continue;
            const uint32_t item =
                items.at({trace.processes[track.process].file, track.device.value_or(0), kind});
            const TransferRow &copies = data.transfers()[item];
            const TimeNs begin = track.begin(row);
            for (size_t lane = 0; lane + 1 < copies.laneBegin.size(); ++lane) {
                const auto first = copies.start.begin() + copies.laneBegin[lane],
                           last = copies.start.begin() + copies.laneBegin[lane + 1];
                auto at = std::lower_bound(first, last, begin);
                while (at != last && *at == begin &&
                       copies.ids[size_t(at - copies.start.begin())] != IntervalId{hit.track, row})
                    ++at;
                if (at == last || *at != begin) continue;
                found[item][lane].push_back(begin);
                break;
            }
        }
    }
    for (auto &lanes : found)
        for (auto &lane : lanes) std::sort(lane.begin(), lane.end()); // of several streams
    return found;
}

void paintHitTicks(QPainter &painter, const QRect &rect, const Trace &trace,
                   const std::vector<Row> &rows, int scroll, TimeRange view, const SearchHits &hits,
                   const TransferHits &copies) {
    const TimeScale scale{view, double(rect.width())};
    const QColor colour = theme().accent;
    painter.save();
    painter.setClipRect(rect, Qt::IntersectClip);
    for (const Row &row : rows) {
        const int y = rect.top() + row.y - scroll;
        if (y + row.height <= rect.top()) continue;
        if (y > rect.bottom()) break;
        const auto ticks = [&](auto begins, const auto &beginOf) {
            int from = 0, to = -1; // columns side by side are one tick
            const auto flush = [&] {
                if (to >= from)
                    painter.fillRect(rect.left() + from - 1, y, to - from + kTick, kTick, colour);
            };
            eachColumn(begins, beginOf, scale, [&](int column) {
                if (column > to + 1) {
                    flush();
                    from = column;
                }
                to = column;
            });
            flush();
        };
        const auto lane = [&](uint32_t track, uint32_t lane) {
            ticks(hits.inLane(trace, track, lane), beginOn(trace.tracks[track]));
        };
        const auto lanes = [&](uint32_t track, uint32_t first, uint32_t count) {
            const uint32_t end = std::min(trace.tracks[track].table->lanes(), first + count);
            for (uint32_t l = first; l < end; ++l) lane(track, l);
        };
        if (row.type == Row::Type::Transfer)
            ticks(std::span<const TimeNs>(copies[row.item][row.firstLane]),
                  [](TimeNs begin) { return begin; });
        else if (row.type == Row::Type::MoreThreads && !row.open)
            for (const uint32_t track : row.tracks) lanes(track, 0, kNone - 1);
        else if (row.track != kNone && row.type != Row::Type::Counter)
            lanes(row.track, row.firstLane, row.lanes);
    }
    painter.restore();
}

std::vector<bool> hitColumns(const Trace &trace, TimeRange range, int width,
                             const SearchHits &hits) {
    const TimeScale scale{range, double(width)};
    std::vector<bool> marked(size_t(width) + 1);
    for (const SearchHits::OfTrack &hit : hits.tracks)
        for (uint32_t lane = 0; lane < trace.tracks[hit.track].table->lanes(); ++lane)
            eachColumn(hits.inLane(trace, hit.track, lane), beginOn(trace.tracks[hit.track]), scale,
                       [&](int column) { marked[size_t(std::clamp(column, 0, width))] = true; });
    return marked;
}

void paintHitColumns(QPainter &painter, const QRect &rect, const std::vector<bool> &columns) {
    for (size_t x = 0; x < columns.size(); ++x)
        if (columns[x])
            painter.fillRect(rect.left() + int(x) - 1, rect.bottom() - 2 * kTick + 1, kTick,
                             2 * kTick, theme().accent);
}

namespace {

constexpr int kFlag = 7, kLongestNote = 160; ///< px

void paintFlag(QPainter &painter, const QRect &ruler, int x) {
    const int bottom = ruler.bottom() + 1;
    painter.fillRect(x, bottom - 2 * kFlag, 1, 2 * kFlag, theme().accent);
    const QPointF flag[] = {{x + 1.0, bottom - 2.0 * kFlag},
                            {x + 1.0 + kFlag, bottom - 1.5 * kFlag},
                            {x + 1.0, bottom - double(kFlag)}};
    painter.setPen(Qt::NoPen);
    painter.setBrush(theme().accent);
    painter.drawPolygon(flag, 3);
}

void paintNote(QPainter &painter, const QRect &lanes, int x, const TimeMark &mark) {
    QString text = mark.text.section(QLatin1Char('\n'), 0, 0);
    if (mark.range.length() > 0)
        text =
            (QString::fromStdString(formatDuration(mark.range.length())) + QLatin1Char(' ') + text)
                .trimmed();
    if (text.isEmpty()) return;
    painter.setFont(uiFont(10));
    text = painter.fontMetrics().elidedText(text, Qt::ElideRight, kLongestNote);
    const int width = painter.fontMetrics().horizontalAdvance(text) + 8;
    const QRect room(x + 1, lanes.top(), width, painter.fontMetrics().height() + 2);
    painter.fillRect(room, theme().base);
    painter.setPen(theme().accent);
    painter.drawText(room, Qt::AlignCenter, text);
}

} // namespace

void paintMarks(QPainter &painter, const QRect &ruler, const QRect &lanes, TimeRange view,
                const std::vector<TimeMark> &marks) {
    const TimeScale scale{view, double(lanes.width())};
    painter.save();
    painter.setClipRect(lanes.united(ruler));
    for (const TimeMark &mark : marks) {
        if (mark.range.end < view.begin || mark.range.begin > view.end) continue;
        const int x0 = lanes.left() + int(std::clamp(scale.x(mark.range.begin), -10.0, 1e6));
        const int x1 = lanes.left() + int(std::clamp(scale.x(mark.range.end), -10.0, 1e6));
        QPen line(theme().accent, 1);
        line.setDashPattern({1, 3});
        painter.setPen(line);
        painter.drawLine(x0, lanes.top(), x0, lanes.bottom());
        if (mark.range.length() > 0) {
            painter.drawLine(x1, lanes.top(), x1, lanes.bottom());
            const int y = ruler.bottom() - 2;
            painter.fillRect(x0, y, std::max(1, x1 - x0), 3, theme().accent);
            for (const int x : {x0, x1}) painter.fillRect(x, y - kFlag, 1, kFlag, theme().accent);
        } else {
            paintFlag(painter, ruler, x0);
        }
        paintNote(painter, lanes, std::max(x0, lanes.left()), mark);
    }
    painter.restore();
}

} // namespace longpole
