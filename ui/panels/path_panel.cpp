// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/path_panel.h"

#include "ui/look_at.h"
#include "ui/panels/table.h"
#include "ui/panels/table_order.h"
#include "ui/theme.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QScopedValueRollback>
#include <QVBoxLayout>

#include <algorithm>

namespace longpole {

namespace {

constexpr int kMostTotals = 11; ///< rows shown without scrolling

QLabel *smallText(const QString &name) {
    auto *label = new QLabel;
    label->setObjectName(name);
    label->setFont(uiFont(11));
    label->setForegroundRole(QPalette::PlaceholderText);
    return label;
}

} // namespace

PathPanel::PathPanel(ViewState &state, Session &session, QWidget *parent)
    : QWidget(parent), m_state(state), m_session(session), m_totalsModel(new PathTotals(this)),
      m_model(new PathModel(this)), m_by(new QComboBox),
      m_message(smallText(QStringLiteral("pathMessage"))),
      m_count(smallText(QStringLiteral("pathCount"))),
      m_totals(new Table(QStringLiteral("pathTotals"), tr("Sums of the critical path"))),
      m_table(new Table(QStringLiteral("pathTable"), tr("Segments of the critical path"))),
      m_content(new QWidget) {
    setWindowTitle(tr("Path"));
    setAutoFillBackground(true);
    setBackgroundRole(QPalette::Base);
    m_message->setWordWrap(true);
    m_message->setMargin(12);
    m_by->setObjectName(QStringLiteral("pathBy"));
    m_by->setAccessibleName(tr("Sum by"));
    m_by->addItem(tr("By phase"), int(PathBy::Phase));
    m_by->addItem(tr("By kind"), int(PathBy::Kind));
    m_by->addItem(tr("By evidence"), int(PathBy::Trust));
    m_totals->order().setLastStays();
    m_totals->setModel(m_totalsModel);
    m_totals->setExpendable({PathTotals::Segments});
    m_totals->setSizeAdjustPolicy(QAbstractScrollArea::AdjustToContents);
    m_totals->setSelectionMode(QAbstractItemView::SingleSelection);
    m_table->setFiller(PathModel::Name);
    m_table->setExpendable({PathModel::Track, PathModel::Type, PathModel::Edge, PathModel::Trust});
    m_table->setModel(m_model);

    auto *bar = new QHBoxLayout;
    bar->setContentsMargins(8, 6, 8, 6);
    bar->setSpacing(8);
    bar->addWidget(m_by);
    bar->addWidget(m_count, 1);
    auto *column = new QVBoxLayout(m_content);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addLayout(bar);
    column->addWidget(m_totals);
    column->addWidget(m_table, 1);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_message, 0, Qt::AlignTop);
    layout->addWidget(m_content, 1);

    connect(m_by, &QComboBox::activated, this, [this] {
        m_only = PathKeys::kAll;
        refreshTotals();
    });
    connect(m_totals->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this](const QModelIndex &index) {
                if (index.isValid()) listOnly(m_totalsModel->keyAt(m_totals->modelRow(index)));
            });
    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this](const QModelIndex &index) { goTo(m_table->modelRow(index)); });
    connect(m_table, &QAbstractItemView::clicked, this,
            [this](const QModelIndex &index) { goTo(m_table->modelRow(index)); });
    connect(&m_session, &Session::pathChanged, this, &PathPanel::refresh);
    connect(&m_session, &Session::graphChanged, this, &PathPanel::refresh);
    connect(&m_state, &ViewState::selectedChanged, this, &PathPanel::followSelection);
    refresh();
}

PathBy PathPanel::by() const {
    return PathBy(m_by->currentData().toInt());
}

void PathPanel::refresh() {
    const bool any = m_session.path() != nullptr;
    m_content->setVisible(any);
    m_message->setVisible(!any);
    const std::string &problem = m_session.graphProblem();
    m_message->setText(problem.empty()
                           ? tr("Working out what each call and each kernel waited for.")
                           : tr("No path: %1").arg(QString::fromStdString(problem)));
    refreshTotals();
}

void PathPanel::refreshTotals() {
    const auto loaded = m_state.loaded();
    const QSignalBlocker quiet(m_totals->selectionModel());
    m_model->setPath(loaded, m_session.path());
    m_totalsModel->setPath(loaded, m_session.path(), by());
    const int rows = std::min(m_totalsModel->rowCount(), kMostTotals);
    m_totals->setMaximumHeight(m_totals->horizontalHeader()->height() +
                               rows * m_totals->verticalHeader()->defaultSectionSize() + 2);
    if (m_totalsModel->rowOf(m_only) < 0) m_only = PathKeys::kAll;
    listOnly(m_only);
}

void PathPanel::listOnly(uint32_t key) {
    m_only = key;
    const QSignalBlocker quiet(m_table->selectionModel());
    m_model->setOnly(by(), key);
    const int rows = m_model->rowCount();
    m_count->setText(rows == 1 ? tr("1 segment") : tr("%1 segments").arg(countText(rows)));
    const int row = m_totalsModel->rowOf(key);
    const QModelIndex shown = m_totals->viewIndex(row, 0);
    if (shown.isValid() && m_totals->currentIndex().row() != shown.row())
        m_totals->selectRow(shown.row());
    followSelection();
}

void PathPanel::showOnly(PathBy by, uint32_t key) {
    m_by->setCurrentIndex(m_by->findData(int(by)));
    m_only = key;
    refreshTotals();
    const int row = m_model->longest();
    if (row < 0) return;
    m_table->setCurrentIndex(m_table->viewIndex(row, PathModel::Name));
    m_table->scrollTo(m_table->currentIndex(), QAbstractItemView::PositionAtCenter);
    goTo(row);
}

void PathPanel::goTo(int row) {
    const PathSegment *segment = m_model->segment(row);
    if (!segment) return;
    const QScopedValueRollback<bool> going(m_going, true);
    const bool work = segment->type == PathSegment::Type::Activity;
    lookAt(m_state, {segment->begin, segment->end}, work ? segment->interval : IntervalId{});
}

/// The row of what was selected elsewhere.
void PathPanel::followSelection() {
    if (m_going || !m_state.trace()) return;
    const IntervalId id = m_state.selected();
    if (!id.valid() || id.row == kNone) return;
    const int row = m_model->rowAt(m_state.trace()->begin(id));
    const PathSegment *segment = m_model->segment(row);
    if (!segment || segment->interval != id) return;
    const QSignalBlocker quiet(m_table->selectionModel());
    m_table->setCurrentIndex(m_table->viewIndex(row, PathModel::Name));
    m_table->viewport()->update();
}

} // namespace longpole
