// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/timeline/overview_painter.h"
#include "ui/view_state.h"

#include <QWidget>

namespace longpole {

/// The whole trace on one line, with the frame of the view: drag the frame, its edges, or a new
/// one. Keeps a picture of the trace, so that only frame and marks are painted while the view
/// moves.
class OverviewBar : public QWidget {
    Q_OBJECT
public:
    OverviewBar(ViewState &state, QWidget *parent = nullptr);

    /// Width of the label cell and of the margin at the right, to lie above the timeline's lanes.
    void setLabelWidth(int width);
    QSize sizeHint() const override { return {900, 50}; }
    QSize minimumSizeHint() const override { return {200, 28}; }

protected:
    void paintEvent(QPaintEvent *) override;
    void resizeEvent(QResizeEvent *) override { m_bands = {}; }
    void mousePressEvent(QMouseEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void mouseReleaseEvent(QMouseEvent *) override;
    void wheelEvent(QWheelEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    void focusInEvent(QFocusEvent *event) override;
    void focusOutEvent(QFocusEvent *event) override;
    void changeEvent(QEvent *event) override;

private:
    enum class Drag { None, Move, Begin, End, Draw };
    void reload();
    void repaintBands();
    void paintHits(QPainter &painter);
    QRect bandsRect() const;
    TimeScale scale() const;
    Drag partAt(double x) const;

    ViewState &m_state;
    std::shared_ptr<TimelineData> m_data;
    QImage m_bands;
    std::vector<bool> m_hits; ///< columns with a hit of the search; empty: not worked out
    int m_labelWidth = 186;
    bool m_ring = false; ///< reached with the keyboard
    Drag m_drag = Drag::None;
    TimeNs m_pressed = 0;
    TimeRange m_pressedView;
};

} // namespace longpole
