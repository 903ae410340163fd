// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/timeline/preview_rows.h"
#include "ui/timeline/time_scale.h"

#include <QWidget>

#include <memory>
#include <optional>

class QKeyEvent;
class QScrollBar;

namespace longpole {

/// What is read of a trace so far, where its timeline will be: densities to zoom and to pan, under
/// a strip that says that more is to come. Selecting and analysing wait for the trace. GUI thread.
class PreviewView : public QWidget {
    Q_OBJECT
public:
    explicit PreviewView(QWidget *parent = nullptr);

    /// Null: nothing yet, and the view chosen for the one before is forgotten.
    void setPreview(std::shared_ptr<const Preview> preview);
    std::shared_ptr<const Preview> preview() const { return m_preview; }
    /// What the user looks at; none as long as that is all there is.
    std::optional<TimeRange> chosenView() const { return m_chosen; }
    TimeRange view() const; ///< in the preview's times
    void setLabelWidth(int width);
    QRect lanesRect() const;
    QRect stripRect() const;
    /// W S A D, arrows and 0, as in the timeline; false for any other key.
    bool moveKey(const QKeyEvent &event);

protected:
    void paintEvent(QPaintEvent *) override;
    void resizeEvent(QResizeEvent *) override;
    void wheelEvent(QWheelEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void mouseReleaseEvent(QMouseEvent *) override;
    void keyPressEvent(QKeyEvent *event) override;

private:
    void choose(TimeRange view);
    void zoom(double factor, TimeNs fixed);
    void pan(double share);
    void updateScrollBar();
    QImage lanes() const;
    void paintStrip(QPainter &painter);

    std::shared_ptr<const Preview> m_preview;
    std::vector<PreviewRow> m_rows;
    std::vector<Row> m_labels; ///< the same, for the painter of labels
    std::optional<TimeRange> m_chosen;
    int m_labelWidth = 186;
    QScrollBar *m_scrollBar;
    bool m_dragging = false;
    QPointF m_pressed;
    TimeRange m_pressedView;
    int m_pressedScroll = 0;
};

} // namespace longpole
