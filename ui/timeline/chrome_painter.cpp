// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/chrome_painter.h"

#include "ui/describe.h"
#include "ui/theme.h"
#include "ui/timeline/ruler.h"

#include <algorithm>

namespace longpole {

namespace {
constexpr int kIndent = 14, kRightPadding = 8;

QString duration(TimeNs length) {
    return QString::fromStdString(formatDuration(length));
}

void paintLabel(QPainter &painter, const QRectF &row, const Row &data) {
    const Theme &t = theme();
    const bool chevron = data.toggles;
    const double left =
        row.left() + kIndent + (data.indent ? 8 : 0) + (chevron && data.indent ? 4 : 0);
    if (chevron)
        paintChevron(painter, {left - 12, row.top(), 10, row.height()}, data.open, t.text2);
    double right = row.right() - kRightPadding;
    const bool isSpare =
        data.type == Row::Type::Annotation && // says less than the whole name
        QFontMetricsF(uiFont(12)).horizontalAdvance(data.label + data.detail) + 12 > right - left;
    if (!data.detail.isEmpty() && !isSpare) {
        painter.setFont(uiFont(11));
        painter.setPen(t.text2);
        const double room = (right - left) * 0.6;
        const QString text =
            QFontMetricsF(painter.font()).elidedText(data.detail, Qt::ElideRight, room);
        painter.drawText(QRectF(left, row.top(), right - left, row.height()),
                         Qt::AlignRight | Qt::AlignVCenter, text);
        right -= QFontMetricsF(painter.font()).horizontalAdvance(text) + 8;
    }
    const bool aside = data.indent > 0 || data.isAside || data.type == Row::Type::MoreThreads;
    painter.setFont(uiFont(aside ? 11 : 12));
    painter.setPen(aside ? t.text2 : t.text);
    const QString text =
        QFontMetricsF(painter.font()).elidedText(data.label, Qt::ElideMiddle, right - left);
    painter.drawText(QRectF(left, row.top(), right - left, row.height()),
                     Qt::AlignLeft | Qt::AlignVCenter, text);
}

} // namespace

RulerZero rulerZero(const Loaded &loaded, const Window &window) {
    const auto &steps = loaded.steps.steps;
    const TimeNs begin = loaded.trace->range.begin;
    if (!window.steps || window.steps->second >= steps.size()) {
        const auto around = std::find_if(steps.begin(), steps.end(), [&](const Step &step) {
            return window.kind == Window::Kind::Range && step.begin <= window.range.begin &&
                   window.range.begin < step.end;
        });
        if (around == steps.end()) return {begin, QStringLiteral("Time in trace"), {}};
        const TimeNs offset = around->begin - begin;
        return {around->begin,
                QStringLiteral("Time in step %1")
                    .arg(stepNumber(loaded.steps, uint32_t(around - steps.begin()))),
                offset > 0 ? '+' + duration(offset) : QString()};
    }
    const QString first = stepNumber(loaded.steps, window.steps->first);
    const QString last = stepNumber(loaded.steps, window.steps->second);
    const QString title = first == last ? QStringLiteral("Time in step %1").arg(first)
                                        : QStringLiteral("Time in steps %1 – %2").arg(first, last);
    const TimeNs offset = window.range.begin - begin;
    return {window.range.begin, title, offset > 0 ? '+' + duration(offset) : QString()};
}

void paintChevron(QPainter &painter, const QRectF &rect, bool open, QColor colour) {
    const QPointF c = rect.center();
    QPolygonF line;
    if (open)
        line << c + QPointF(-3.5, -1.75) << c + QPointF(0, 1.75) << c + QPointF(3.5, -1.75);
    else
        line << c + QPointF(-1.75, -3.5) << c + QPointF(1.75, 0) << c + QPointF(-1.75, 3.5);
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(colour, 1.4, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    painter.drawPolyline(line);
    painter.restore();
}

void paintRowLabels(QPainter &painter, const QRect &rect, const std::vector<Row> &rows,
                    int scroll) {
    const Theme &t = theme();
    painter.save();
    painter.setClipRect(rect);
    painter.fillRect(rect, t.win);
    for (const Row &row : rows) {
        if (row.bottom() <= scroll) continue;
        const int y = rect.top() + row.y - scroll;
        if (y > rect.bottom()) break;
        if (row.type == Row::Type::Group) {
            painter.fillRect(rect.left(), y, rect.width(), row.height, t.head);
            paintChevron(painter, QRectF(rect.left() + 4, y, 16, row.height), row.open, t.text);
            painter.setFont(uiFont(11, QFont::Bold));
            painter.setPen(t.text);
            painter.drawText(QRect(rect.left() + 22, y, rect.width() - 26, row.height),
                             Qt::AlignLeft | Qt::AlignVCenter, row.label);
            continue;
        }
        const double height = std::min(row.bar + 1, row.height);
        paintLabel(painter, QRectF(rect.left(), y, rect.width(), height), row);
        if (row.endsTrack)
            painter.fillRect(rect.left(), y + row.height - 1, rect.width(), 1,
                             mix(t.win, t.line, 0.5));
    }
    painter.fillRect(rect.right(), rect.top(), 1, rect.height(), t.line);
    painter.restore();
}

namespace {

/// Where the length of a range is written: in the middle of what of it is in view.
QRectF lengthRect(const QRect &ruler, const TimeScale &scale, TimeRange range) {
    const double x0 = std::max(0.0, scale.x(range.begin));
    const double x1 = std::min(scale.width, scale.x(range.end));
    if (x1 <= x0) return {};
    const QFontMetricsF metrics(uiFont(11, QFont::Bold));
    const double width = metrics.horizontalAdvance(duration(range.length())) + 8;
    const double most = std::max(0.0, scale.width - width); // never cut by an edge
    return {ruler.left() + std::clamp((x0 + x1 - width) / 2, 0.0, most), ruler.top() + 4.0, width,
            metrics.height()};
}

} // namespace

void paintRuler(QPainter &painter, const QRect &rect, const QRect &cell, TimeRange view,
                const RulerZero &zero, std::optional<TimeRange> range) {
    const Theme &t = theme();
    const TimeScale scale{view, double(rect.width())};
    painter.save();
    painter.fillRect(cell.united(rect), t.win);
    painter.setFont(uiFont(11));
    painter.setPen(t.text2);
    const QFontMetrics metrics(painter.font());
    // One line of text from the cell through the ticks.
    const QRect inner(cell.left() + 10, rect.top() + 4, cell.width() - 10 - kRightPadding,
                      metrics.height());
    painter.drawText(inner, Qt::AlignLeft | Qt::AlignVCenter, zero.title);
    const QString aside =
        zero.offset.isEmpty() ? duration(view.length()) + QStringLiteral(" in view") : zero.offset;
    if (metrics.horizontalAdvance(zero.title + aside) + 12 < inner.width())
        painter.drawText(inner, Qt::AlignRight | Qt::AlignVCenter, aside);

    painter.setClipRect(rect);
    if (range) {
        const double x0 = scale.x(range->begin), x1 = scale.x(range->end);
        painter.fillRect(QRectF(rect.left() + x0, rect.top(), x1 - x0, rect.height()), t.selected);
    }
    const QRectF length = range ? lengthRect(rect, scale, *range) : QRectF();
    double free = rect.left();
    for (const Tick &tick : rulerTicks(scale, zero.zero)) {
        const double x = rect.left() + tick.x;
        painter.fillRect(QRectF(std::floor(x), rect.bottom() - 5, 1, 6), t.line);
        const double width = metrics.horizontalAdvance(tick.text);
        // Centred over its tick, but never cut by an edge.
        const double right = rect.right() - width - 3;
        const double left = std::max(rect.left() + 4.0, std::min(x - width / 2, right));
        const bool hidden = left < length.right() + 4 && left + width > length.left() - 4;
        if (left < free || hidden) continue;
        free = left + width + 8;
        painter.drawText(QPointF(left, rect.top() + 4 + metrics.ascent()), tick.text);
    }
    if (range) {
        painter.setFont(uiFont(11, QFont::Bold));
        painter.setPen(t.accent);
        if (!length.isEmpty()) painter.drawText(length, Qt::AlignCenter, duration(range->length()));
        const double x0 = scale.x(range->begin), x1 = scale.x(range->end);
        painter.fillRect(QRectF(rect.left() + x0, rect.bottom() - 2, x1 - x0, 2), t.accent);
    }
    painter.setClipping(false);
    painter.fillRect(cell.left(), rect.bottom(), cell.width() + rect.width(), 1, t.line);
    painter.fillRect(cell.right(), cell.top(), 1, cell.height(), t.line);
    painter.restore();
}

namespace {

void paintCell(QPainter &painter, const QRect &cell, const QString &title, const QFont &font,
               QColor colour, std::optional<TimeNs> length) {
    const Theme &t = theme();
    painter.save();
    painter.fillRect(cell, t.win);
    painter.fillRect(cell.right(), cell.top(), 1, cell.height(), t.line);
    const QRect inner = cell.adjusted(10, 0, -kRightPadding, -4);
    painter.setFont(font);
    painter.setPen(colour);
    painter.drawText(inner, Qt::AlignLeft | Qt::AlignVCenter, title);
    painter.setFont(uiFont(11));
    painter.setPen(t.text2);
    if (length) painter.drawText(inner, Qt::AlignRight | Qt::AlignVCenter, duration(*length));
    painter.restore();
}

} // namespace

void paintPathCell(QPainter &painter, const QRect &cell, std::optional<TimeNs> length) {
    paintCell(painter, cell, QStringLiteral("Critical path"), uiFont(12, QFont::Bold), theme().path,
              length);
}

void paintGhostCell(QPainter &painter, const QRect &cell, TimeNs length) {
    paintCell(painter, cell, QStringLiteral("measured"), uiFont(11), theme().text2, length);
}

void drawAligned(QPainter &painter, QPointF topLeft, const QImage &image, double ratio) {
    const QTransform toDevice = painter.deviceTransform();
    const QPointF device = toDevice.map(topLeft);
    const QPointF snapped(std::round(device.x()), std::round(device.y()));
    QImage view(image.constBits(), image.width(), image.height(), image.bytesPerLine(),
                image.format());
    view.setDevicePixelRatio(ratio);
    painter.drawImage(toDevice.inverted().map(snapped), view);
}

} // namespace longpole
