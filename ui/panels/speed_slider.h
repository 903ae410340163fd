// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/speed.h"

#include <QSlider>

namespace longpole {

/// A slider with a logarithmic scale from 0.25× over 1× to 10×, and ∞ at its
/// end. Arrows go from one round value to the next, Home is 1×, End is ∞; a
/// double click goes back to 1×.
class SpeedSlider : public QSlider {
    Q_OBJECT
public:
    explicit SpeedSlider(QWidget *parent = nullptr);

    Speed speed() const { return m_speed; }
    void setSpeed(Speed speed); ///< says nothing to anyone
    static int xIn(int width,
                   Speed speed); ///< middle of the handle in a slider of that width
    int xOf(Speed speed) const { return xIn(width(), speed); }

    QSize sizeHint() const override { return {120, 22}; }
    QSize minimumSizeHint() const override { return {72, 22}; }

signals:
    void speedChanged(longpole::Speed speed);
    void settled(); ///< after a key, a click, or the end of a drag

protected:
    void paintEvent(QPaintEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void mouseReleaseEvent(QMouseEvent *event) override;
    void mouseDoubleClickEvent(QMouseEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    void wheelEvent(QWheelEvent *event) override;

private:
    Speed speedAt(int x) const;
    void change(Speed speed);

    Speed m_speed;
};

} // namespace longpole
