// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/time.h"
#include "ui/theme.h"
#include "ui/timeline/lanes_painter.h"

#include <QPainter>
#include <QPainterPath>

#include <algorithm>

namespace longpole {

namespace {
constexpr double kPadding = 4;    ///< text to the edge of its mark
constexpr double kEdge = 8;       ///< text to the edge of the lanes
constexpr double kLeastGap = 3;   ///< pixels from which a gap between operations is bracketed
constexpr int kTwoLines = 34;     ///< bar height from which the length gets its own line
constexpr size_t kMaxCurves = 64; ///< arrows of one selection
constexpr double kLeastText = 14; ///< pixels of a mark below which no text is tried

QString duration(TimeNs length) {
    return QString::fromStdString(formatDuration(length));
}
} // namespace

void LanesPainter::addText(const QString &text, double x, double top, double height, QColor colour,
                           bool onFill, QColor dimColour) {
    if (text.isEmpty()) return;
    const QFontMetricsF metrics(m_labels.font());
    const double baseline = top + (height - metrics.height()) / 2 + metrics.ascent();
    const double ratio = m_frame->ratio;
    const QPointF at(std::round(x * ratio) / ratio, std::round(baseline * ratio) / ratio);
    m_texts.push_back({at, text, colour, onFill, dimColour, {}});
    if (!dimColour.isValid()) return;
    Text &added = m_texts.back();
    const int x0 = std::max(0, int(at.x() * ratio));
    const int x1 = std::min(m_image.width(), int((at.x() + m_labels.width(text)) * ratio) + 1);
    for (int x = x0; x < x1; ++x) {
        if (m_light[size_t(x)] != Dimmed) continue;
        if (added.dimmed.empty() || added.dimmed.back().x1 < x) added.dimmed.push_back({x, x});
        added.dimmed.back().x1 = x + 1;
    }
    const bool all = added.dimmed.size() == 1 && added.dimmed[0].x1 - added.dimmed[0].x0 == x1 - x0;
    if (!all) return;
    added.colour = dimColour;
    added.dimmed.clear();
}

/// Words over a patchwork of dimmed and bright columns cannot be read: then they move to the first
/// place of their width that is one or the other.
double LanesPainter::calmStart(double left, double right, double width) const {
    const double ratio = m_frame->ratio;
    const auto column = [&](double x) {
        return std::clamp(int(x * ratio), 0, m_image.width() - 1);
    };
    const int need = int(std::ceil((width + 2 * kPadding) * ratio)), last = column(right);
    int changes = 0, begin = column(left);
    for (int x = begin + 1; x <= std::min(last, column(left) + need); ++x)
        changes += (m_light[size_t(x)] == Dimmed) != (m_light[size_t(x) - 1] == Dimmed);
    if (changes < 2) return left;
    for (int x = begin + 1; x <= last; ++x) {
        if ((m_light[size_t(x)] == Dimmed) != (m_light[size_t(x) - 1] == Dimmed)) begin = x;
        if (x - begin >= need) return std::max(left, begin / ratio);
    }
    return left;
}

void LanesPainter::addTexts(const Row &row, const LaneColumns::Wide &wide, Span span, Style style) {
    const double ratio = m_frame->ratio;
    double left = std::max(0, wide.x0) / ratio;
    const double right = std::min(wide.x1, m_image.width()) / ratio;
    const double room = right - left - 2 * kPadding;
    if (room < kLeastText || span.bottom - span.top < 11 * ratio) return;

    const Theme &t = theme();
    const IntervalId id = intervalOf(m_frame->data, row, wide.row);
    const Trace &trace = m_frame->data.trace();
    const TimeNs length = trace.end(id) - trace.begin(id);
    const QColor colour = style == Style::Filled       ? t.textOn(m_colours[wide.group])
                          : style == Style::Structural ? t.dimText
                                                       : t.text;
    const double top = row.y - m_frame->scroll;
    const QString alone = duration(length);
    const bool twoLines = row.bar >= kTwoLines && m_labels.width(alone) <= room;
    const QString name = m_labels.fit(trace.name(id), trace.kind(id), length, room, !twoLines);
    if (style != Style::Structural && !name.isEmpty())
        left = calmStart(left, right, m_labels.width(name));
    if (!twoLines || name.isEmpty()) {
        addText(name, left + kPadding, top, row.bar, colour, true, t.dimText);
        return;
    }
    const double half = row.bar / 2.0;
    addText(name, left + kPadding, top + 2, half - 2, colour, true, t.dimText);
    addText(alone, left + kPadding, top + half, half - 2, colour, true, t.dimText);
}

/// How long a stream stood still between two operations: a bracket, and the length where it fits.
void LanesPainter::addGaps(const Row &row, Span span) {
    if (row.type != Row::Type::Lane || row.bar < kTwoLines || row.firstLane != 0) return;
    const Track &track = m_frame->data.trace().tracks[row.track];
    if (track.kind != TrackKind::Stream || track.table->lanes() != 1) return;
    const auto &wide = m_columns.wide();
    const QRgb colour = mix(theme().base, theme().text2, 0.6).rgb();
    const int one = line();
    for (size_t i = 1; i < wide.size(); ++i) {
        const int x0 = wide[i - 1].x1, x1 = wide[i].x0;
        if (wide[i].row != wide[i - 1].row + 1 || x1 - x0 < device(kLeastGap)) continue;
        const int left = x0 + one, right = x1 - one, bottom = span.bottom - one;
        fill(left, right, bottom - one, bottom, colour);
        fill(left, left + one, bottom - device(4), bottom, colour);
        fill(right - one, right, bottom - device(4), bottom, colour);
        const TimeNs lag = track.begin(wide[i].row) - track.end(wide[i - 1].row);
        const QString text = duration(lag);
        const double width = m_labels.width(text), from = std::max(0, x0) / m_frame->ratio;
        const double room = std::min(x1, m_image.width()) / m_frame->ratio - from;
        if (width + 2 * kPadding > room) continue;
        addText(text, from + (room - width) / 2, row.y - m_frame->scroll + row.bar / 2.0,
                row.bar / 2.0 - 4, theme().text2);
    }
}

void LanesPainter::addNeighbours(const Row &row, Span span) {
    const bool isFirst = row.type == Row::Type::Transfer || row.type == Row::Type::Lane;
    if (!isFirst || row.firstLane != 0 || !m_columns.wide().empty() || span.bottom <= span.top)
        return;
    if (isMerged()) return;
    const Trace &trace = m_frame->data.trace();
    TimelineData &data = m_frame->data;
    if (row.type == Row::Type::Lane && trace.tracks[row.track].table->lanes() == 0) return;
    const LaneSource lane = row.type == Row::Type::Transfer ? data.transferLane(row.item, 0).source
                                                            : data.trackLane(row.track, 0).source;
    const uint32_t next = lane.firstAfter(m_frame->view.begin);
    const double top = row.y - m_frame->scroll;
    auto name = [&](uint32_t i) {
        const IntervalId id = intervalOf(data, row, i);
        return shortName(trace.name(id), trace.kind(id)).left(60);
    };
    const double room = m_frame->size.width() - 3 * kEdge;
    QString last, coming;
    for (const bool named : {true, false}) { // the times alone where the names would meet
        const auto about = [&](uint32_t i) {
            return named ? name(i) + QStringLiteral(", ") : QString();
        };
        if (next > 0)
            last = QStringLiteral("last: %1%2 before")
                       .arg(about(next - 1), duration(m_frame->view.begin - lane.end(next - 1)));
        if (next < lane.count)
            coming = QStringLiteral("next: %1%2 later")
                         .arg(about(next), duration(lane.begin(next) - m_frame->view.end));
        if (m_labels.width(last) + m_labels.width(coming) <= room) break;
    }
    if (!last.isEmpty()) addText(last, kEdge, top, row.bar, theme().text2);
    const double width = m_labels.width(coming);
    if (!coming.isEmpty() && (last.isEmpty() || m_labels.width(last) + width <= room))
        addText(coming, m_frame->size.width() - width - kEdge, top, row.bar, theme().text2);
}

/// One colour over the dimmed columns of its mark, one over the rest.
void LanesPainter::drawSplit(QPainter &painter, const Text &text) {
    QRegion dim;
    const QFontMetricsF metrics(painter.font());
    const int top = int((text.at.y() - metrics.ascent() - 1) * m_frame->ratio);
    const int height = int((metrics.height() + 2) * m_frame->ratio);
    for (const DeviceRange &r : text.dimmed) dim += QRect(r.x0, top, r.x1 - r.x0, height);
    const auto draw = [&](const QRegion &where, QColor colour) {
        painter.save();
        painter.resetTransform();
        painter.setClipRegion(where);
        painter.scale(m_frame->ratio, m_frame->ratio);
        painter.setPen(colour);
        painter.drawText(text.at, text.text);
        painter.restore();
    };
    draw(dim, text.dimColour);
    draw(QRegion(m_image.rect()) - dim, text.colour);
}

void LanesPainter::paintTexts() {
    QPainter painter(&m_image);
    painter.scale(m_frame->ratio, m_frame->ratio);
    painter.setRenderHint(QPainter::TextAntialiasing);
    for (bool onFill : {false, true}) { // the heavier weight is for words on a colour
        painter.setFont(onFill ? m_labels.font() : uiFont(11));
        QColor pen;
        for (const Text &text : m_texts) {
            if (text.onFill != onFill) continue;
            if (!text.dimmed.empty()) {
                drawSplit(painter, text);
                continue;
            }
            if (text.colour != pen) painter.setPen(pen = text.colour);
            painter.drawText(text.at, text.text);
        }
    }
    painter.setFont(uiFont(11));
    if (m_frame->selected.valid()) {
        paintCurves(painter);
        painter.resetTransform();
        paintSelection(painter);
    }
}

QRect LanesPainter::markRect(IntervalId id) const {
    const Trace &trace = m_frame->data.trace();
    const int index = rowOf(m_frame->rows, trace, id);
    if (index < 0) return {};
    const Row &row = m_frame->rows[size_t(index)];
    const DeviceRange x = deviceRange(m_scale, trace.begin(id), trace.end(id));
    const Span span = spanOf(row);
    return {x.x0, span.top, x.x1 - x.x0, span.bottom - span.top};
}

void LanesPainter::paintSelection(QPainter &painter) {
    const QRect mark = markRect(m_frame->selected);
    if (mark.isNull()) return;
    const int one = line();
    painter.setPen(Qt::NoPen);
    auto frame = [&](QRect r, int width, QColor colour) {
        painter.fillRect(r.x(), r.y(), r.width(), width, colour);
        painter.fillRect(r.x(), r.bottom() + 1 - width, r.width(), width, colour);
        painter.fillRect(r.x(), r.y(), width, r.height(), colour);
        painter.fillRect(r.right() + 1 - width, r.y(), width, r.height(), colour);
    };
    if (mark.width() >= 6 * one) frame(mark, one, theme().base);
    frame(mark.adjusted(-2 * one, -2 * one, 2 * one, 2 * one), 2 * one, theme().accent);
}

namespace {

void drawHead(QPainter &painter, QPointF tip, QColor colour, bool down = true) {
    QPolygonF head;
    const double back = down ? -7 : 7;
    head << tip << tip + QPointF(-3, back) << tip + QPointF(3, back);
    painter.setPen(Qt::NoPen);
    painter.setBrush(colour);
    painter.drawPolygon(head);
}

/// A short arrow for one whose other end lies outside the view, with a word on where that is.
void drawStub(QPainter &painter, QPointF from, QPointF tip, QPointF textAt, const QString &text) {
    painter.setPen(QPen(theme().accent, 1.2));
    painter.drawLine(from, tip - QPointF(0, 3));
    drawHead(painter, tip, theme().accent);
    const QFontMetricsF metrics(painter.font());
    const QRectF box(textAt.x() - 2, textAt.y() - metrics.ascent(),
                     metrics.horizontalAdvance(text) + 4, metrics.height());
    painter.fillRect(box, theme().base);
    painter.setPen(theme().text2);
    painter.drawText(textAt, text);
}

} // namespace

/// Between two tracks; what lies beside the view comes from its edge.
void LanesPainter::paintLink(QPainter &painter, IntervalId from, IntervalId to) {
    const QRect earlier = markRect(from), later = markRect(to);
    const auto inView = [&](const QRect &r) { return r.right() >= 0 && r.x() < m_image.width(); };
    if (earlier.isNull() || later.isNull() || !(inView(earlier) || inView(later))) return;
    const double ratio = m_frame->ratio, width = m_frame->size.width();
    const bool down = earlier.y() < later.y();
    const auto x = [&](int device) { return std::clamp(device / ratio, 0.0, width); };
    const QPointF start(x(earlier.right()), (down ? earlier.bottom() + 1 : earlier.y()) / ratio);
    const QPointF end(x(later.x()), (down ? later.y() : later.bottom() + 1) / ratio);
    const QPointF bend(0, (end.y() - start.y()) * 0.45);
    QPainterPath path(start);
    path.cubicTo(start + bend, end - bend, end);
    painter.setPen(QPen(theme().accent, 1.2));
    painter.setBrush(Qt::NoBrush);
    painter.drawPath(path);
    if (inView(later)) drawHead(painter, end, theme().accent, down);
}

void LanesPainter::paintCurves(QPainter &painter) {
    painter.setRenderHint(QPainter::Antialiasing);
    if (m_frame->links)
        for (const auto &[from, to] : m_frame->links->curves) paintLink(painter, from, to);
    painter.setRenderHint(QPainter::Antialiasing, false);
    const Trace &trace = m_frame->data.trace();
    std::vector<IntervalId> ops = trace.opsOf(m_frame->selected);
    IntervalId call = m_frame->selected;
    if (ops.empty()) {
        call = trace.callOf(m_frame->selected);
        ops = {m_frame->selected};
        if (!call.valid()) return;
    }
    painter.setRenderHint(QPainter::Antialiasing);
    for (size_t i = 0; i < std::min(ops.size(), kMaxCurves); ++i) paintCurve(painter, call, ops[i]);
    painter.setRenderHint(QPainter::Antialiasing, false);
}

void LanesPainter::paintCurve(QPainter &painter, IntervalId call, IntervalId op) {
    const Trace &trace = m_frame->data.trace();
    const double ratio = m_frame->ratio;
    const QRect from = markRect(call), to = markRect(op);
    auto shown = [&](const QRect &r) {
        return !r.isNull() && r.right() >= 0 && r.x() < m_image.width();
    };
    const QPointF start(std::max(0, from.x()) / ratio + 1, (from.bottom() + 1) / ratio);
    const QPointF end(std::max(0, to.x()) / ratio, to.y() / ratio);
    const QPointF stubEnd(std::max(end.x(), 12.0), end.y()); // its head stays whole at the edge
    const TimeNs apart = trace.begin(op) - trace.begin(call);
    if (shown(from) && shown(to)) {
        const QPointF bend(0, std::abs(end.y() - start.y()) * 0.45);
        QPainterPath path(start);
        path.cubicTo(start + bend, end - bend, end);
        painter.setPen(QPen(theme().accent, 1.2));
        painter.setBrush(Qt::NoBrush);
        painter.drawPath(path);
        drawHead(painter, end, theme().accent);
    } else if (shown(to)) {
        drawStub(painter, stubEnd - QPointF(8, 12), stubEnd, stubEnd + QPointF(6, -4),
                 QStringLiteral("launched %1 earlier").arg(duration(apart)));
    } else if (shown(from)) {
        const QPointF tip = start + QPointF(8, 14);
        drawStub(painter, start, tip, tip + QPointF(6, 0),
                 QStringLiteral("runs %1 later").arg(duration(apart)));
    }
}

} // namespace longpole
