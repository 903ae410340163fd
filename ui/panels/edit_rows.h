// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/what_if_basis.h"

#include <QWidget>

class QComboBox;
class QLineEdit;
class QPushButton;
class QVBoxLayout;

namespace longpole {

/// Changes of the program in a what-if: one line to add one, and a row for each with what must hold
/// for it to come true, or why it is refused.
class EditRows : public QWidget {
    Q_OBJECT
public:
    explicit EditRows(QWidget *parent = nullptr);

    void show(const std::vector<WhatIfEdit> &edits);
    /// What the operand field offers: the name of the selected interval.
    void setSuggestion(const std::string &name);

signals:
    void added(const QString &edit); ///< as `whatif --edit` takes it
    void removed(int index);

protected:
    void changeEvent(QEvent *event) override;

private:
    void kindChosen();
    void add();

    QComboBox *m_kind;
    QLineEdit *m_operand;
    QPushButton *m_add;
    QVBoxLayout *m_box;
    std::string m_suggestion;
    std::vector<QWidget *> m_rows;
    std::vector<WhatIfEdit> m_shown;
};

} // namespace longpole
