// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/view_state.h"

#include "ui/marks.h"
#include "ui/track_choices.h"

#include <QDateTime>
#include <QUndoStack>

#include <algorithm>

namespace longpole {

namespace {

constexpr TimeNs kShortestView = 20;
constexpr qint64 kMergeMs = 500; ///< pans and zooms closer together are one step of the history
constexpr size_t kHistory = 200;

TimeRange widened(TimeRange range, double share) {
    const TimeNs margin = std::max<TimeNs>(1, TimeNs(double(range.length()) * share));
    return {range.begin - margin, range.end + margin};
}

void include(TimeRange &range, TimeNs begin, TimeNs end) {
    range.begin = std::min(range.begin, begin);
    range.end = std::max(range.end, end);
}

/// Lanes are sorted and disjoint, so first begin and last end are at their two ends.
TimeRange extentOf(const Trace &trace) {
    TimeRange extent = trace.range;
    if (extent.empty() && !trace.instants.empty())
        extent = {trace.instants.front().time, trace.instants.back().time};
    for (const Track &track : trace.tracks) {
        if (!track.table) continue;
        const auto &lanes = track.table->laneBegin;
        for (size_t lane = 0; lane + 1 < lanes.size(); ++lane)
            if (lanes[lane] < lanes[lane + 1])
                include(extent, track.begin(lanes[lane]), track.end(lanes[lane + 1] - 1));
    }
    for (const CounterSeries &series : trace.counters)
        if (!series.time.empty()) include(extent, series.time.front(), series.time.back());
    if (!trace.instants.empty())
        include(extent, trace.instants.front().time, trace.instants.back().time);
    extent.end = std::max(extent.end, extent.begin + 1);
    return extent;
}

} // namespace

ViewState::ViewState(QObject *parent)
    : QObject(parent), m_undo(std::make_unique<QUndoStack>()),
      m_marks(std::make_unique<Marks>(*m_undo)), m_tracks(std::make_unique<TrackChoices>()) {
    connect(m_tracks.get(), &TrackChoices::changed, this, &ViewState::looksChanged);
}

ViewState::~ViewState() = default;

void ViewState::setLoaded(std::shared_ptr<const Loaded> loaded, bool keepView) {
    m_loaded = std::move(loaded);
    m_extent = trace() ? extentOf(*trace()) : TimeRange{0, 1};
    m_back.clear();
    m_forward.clear();
    m_range.reset();
    m_step.reset();
    m_selected = m_hovered = {};
    m_cursor.reset();
    m_searchHits.reset();
    m_undo->clear();
    m_marks->setAll({});
    {
        const QSignalBlocker quiet(*m_tracks); // loadedChanged() says it
        m_tracks->reset(trace());
    }
    if (!keepView) m_view = trace() ? openingView(*trace(), m_loaded->steps) : TimeRange{0, 1};
    m_view = clampedView(m_view);
    updateWindow();
    emit loadedChanged();
    emit searchChanged();
    emit viewChanged();
    emit windowChanged();
    emit selectedChanged();
    emit hoveredChanged();
    emit cursorChanged();
}

TimeRange ViewState::clampedView(TimeRange view) const {
    const TimeNs longest = std::max(kShortestView, m_extent.length() * 3);
    TimeNs length = std::clamp(view.length(), kShortestView, longest);
    if (length != view.length()) view.begin += (view.length() - length) / 2;
    view.begin = std::clamp(view.begin, m_extent.begin - length, m_extent.end);
    view.end = view.begin + length;
    return view;
}

void ViewState::setView(TimeRange view, bool remember) {
    view = clampedView(view);
    if (view == m_view) return;
    if (remember) {
        const qint64 now = QDateTime::currentMSecsSinceEpoch();
        if (now - m_lastRemembered > kMergeMs) {
            if (m_back.size() == kHistory) m_back.erase(m_back.begin());
            m_back.push_back(m_view);
        }
        m_lastRemembered = now;
        m_forward.clear();
    }
    m_view = view;
    emit viewChanged();
}

void ViewState::jump(TimeRange view) {
    m_lastRemembered = 0;
    setView(view);
    m_lastRemembered = 0;
}

void ViewState::back() {
    if (m_back.empty()) return;
    m_forward.push_back(m_view);
    m_view = m_back.back();
    m_back.pop_back();
    m_lastRemembered = 0;
    emit viewChanged();
}

void ViewState::forward() {
    if (m_forward.empty()) return;
    m_back.push_back(m_view);
    m_view = m_forward.back();
    m_forward.pop_back();
    m_lastRemembered = 0;
    emit viewChanged();
}

void ViewState::updateWindow() {
    m_window = {};
    if (!trace()) return;
    WindowRequest request;
    if (m_range)
        request.range = m_range;
    else if (m_step)
        request.step = std::to_string(*m_step);
    if (const auto window = resolveWindow(*trace(), m_loaded->steps, request))
        m_window = *window;
    else
        m_window = {trace()->range, Window::Kind::All, {}, "the whole trace"};
}

void ViewState::setRange(std::optional<TimeRange> range) {
    if (range && range->empty()) range.reset();
    if (range == m_range) return;
    m_range = range;
    updateWindow();
    emit windowChanged();
}

void ViewState::setStep(std::optional<uint32_t> step) {
    if (!m_loaded || (step && *step >= m_loaded->steps.steps.size())) return;
    const bool changed = step != m_step || m_range;
    m_step = step;
    m_range.reset();
    if (changed) {
        updateWindow();
        emit windowChanged();
    }
    frameWindow();
}

std::optional<uint32_t> ViewState::stepBeside(int by) const {
    if (!m_loaded || m_loaded->steps.steps.empty()) return std::nullopt;
    const int64_t count = int64_t(m_loaded->steps.steps.size());
    int64_t from = by > 0 ? -1 : count;
    if (m_step)
        from = *m_step;
    else if (m_window.steps)
        from = by > 0 ? m_window.steps->second : m_window.steps->first;
    const int64_t to = from + by;
    if (to < 0 || to >= count) return std::nullopt;
    return uint32_t(to);
}

void ViewState::frameWindow() {
    if (!m_window.range.empty()) jump(widened(m_window.range, 0.03));
}

void ViewState::select(IntervalId id) {
    if (id == m_selected) return;
    m_selected = id;
    emit selectedChanged();
}

void ViewState::reveal(IntervalId id) {
    if (!trace() || !id.valid()) return;
    m_tracks->reveal(id.track);
    const TimeRange interval{trace()->begin(id), trace()->end(id)};
    const TimeNs length = std::max<TimeNs>(interval.length(), 1);
    const bool tooSmall = length < m_view.length() / 300;
    const bool tooLarge = length > m_view.length();
    const bool outside = interval.begin < m_view.begin || interval.end > m_view.end;
    if (tooSmall || tooLarge || outside) {
        // Small ones get a tenth of the view, large ones most of it; otherwise only pan.
        TimeNs wanted = m_view.length();
        if (tooSmall) wanted = length * 10;
        if (tooLarge) wanted = length + length / 8;
        const TimeNs middle = interval.begin + interval.length() / 2;
        jump({middle - wanted / 2, middle - wanted / 2 + wanted});
    }
    select(id);
    emit revealed(id);
}

void ViewState::revealTrack(uint32_t track) {
    if (!trace() || track >= trace()->tracks.size()) return;
    m_tracks->reveal(track);
    emit trackRevealed(track);
}

void ViewState::setHovered(IntervalId id) {
    if (id == m_hovered) return;
    m_hovered = id;
    emit hoveredChanged();
}

void ViewState::setCursor(std::optional<TimeNs> time) {
    if (time == m_cursor) return;
    m_cursor = time;
    emit cursorChanged();
}

void ViewState::setColourBy(ColourBy by) {
    if (by == m_colourBy) return;
    m_colourBy = by;
    emit looksChanged();
}

void ViewState::setPathShown(bool shown) {
    if (shown == m_pathShown) return;
    m_pathShown = shown;
    emit looksChanged();
}

void ViewState::setPredictedShown(bool shown) {
    if (shown == m_predictedShown) return;
    m_predictedShown = shown;
    emit looksChanged();
}

void ViewState::setSearchHits(std::shared_ptr<const SearchHits> hits) {
    if (hits == m_searchHits) return;
    m_searchHits = std::move(hits);
    emit searchChanged();
}

} // namespace longpole
