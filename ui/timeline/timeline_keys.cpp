// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/commands.h"
#include "ui/timeline/timeline_view.h"

#include <QKeyEvent>
#include <QNativeGestureEvent>
#include <QScrollBar>

#include <cmath>
#include <functional>
#include <map>
#include <string_view>
#include <tuple>

namespace longpole {

namespace {

constexpr double kZoomStep = 1.25, kPanStep = 0.1;

TimeRange widened(TimeRange range, double share) {
    const TimeNs margin = std::max<TimeNs>(1, TimeNs(double(range.length()) * share));
    return {range.begin - margin, range.end + margin};
}

/// The name of an interval as numbers, one for each file of the trace: kNone where it is not in it.
std::map<const StringPool *, uint32_t> idsOf(const Trace &trace, std::string_view name) {
    std::map<const StringPool *, uint32_t> ids;
    for (const auto &pool : trace.strings) {
        uint32_t id = 0;
        while (id < pool->size() && (*pool)[StringId{id}] != name) ++id;
        ids[pool.get()] = id < pool->size() ? id : kNone;
    }
    return ids;
}

/// The nearest interval of a name behind (by > 0) or before another one, by begin, track and row.
IntervalId sameNameBeside(const Trace &trace, IntervalId from, int by) {
    const auto ids = idsOf(trace, trace.name(from));
    using Key = std::tuple<TimeNs, uint32_t, uint32_t>;
    const Key here{trace.begin(from), from.track, from.row};
    IntervalId best;
    Key bestKey;
    for (uint32_t t = 0; t < trace.tracks.size(); ++t) {
        const Track &track = trace.tracks[t];
        const auto pool = ids.find(track.table->strings.get());
        if (pool == ids.end() || pool->second == kNone) continue;
        for (uint32_t lane = 0; lane < track.table->lanes(); ++lane) {
            const int64_t first = track.table->laneBegin[lane],
                          last = track.table->laneBegin[lane + 1];
            // Rows of a lane ascend in time: to the first one behind `from`, then on from there.
            int64_t low = first, high = last;
            while (low < high) {
                const int64_t middle = (low + high) / 2;
                if (Key{track.begin(uint32_t(middle)), t, uint32_t(middle)} <= here)
                    low = middle + 1;
                else
                    high = middle;
            }
            for (int64_t row = by > 0 ? low : low - 1; row >= first && row < last; row += by) {
                const Key key{track.begin(uint32_t(row)), t, uint32_t(row)};
                if (best.valid() && (by > 0 ? key > bestKey : key < bestKey)) break;
                if (key == here || track.table->name[size_t(row)].index != pool->second) continue;
                best = {t, uint32_t(row)};
                bestKey = key;
                break;
            }
        }
    }
    return best;
}

} // namespace

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

void TimelineView::selectSameName(int by) {
    const IntervalId id = m_state.selected();
    if (!m_data) return;
    if (!id.valid()) return m_state.select(firstInView());
    const IntervalId next = sameNameBeside(m_data->trace(), id, by);
    if (next.valid()) m_state.reveal(next);
}

bool TimelineView::event(QEvent *event) {
    if (event->type() == QEvent::NativeGesture) {
        auto *gesture = static_cast<QNativeGestureEvent *>(event);
        if (gesture->gestureType() == Qt::ZoomNativeGesture) {
            nativeGesture(gesture);
            return true;
        }
    }
    if (event->type() == QEvent::ShortcutOverride) {
        const auto *key = static_cast<QKeyEvent *>(event); // plain letters are ours while focused
        const Command *command = timelineCommand(*key);
        if (command && command->where == Command::Where::Timeline &&
            key->modifiers() == Qt::NoModifier)
            event->accept();
    }
    return QWidget::event(event);
}

/// Two fingers on a touchpad: zooms where they are.
void TimelineView::nativeGesture(QNativeGestureEvent *event) {
    const double factor = std::max(0.1, 1 + event->value());
    m_state.setView(zoomed(m_state.view(), timeAt(event->position()), factor));
    hover(event->position());
}

void TimelineView::keyPressEvent(QKeyEvent *event) {
    if (event->key() == Qt::Key_Space) {
        m_space = true;
        return;
    }
    const Command *command = timelineCommand(*event);
    if (!command || !run(command->id)) QWidget::keyPressEvent(event);
}

/// What the keys of the table in ui/commands do here; false for those of others.
bool TimelineView::run(const char *id) {
    const auto press = [this](QAbstractSlider::SliderAction action) {
        m_scrollBar->triggerAction(action);
    };
    const std::pair<std::string_view, std::function<void()>> all[] = {
        {"panLeft", [&] { pan(-kPanStep); }},
        {"panRight", [&] { pan(kPanStep); }},
        {"closer", [&] { zoom(kZoomStep); }},
        {"farther", [&] { zoom(1 / kZoomStep); }},
        {"rowsUp", [&] { press(QScrollBar::SliderSingleStepSub); }},
        {"rowsDown", [&] { press(QScrollBar::SliderSingleStepAdd); }},
        {"pageUp", [&] { press(QScrollBar::SliderPageStepSub); }},
        {"pageDown", [&] { press(QScrollBar::SliderPageStepAdd); }},
        {"zoomSelection", [&] { zoomToSelection(); }},
        {"whole", [&] { showWholeTrace(); }},
        {"back", [&] { m_state.back(); }},
        {"forward", [&] { m_state.forward(); }},
        {"nextInLane", [&] { selectBeside(1); }},
        {"previousInLane", [&] { selectBeside(-1); }},
        {"nextSameName", [&] { selectSameName(1); }},
        {"previousSameName", [&] { selectSameName(-1); }},
        {"nextOnPath", [&] { walkPath(1); }},
        {"previousOnPath", [&] { walkPath(-1); }},
        {"follow", [&] { followLaunch(); }},
        {"pin", [&] { pinTrack(); }},
        {"hide", [&] { hideTrack(); }},
        {"filterTracksHere", [&] { emit filterWanted(); }},
        {"letGo", [&] { clearSelection(); }},
    };
    for (const auto &[name, act] : all) {
        if (name != id) continue;
        act();
        return true;
    }
    return false;
}

void TimelineView::keyReleaseEvent(QKeyEvent *event) {
    if (event->key() == Qt::Key_Space && !event->isAutoRepeat()) m_space = false;
    QWidget::keyReleaseEvent(event);
}

} // namespace longpole
