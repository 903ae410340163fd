// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/what_if_basis.h"

#include <QWidget>

#include <memory>

class QLabel;

namespace longpole {

/// How far a what-if can be trusted: whether the baseline replay is what was measured, and what the
/// path rests on.
class FidelityBadge : public QWidget {
    Q_OBJECT
public:
    explicit FidelityBadge(QWidget *parent = nullptr);
    void show(std::shared_ptr<const WhatIfBasis> basis); ///< null: it is being worked out

protected:
    void changeEvent(QEvent *event) override;

private:
    void fill();

    std::shared_ptr<const WhatIfBasis> m_basis;
    QLabel *m_icon, *m_baseline, *m_shares;
};

} // namespace longpole
