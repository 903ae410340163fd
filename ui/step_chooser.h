// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/view_state.h"

#include <QWidget>

class QComboBox;
class QLabel;
class QToolButton;

namespace longpole {

/// "Step ◀ 7 / 20 ▶" of the toolbar: shows the step that is looked at and goes to another.
class StepChooser : public QWidget {
    Q_OBJECT
public:
    explicit StepChooser(ViewState &state, QWidget *parent = nullptr);
    void setCompact(bool compact); ///< without the word

private:
    void fill();
    void showStep();
    QString itemText(uint32_t index) const;

    ViewState &m_state;
    QLabel *m_word;
    QToolButton *m_previous, *m_next;
    QComboBox *m_steps;
};

} // namespace longpole
