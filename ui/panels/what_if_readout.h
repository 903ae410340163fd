// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/what_if_answer.h"

#include <QWidget>

#include <array>

class QLabel;

namespace longpole {

/// The numbers below the sliders: measured, replayed with its interval, and the
/// ceilings; then the sentence on where they differ.
class WhatIfReadout : public QWidget {
    Q_OBJECT
public:
    explicit WhatIfReadout(QWidget *parent = nullptr);
    void showAnswer(const WhatIfAnswer &answer);
    void showPending(); ///< another window is being worked out

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    enum Row { Measured, Replay, Amdahl, ReplayMost, AmdahlMost, RowCount };
    struct Cells {
        QLabel *name, *length, *speedup, *interval;
    };
    void fill(Row row, std::optional<TimeNs> length, TimeNs measured, const QString &interval);

    QLabel *m_about;
    std::optional<WhatIfQuestion> m_restOf; ///< what the interval at ∞ was asked for
    std::array<Cells, RowCount> m_rows;
    QLabel *m_difference;
};

} // namespace longpole
