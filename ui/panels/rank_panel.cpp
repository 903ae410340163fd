// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/rank_panel.h"

#include "ui/icons.h"
#include "ui/look_at.h"
#include "ui/panels/rank_model.h"
#include "ui/panels/table.h"
#include "ui/theme.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace longpole {

namespace {

constexpr double kLeast = 0.02; ///< of the window; smaller gains drown in noise

QLabel *sentence(const QString &name) {
    auto *label = new QLabel;
    label->setObjectName(name);
    label->setFont(uiFont(11));
    label->setWordWrap(true);
    label->setForegroundRole(QPalette::PlaceholderText);
    label->setContentsMargins(10, 6, 10, 8);
    label->setTextFormat(Qt::PlainText);
    return label;
}

QToolButton *button(const QString &name, const QString &text, const QString &tip) {
    auto *made = new QToolButton;
    made->setObjectName(name);
    made->setText(text);
    made->setToolTip(tip);
    made->setAccessibleName(tip);
    made->setProperty("framed", true);
    return made;
}

/// "backward" of "phase:backward"; empty for other selectors.
std::string after(const std::string &selector, std::string_view prefix) {
    return selector.starts_with(prefix) ? selector.substr(prefix.size()) : std::string();
}

} // namespace

RankPanel::RankPanel(ViewState &state, Session &session, QWidget *parent)
    : QWidget(parent), m_state(state), m_session(session), m_model(new RankModel(this)),
      m_message(sentence(QStringLiteral("rankMessage"))),
      m_sentence(sentence(QStringLiteral("rankSentence"))),
      m_table(new Table(QStringLiteral("rankTable"), tr("Levers by what they gain"))) {
    setWindowTitle(tr("Levers"));
    setAutoFillBackground(true);
    setBackgroundRole(QPalette::Base);
    m_table->setExpendable({RankModel::Trust, RankModel::Knee, RankModel::At125, RankModel::OnPath,
                            RankModel::AtInfinity, RankModel::Interval});
    m_table->setModel(m_model);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(makeBar());
    layout->addWidget(m_message);
    layout->addWidget(m_table, 1000);
    layout->addWidget(m_sentence);
    layout->addStretch(1);

    connect(m_table, &QAbstractItemView::activated, this,
            [this](const QModelIndex &index) { apply(m_table->modelRow(index)); });
    connect(m_table, &QAbstractItemView::doubleClicked, this,
            [this](const QModelIndex &index) { apply(m_table->modelRow(index)); });
    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            &RankPanel::explain);
    connect(&m_session, &Session::pathChanged, this, &RankPanel::reset);
    connect(&m_session, &Session::graphChanged, this, &RankPanel::reset);
    connect(&m_session, &Session::verdictChanged, this, [this] {
        if (rows() == Rows::Verdict) reset();
    });
    connect(&m_state, &ViewState::loadedChanged, this, [this] {
        const auto loaded = m_state.loaded();
        const auto by = loaded && !loaded->phases.named ? Rows::Kind : Rows::Phase;
        m_by->setCurrentIndex(m_by->findData(int(by)));
    });
    reset();
}

QWidget *RankPanel::makeBar() {
    auto *bar = new QWidget;
    auto *row = new QHBoxLayout(bar);
    row->setContentsMargins(8, 6, 8, 6);
    m_by = new QComboBox;
    m_by->setObjectName(QStringLiteral("rankBy"));
    m_by->setAccessibleName(tr("What makes a lever"));
    m_by->addItem(tr("By phase"), int(Rows::Phase));
    m_by->addItem(tr("By kind"), int(Rows::Kind));
    m_by->addItem(tr("By name"), int(Rows::Name));
    m_by->addItem(tr("Of the verdict"), int(Rows::Verdict));
    m_stop = button(QStringLiteral("rankStop"), tr("Stop"), tr("Stop replaying levers"));
    m_copy = button(QStringLiteral("rankCopy"), tr("Copy"), tr("Copy the rows as a Markdown table"));
    connect(m_by, &QComboBox::activated, this, &RankPanel::reset);
    connect(m_stop, &QToolButton::clicked, this, &RankPanel::stop);
    connect(m_copy, &QToolButton::clicked, m_table, &Table::copyMarkdown);
    row->addWidget(m_by);
    row->addStretch(1);
    row->addWidget(m_stop);
    row->addWidget(m_copy);
    return bar;
}

RankPanel::Rows RankPanel::rows() const {
    return Rows(m_by->currentData().toInt());
}

/// Other rows, or another window: nothing of the last ones stays.
void RankPanel::reset() {
    m_job.cancel();
    m_model->setLevers({}, m_by->currentText());
    m_stale = true;
    start();
}

void RankPanel::start() {
    const auto path = m_session.path();
    const auto loaded = m_state.loaded();
    if (!m_stale || !isVisible()) return; // showEvent comes back to it
    if (!path || !loaded) {
        const std::string &problem = m_session.graphProblem();
        return say(problem.empty() ? tr("Working out what each call and each kernel waited for.")
                                   : tr("No levers: %1").arg(QString::fromStdString(problem)));
    }
    if (rows() == Rows::Verdict) {
        const auto verdict = m_session.verdict();
        if (!verdict) return say(tr("Looking for the best levers."));
        std::vector<Lever> levers;
        for (const NamedLever &named : verdict->levers) levers.push_back(named.lever);
        return showLevers(std::move(levers));
    }
    const RankBy by = rows() == Rows::Phase  ? RankBy::Phase
                      : rows() == Rows::Kind ? RankBy::Kind
                                             : RankBy::Name;
    m_job.start(
        [loaded, path, by](Progress &progress) {
            return rankLevers(*loaded->trace, loaded->steps, loaded->phases, *path->graph,
                              path->path, by, progress);
        },
        [this](Result<std::vector<Lever>> levers) {
            if (levers) showLevers(std::move(*levers)); // fails only when it was stopped
        });
    say(tr("Replaying one lever after the other."));
}

void RankPanel::stop() {
    m_job.cancel();
    say(tr("Stopped. Choose what makes a lever to begin again."));
}

void RankPanel::showLevers(std::vector<Lever> levers) {
    m_stale = false;
    const TimeNs window = m_session.path()->path.window.range.length();
    const bool worth = std::any_of(levers.begin(), levers.end(), [&](const Lever &lever) {
        return double(lever.gain2) >= kLeast * double(window);
    });
    const bool any = !levers.empty();
    constexpr const char *what[] = {"phase", "kind", "name", "lever"};
    m_model->setLevers(std::move(levers), tr(what[int(rows())]));
    say(!any && rows() != Rows::Verdict
            ? tr("No work lies on the path of this window, so nothing can gain.")
        : worth ? QString()
                : tr("No single change gains more than 2\u00a0% of this window at twice the "
                     "speed."));
    const int rowsHeight = m_model->rowCount() * m_table->verticalHeader()->defaultSectionSize();
    m_table->setMaximumHeight(m_table->horizontalHeader()->height() + rowsHeight + 2);
    m_table->setVisible(any);
    m_copy->setEnabled(any);
    if (any) m_table->setCurrentIndex(m_table->viewIndex(m_wanted.value_or(0), 0));
    m_wanted.reset();
    explain();
}

void RankPanel::say(const QString &text) {
    m_message->setText(text);
    m_message->setVisible(!text.isEmpty());
    m_stop->setVisible(m_job.running());
    m_copy->setEnabled(m_model->rowCount() > 0);
    m_table->setVisible(m_model->rowCount() > 0);
    explain();
}

/// What the row under the cursor would bring, and what Enter does.
void RankPanel::explain() {
    const Lever *lever = m_model->lever(m_table->modelRow(m_table->currentIndex()));
    m_sentence->setVisible(lever);
    if (!lever) return;
    const bool slider = rows() == Rows::Phase || rows() == Rows::Kind;
    m_sentence->setText(QStringLiteral("%1: %2 %3")
                            .arg(QString::fromStdString(lever->label), gainSentence(*lever),
                                 slider ? tr("Enter sets its slider to 2×.")
                                        : tr("Enter shows its longest piece.")));
}

void RankPanel::showVerdictLever(size_t index) {
    m_by->setCurrentIndex(m_by->findData(int(Rows::Verdict)));
    m_wanted = int(index);
    reset();
}

void RankPanel::apply(int row) {
    const Lever *lever = m_model->lever(row);
    if (!lever) return;
    std::string id = after(lever->selector, "phase:");
    // kinds have sliders where phases have none
    if (id.empty() && !m_state.loaded()->phases.named) id = after(lever->selector, "kind:");
    if (!id.empty())
        emit speedWanted(QString::fromStdString(id));
    else
        lookAtLongest(*lever);
}

void RankPanel::lookAtLongest(const Lever &lever) {
    const auto path = m_session.path();
    const auto loaded = m_state.loaded();
    if (!path || !loaded) return;
    std::vector<std::string> unmatched;
    const auto scaling = resolveScaling(*loaded->trace, loaded->phases, *path->graph,
                                        {{lever.selector, {1, 2}}}, unmatched);
    if (!scaling) return;
    std::vector<IntervalId> selected;
    for (size_t a = 0; a < path->graph->activities.size(); ++a)
        if (scaling->selected[a]) selected.push_back(path->graph->activities[a].interval);
    std::sort(selected.begin(), selected.end());
    const PathSegment *longest = nullptr;
    for (const PathSegment &s : path->path.segments) {
        if (s.type != PathSegment::Type::Activity) continue;
        if (!std::binary_search(selected.begin(), selected.end(), s.interval)) continue;
        if (!longest || s.end - s.begin > longest->end - longest->begin) longest = &s;
    }
    if (longest) lookAt(m_state, {longest->begin, longest->end}, longest->interval);
}

void RankPanel::showEvent(QShowEvent *event) {
    QWidget::showEvent(event);
    start();
}

} // namespace longpole
