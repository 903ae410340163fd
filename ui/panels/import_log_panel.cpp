// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/import_log_panel.h"

#include "ui/look_at.h"
#include "ui/numbers.h"
#include "ui/panels/import_log_model.h"
#include "ui/panels/table.h"
#include "ui/theme.h"

#include <QLabel>
#include <QVBoxLayout>

namespace longpole {

ImportLogPanel::ImportLogPanel(ViewState &state, Session &, QWidget *parent)
    : QWidget(parent), m_state(state), m_model(new ImportLogModel(this)) {
    setAutoFillBackground(true);
    setBackgroundRole(QPalette::Base);
    m_balance = new QLabel;
    m_balance->setObjectName(QStringLiteral("importBalance"));
    m_balance->setAccessibleName(tr("How the events were used"));
    m_balance->setFont(uiFont(11));
    m_balance->setWordWrap(true);
    m_balance->setContentsMargins(10, 8, 10, 6);
    m_balance->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_note = new QLabel;
    m_note->setObjectName(QStringLiteral("importNote"));
    m_note->setFont(uiFont(11));
    m_note->setForegroundRole(QPalette::PlaceholderText);
    m_note->setWordWrap(true);
    m_note->setContentsMargins(10, 6, 10, 8);
    m_table = new Table(QStringLiteral("importTable"), tr("What the import met"));
    m_table->setFiller(ImportLogModel::Meaning);
    m_table->setModel(m_model);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(m_balance);
    layout->addWidget(m_table, 1);
    layout->addWidget(m_note);
    layout->addStretch(0);
    for (auto gesture : {&QAbstractItemView::clicked, &QAbstractItemView::activated})
        connect(m_table, gesture, this,
                [this](const QModelIndex &index) { goTo(m_table->modelRow(index)); });
    connect(&m_state, &ViewState::loadedChanged, this, &ImportLogPanel::refresh);
    refresh();
}

void ImportLogPanel::goTo(int row) {
    const auto loaded = m_state.loaded();
    const IntervalId id = row < 0 || !loaded ? IntervalId{} : m_model->firstInterval(row);
    if (id.valid()) lookAt(m_state, {loaded->trace->begin(id), loaded->trace->end(id)}, id);
}

void ImportLogPanel::refresh() {
    const auto loaded = m_state.loaded();
    m_model->setTrace(loaded ? loaded->trace : nullptr);
    const int problems = m_model->rowCount();
    setWindowTitle(problems ? tr("Import log (%1)").arg(problems) : tr("Import log"));
    m_table->setVisible(problems > 0);
    m_balance->setText(loaded ? balanceText(loaded->trace->events) : QString());
    m_note->setText(!loaded ? QString()
                    : problems
                        ? tr("The books balance: every event read is in one of the sums above.")
                        : tr("Nothing odd was met: every event is used as it is written."));
}

} // namespace longpole
