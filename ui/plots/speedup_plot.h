// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/speed.h"

#include <qcustomplot.h>

#include <QString>

#include <optional>
#include <vector>

namespace longpole {

/// What SpeedupPlot draws: speed-ups of the window against the speed of one
/// kind of work.
struct SpeedupCurves {
    QString title;
    TimeNs measured = 0;
    struct Point {
        double speed = 1, speedup = 1; ///< infinite speed: the ceiling
    };
    std::vector<Point> replay,
        amdahl; ///< by rising speed; both end at infinite speed
    struct Knee {
        Point at;
        QString takesOver;
    };
    std::vector<Knee> knees;
};

/// The speed-up of the window against the speed of one kind of work: the
/// ceiling of a serial model dashed, the replay with its knees, the measured
/// run, and where the slider stands. GUI thread.
class SpeedupPlot : public QCustomPlot {
    Q_OBJECT
public:
    explicit SpeedupPlot(QWidget *parent = nullptr);

    void setCurves(const SpeedupCurves &curves);
    void setNow(Speed speed, double speedup); ///< follows the drag
    void clearCurves();

    QSize sizeHint() const override { return {320, 196}; }
    QSize minimumSizeHint() const override { return {200, 150}; }

protected:
    void mouseMoveEvent(QMouseEvent *event) override;
    void changeEvent(QEvent *event) override;

private:
    void applyTheme();
    void arrange(); ///< data, then ranges and ticks
    void fillCurve(QCPGraph &graph, const std::vector<SpeedupCurves::Point> &points);
    void arrangeAxes();
    void placeLabels();
    void placeBelow(QCPItemText &label, double right);
    void placeKnee();
    double shown(double speed) const; ///< where a speed is drawn: ∞ at the end of the axis

    SpeedupCurves m_curves;
    Speed m_now;
    double m_nowSpeedup = 1;
    double m_least = 1, m_most = 10; ///< of the speeds that are drawn
    QCPGraph *m_amdahl = nullptr, *m_replay = nullptr, *m_knees = nullptr, *m_measured = nullptr,
             *m_point = nullptr;
    QCPItemText *m_title = nullptr, *m_amdahlLabel = nullptr, *m_replayLabel = nullptr,
                *m_kneeLabel = nullptr;
};

} // namespace longpole
