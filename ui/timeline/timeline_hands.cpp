// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/timeline_view.h"

#include "ui/timeline/chrome_painter.h"

#include <QApplication>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QNativeGestureEvent>
#include <QScrollBar>
#include <QToolTip>
#include <QWheelEvent>

#include <algorithm>

namespace longpole {

namespace {

constexpr double kZoomStep = 1.25, kPanStep = 0.1, kSnap = 6;

TimeRange widened(TimeRange range, double share) {
    const TimeNs margin = std::max<TimeNs>(1, TimeNs(double(range.length()) * share));
    return {range.begin - margin, range.end + margin};
}

/// W A S D where they lie on a US keyboard, whatever is printed on the keys; 0 for other keys.
int positionKey(const QKeyEvent &event) {
    if (QGuiApplication::platformName() == QLatin1String("xcb") ||
        QGuiApplication::platformName() == QLatin1String("wayland")) {
        switch (event.nativeScanCode()) { // evdev code + 8
        case 25:
            return Qt::Key_W;
        case 38:
            return Qt::Key_A;
        case 39:
            return Qt::Key_S;
        case 40:
            return Qt::Key_D;
        case 0:
            break;
        default:
            return 0;
        }
    }
    switch (event.key()) {
    case Qt::Key_W:
    case Qt::Key_A:
    case Qt::Key_S:
    case Qt::Key_D:
        return event.key();
    default:
        return 0;
    }
}

} // namespace

TimeNs TimelineView::timeAt(QPointF at) const {
    return scale().timeAt(at.x() - lanesRect().x());
}

int TimelineView::rowIndexAt(QPointF at) const {
    const int top = lanesRect().top();
    if (at.y() < top) return -1;
    if (const int header = stickyHeader(); header >= 0)
        if (at.y() < top + stickyShift() + m_rows[size_t(header)].height) return header;
    return rowAt(m_rows, int(at.y()) - top + scroll());
}

Hit TimelineView::hitAt(QPointF at, int reach) {
    const int index = rowIndexAt(at);
    if (index < 0 || !m_data || !lanesRect().contains(at.toPoint())) return {};
    const int x = int(std::floor((at.x() - lanesRect().x()) * ratio()));
    return hitRow(*m_data, m_rows[size_t(index)], deviceScale(), x,
                  int(std::lround(reach * ratio())));
}

bool TimelineView::onDivider(QPointF at) const {
    return std::abs(at.x() - m_labelWidth) <= 3;
}

void TimelineView::zoom(double factor) {
    const TimeRange view = m_state.view();
    const auto cursor = m_state.cursor();
    const bool inside = cursor && view.contains(*cursor);
    m_state.setView(zoomed(view, inside ? *cursor : view.begin + view.length() / 2, factor));
}

void TimelineView::pan(double share) {
    const TimeRange view = m_state.view();
    const TimeNs by = TimeNs(double(view.length()) * share);
    m_state.setView({view.begin + by, view.end + by});
}

void TimelineView::showWholeTrace() {
    if (m_data) m_state.setView(widened(m_data->trace().range, 0.01));
}

void TimelineView::zoomToSelection() {
    const IntervalId id = m_state.selected();
    if (m_state.range())
        m_state.setView(widened(*m_state.range(), 0.05));
    else if (m_data && id.valid())
        m_state.setView(widened({m_data->trace().begin(id), m_data->trace().end(id)}, 0.05));
    else if (m_data)
        m_state.frameWindow();
}

void TimelineView::selectBeside(int by) {
    const IntervalId id = m_state.selected();
    if (!m_data) return;
    if (!id.valid()) return m_state.select(firstInView());
    const TrackTable &table = *m_data->trace().track(id).table;
    const uint32_t lane = table.laneOf(id.row);
    const int64_t row = int64_t(id.row) + by;
    if (row < table.laneBegin[lane] || row >= table.laneBegin[lane + 1]) return;
    m_state.reveal({id.track, uint32_t(row)});
}

IntervalId TimelineView::firstInView() const {
    for (const Row &row : m_rows) {
        if (row.type != Row::Type::Lane || row.bottom() <= scroll()) continue;
        const Track &track = m_data->trace().tracks[row.track];
        if (row.firstLane >= track.table->lanes()) continue;
        const uint32_t first =
            track.table->firstAfter(row.firstLane, m_state.view().begin - track.offset);
        if (first < track.table->laneBegin[row.firstLane + 1] &&
            track.begin(first) < m_state.view().end)
            return {row.track, first};
    }
    return {};
}

void TimelineView::followLaunch() {
    const IntervalId id = m_state.selected();
    if (!m_data || !id.valid()) return;
    const IntervalId call = m_data->trace().callOf(id);
    if (call.valid()) return m_state.reveal(call);
    const std::vector<IntervalId> ops = m_data->trace().opsOf(id);
    if (!ops.empty()) m_state.reveal(ops.front());
}

void TimelineView::clearSelection() {
    if (m_state.range())
        m_state.setRange({});
    else
        m_state.select({});
}

bool TimelineView::event(QEvent *event) {
    if (event->type() == QEvent::NativeGesture) {
        const auto *gesture = static_cast<QNativeGestureEvent *>(event);
        if (gesture->gestureType() == Qt::ZoomNativeGesture) {
            zoom(1 + gesture->value());
            return true;
        }
    }
    if (event->type() == QEvent::ShortcutOverride) {
        auto *key = static_cast<QKeyEvent *>(event); // plain letters are ours while focused
        if (key->modifiers() == Qt::NoModifier && positionKey(*key)) event->accept();
    }
    return QWidget::event(event);
}

void TimelineView::wheelEvent(QWheelEvent *event) {
    const QPoint angle = event->angleDelta();
    const double notches = (angle.y() != 0 ? angle.y() : angle.x()) / 120.0;
    if (event->modifiers() & Qt::ControlModifier) {
        const TimeNs at = timeAt(event->position());
        m_state.setView(zoomed(m_state.view(), at, std::pow(kZoomStep, notches)));
    } else if (event->modifiers() & Qt::ShiftModifier || angle.y() == 0) {
        pan(-notches * kPanStep);
    } else {
        const int by = event->pixelDelta().isNull() ? int(notches * 3 * m_choices.laneHeight)
                                                    : event->pixelDelta().y();
        m_scrollBar->setValue(scroll() - by);
    }
    hover(event->position());
    event->accept();
}

void TimelineView::mousePressEvent(QMouseEvent *event) {
    m_ring = false;
    QToolTip::hideText();
    m_tipTimer.stop();
    if (event->button() == Qt::LeftButton || event->button() == Qt::MiddleButton) startDrag(event);
}

void TimelineView::startDrag(QMouseEvent *event) {
    const QPointF at = event->position();
    m_pressed = m_lastMouse = at;
    m_pressedView = m_state.view();
    m_pressedScroll = scroll();
    const bool left = event->button() == Qt::LeftButton;
    if (left && onDivider(at)) {
        m_drag = Drag::LabelWidth;
    } else if (!m_data || (at.x() < m_labelWidth && left)) {
        m_drag = Drag::Press;
    } else if (left && !m_space &&
               (at.y() < kRulerHeight || event->modifiers() & Qt::ShiftModifier)) {
        m_drag = Drag::Range;
        m_rangeStart = snapped(at);
    } else {
        m_drag = left && !m_space ? Drag::Press : Drag::Pan;
        if (m_drag == Drag::Pan) setCursor(Qt::ClosedHandCursor);
    }
}

void TimelineView::mouseMoveEvent(QMouseEvent *event) {
    m_lastMouse = event->position();
    if (m_drag == Drag::None)
        hover(m_lastMouse);
    else
        dragTo(m_lastMouse);
}

void TimelineView::dragTo(QPointF at) {
    const QPointF moved = at - m_pressed;
    const bool far = moved.manhattanLength() >= QApplication::startDragDistance();
    if (m_drag == Drag::Press && far && m_pressed.x() >= m_labelWidth) {
        m_drag = Drag::Pan;
        setCursor(Qt::ClosedHandCursor);
    }
    if (m_drag == Drag::LabelWidth) setLabelWidth(int(at.x()));
    if (m_drag == Drag::Pan) {
        const TimeNs by = TimeNs(std::llround(-moved.x() * m_pressedView.length() / scale().width));
        m_scrollBar->setValue(m_pressedScroll - int(moved.y()));
        m_state.setView({m_pressedView.begin + by, m_pressedView.end + by});
    }
    if (m_drag == Drag::Range && (far || m_state.range())) {
        const TimeNs now = snapped(at);
        if (now != m_rangeStart)
            m_state.setRange(TimeRange{std::min(now, m_rangeStart), std::max(now, m_rangeStart)});
        m_state.setCursor(now);
    }
}

TimeNs TimelineView::snapped(QPointF at) {
    const TimeNs time = timeAt(at), within = TimeNs(scale().nsPerPixel() * kSnap);
    TimeNs best = time, nearest = within + 1;
    auto offer = [&](TimeNs edge) {
        const TimeNs away = edge < time ? time - edge : edge - time;
        if (away < nearest) nearest = away, best = edge;
    };
    const int index = rowIndexAt(at);
    if (index >= 0)
        if (const auto edge = nearestEdge(*m_data, m_rows[size_t(index)], time, within))
            offer(*edge);
    for (const Step &step : m_data->loaded().steps.steps) {
        offer(step.begin);
        offer(step.drainedEnd);
    }
    if (const IntervalId id = m_state.selected(); id.valid()) {
        offer(m_data->trace().begin(id));
        offer(m_data->trace().end(id));
    }
    return best;
}

void TimelineView::mouseReleaseEvent(QMouseEvent *event) {
    const Drag drag = std::exchange(m_drag, Drag::None);
    unsetCursor();
    if (drag == Drag::Press) click(event->position());
    const bool moved =
        (event->position() - m_pressed).manhattanLength() >= QApplication::startDragDistance();
    if (drag == Drag::Range && !moved) m_state.setRange({});
    hover(event->position());
}

void TimelineView::click(QPointF at) {
    if (stripRect().contains(at.toPoint())) return selectSegment(segmentAt(at));
    const int index = rowIndexAt(at);
    if (index < 0 || !m_data) {
        if (at.x() >= m_labelWidth) m_state.select({});
        return;
    }
    const Row row = m_rows[size_t(index)];
    if (at.x() < m_labelWidth || row.type == Row::Type::Group) return toggle(row);
    if (const IdleInterval *idle = idleAt(at)) return selectCauseOf(*idle);
    m_state.select(hitAt(at, kReach).id);
}

void TimelineView::mouseDoubleClickEvent(QMouseEvent *event) {
    if (event->button() != Qt::LeftButton || event->position().x() < m_labelWidth) return;
    const IntervalId id = hitAt(event->position(), kReach).id;
    if (!id.valid()) return;
    m_state.select(id);
    m_state.setView(widened({m_data->trace().begin(id), m_data->trace().end(id)}, 0.05));
}

void TimelineView::hover(QPointF at) {
    if (onDivider(at))
        setCursor(Qt::SplitHCursor);
    else
        unsetCursor();
    const bool onLanes = m_data && at.x() >= m_labelWidth && at.x() < lanesRect().right();
    const uint32_t segment = segmentAt(at);
    m_state.setCursor(onLanes ? std::optional(timeAt(at)) : std::nullopt);
    m_state.setHovered(segment != kNone ? intervalOfSegment(segment)
                       : onLanes        ? hitAt(at, kReach).id
                                        : IntervalId());
    QToolTip::hideText();
    if (onLanes) m_tipTimer.start();
}

void TimelineView::leaveEvent(QEvent *) {
    m_tipTimer.stop();
    m_state.setCursor({});
    m_state.setHovered({});
}

void TimelineView::keyPressEvent(QKeyEvent *event) {
    if (!moveKey(event) && !actionKey(event)) QWidget::keyPressEvent(event);
}

bool TimelineView::moveKey(QKeyEvent *event) {
    if (event->modifiers() & ~(Qt::ShiftModifier | Qt::KeypadModifier)) return false;
    switch (positionKey(*event)) {
    case Qt::Key_W:
        zoom(kZoomStep);
        return true;
    case Qt::Key_S:
        zoom(1 / kZoomStep);
        return true;
    case Qt::Key_A:
        pan(-kPanStep);
        return true;
    case Qt::Key_D:
        pan(kPanStep);
        return true;
    default:
        break;
    }
    switch (event->key()) {
    case Qt::Key_Left:
        pan(-kPanStep);
        return true;
    case Qt::Key_Right:
        pan(kPanStep);
        return true;
    case Qt::Key_Up:
        m_scrollBar->triggerAction(QScrollBar::SliderSingleStepSub);
        return true;
    case Qt::Key_Down:
        m_scrollBar->triggerAction(QScrollBar::SliderSingleStepAdd);
        return true;
    case Qt::Key_PageUp:
        m_scrollBar->triggerAction(QScrollBar::SliderPageStepSub);
        return true;
    case Qt::Key_PageDown:
        m_scrollBar->triggerAction(QScrollBar::SliderPageStepAdd);
        return true;
    case Qt::Key_Plus:
        zoom(kZoomStep);
        return true;
    case Qt::Key_Minus:
        zoom(1 / kZoomStep);
        return true;
    default:
        return false;
    }
}

bool TimelineView::actionKey(QKeyEvent *event) {
    if (event->modifiers() & ~(Qt::ShiftModifier | Qt::KeypadModifier)) return false;
    switch (event->key()) {
    case Qt::Key_0:
        showWholeTrace();
        return true;
    case Qt::Key_F:
        zoomToSelection();
        return true;
    case Qt::Key_Backspace:
        m_state.back();
        return true;
    case Qt::Key_Period:
        selectBeside(1);
        return true;
    case Qt::Key_Comma:
        selectBeside(-1);
        return true;
    case Qt::Key_G:
        followLaunch();
        return true;
    case Qt::Key_N:
        walkPath(event->modifiers() & Qt::ShiftModifier ? -1 : 1);
        return true;
    case Qt::Key_Escape:
        clearSelection();
        return true;
    case Qt::Key_Space:
        m_space = true;
        return true;
    default:
        return false;
    }
}

void TimelineView::keyReleaseEvent(QKeyEvent *event) {
    if (event->key() == Qt::Key_Space && !event->isAutoRepeat()) m_space = false;
    QWidget::keyReleaseEvent(event);
}

void TimelineView::focusInEvent(QFocusEvent *event) {
    m_ring = event->reason() == Qt::TabFocusReason || event->reason() == Qt::BacktabFocusReason;
    update();
}

void TimelineView::focusOutEvent(QFocusEvent *) {
    m_ring = m_space = false;
    update();
}

} // namespace longpole
