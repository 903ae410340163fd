// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/timeline/hit_test.h"
#include "ui/timeline/lanes_painter.h"
#include "ui/timeline/marks_painter.h"
#include "ui/timeline/path_strip.h"
#include "ui/timeline/track_order.h"
#include "ui/view_state.h"

#include <QPoint>
#include <QTimer>
#include <QWidget>

#include <memory>

class QNativeGestureEvent;
class QScrollBar;

namespace longpole {

/// The lanes of the open trace with their names, ruler and hands. Shows ViewState and changes it;
/// owns what is its own: scroll position, folded rows, width of the label column. GUI thread.
class TimelineView : public QWidget {
    Q_OBJECT
public:
    TimelineView(ViewState &state, QWidget *parent = nullptr);
    ~TimelineView() override;

    static constexpr int kRulerHeight = 26, kScrollBar = 12;

    /// The path of the window; null while there is none. The last one stays for a moment, so that
    /// nothing flickers while a range is dragged.
    void setPath(std::shared_ptr<const WindowPath> path);
    /// What a what-if makes of the trace; drawn where ViewState says so.
    void setPrediction(std::shared_ptr<const Prediction> prediction);
    bool hasPath() const { return index() != nullptr; } ///< large ones come a little later
    /// The idle books of the window, drawn beside its path.
    void setIdle(std::shared_ptr<const std::vector<DeviceIdle>> books);

    int labelWidth() const { return m_labelWidth; }
    void setLabelWidth(int width); ///< 120 – 400
    /// 14 compact, 18 normal, 24 tall.
    void setLaneHeight(int pixels);
    /// Where the lanes are drawn; time runs over its width.
    QRect lanesRect() const;
    /// Where the strip of the path is drawn; null without one.
    QRect stripRect() const;
    const std::vector<Row> &rows() const { return m_rows; }
    int scroll() const;
    /// Where an interval is drawn, in the widget; null when it is folded away or outside the view.
    QRect rectOf(IntervalId id) const;

    // Actions for menus; keys call the same.
    void zoom(double factor); ///< > 1: closer, at the cursor or the middle
    void pan(double share);   ///< of the view, to the right
    void showWholeTrace();
    void zoomToSelection();      ///< the selected range, else the interval, else the window
    void selectBeside(int by);   ///< next (1) or previous (-1) interval of the same lane
    void selectSameName(int by); ///< next or previous interval of the same name, on any track
    void pinTrack();             ///< keeps the track of the selection at the top, or lets it go
    void hideTrack();            ///< of the selection
    void followLaunch();         ///< from a call to what it launched and back
    void walkPath(int by);       ///< next (1) or previous (-1) interval of the critical path
    void clearSelection();       ///< the range first, then the interval
    void setAllTracksShown();

    QSize sizeHint() const override { return {900, 420}; }
    QSize minimumSizeHint() const override { return {320, 120}; }

signals:
    void labelWidthChanged(int width);
    void filterWanted(); ///< a field to filter the tracks by name

protected:
    bool event(QEvent *event) override;
    void paintEvent(QPaintEvent *) override;
    void resizeEvent(QResizeEvent *) override;
    void wheelEvent(QWheelEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void mouseReleaseEvent(QMouseEvent *event) override;
    void mouseDoubleClickEvent(QMouseEvent *event) override;
    void contextMenuEvent(QContextMenuEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    void keyReleaseEvent(QKeyEvent *event) override;
    void focusInEvent(QFocusEvent *event) override;
    void focusOutEvent(QFocusEvent *event) override;
    void leaveEvent(QEvent *event) override;
    void changeEvent(QEvent *event) override;

private:
    static constexpr int kReach = 2; ///< pixels beside a narrow mark that still mean it
    enum class Drag { None, Press, Pan, Range, LabelWidth, Track };

    // timeline_view.cpp: what is shown
    void reload();
    void relayout();
    void repaintLanes();
    void showRevealed(IntervalId id);
    void openGroupOf(uint32_t track);
    void showTrack(uint32_t track);
    void scrollTo(const Row &row);
    void updateScrollBar();
    void paintOverlay(QPainter &painter);
    void paintStickyHeader(QPainter &painter);
    /// The rows whose first lanes the sticky header hides: their track's name, their parents.
    std::pair<QString, QString> scrolledAway(int header) const;
    int pinnedHeight() const { return m_arranged.pinnedHeight; }
    /// Where a row is, below the top of the lanes: pinned ones stay.
    int yOf(size_t row) const;
    void paintRows(QPainter &painter);
    void paintHits(QPainter &painter);
    int stickyHeader() const; ///< header of the group at the top, when it is scrolled away; or -1
    int stickyShift() const;  ///< 0, or negative while the next header pushes it out
    void paintHint(QPainter &painter);
    TimeScale scale() const; ///< device-independent
    TimeScale deviceScale() const;
    double ratio() const { return devicePixelRatioF(); }
    void describe();

    // timeline_path.cpp: the critical path
    void findLinks();
    const IdleInterval *idleAt(QPointF at) const;
    QString handOverTip(QPointF at) const; ///< empty beside the verticals
    QString idleTip(const IdleInterval &idle) const;
    void selectCauseOf(const IdleInterval &idle);
    /// Whether the idle strips are to show shares.
    bool idleStacked() const {
        const IdleIndex *idle = analysed().idle.get();
        return idle && idle->stacks(m_state.view(), lanesRect().width());
    }
    bool pathVisible() const { return index() && m_state.pathShown(); }
    /// Whether the prediction is what is drawn.
    bool predicted() const { return m_state.predictedShown() && m_predicted; }
    void chooseData();
    /// The path of a trace and its idle books, ready to be drawn.
    struct Analysed {
        std::shared_ptr<const PathIndex> path;
        std::unique_ptr<IdleIndex> idle;
        Job<std::shared_ptr<const PathIndex>> job;
        void clear();
    };
    const Analysed &analysed() const { return predicted() ? m_replayed : m_asMeasured; }
    const PathIndex *index() const { return analysed().path.get(); }
    void makeIndex(Analysed &of, const std::shared_ptr<TimelineData> &data,
                   std::shared_ptr<const WindowPath> path);
    void take(Analysed &of, std::shared_ptr<const PathIndex> index);
    QRect ghostRect() const; ///< of the measured path, under the strip of a prediction
    void paintStrip(QPainter &painter);
    uint32_t segmentAt(QPointF at) const; ///< kNone beside the strip and its window
    QString segmentTip(uint32_t segment) const;
    /// Of work; of a lag or wait what it leads to; invalid for time without an event.
    IntervalId intervalOfSegment(uint32_t segment) const;
    void selectSegment(uint32_t segment);

    // timeline_menu.cpp: rows
    void toggle(const Row &row);

    // timeline_hands.cpp: mouse; timeline_tips.cpp: what a tooltip says
    TimeNs timeAt(QPointF at) const;
    IntervalId firstInView() const;
    int rowIndexAt(QPointF at) const;
    Hit hitAt(QPointF at, int reach);
    bool onDivider(QPointF at) const;
    void hover(QPointF at);
    void showTip();
    QString tipText(const Hit &hit, const Row &row) const;
    void startDrag(QMouseEvent *event);
    void dragTo(QPointF at);
    void dragTrack(QPointF at);
    uint32_t dropPlace(QPointF at) const; ///< track before which the dragged one would go
    void paintDrop(QPainter &painter);
    TimeNs snapped(QPointF at);
    void click(QPointF at);
    // timeline_keys.cpp
    bool run(const char *command);
    void nativeGesture(QNativeGestureEvent *event);

    ViewState &m_state;
    std::shared_ptr<TimelineData> m_data; ///< what is drawn: one of the next two
    std::shared_ptr<TimelineData> m_measured, m_predicted;
    std::shared_ptr<const Prediction> m_prediction;
    RowChoices m_choices;
    ArrangedRows m_arranged;
    std::vector<Row> &m_rows = m_arranged.rows;
    LanesPainter m_painter, m_pinPainter;
    const QImage *m_lanes = nullptr; ///< the painter's last picture, while it still holds
    Analysed m_asMeasured, m_replayed;
    SelectionLinks m_links;
    PathStrip m_strip, m_ghostStrip;
    const QImage *m_stripImage = nullptr, *m_ghostImage = nullptr; ///< as m_lanes
    uint32_t m_segment = kNone; ///< of the path, that led to the selected interval
    struct CopyHits {
        std::shared_ptr<const SearchHits> hits;
        std::shared_ptr<TimelineData> data;
        TransferHits begins;
    } m_copyHits;       ///< of the hits that were painted last
    QTimer m_stalePath; ///< runs while the last path is shown without being the current one
    QScrollBar *m_scrollBar;
    int m_labelWidth = 186;

    Drag m_drag = Drag::None;
    QPointF m_pressed, m_lastMouse;
    TimeRange m_pressedView;
    int m_pressedScroll = 0;
    TimeNs m_rangeStart = 0;
    uint32_t m_draggedTrack = kNone, m_dropBefore = kNone;
    bool m_space = false, m_ring = false;
    QTimer m_tipTimer;
};

} // namespace longpole
