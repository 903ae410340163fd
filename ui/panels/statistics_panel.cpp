// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/statistics_panel.h"

#include "ui/describe.h"
#include "ui/icons.h"
#include "ui/panels/statistics_model.h"
#include "ui/panels/table.h"
#include "ui/theme.h"

#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QToolTip>

namespace longpole {

namespace {

QLabel *caption(const QString &text, const QString &tip = {}) {
    auto *label = new QLabel(text);
    label->setForegroundRole(QPalette::PlaceholderText);
    label->setFont(uiFont(11));
    label->setToolTip(tip);
    return label;
}

QLabel *figure(const QString &objectName, const QString &accessibleName) {
    auto *label = new QLabel;
    label->setObjectName(objectName);
    label->setAccessibleName(accessibleName);
    label->setFont(uiFont(12, QFont::Bold));
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    return label;
}

} // namespace

StatisticsPanel::StatisticsPanel(ViewState &state, Session &session, QWidget *parent)
    : QWidget(parent), m_state(state), m_session(session), m_model(new StatisticsModel(this)) {
    setWindowTitle(tr("Statistics"));
    setAutoFillBackground(true);
    setBackgroundRole(QPalette::Base);
    m_table = new Table(QStringLiteral("statisticsTable"), tr("Statistics of the window"));
    m_table->setModel(m_model);
    m_table->setExpendable({StatisticsModel::Mean, StatisticsModel::P50, StatisticsModel::P95,
                            StatisticsModel::Self, StatisticsModel::Max});
    m_table->setSortingEnabled(true);
    m_table->sortByColumn(StatisticsModel::Sum, Qt::DescendingOrder);

    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(makeBar());
    layout->addWidget(makeTotals());
    layout->addWidget(m_table, 1);

    connect(&m_session, &Session::statisticsChanged, this, &StatisticsPanel::refresh);
    connect(&m_state, &ViewState::loadedChanged, this, &StatisticsPanel::chooseGrouping);
    connect(m_filter, &QLineEdit::textChanged, this, [this](const QString &text) {
        m_model->setFilter(text);
        refreshNote();
    });
    connect(m_by, &QComboBox::activated, this,
            [this] { m_session.setGroupBy(GroupBy(m_by->currentData().toInt())); });
    chooseGrouping();
    refresh();
}

QWidget *StatisticsPanel::makeBar() {
    auto *bar = new QWidget;
    auto *row = new QHBoxLayout(bar);
    row->setContentsMargins(8, 6, 8, 2);
    row->setSpacing(6);
    m_by = new QComboBox;
    m_by->setObjectName(QStringLiteral("statisticsBy"));
    m_by->setAccessibleName(tr("Group by"));
    m_by->addItem(tr("By phase"), int(GroupBy::Phase));
    m_by->addItem(tr("By name"), int(GroupBy::Name));
    m_by->addItem(tr("By track"), int(GroupBy::Track));
    m_by->addItem(tr("By kind"), int(GroupBy::Kind));
    m_filter = new QLineEdit;
    m_filter->setObjectName(QStringLiteral("statisticsFilter"));
    m_filter->setAccessibleName(tr("Filter rows"));
    m_filter->setPlaceholderText(tr("Filter"));
    m_filter->setClearButtonEnabled(true);
    m_filter->addAction(icon(QStringLiteral("filter")), QLineEdit::LeadingPosition);
    m_filter->setMaximumWidth(200);
    m_range = caption({});
    m_range->setObjectName(QStringLiteral("statRange"));
    m_range->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    auto *csv = new QPushButton(icon(QStringLiteral("copy")), tr("CSV"));
    csv->setObjectName(QStringLiteral("copyCsv"));
    csv->setToolTip(tr("Copy the rows as CSV, times in exact nanoseconds"));
    auto *markdown = new QPushButton(icon(QStringLiteral("copy")), tr("Markdown"));
    markdown->setObjectName(QStringLiteral("copyMarkdown"));
    markdown->setToolTip(tr("Copy the rows as a Markdown table, as printed"));
    connect(csv, &QPushButton::clicked, this, [this] { copy(m_model->csv(), tr("CSV")); });
    connect(markdown, &QPushButton::clicked, this,
            [this] { copy(m_model->markdown(), tr("Markdown")); });
    row->addWidget(m_range, 1);
    row->addWidget(m_by);
    row->addWidget(m_filter, 1);
    row->addStretch(1);
    row->addWidget(csv);
    row->addWidget(markdown);
    return bar;
}

QWidget *StatisticsPanel::makeTotals() {
    auto *bar = new QWidget;
    auto *row = new QHBoxLayout(bar);
    row->setContentsMargins(8, 2, 8, 4);
    row->setSpacing(5);
    m_sum = figure(QStringLiteral("statSum"), tr("Sum of durations"));
    m_union = figure(QStringLiteral("statUnion"), tr("Union"));
    m_elapsed = figure(QStringLiteral("statElapsed"), tr("Elapsed"));
    m_note = caption({});
    m_note->setObjectName(QStringLiteral("statNote"));
    m_note->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    const auto tip = [this](int column) {
        return m_model->headerData(column, Qt::Horizontal, Qt::ToolTipRole).toString();
    };
    row->addWidget(caption(tr("sum of durations"), tip(StatisticsModel::Sum)));
    row->addWidget(m_sum);
    row->addSpacing(12);
    row->addWidget(caption(tr("union"), tip(StatisticsModel::Union)));
    row->addWidget(m_union);
    row->addSpacing(12);
    row->addWidget(caption(tr("elapsed"), tr("Length of the window.")));
    row->addWidget(m_elapsed);
    row->addSpacing(12);
    row->addWidget(m_note, 1);
    return bar;
}

void StatisticsPanel::chooseGrouping() {
    const auto loaded = m_state.loaded();
    if (loaded && !loaded->phases.named && m_session.groupBy() == GroupBy::Phase)
        m_session.setGroupBy(GroupBy::Kind);
    m_by->setCurrentIndex(m_by->findData(int(m_session.groupBy())));
}

void StatisticsPanel::refresh() {
    const auto loaded = m_state.loaded();
    const auto statistics = m_session.statistics();
    m_model->setStatistics(statistics, m_session.groupBy(),
                           loaded ? loaded->phases.rules : PhaseRules{});
    if (!statistics || !loaded) {
        for (QLabel *label : {m_sum, m_union, m_elapsed}) label->setText(QStringLiteral("–"));
        m_range->clear();
    } else {
        m_sum->setText(durationText(statistics->total.sum));
        m_union->setText(durationText(statistics->total.unionTime));
        m_elapsed->setText(durationText(statistics->window.range.length()));
        m_range->setText(windowName(statistics->window, loaded->steps) + QStringLiteral(", ") +
                         durationText(statistics->window.range.length()));
        m_range->setToolTip(QString::fromStdString(statistics->window.policy));
    }
    refreshNote();
}

void StatisticsPanel::refreshNote() {
    const auto loaded = m_state.loaded();
    const auto statistics = m_session.statistics();
    QString note;
    if (!loaded || !statistics) {
        note = loaded ? tr("Counting…") : QString();
    } else if (statistics->rows.empty()) {
        note = tr("No thread or stream works in this window.");
    } else if (!m_filter->text().isEmpty()) {
        note =
            tr("%1 of %2 rows; the total is of all")
                .arg(countText(m_model->shownRows()), countText(int64_t(statistics->rows.size())));
    } else if (!loaded->phases.named) {
        note = tr("No name in this trace matches a phase; kinds say more.");
    }
    m_note->setText(note);
    m_note->setToolTip(note);
}

void StatisticsPanel::copy(const QString &text, const QString &what) {
    QApplication::clipboard()->setText(text);
    QToolTip::showText(QCursor::pos(), tr("Copied as %1").arg(what), this);
}

} // namespace longpole
