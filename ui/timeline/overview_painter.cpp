// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/overview_painter.h"

#include "core/analysis/step_markers.h"
#include "ui/describe.h"
#include "ui/theme.h"
#include "ui/timeline/chrome_painter.h"
#include "ui/timeline/lane_columns.h"

#include <algorithm>

namespace longpole {

namespace {

constexpr int kMarks = 15; ///< height of the step numbers above the bands
constexpr double kMerged = 1e18;

QString text(std::string s) {
    return QString::fromStdString(s);
}

/// Step markers cover everything and say nothing: the lane below them is the first that works.
uint32_t firstWorkingLane(const TimelineData &data, uint32_t track) {
    const Track &t = data.trace().tracks[track];
    const bool marks =
        t.table->size() > 0 && t.table->lanes() > 1 && marksStep(t.nameOf(0), data.stepMarkers());
    return marks ? 1 : 0;
}

void gatherGroup(TimelineData &data, const TrackGroup &group, const TimeScale &scale,
                 LaneColumns &columns) {
    auto add = [&](const TimelineData::Lane &lane, bool covers) {
        columns.add(lane.source, *lane.summary, data.slotGroups(), scale, kMerged, covers);
    };
    const Trace &trace = data.trace();
    if (group.type == TrackGroup::Type::Transfers)
        for (uint32_t item : group.items)
            for (uint32_t l = 0; l + 1 < data.transfers()[item].laneBegin.size(); ++l)
                add(data.transferLane(item, l), true);
    // One thread tells the story of its process; the streams of a device share one.
    const bool cpu = group.type == TrackGroup::Type::Cpu;
    for (size_t i = 0; i < (cpu ? std::min<size_t>(1, group.tracks.size()) : group.tracks.size());
         ++i) {
        const uint32_t track = group.tracks[i], first = firstWorkingLane(data, track);
        for (uint32_t l = first; l < trace.tracks[track].table->lanes(); ++l)
            add(data.trackLane(track, l), l == first);
    }
}

/// 45° lines over left-out steps, anchored to the widget.
void paintHatch(QPainter &painter, const QRectF &rect, QColor colour, int every) {
    painter.save();
    painter.setClipRect(rect);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(colour, 1));
    const int from = int(std::floor((rect.left() + rect.top()) / every)) * every;
    for (int k = from; k < rect.right() + rect.bottom(); k += every)
        painter.drawLine(QPointF(k - rect.top() + 0.5, rect.top()),
                         QPointF(k - rect.bottom() + 0.5, rect.bottom()));
    painter.restore();
}

/// `frame` is drawn over the marks: a number that one of its edges would cut moves beyond it.
void paintSteps(QPainter &painter, const QRect &rect, const Loaded &loaded, const TimeScale &scale,
                const QRectF &frame) {
    const Theme &t = theme();
    const auto &steps = loaded.steps.steps;
    painter.setFont(uiFont(10));
    const QFontMetricsF metrics(painter.font());
    double free = -1e9, lastMark = -1e9;
    for (uint32_t i = 0; i < steps.size(); ++i) {
        const Step &step = steps[i];
        const double x0 = rect.left() + scale.x(step.begin), x1 = rect.left() + scale.x(step.end);
        if (step.leftOut)
            paintHatch(painter, {x0, rect.top() + 1.0, std::max(1.0, x1 - x0), rect.height() - 2.0},
                       t.text2, 7);
        if (x0 - lastMark < 6) continue;
        lastMark = x0;
        const QString number = stepNumber(loaded.steps, i);
        const double width = metrics.horizontalAdvance(number);
        const bool labelled = x0 >= free && x0 + width + 4 < rect.right();
        painter.fillRect(
            QRectF(std::floor(x0), rect.top() + (labelled ? 2 : 9), 1, labelled ? 12 : 5), t.text2);
        if (!labelled) continue;
        double left = x0 + 3;
        for (double edge : {frame.left(), frame.right() - 2})
            if (left < edge + 4 && left + width > edge - 2) left = edge + 4;
        painter.fillRect(QRectF(left - 1, rect.top() + 2, width + 2, metrics.height()), t.base);
        painter.setPen(t.text2);
        painter.drawText(QPointF(left, rect.top() + 2 + metrics.ascent()), number);
        free = left + std::max(width + 9, 22.0);
    }
}

/// What the bar is, and how long: under each other, or side by side where the bar is low.
void paintCell(QPainter &painter, const QRect &cell, const Loaded &loaded) {
    const QFont head = uiFont(12), small = uiFont(11);
    QString facts = text(formatDuration(loaded.trace->range.length()));
    if (const size_t count = loaded.steps.steps.size(); count > 0)
        facts += count == 1 ? QStringLiteral(" · 1 step")
                            : QStringLiteral(" · %1 steps").arg(text(formatCount(int64_t(count))));
    const QString title = QStringLiteral("Whole trace");
    const int below = QFontMetrics(small).height(), above = QFontMetrics(head).height();
    const bool low = cell.height() < above + below + 8;
    const int top = cell.top() + (cell.height() - above - below) / 2;
    const QRect first = low ? cell : QRect(cell.left(), top, cell.width(), above);
    const QRect second = low ? cell : QRect(cell.left(), top + above, cell.width(), below);
    painter.setPen(theme().text);
    painter.setFont(head);
    painter.drawText(first, Qt::AlignLeft | Qt::AlignVCenter, title);
    painter.setPen(theme().text2);
    painter.setFont(small);
    const int room =
        low ? cell.width() - QFontMetrics(head).horizontalAdvance(title) - 8 : cell.width();
    painter.drawText(second, (low ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter,
                     QFontMetrics(small).elidedText(facts, Qt::ElideRight, room));
}

} // namespace

TimeRange overviewRange(const Trace &trace) {
    TimeRange range = trace.range;
    if (range.empty()) range.end = range.begin + 1;
    return range;
}

QRect overviewBandRect(const QRect &rect) {
    return rect.adjusted(0, kMarks, 0, -2);
}

QImage overviewBands(TimelineData &data, QSize size) {
    QImage image(size, QImage::Format_RGB32);
    image.fill(theme().base);
    std::vector<const TrackGroup *> shown;
    for (const TrackGroup &group : data.groups())
        if (group.type <= TrackGroup::Type::Gpu && (!group.tracks.empty() || !group.items.empty()))
            shown.push_back(&group);
    if (shown.empty()) return image;
    const int count = int(std::min<size_t>(shown.size(), size_t(std::max(1, size.height() / 4))));
    const TimeScale scale{overviewRange(data.trace()), double(size.width())};
    const std::vector<QColor> colours = data.groupColours();
    LaneColumns columns;
    std::vector<QRgb> line(size_t(size.width()));
    for (int i = 0; i < count; ++i) {
        columns.reset(size.width(), data.slotGroups().groups);
        gatherGroup(data, *shown[size_t(i)], scale, columns);
        for (int x = 0; x < size.width(); ++x) {
            line[size_t(x)] = theme().base.rgb();
            if (!columns.merged(x)) continue;
            const LaneColumns::Column column = columns.column(x);
            line[size_t(x)] =
                mix(theme().base, colours[column.group], 0.35 + 0.65 * double(column.covered))
                    .rgb();
        }
        const int gap = size.height() / count >= 6 ? std::max(1, size.height() / count / 8) : 0;
        const int bottom = (i + 1) * size.height() / count - gap;
        for (int y = i * size.height() / count; y < bottom; ++y)
            std::copy(line.begin(), line.end(), reinterpret_cast<QRgb *>(image.scanLine(y)));
    }
    return image;
}

void paintOverview(QPainter &painter, const QRect &rect, const QRect &cell, const Loaded &loaded,
                   const QImage &bands, double ratio, TimeRange view) {
    const Theme &t = theme();
    const TimeRange range = overviewRange(*loaded.trace);
    const TimeScale scale{range, double(rect.width())};
    painter.save();
    painter.fillRect(cell, t.win);
    painter.fillRect(rect, t.base);
    paintCell(painter, cell.adjusted(10, 0, -8, 0), loaded);
    drawAligned(painter, overviewBandRect(rect).topLeft(), bands, ratio);
    painter.setClipRect(rect);

    const double x0 = rect.left() + std::clamp(scale.x(view.begin), 0.0, scale.width - 4);
    const double x1 = rect.left() + std::clamp(scale.x(view.end), 4.0, scale.width);
    const QRectF frame(std::floor(x0), rect.top(), std::max(4.0, std::ceil(x1) - std::floor(x0)),
                       rect.height() - 1);
    paintSteps(painter, rect, loaded, scale, frame);
    const auto edge = [&](double x, double y, double w, double h) {
        painter.fillRect(QRectF(x, y, w, h), t.accent);
    };
    edge(frame.left(), frame.top(), frame.width(), 2);
    edge(frame.left(), frame.bottom() - 2, frame.width(), 2);
    edge(frame.left(), frame.top(), 2, frame.height());
    edge(frame.right() - 2, frame.top(), 2, frame.height());
    painter.setClipping(false);
    painter.fillRect(cell.right(), cell.top(), 1, cell.height(), t.line);
    painter.fillRect(cell.left(), rect.bottom(), cell.width() + rect.width(), 1, t.line);
    painter.restore();
}

} // namespace longpole
