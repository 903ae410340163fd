// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/timeline_view.h"

#include "ui/theme.h"
#include "ui/timeline/chrome_painter.h"
#include "ui/track_choices.h"

#include <QApplication>
#include <QMouseEvent>
#include <QPainter>
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

} // namespace

TimeNs TimelineView::timeAt(QPointF at) const {
    return scale().timeAt(at.x() - lanesRect().x());
}

int TimelineView::rowIndexAt(QPointF at) const {
    const int top = lanesRect().top();
    if (at.y() < top) return -1;
    if (at.y() < top + pinnedHeight()) return rowAt(m_rows, int(at.y()) - top);
    if (const int header = stickyHeader(); header >= 0)
        if (at.y() < top + pinnedHeight() + stickyShift() + m_rows[size_t(header)].height)
            return header;
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
        const int row = m_data ? rowIndexAt(at) : -1;
        m_draggedTrack = row < 0 ? kNone : m_rows[size_t(row)].track;
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
    if (m_drag == Drag::Press && far && m_pressed.x() < m_labelWidth && m_draggedTrack != kNone)
        m_drag = Drag::Track;
    if (m_drag == Drag::Track) dragTrack(at);
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
    if (drag == Drag::Track) {
        if (const auto order = orderAfterMove(m_rows, m_draggedTrack, dropPlace(event->position()));
            !order.empty())
            m_state.tracks().arrange(order);
        update();
    }
    const bool moved =
        (event->position() - m_pressed).manhattanLength() >= QApplication::startDragDistance();
    if (drag == Drag::Range && !moved) m_state.setRange({});
    hover(event->position());
}

void TimelineView::click(QPointF at) {
    if (stripRect().contains(at.toPoint())) return selectSegment(segmentAt(at));
    if (ghostRect().contains(at.toPoint())) return;
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

void TimelineView::focusInEvent(QFocusEvent *event) {
    m_ring = event->reason() == Qt::TabFocusReason || event->reason() == Qt::BacktabFocusReason;
    update();
}

void TimelineView::focusOutEvent(QFocusEvent *) {
    m_ring = m_space = false;
    update();
}

} // namespace longpole
