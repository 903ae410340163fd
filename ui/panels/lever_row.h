// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/what_if_basis.h"

#include <QLineEdit>
#include <QWidget>

class QLabel;

namespace longpole {

class SpeedSlider;

/// A number field for a speed: "2", "0.5×", "inf"; the arrow keys step.
class SpeedField : public QLineEdit {
    Q_OBJECT
public:
    explicit SpeedField(QWidget *parent = nullptr);
    void setSpeed(Speed speed);

signals:
    void speedEntered(longpole::Speed speed);

protected:
    void keyPressEvent(QKeyEvent *event) override;
    void focusInEvent(QFocusEvent *event) override;

private:
    void commit();

    Speed m_speed;
};

/// One slider of the what-if panel with its number field and what its work adds
/// up to.
class LeverRow : public QWidget {
    Q_OBJECT
public:
    LeverRow(std::shared_ptr<const WhatIfBasis> basis, size_t lever, QWidget *parent = nullptr);

    void setSpeed(Speed speed);
    void setActive(bool active);
    void showPending(); ///< its sums are of another window
    SpeedSlider &slider() { return *m_slider; }

signals:
    void speedChanged(longpole::Speed speed);
    void settled();
    void chosen(); ///< clicked or focused

protected:
    void paintEvent(QPaintEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    QColor colour() const;

    std::shared_ptr<const WhatIfBasis> m_basis;
    const SliderWork &m_lever; ///< of m_basis
    bool m_active = false;
    QLabel *m_name, *m_sums = nullptr, *m_onPath = nullptr;
    SpeedSlider *m_slider;
    SpeedField *m_field;
};

/// The scale above the sliders, in the same columns.
class LeverHeader : public QWidget {
    Q_OBJECT
public:
    explicit LeverHeader(QWidget *parent = nullptr);

protected:
    void paintEvent(QPaintEvent *event) override;
};

} // namespace longpole
