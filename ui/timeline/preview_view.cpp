// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/preview_view.h"

#include "ui/numbers.h"
#include "ui/theme.h"
#include "ui/timeline/chrome_painter.h"
#include "ui/timeline/hatch.h"
#include "ui/timeline/path_strip.h"
#include "ui/timeline/ruler.h"
#include "ui/timeline/timeline_view.h"

#include <QKeyEvent>
#include <QPainter>
#include <QScrollBar>
#include <QWheelEvent>

#include <algorithm>
#include <bit>

namespace longpole {

namespace {

constexpr double kZoomStep = 1.25, kPanStep = 0.15;
constexpr Hatch kUnread{9, 1};

/// Lines over what no event was read of yet.
Surface unread() {
    Surface surface = Surface::hollow();
    surface.lines = theme().grid;
    surface.framed = false;
    surface.hatch = kUnread;
    return surface;
}

} // namespace

PreviewView::PreviewView(QWidget *parent)
    : QWidget(parent), m_scrollBar(new QScrollBar(Qt::Vertical, this)) {
    setObjectName(QStringLiteral("previewView"));
    setAccessibleName(tr("What is read so far"));
    setFocusPolicy(Qt::StrongFocus);
    setAttribute(Qt::WA_OpaquePaintEvent);
    m_scrollBar->setFocusPolicy(Qt::NoFocus);
    m_scrollBar->setAccessibleName(tr("Scroll rows"));
    connect(m_scrollBar, &QScrollBar::valueChanged, this, qOverload<>(&QWidget::update));
}

void PreviewView::setPreview(std::shared_ptr<const Preview> preview) {
    if (!preview) m_chosen.reset();
    m_preview = std::move(preview);
    m_rows = m_preview && !m_preview->tracks.empty() ? previewRows(*m_preview)
                                                     : std::vector<PreviewRow>();
    m_labels.assign(m_rows.begin(), m_rows.end());
    setAccessibleDescription(
        m_preview ? tr("%1 intervals so far").arg(countText(int64_t(m_preview->intervals)))
                  : QString());
    updateScrollBar();
    update();
}

/// All that was read, and room for as much again at most: the scale changes by doubling, not with
/// every event.
TimeRange PreviewView::view() const {
    if (m_chosen) return *m_chosen;
    if (!m_preview || m_preview->seen.empty()) return {0, 1'000'000};
    const TimeRange seen = m_preview->seen;
    return {seen.begin, seen.begin + TimeNs(std::bit_ceil(uint64_t(seen.length())))};
}

void PreviewView::setLabelWidth(int width) {
    m_labelWidth = width;
    updateScrollBar();
    update();
}

QRect PreviewView::stripRect() const {
    return {m_labelWidth, TimelineView::kRulerHeight, lanesRect().width(), PathStrip::kHeight};
}

QRect PreviewView::lanesRect() const {
    const int top = TimelineView::kRulerHeight + PathStrip::kHeight;
    return {m_labelWidth, top, std::max(1, width() - m_labelWidth - TimelineView::kScrollBar),
            std::max(1, height() - top)};
}

void PreviewView::updateScrollBar() {
    const QRect lanes = lanesRect();
    m_scrollBar->setGeometry(lanes.right() + 1, lanes.top(), TimelineView::kScrollBar,
                             lanes.height());
    const int beyond = std::max(0, totalHeight(m_labels) - lanes.height());
    m_scrollBar->setRange(0, beyond);
    m_scrollBar->setPageStep(lanes.height());
    m_scrollBar->setSingleStep(40);
    m_scrollBar->setEnabled(beyond > 0);
}

void PreviewView::resizeEvent(QResizeEvent *) {
    updateScrollBar();
}

/// The pixels of the lanes: densities, and lines where nothing can be yet.
QImage PreviewView::lanes() const {
    const double ratio = devicePixelRatioF();
    const auto device = [ratio](double logical) { return int(std::lround(logical * ratio)); };
    QImage image(device(lanesRect().width()), device(lanesRect().height()), QImage::Format_RGB32);
    const Theme &t = theme();
    image.fill(t.base);
    const TimeScale scale{view(), double(image.width())};
    const auto column = [&](TimeNs time) {
        return int(std::clamp(scale.x(time), 0.0, double(image.width())));
    };
    const int begin = column(m_preview->seen.begin), end = column(m_preview->seen.end);
    for (const Tick &tick : rulerTicks(scale, m_preview->seen.begin, 90 * ratio))
        for (int y = 0; y < image.height(); ++y)
            if (tick.x >= begin && tick.x < end)
                reinterpret_cast<QRgb *>(image.scanLine(y))[int(tick.x)] = t.grid.rgb();
    fillSurface(image, {0, 0, begin, image.height()}, unread(), ratio);
    fillSurface(image, {end, 0, image.width() - end, image.height()}, unread(), ratio);
    for (const PreviewRow &row : m_rows) {
        const int y0 = std::max(0, device(row.y - m_scrollBar->value()));
        const int y1 = std::min(image.height(), device(row.y + row.bar - m_scrollBar->value()));
        if (y0 >= y1) continue;
        std::vector<QRgb> line(size_t(image.width()), t.head.rgb());
        std::vector<float> shares(line.size(), 0);
        if (row.type != Row::Type::Group) {
            const QColor colour = t.kindColour(row.shown.front()->mostly);
            shares = previewColumns(*m_preview, row, view(), image.width());
            for (size_t x = 0; x < shares.size(); ++x)
                if (shares[x] >= 0)
                    line[x] = mix(t.base, colour, 0.35 + 0.65 * double(shares[x])).rgb();
        }
        for (int y = y0; y < y1; ++y) {
            QRgb *pixels = reinterpret_cast<QRgb *>(image.scanLine(y));
            for (size_t x = 0; x < shares.size(); ++x)
                if (shares[x] >= 0) pixels[x] = line[x];
        }
    }
    return image;
}

void PreviewView::paintEvent(QPaintEvent *) {
    QPainter painter(this);
    const Theme &t = theme();
    const QRect lanes = lanesRect();
    painter.fillRect(rect(), t.win);
    if (m_preview && !m_preview->seen.empty()) {
        drawAligned(painter, lanes.topLeft(), this->lanes(), devicePixelRatioF());
        painter.setFont(uiFont(11));
        painter.setPen(t.text2);
        painter.setClipRect(lanes);
        for (const Row &row : m_labels) {
            if (row.type != Row::Type::Group) continue;
            const QRect room(lanes.left() + 8, lanes.top() + row.y - m_scrollBar->value(),
                             lanes.width() - 16, row.bar);
            painter.drawText(
                room, Qt::AlignLeft | Qt::AlignVCenter,
                painter.fontMetrics().elidedText(row.detail, Qt::ElideMiddle, room.width()));
        }
        painter.setClipping(false);
    } else {
        painter.fillRect(lanes, t.base);
    }
    paintRowLabels(painter, {0, lanes.top(), m_labelWidth, lanes.height()}, m_labels,
                   m_scrollBar->value());
    const RulerZero zero{m_preview ? m_preview->seen.begin : 0, tr("Time in trace"), {}};
    paintRuler(painter, {lanes.x(), 0, lanes.width(), TimelineView::kRulerHeight},
               {0, 0, m_labelWidth, TimelineView::kRulerHeight}, view(), zero, {});
    paintStrip(painter);
}

/// Stands where the path will be.
void PreviewView::paintStrip(QPainter &painter) {
    const Theme &t = theme();
    const QRect strip = stripRect(), cell(0, strip.top(), m_labelWidth, strip.height());
    painter.fillRect(cell, t.win);
    painter.fillRect(cell.right(), cell.top(), 1, cell.height(), t.line);
    painter.setFont(uiFont(12, QFont::Bold));
    painter.setPen(t.accent);
    painter.drawText(cell.adjusted(10, 0, -8, -4), Qt::AlignLeft | Qt::AlignVCenter, tr("Reading"));
    const double ratio = devicePixelRatioF();
    const QRect bar = strip.adjusted(0, 2, 0, -6);
    QImage image(
        QSize(int(std::lround(bar.width() * ratio)), int(std::lround(bar.height() * ratio))),
        QImage::Format_RGB32);
    Surface surface = Surface::hollow();
    surface.ground = t.selected;
    surface.lines = mix(t.selected, t.accent, 0.35);
    surface.hatch = {9, 3};
    surface.framed = false;
    fillSurface(image, image.rect(), surface, ratio);
    drawAligned(painter, bar.topLeft(), image, ratio);
    const uint64_t intervals = m_preview ? m_preview->intervals : 0;
    QString words = tr("Looking for the first event");
    if (intervals > 0)
        words = tr("%1 intervals so far. Selection and analysis wait until all are read.")
                    .arg(countText(int64_t(intervals)));
    painter.setFont(uiFont(11, QFont::Medium));
    const QFontMetrics metrics(painter.font());
    words = metrics.elidedText(words, Qt::ElideRight, bar.width() - 24);
    const QRect tag(bar.left() + 8, bar.top(), metrics.horizontalAdvance(words) + 12, bar.height());
    painter.fillRect(tag, t.selected);
    painter.setPen(t.text);
    painter.drawText(tag, Qt::AlignCenter, words);
}

void PreviewView::choose(TimeRange view) {
    if (!m_preview || m_preview->seen.empty()) return;
    const TimeRange seen = m_preview->seen;
    const TimeNs length = std::clamp<TimeNs>(view.length(), 1'000, 3 * seen.length() + 1'000);
    view.begin += (view.length() - length) / 2;
    view.begin = std::clamp(view.begin, seen.begin - length, seen.end);
    m_chosen = TimeRange{view.begin, view.begin + length};
    update();
}

void PreviewView::zoom(double factor, TimeNs fixed) {
    choose(zoomed(view(), fixed, factor));
}

void PreviewView::pan(double share) {
    const TimeRange now = view();
    const TimeNs by = TimeNs(double(now.length()) * share);
    choose({now.begin + by, now.end + by});
}

void PreviewView::wheelEvent(QWheelEvent *event) {
    const QPoint angle = event->angleDelta();
    const double notches = (angle.y() != 0 ? angle.y() : angle.x()) / 120.0;
    const TimeScale scale{view(), double(lanesRect().width())};
    if (event->modifiers() & Qt::ControlModifier)
        zoom(std::pow(kZoomStep, notches), scale.timeAt(event->position().x() - m_labelWidth));
    else if (event->modifiers() & Qt::ShiftModifier || angle.y() == 0)
        pan(-notches * kPanStep);
    else
        m_scrollBar->setValue(m_scrollBar->value() - int(notches * 54));
    event->accept();
}

void PreviewView::mousePressEvent(QMouseEvent *event) {
    m_dragging = event->position().x() >= m_labelWidth;
    m_pressed = event->position();
    m_pressedView = view();
    m_pressedScroll = m_scrollBar->value();
}

void PreviewView::mouseMoveEvent(QMouseEvent *event) {
    const QPointF moved = event->position() - m_pressed;
    if (!m_dragging || moved.manhattanLength() < 4) return;
    const double perPixel = double(m_pressedView.length()) / lanesRect().width();
    const TimeNs by = TimeNs(std::llround(-moved.x() * perPixel));
    m_scrollBar->setValue(m_pressedScroll - int(moved.y()));
    choose({m_pressedView.begin + by, m_pressedView.end + by});
}

void PreviewView::mouseReleaseEvent(QMouseEvent *) {
    m_dragging = false;
}

bool PreviewView::moveKey(const QKeyEvent &event) {
    const TimeNs middle = view().begin + view().length() / 2;
    switch (event.key()) {
    case Qt::Key_W:
    case Qt::Key_Plus:
        zoom(kZoomStep, middle);
        return true;
    case Qt::Key_S:
    case Qt::Key_Minus:
        zoom(1 / kZoomStep, middle);
        return true;
    case Qt::Key_A:
    case Qt::Key_Left:
        pan(-kPanStep);
        return true;
    case Qt::Key_D:
    case Qt::Key_Right:
        pan(kPanStep);
        return true;
    case Qt::Key_Up:
        m_scrollBar->triggerAction(QScrollBar::SliderSingleStepSub);
        return true;
    case Qt::Key_Down:
        m_scrollBar->triggerAction(QScrollBar::SliderSingleStepAdd);
        return true;
    case Qt::Key_0:
        m_chosen.reset();
        update();
        return true;
    default:
        return false;
    }
}

void PreviewView::keyPressEvent(QKeyEvent *event) {
    if (!moveKey(*event)) QWidget::keyPressEvent(event);
}

} // namespace longpole
