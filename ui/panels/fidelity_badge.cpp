// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/fidelity_badge.h"

#include "ui/icons.h"
#include "ui/panels/what_if_text.h"
#include "ui/theme.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>

namespace longpole {

namespace {

QLabel *sentence(const QString &name, QPalette::ColorRole role) {
    auto *label = new QLabel;
    label->setObjectName(name);
    label->setFont(uiFont(11));
    label->setWordWrap(true);
    label->setForegroundRole(role);
    return label;
}

} // namespace

FidelityBadge::FidelityBadge(QWidget *parent)
    : QWidget(parent), m_icon(new QLabel),
      m_baseline(sentence(QStringLiteral("whatIfBaseline"), QPalette::Text)),
      m_shares(sentence(QStringLiteral("whatIfShares"), QPalette::PlaceholderText)) {
    auto *row = new QHBoxLayout(this);
    row->setContentsMargins(10, 4, 10, 8);
    row->setSpacing(6);
    auto *lines = new QVBoxLayout;
    lines->setSpacing(1);
    lines->addWidget(m_baseline);
    lines->addWidget(m_shares);
    row->addWidget(m_icon, 0, Qt::AlignTop);
    row->addLayout(lines, 1);
}

void FidelityBadge::show(std::shared_ptr<const WhatIfBasis> basis) {
    m_basis = std::move(basis);
    fill();
}

void FidelityBadge::fill() {
    m_icon->setVisible(m_basis != nullptr);
    m_shares->setVisible(m_basis != nullptr);
    if (!m_basis) return m_baseline->setText(tr("Working out another window."));
    const Fidelity fidelity = fidelityOf(*m_basis);
    const bool good = fidelity.exact && !fidelity.indicative;
    m_icon->setPixmap(
        iconPixmap(good ? QStringLiteral("circle-check") : QStringLiteral("alert-triangle"),
                   good ? theme().good : theme().warn, 16, devicePixelRatioF()));
    m_baseline->setText(fidelity.baseline);
    m_shares->setText(fidelity.shares);
}

void FidelityBadge::changeEvent(QEvent *event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && m_basis) fill();
}

} // namespace longpole
