// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/statistics_panel.h"

#include "ui/describe.h"
#include "ui/icons.h"
#include "ui/panels/statistics_model.h"
#include "ui/panels/table.h"
#include "ui/panels/table_order.h"
#include "ui/theme.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QResizeEvent>
#include <QScrollBar>
#include <QToolButton>

namespace longpole {

namespace {

constexpr int kRoomForIcons = 820; ///< below this the copy buttons have no icons
constexpr int kGaps = 50;          ///< between and beside the parts of the bar

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

QToolButton *copyButton(const QString &text, const QString &objectName, const QString &tip) {
    auto *button = new QToolButton;
    button->setIcon(icon(QStringLiteral("copy")));
    button->setText(text);
    button->setAccessibleName(tip);
    button->setToolTip(tip);
    button->setObjectName(objectName);
    button->setProperty("framed", true);
    return button;
}

/// What of the communication nothing else hides, in one line for all devices.
QString communicationText(const Statistics &statistics) {
    QStringList devices;
    for (const Communication &device : statistics.communication)
        if (device.unionTime > 0)
            devices << QObject::tr("%1 on GPU\u00a0%2, %3 of it exposed")
                           .arg(durationText(device.unionTime))
                           .arg(device.device)
                           .arg(durationText(device.exposed));
    if (devices.isEmpty()) return {};
    return QObject::tr("Communication takes %1.").arg(devices.join(QStringLiteral(" · ")));
}

} // namespace

StatisticsPanel::StatisticsPanel(ViewState &state, Session &session, QWidget *parent)
    : QWidget(parent), m_state(state), m_session(session), m_model(new StatisticsModel(this)) {
    setWindowTitle(tr("Statistics"));
    setAutoFillBackground(true);
    setBackgroundRole(QPalette::Base);
    m_note = caption({});
    m_note->setObjectName(QStringLiteral("statNote"));
    m_note->setContentsMargins(8, 0, 8, 4);
    m_note->setWordWrap(true);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(makeBar());
    layout->addWidget(m_note);
    makeTable(layout);

    connect(&m_session, &Session::statisticsChanged, this, &StatisticsPanel::refresh);
    connect(&m_state, &ViewState::loadedChanged, this, &StatisticsPanel::chooseGrouping);
    connect(&m_table->order(), &TableOrder::arranged, this, &StatisticsPanel::refreshNote);
    connect(m_by, &QComboBox::activated, this, [this] {
        m_fellBack = false;
        m_session.setGroupBy(GroupBy(m_by->currentData().toInt()));
    });
    chooseGrouping();
    refresh();
}

QWidget *StatisticsPanel::makeBar() {
    auto *bar = new QWidget;
    auto *row = new QHBoxLayout(bar);
    row->setContentsMargins(8, 4, 8, 4);
    row->setSpacing(5);
    m_by = new QComboBox;
    m_by->setObjectName(QStringLiteral("statisticsBy"));
    m_by->setAccessibleName(tr("Group by"));
    m_by->addItem(tr("By phase"), int(GroupBy::Phase));
    m_by->addItem(tr("By name"), int(GroupBy::Name));
    m_by->addItem(tr("By track"), int(GroupBy::Track));
    m_by->addItem(tr("By kind"), int(GroupBy::Kind));
    m_by->addItem(tr("By operator"), int(GroupBy::Op));
    m_by->addItem(tr("By module"), int(GroupBy::Module));
    m_by->addItem(tr("By class of kernel"), int(GroupBy::Class));
    m_filter = new QLineEdit;
    m_filter->setObjectName(QStringLiteral("statisticsFilter"));
    m_filter->setAccessibleName(tr("Filter rows"));
    m_filter->setPlaceholderText(tr("Filter"));
    m_filter->setClearButtonEnabled(true);
    m_filter->addAction(icon(QStringLiteral("filter")), QLineEdit::LeadingPosition);
    m_filter->setMinimumWidth(84);
    m_filter->setMaximumWidth(180);
    m_csv = copyButton(tr("CSV"), QStringLiteral("copyCsv"),
                       tr("Copy the rows as CSV, times in exact nanoseconds"));
    m_markdown = copyButton(tr("Markdown"), QStringLiteral("copyMarkdown"),
                            tr("Copy the rows as a Markdown table, as printed"));
    connect(m_csv, &QToolButton::clicked, this, [this] { m_table->copyCsv(); });
    connect(m_markdown, &QToolButton::clicked, this, [this] { m_table->copyMarkdown(); });
    row->addWidget(m_by);
    row->addWidget(m_filter, 2);
    m_totals = makeTotals();
    row->addWidget(m_totals);
    row->addStretch(1);
    row->addWidget(m_csv);
    row->addWidget(m_markdown);
    return bar;
}

QWidget *StatisticsPanel::makeTotals() {
    auto *totals = new QWidget;
    auto *row = new QHBoxLayout(totals);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(5);
    m_sum = figure(QStringLiteral("statSum"), tr("Sum of durations"));
    m_union = figure(QStringLiteral("statUnion"), tr("Union"));
    m_elapsed = figure(QStringLiteral("statElapsed"), tr("Elapsed"));
    const auto tip = [this](int column) {
        return m_model->headerData(column, Qt::Horizontal, Qt::ToolTipRole).toString();
    };
    const auto add = [row](const QString &text, const QString &tip, QLabel *figure) {
        row->addSpacing(10);
        row->addWidget(caption(text, tip));
        row->addWidget(figure);
    };
    add(tr("sum of durations"), tip(StatisticsModel::Sum), m_sum);
    add(tr("union"), tip(StatisticsModel::Union), m_union);
    add(tr("elapsed"), tr("Length of the window."), m_elapsed);
    return totals;
}

/// Without what a narrow panel leaves to the last row of the table and to a wider one.
QSize StatisticsPanel::minimumSizeHint() const {
    return {m_by->sizeHint().width() + m_filter->minimumWidth() + kGaps,
            QWidget::minimumSizeHint().height()};
}

void StatisticsPanel::makeTable(QVBoxLayout *layout) {
    m_table = new Table(QStringLiteral("statisticsTable"), tr("Statistics of the window"));
    m_table->setModel(m_model);
    m_table->setExpendable({StatisticsModel::Mean, StatisticsModel::P50, StatisticsModel::P95,
                            StatisticsModel::Self, StatisticsModel::Max});
    m_table->setFilterField(m_filter);
    m_table->sortByColumn(StatisticsModel::Sum, Qt::DescendingOrder);
    m_total = new Table(QStringLiteral("statisticsTotal"), tr("Total of all rows"));
    m_total->setModel(new StatisticsTotal(*m_model, this));
    m_total->showBelow(*m_table);
    layout->addWidget(m_table, 1);
    layout->addWidget(m_total);
}

void StatisticsPanel::chooseGrouping() {
    const auto loaded = m_state.loaded();
    if (loaded && !loaded->phases.named && m_session.groupBy() == GroupBy::Phase) {
        m_session.setGroupBy(GroupBy::Kind);
        m_fellBack = true;
    } else if (loaded && loaded->phases.named && m_fellBack) {
        m_session.setGroupBy(GroupBy::Phase);
        m_fellBack = false;
    }
    m_by->setCurrentIndex(m_by->findData(int(m_session.groupBy())));
}

void StatisticsPanel::refresh() {
    const auto loaded = m_state.loaded();
    const auto statistics = m_session.statistics();
    const bool any = loaded && statistics;
    m_model->setStatistics(statistics, m_session.groupBy(),
                           loaded ? loaded->phases.rules : PhaseRules{});
    const QString unknown = QStringLiteral("–");
    m_sum->setText(any ? durationText(statistics->total.sum) : unknown);
    m_union->setText(any ? durationText(statistics->total.unionTime) : unknown);
    m_elapsed->setText(any ? durationText(statistics->window.range.length()) : unknown);
    m_elapsed->setToolTip(any ? QString::fromStdString(statistics->window.policy) : QString());
    m_total->setVisible(any && !statistics->rows.empty());
    refreshNote();
}

void StatisticsPanel::refreshNote() {
    const auto loaded = m_state.loaded();
    const auto statistics = m_session.statistics();
    QString note;
    if (!loaded || !statistics) {
        note = QString();
    } else if (statistics->rows.empty()) {
        note = loaded->trace->hasResources()
                   ? tr("No thread or stream works in this window. Choose another range.")
                   : tr("No thread or stream of this trace works.");
    } else if (!m_filter->text().isEmpty()) {
        note =
            tr("%1 of %2 rows; the total is of all")
                .arg(countText(m_table->order().rowCount()), countText(int64_t(statistics->rows.size())));
    } else if (!loaded->phases.named) {
        note = tr("No name in this trace matches a phase, so kinds say more.");
    } else {
        note = communicationText(*statistics);
    }
    m_note->setText(note);
    m_note->setVisible(!note.isEmpty());
}

void StatisticsPanel::resizeEvent(QResizeEvent *event) {
    QWidget::resizeEvent(event);
    const auto style = event->size().width() < kRoomForIcons ? Qt::ToolButtonTextOnly
                                                             : Qt::ToolButtonTextBesideIcon;
    m_csv->setToolButtonStyle(style);
    m_markdown->setToolButtonStyle(style);
    int room = event->size().width() - m_by->sizeHint().width() - m_filter->minimumWidth() - kGaps;
    for (QToolButton *button : {m_csv, m_markdown}) {
        room -= button->sizeHint().width();
        button->setVisible(room >= 0);
    }
    m_totals->setVisible(room >= m_totals->sizeHint().width());
}

} // namespace longpole
