// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/edit_rows.h"

#include "core/base/pattern.h"
#include "ui/icons.h"
#include "ui/theme.h"

#include <QComboBox>
#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QToolButton>
#include <QVBoxLayout>

namespace longpole {

namespace {

struct EditChoice {
    const char *verb, *label, *operand, *tip;
    bool named; ///< the operand is a selector
};
constexpr EditChoice kChoices[] = {
    {"remove", "Remove", "name:…, kind:… or phase", "Work that is not done any more", true},
    {"unsync", "Remove a sync", "name:… of the call", "A call that does not wait any more", true},
    {"async", "Copy asynchronously", "kind:h2d or name:…", "A copy that the host does not wait for",
     true},
    {"graph", "CUDA graph", "step, or 12ms..15ms", "Launches of a range become one", false},
    {"launch", "Launch cost ×", "0.5", "Every launch takes this part of its time", false},
};

QLabel *sentence(const QString &text, QColor colour) {
    auto *label = new QLabel(text);
    label->setObjectName(QStringLiteral("editSentence"));
    label->setWordWrap(true);
    label->setFont(uiFont(11));
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    QPalette palette = label->palette();
    palette.setColor(QPalette::WindowText, colour);
    label->setPalette(palette);
    label->setForegroundRole(QPalette::WindowText); // panels are of Base, whose text is another
    return label;
}

} // namespace

EditRows::EditRows(QWidget *parent)
    : QWidget(parent), m_kind(new QComboBox), m_operand(new QLineEdit),
      m_add(new QPushButton(icon(QStringLiteral("plus")), QString())), m_box(new QVBoxLayout) {
    m_kind->setObjectName(QStringLiteral("editKind"));
    m_kind->setAccessibleName(tr("Change of the program"));
    for (const EditChoice &choice : kChoices) {
        m_kind->addItem(tr(choice.label));
        m_kind->setItemData(m_kind->count() - 1, tr(choice.tip), Qt::ToolTipRole);
    }
    m_kind->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_kind->setMinimumContentsLength(6);
    m_operand->setObjectName(QStringLiteral("editOperand"));
    m_operand->setAccessibleName(tr("Of what"));
    m_operand->setMinimumWidth(40); // a narrow panel cuts nothing off
    m_add->setObjectName(QStringLiteral("addEdit"));
    m_add->setToolTip(tr("Add this change (Enter)"));
    m_add->setAccessibleName(tr("Add this change"));
    auto *line = new QHBoxLayout;
    line->setContentsMargins(10, 2, 10, 2);
    line->setSpacing(5);
    line->addWidget(m_kind, 2);
    line->addWidget(m_operand, 3);
    line->addWidget(m_add);
    m_box->setContentsMargins(0, 0, 0, 0);
    m_box->setSpacing(0);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addLayout(m_box);
    layout->addLayout(line);
    connect(m_kind, &QComboBox::currentIndexChanged, this, &EditRows::kindChosen);
    connect(m_add, &QPushButton::clicked, this, &EditRows::add);
    connect(m_operand, &QLineEdit::returnPressed, this, &EditRows::add);
    kindChosen();
}

void EditRows::setSuggestion(const std::string &name) {
    m_suggestion = name.empty() ? std::string() : "name:" + Pattern::quoted(name);
    if (!m_operand->isModified()) kindChosen();
}

void EditRows::kindChosen() {
    const EditChoice &choice = kChoices[m_kind->currentIndex()];
    m_operand->setPlaceholderText(tr(choice.operand));
    if (m_operand->isModified()) return;
    m_operand->setText(choice.named ? QString::fromStdString(m_suggestion)
                       : QLatin1String(choice.verb) == QLatin1String("graph")
                           ? QStringLiteral("step")
                           : QStringLiteral("0.5"));
    m_operand->setCursorPosition(0);
}

void EditRows::add() {
    const QString operand = m_operand->text().trimmed();
    if (operand.isEmpty()) return m_operand->setFocus();
    const QLatin1String verb(kChoices[m_kind->currentIndex()].verb);
    const QLatin1String by(verb == QLatin1String("launch") ? "=" : ":");
    m_operand->setModified(false);
    emit added(verb + by + operand);
}

void EditRows::changeEvent(QEvent *event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && !m_shown.empty()) show(std::vector(m_shown));
}

void EditRows::show(const std::vector<WhatIfEdit> &edits) {
    m_shown = edits;
    for (QWidget *row : m_rows) {
        row->hide();
        row->deleteLater();
    }
    m_rows.clear();
    for (size_t i = 0; i < edits.size(); ++i) {
        auto *row = new QWidget;
        row->setObjectName(QStringLiteral("editRow"));
        auto *lines = new QVBoxLayout(row);
        lines->setContentsMargins(10, 2, 6, 4);
        lines->setSpacing(1);
        auto *head = new QHBoxLayout;
        const QString text = QString::fromStdString(edits[i].text);
        auto *name = new QLabel(text);
        name->setFont(uiFont(11, QFont::Medium));
        name->setWordWrap(true);
        auto *remove = new QToolButton;
        remove->setObjectName(QStringLiteral("removeEdit"));
        remove->setIcon(icon(QStringLiteral("x")));
        remove->setAutoRaise(true);
        remove->setToolTip(tr("Take this change back"));
        remove->setAccessibleName(tr("Take back %1").arg(text));
        head->addWidget(name, 1);
        head->addWidget(remove, 0, Qt::AlignTop);
        lines->addLayout(head);
        connect(remove, &QToolButton::clicked, this, [this, i] { emit removed(int(i)); });
        if (!edits[i].refusal.empty())
            lines->addWidget(sentence(
                tr("Not applied: %1").arg(QString::fromStdString(edits[i].refusal)), theme().warn));
        for (const std::string &assumption : edits[i].assumptions)
            lines->addWidget(sentence(QString::fromStdString(assumption), theme().text2));
        m_box->addWidget(row);
        m_rows.push_back(row);
    }
}

} // namespace longpole
