// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/what_if_curves.h"

#include <QObject>

#include <cmath>
#include <limits>

namespace longpole {

SpeedupCurves speedupCurves(const WhatIfBasis &basis, const LengthCurve &curve) {
    SpeedupCurves drawn;
    const TimeNs measured = basis.measured();
    drawn.title =
        QObject::tr("Speed-up of the window, %1 scaled").arg(basis.levers[curve.active].label);
    drawn.measured = measured;
    constexpr double infinite = std::numeric_limits<double>::infinity();
    const auto point = [&](double scale, double length) {
        return SpeedupCurves::Point{scale > 0 ? 1 / scale : infinite,
                                    length > 0 ? double(measured) / length : infinite};
    };
    for (const CurvePoint &p : curve.points) drawn.replay.push_back(point(p.scale, double(p.ns)));
    std::vector<Speed> speeds = curve.others;
    const auto atOne = basis.amdahl(speeds);
    speeds[curve.active] = Speed::infinite();
    const auto atMost = basis.amdahl(speeds);
    if (atOne && atMost) {
        // Others that are faster bend the ceiling, so it is asked for at many
        // speeds.
        for (int i = 0; i <= 64; ++i) {
            speeds[curve.active] = {int(std::lround(1000 * std::pow(1000.0, i / 64.0)))};
            drawn.amdahl.push_back(
                point(1 / speeds[curve.active].value(), double(*basis.amdahl(speeds))));
        }
        drawn.amdahl.push_back(point(0, double(*atMost)));
    }
    for (const Knee &knee : curve.knees)
        drawn.knees.push_back(
            {point(knee.scale, double(knee.ns)), QString::fromStdString(knee.takesOver)});
    return drawn;
}

} // namespace longpole
