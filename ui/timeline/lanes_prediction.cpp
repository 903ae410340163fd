// SPDX-License-Identifier: GPL-3.0-or-later
// The part of LanesPainter that holds a prediction against what was measured.
#include "ui/timeline/lanes_painter.h"

#include "ui/theme.h"

#include <QPainter>
#include <QPolygonF>

#include <algorithm>

namespace longpole {

namespace {

constexpr double kItself = 4;
constexpr int kGhostBar = 9;

QString duration(TimeNs length) {
    return QString::fromStdString(formatDuration(length));
}

/// The outermost lane that does work: step markers say nothing here.
uint32_t ghostLane(const TimelineData &data, uint32_t track) {
    const TrackTable &table = *data.trace().tracks[track].table;
    const auto &steps = data.loaded().steps.steps;
    const bool marks = std::any_of(steps.begin(), steps.end(), [&](const Step &step) {
        return step.marker.valid() && step.marker.track == track &&
               table.laneOf(step.marker.row) == 0;
    });
    return marks && table.lanes() > 1 ? 1 : 0;
}

} // namespace

void LanesPainter::paintGhost(const Row &row) {
    TimelineData &data = *m_frame->measured;
    const double wide = kItself * m_frame->ratio;
    if (row.type == Row::Type::Idle) {
        const IdleIndex &idle = *m_frame->measuredIdle;
        const DeviceIdle *device = idle.device(data.trace(), data.groups()[row.group]);
        if (!device) return;
        const TimelineData::Lane lane = idle.lane(*device);
        m_columns.reset(m_image.width(), idle.groups().groups);
        m_columns.add(lane.source, *lane.summary, idle.groups(), m_scale, wide);
        std::vector<QColor> colours;
        for (uint32_t cause = 0; cause < kIdleCauseCount; ++cause)
            colours.push_back(columnColour(IdleCause(cause)));
        return paintOutlines(row, colours);
    }
    if (data.trace().tracks[row.track].table->lanes() == 0) return;
    const TimelineData::Lane lane = data.trackLane(row.track, ghostLane(data, row.track));
    m_columns.reset(m_image.width(), data.slotGroups().groups);
    m_columns.add(lane.source, *lane.summary, data.slotGroups(), m_scale, wide);
    paintOutlines(row, m_colours);
}

void LanesPainter::paintOutlines(const Row &row, const std::vector<QColor> &colours) {
    const int y = row.bottom() - row.ghost - m_frame->scroll;
    const Span span{device(y), device(y + kGhostBar)};
    const int one = line();
    for (int x = 0; x < m_image.width(); ++x) {
        if (!m_columns.merged(x)) continue;
        const QRgb colour = mix(theme().base, colours[m_columns.column(x).group], 0.6).rgb();
        fill(x, x + 1, span.top, span.top + one, colour);
        fill(x, x + 1, span.bottom - one, span.bottom, colour);
    }
    for (const LaneColumns::Wide &wide : m_columns.wide())
        paintHollow(wide, span, colours[wide.group].rgb());
}

/// Both ends of the window, how sure the predicted one is, and how far they are apart.
void LanesPainter::paintEnds() {
    const Theme &t = theme();
    const Prediction &prediction = *m_frame->prediction;
    const TimeRange window = prediction.window.range;
    const double ratio = m_frame->ratio, height = m_frame->size.height();
    const auto at = [&](TimeNs time) { return std::lround(m_scale.x(time)) / ratio; };
    const double predicted = at(prediction.end()), measured = at(window.end);
    QPainter painter(&m_image);
    painter.scale(ratio, ratio);
    painter.setFont(uiFont(11));
    const QFontMetricsF metrics(painter.font());
    const bool faster = predicted < measured;
    const QString interval =
        QStringLiteral(" (%1 – %2)").arg(duration(prediction.low), duration(prediction.high));
    const QString endText =
        QStringLiteral("predicted end ") + duration(prediction.length) + interval;
    const QString beforeText = QStringLiteral("measured end ") + duration(window.length());
    // beside its line, on the side away from the other one, wherever it fits
    const auto room = [&](const QString &text, double end, bool left) {
        const double width = std::ceil(metrics.horizontalAdvance(text) + 12);
        double x = left ? end - width - 4 : end + 4;
        if (x < 4 || x + width > m_frame->size.width() - 4) x = left ? end + 4 : end - width - 4;
        return QRectF(std::round(x), 0, width, std::ceil(metrics.height() + 4));
    };
    QRectF end = room(endText, predicted, faster), before = room(beforeText, measured, !faster);
    const bool meet = end.adjusted(-4, 0, 4, 0).intersects(before);
    const double y = height - (meet ? 34 + end.height() + 2 : 34);
    end.moveTop(y + 8);
    before.moveTop(meet ? end.bottom() + 2 : y + 8);
    painter.fillRect(QRectF(predicted - 1, 0, 2, height), t.accent);
    QPen dashed(t.text2, 1, Qt::CustomDashLine, Qt::FlatCap);
    dashed.setDashPattern({3, 3});
    painter.setPen(dashed);
    painter.drawLine(QPointF(measured + 0.5, 0), QPointF(measured + 0.5, height));
    const double low = at(window.begin + prediction.low), high = at(window.begin + prediction.high);
    painter.fillRect(QRectF(low, y - 1, std::max(1.0, high - low), 2), t.accent);
    for (double end : {low, high}) painter.fillRect(QRectF(end - 0.5, y - 5, 1, 10), t.accent);

    const auto box = [&](const QString &text, const QRectF &rect, QColor colour) {
        painter.fillRect(rect, colour);
        painter.fillRect(rect.adjusted(1, 1, -1, -1), t.base);
        painter.setPen(t.text);
        painter.drawText(rect, Qt::AlignCenter, text);
    };
    box(endText, end, t.accent);
    box(beforeText, before, t.text2);

    const double from = std::min(predicted, measured) + 4, to = std::max(predicted, measured) - 4;
    const TimeNs change = prediction.length - window.length();
    const QString text = (change < 0 ? QStringLiteral("\u2212") : QStringLiteral("+")) +
                         duration(change < 0 ? -change : change);
    if (change == 0 || to - from < 24) return;
    painter.fillRect(QRectF(from, y, to - from, 1), t.text);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(t.text);
    for (const auto &[tip, way] : {std::pair{from, 1.0}, std::pair{to, -1.0}})
        painter.drawPolygon(QPolygonF({QPointF(tip, y + 0.5), QPointF(tip + way * 7, y - 2.5),
                                       QPointF(tip + way * 7, y + 3.5)}));
    painter.setFont(uiFont(11, QFont::Bold));
    const double width = QFontMetricsF(painter.font()).horizontalAdvance(text) + 8;
    if (width > to - from) return;
    const QRectF words((from + to - width) / 2, y - metrics.height() - 3, width, metrics.height());
    painter.fillRect(words, t.base);
    painter.setPen(t.text);
    painter.drawText(words, Qt::AlignCenter, text);
}

} // namespace longpole
