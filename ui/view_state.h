// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/analysis/phases.h"
#include "core/analysis/search.h"
#include "core/analysis/window.h"
#include "core/model/trace.h"

#include <QObject>

#include <memory>
#include <optional>
#include <vector>

class QUndoStack;

namespace longpole {

class Marks;
class TrackChoices;
struct TimelineFacts;

/// What is known of an open trace: the trace and the results that every view needs. Immutable,
/// replaced as a whole; null means that no trace is open.
struct Loaded {
    std::shared_ptr<const Trace> trace;
    Steps steps;
    Phases phases;
    std::shared_ptr<const TimelineFacts> timeline; ///< null: views make it when they draw
};

enum class ColourBy { Phase, Kind };

/// What the user looks at: trace ⊇ view ⊇ selected range, the selected and the hovered interval,
/// hidden tracks. Lives on the GUI thread; panels and timeline talk to each other only through it.
/// Setters emit only when something changed.
class ViewState : public QObject {
    Q_OBJECT
public:
    explicit ViewState(QObject *parent = nullptr);
    ~ViewState() override;

    std::shared_ptr<const Loaded> loaded() const { return m_loaded; }
    const Trace *trace() const { return m_loaded ? m_loaded->trace.get() : nullptr; }
    /// Resets selection; frames openingView() unless `keepView`.
    void setLoaded(std::shared_ptr<const Loaded> loaded, bool keepView = false);

    TimeRange view() const { return m_view; }
    /// Everything that can be looked at: the trace's range and whatever annotation rows, counters
    /// and instants lie outside it. {0, 1} without a trace.
    TimeRange extent() const { return m_extent; }
    /// Clamped to a length of 20 ns to three extents, and to the extent plus one view length at
    /// either side.
    /// `remember` puts the former view on the history of back() and forward().
    void setView(TimeRange view, bool remember = true);
    void back();
    void forward();
    bool canGoBack() const { return !m_back.empty(); }
    bool canGoForward() const { return !m_forward.empty(); }

    /// The window that statistics use: the selected range if there is one, else the chosen step's
    /// window, else the default one.
    const Window &window() const { return m_window; }
    std::optional<TimeRange> range() const { return m_range; }
    void setRange(std::optional<TimeRange> range);
    /// The step chosen by the user; none: the default window (which may be a step, see window()).
    std::optional<uint32_t> step() const { return m_step; }
    void setStep(std::optional<uint32_t> step); ///< drops the range and frames the window
    /// The step `by` places after the one that is looked at, if there is one; for ◀ and ▶.
    std::optional<uint32_t> stepBeside(int by) const;
    void frameWindow(); ///< the view becomes the window plus 3 % at either side

    IntervalId selected() const { return m_selected; }
    void select(IntervalId id);
    /// Selects and scrolls or zooms so far that the interval can be seen.
    void reveal(IntervalId id);
    void revealTrack(uint32_t track); ///< shows it and scrolls to it
    IntervalId hovered() const { return m_hovered; }
    void setHovered(IntervalId id);
    std::optional<TimeNs> cursor() const { return m_cursor; } ///< time under the mouse
    void setCursor(std::optional<TimeNs> time);

    ColourBy colourBy() const { return m_colourBy; }
    void setColourBy(ColourBy by);
    /// Whether the critical path is drawn and the rest dimmed.
    bool pathShown() const { return m_pathShown; }
    void setPathShown(bool shown);
    /// Whether a what-if is drawn in the place of what was measured, where there is one.
    bool predictedShown() const { return m_predictedShown; }
    void setPredictedShown(bool shown);
    /// Hidden, pinned and moved ones; looksChanged() tells of them.
    TrackChoices &tracks() const { return *m_tracks; }
    Marks &marks() const { return *m_marks; } ///< marks and notes
    /// What the user can take back, apart from where the view was: marks, notes, what-ifs, windows.
    QUndoStack &undoStack() const { return *m_undo; }

    /// What a search found, drawn as ticks; null while nothing is searched for.
    std::shared_ptr<const SearchHits> searchHits() const { return m_searchHits; }
    void setSearchHits(std::shared_ptr<const SearchHits> hits);

signals:
    void loadedChanged();
    void viewChanged();
    void windowChanged();
    void selectedChanged();
    void revealed(longpole::IntervalId id);
    void trackRevealed(uint32_t track);
    void hoveredChanged();
    void cursorChanged();
    void looksChanged(); ///< colours, hidden and moved tracks, path or prediction shown
    void searchChanged();

private:
    void updateWindow();
    void jump(TimeRange view); ///< a step of the history of its own, however quickly it comes
    TimeRange clampedView(TimeRange view) const;

    std::shared_ptr<const Loaded> m_loaded;
    TimeRange m_extent{0, 1}, m_view{0, 1};
    Window m_window;
    std::vector<TimeRange> m_back, m_forward;
    qint64 m_lastRemembered = 0;
    std::optional<TimeRange> m_range;
    std::optional<uint32_t> m_step;
    IntervalId m_selected, m_hovered;
    std::optional<TimeNs> m_cursor;
    ColourBy m_colourBy = ColourBy::Phase;
    bool m_pathShown = true, m_predictedShown = false;
    std::unique_ptr<QUndoStack> m_undo;
    std::unique_ptr<Marks> m_marks;
    std::unique_ptr<TrackChoices> m_tracks;
    std::shared_ptr<const SearchHits> m_searchHits;
};

} // namespace longpole
