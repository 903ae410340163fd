// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/scenarios.h"

#include <QWidget>

class QComboBox;
class QLineEdit;
class QStackedLayout;
class QToolButton;

namespace longpole {

/// The scenarios of the trace to choose from, and the ways to keep the present what-if as one or to
/// let one go. Enter in the field for the name keeps it, Escape does not.
class ScenarioRow : public QWidget {
    Q_OBJECT
public:
    explicit ScenarioRow(Scenarios &scenarios, QWidget *parent = nullptr);
    /// How the sliders stand, and the name that a scenario of it would be given.
    void showStand(const WhatIfStand &stand, const QString &suggestion);
    void askName();

signals:
    void chosen(const QString &id);

protected:
    bool eventFilter(QObject *object, QEvent *event) override;

private:
    void fill();
    void save();
    void leave(); ///< the field for the name

    Scenarios &m_scenarios;
    WhatIfStand m_stand;
    QString m_suggestion;
    QComboBox *m_list;
    QLineEdit *m_name;
    QStackedLayout *m_places;
    QToolButton *m_save, *m_remove;
};

} // namespace longpole
