// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/overview_bar.h"

#include "ui/theme.h"
#include "ui/timeline/marks_painter.h"
#include "ui/timeline/timeline_view.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QWheelEvent>

#include <algorithm>

namespace longpole {

namespace {
constexpr double kGrip = 5; ///< pixels around an edge of the frame that move it
constexpr double kZoomStep = 1.25, kPanStep = 0.1;
} // namespace

OverviewBar::OverviewBar(ViewState &state, QWidget *parent) : QWidget(parent), m_state(state) {
    setObjectName(QStringLiteral("overview"));
    setAccessibleName(tr("Whole trace"));
    setAccessibleDescription(
        tr("Shows where the view lies; left and right move it, plus and minus zoom."));
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    setAttribute(Qt::WA_OpaquePaintEvent);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    connect(&m_state, &ViewState::loadedChanged, this, &OverviewBar::reload);
    connect(&m_state, &ViewState::viewChanged, this, qOverload<>(&QWidget::update));
    connect(&m_state, &ViewState::searchChanged, this, [this] {
        m_hits.clear();
        update();
    });
    connect(&m_state, &ViewState::looksChanged, this, &OverviewBar::repaintBands);
    reload();
}

void OverviewBar::reload() {
    m_data = m_state.loaded() && m_state.trace() ? TimelineData::of(m_state.loaded()) : nullptr;
    repaintBands();
}

void OverviewBar::repaintBands() {
    m_bands = {};
    update();
}

void OverviewBar::setLabelWidth(int width) {
    if (width == m_labelWidth) return;
    m_labelWidth = width;
    repaintBands();
}

QRect OverviewBar::bandsRect() const {
    return {m_labelWidth, 0, std::max(1, width() - m_labelWidth - TimelineView::kScrollBar),
            height()};
}

TimeScale OverviewBar::scale() const {
    return {overviewRange(m_data->trace()), double(bandsRect().width())};
}

void OverviewBar::paintEvent(QPaintEvent *) {
    QPainter painter(this);
    painter.fillRect(rect(), theme().win);
    if (!m_data) return;
    const double ratio = devicePixelRatioF();
    const QSizeF wanted = QSizeF(overviewBandRect(bandsRect()).size()) * ratio;
    const QSize size(std::max(1, int(std::lround(wanted.width()))),
                     std::max(1, int(std::lround(wanted.height()))));
    if (m_bands.size() != size) {
        m_data->setColourBy(m_state.colourBy());
        m_bands = overviewBands(*m_data, size);
    }
    paintOverview(painter, bandsRect(), {0, 0, m_labelWidth, height()}, m_data->loaded(), m_bands,
                  ratio, m_state.view());
    paintHits(painter);
    if (!m_ring) return;
    painter.setPen(QPen(theme().accent, 2));
    painter.drawRect(QRectF(0, 0, m_labelWidth, height()).adjusted(1, 1, -1, -1));
}

void OverviewBar::paintHits(QPainter &painter) {
    const auto hits = m_state.searchHits();
    if (!hits) return;
    const QRect rect = bandsRect();
    if (m_hits.size() != size_t(rect.width()) + 1)
        m_hits = hitColumns(m_data->trace(), overviewRange(m_data->trace()), rect.width(), *hits);
    paintHitColumns(painter, rect, m_hits);
}

OverviewBar::Drag OverviewBar::partAt(double x) const {
    const TimeRange view = m_state.view();
    const double left = bandsRect().left();
    const double x0 = left + scale().x(view.begin), x1 = left + scale().x(view.end);
    if (std::abs(x - x0) <= kGrip && x1 - x0 > 2 * kGrip) return Drag::Begin;
    if (std::abs(x - x1) <= kGrip && x1 - x0 > 2 * kGrip) return Drag::End;
    return x > x0 - kGrip && x < x1 + kGrip ? Drag::Move : Drag::Draw;
}

void OverviewBar::mousePressEvent(QMouseEvent *event) {
    m_ring = false;
    if (!m_data || event->button() != Qt::LeftButton) return;
    const double x = event->position().x();
    m_drag = partAt(x);
    m_pressed = scale().timeAt(x - bandsRect().left());
    m_pressedView = m_state.view();
}

void OverviewBar::mouseMoveEvent(QMouseEvent *event) {
    if (!m_data) return;
    const double x = event->position().x();
    const TimeNs now = scale().timeAt(x - bandsRect().left());
    const TimeNs by = now - m_pressed;
    TimeRange view = m_pressedView;
    switch (m_drag) {
    case Drag::None: {
        const Drag part = partAt(x);
        setCursor(part == Drag::Begin || part == Drag::End ? Qt::SizeHorCursor
                  : part == Drag::Move                     ? Qt::OpenHandCursor
                                                           : Qt::CrossCursor);
        return;
    }
    case Drag::Move:
        view = {view.begin + by, view.end + by};
        break;
    case Drag::Begin:
        view.begin = std::min(now, view.end - 1);
        break;
    case Drag::End:
        view.end = std::max(now, view.begin + 1);
        break;
    case Drag::Draw:
        view = {std::min(now, m_pressed), std::max(now, m_pressed)};
        break;
    }
    if (!view.empty()) m_state.setView(view);
}

void OverviewBar::mouseReleaseEvent(QMouseEvent *event) {
    const Drag drag = std::exchange(m_drag, Drag::None);
    if (!m_data || drag != Drag::Draw) return;
    const double moved =
        std::abs(event->position().x() - bandsRect().left() - scale().x(m_pressed));
    if (moved > kGrip) return;
    const TimeNs half = m_pressedView.length() / 2; // a click brings the view here
    m_state.setView({m_pressed - half, m_pressed - half + m_pressedView.length()});
}

void OverviewBar::wheelEvent(QWheelEvent *event) {
    if (!m_data) return;
    const TimeNs at = scale().timeAt(event->position().x() - bandsRect().left());
    const double factor = std::pow(kZoomStep, event->angleDelta().y() / 120.0);
    const TimeRange view = m_state.view();
    m_state.setView(zoomed(view, view.contains(at) ? at : view.begin + view.length() / 2, factor));
}

void OverviewBar::keyPressEvent(QKeyEvent *event) {
    const TimeRange view = m_state.view();
    const TimeNs by = TimeNs(double(view.length()) * kPanStep),
                 middle = view.begin + view.length() / 2;
    switch (event->key()) {
    case Qt::Key_Left:
        m_state.setView({view.begin - by, view.end - by});
        break;
    case Qt::Key_Right:
        m_state.setView({view.begin + by, view.end + by});
        break;
    case Qt::Key_Plus:
        m_state.setView(zoomed(view, middle, kZoomStep));
        break;
    case Qt::Key_Minus:
        m_state.setView(zoomed(view, middle, 1 / kZoomStep));
        break;
    default:
        QWidget::keyPressEvent(event);
    }
}

void OverviewBar::focusInEvent(QFocusEvent *event) {
    m_ring = event->reason() == Qt::TabFocusReason || event->reason() == Qt::BacktabFocusReason;
    update();
}

void OverviewBar::focusOutEvent(QFocusEvent *) {
    m_ring = false;
    update();
}

void OverviewBar::changeEvent(QEvent *event) {
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::StyleChange)
        repaintBands();
    QWidget::changeEvent(event);
}

} // namespace longpole
