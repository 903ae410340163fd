// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/search_panel.h"

#include "ui/icons.h"
#include "ui/numbers.h"
#include "ui/panels/hits_model.h"
#include "ui/panels/table.h"
#include "ui/panels/wrap_row.h"
#include "ui/theme.h"
#include "ui/track_choices.h"

#include <QComboBox>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QToolButton>

#include <cmath>

namespace longpole {

namespace {

constexpr int kTypingMs = 40;

QToolButton *walkButton(const QString &name, const QString &iconName, const QString &tip) {
    auto *button = new QToolButton;
    button->setObjectName(name);
    button->setIcon(icon(iconName));
    button->setToolTip(tip);
    button->setAccessibleName(tip);
    button->setAutoRaise(true);
    return button;
}

} // namespace

SearchPanel::SearchPanel(ViewState &state, Session &session, QWidget *parent)
    : QWidget(parent), m_state(state), m_search(session.search()), m_model(new HitsModel(this)) {
    setWindowTitle(tr("Search"));
    setAutoFillBackground(true);
    setBackgroundRole(QPalette::Base);
    m_table = new Table(QStringLiteral("searchTable"), tr("What the search found"));
    m_table->setModel(m_model);
    m_table->setExpendable({HitsModel::Category, HitsModel::TrackName});
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(makeBar());
    layout->addWidget(m_status);
    layout->addWidget(m_table, 1);
    layout->addStretch(0);

    m_typing.setSingleShot(true);
    m_typing.setInterval(kTypingMs);
    connect(&m_typing, &QTimer::timeout, this, &SearchPanel::find);
    connect(m_field, &QLineEdit::textChanged, &m_typing, qOverload<>(&QTimer::start));
    connect(m_category, &QComboBox::currentIndexChanged, this, &SearchPanel::find);
    connect(m_previous, &QToolButton::clicked, this, [this] { walk(-1); });
    connect(m_next, &QToolButton::clicked, this, [this] { walk(1); });
    connect(m_arguments, &QPushButton::clicked, this, [this] {
        if (m_search.readingArguments()) return m_search.stopArguments();
        find();
        m_fraction = 0;
        m_search.findInArguments();
    });
    for (auto gesture : {&QAbstractItemView::clicked, &QAbstractItemView::activated})
        connect(m_table, gesture, this,
                [this](const QModelIndex &index) { goTo(m_table->modelRow(index)); });
    connect(&m_search, &Search::changed, this, &SearchPanel::refresh);
    connect(&m_search, &Search::argumentsProgressed, this, [this](double fraction) {
        m_fraction = fraction;
        showStatus();
    });
    connect(&m_state, &ViewState::selectedChanged, this, &SearchPanel::showStatus);
    connect(&m_state, &ViewState::looksChanged, this, &SearchPanel::showStatus);
    connect(&m_state, &ViewState::loadedChanged, this, &SearchPanel::fillCategories);
    fillCategories();
    refresh();
}

QWidget *SearchPanel::makeBar() {
    m_field = new QLineEdit;
    m_field->setObjectName(QStringLiteral("searchField"));
    m_field->setAccessibleName(tr("Search names, categories and tracks"));
    m_field->setPlaceholderText(tr("Name, category or track, or /regular expression/"));
    m_field->setClearButtonEnabled(true);
    m_field->addAction(icon(QStringLiteral("search")), QLineEdit::LeadingPosition);
    m_field->setMinimumWidth(120);
    m_field->installEventFilter(this);
    m_category = new QComboBox;
    m_category->setObjectName(QStringLiteral("searchCategory"));
    m_category->setAccessibleName(tr("Category"));
    m_category->setToolTip(tr("Only intervals of this category"));
    m_category->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_category->setMinimumContentsLength(8);
    m_previous = walkButton(QStringLiteral("previousHit"), QStringLiteral("chevron-left"),
                            tr("Previous hit (Shift+Enter)"));
    m_next = walkButton(QStringLiteral("nextHit"), QStringLiteral("chevron-right"),
                        tr("Next hit (Enter)"));
    m_arguments = new QPushButton;
    m_arguments->setObjectName(QStringLiteral("searchArguments"));
    m_status = new QLabel;
    m_status->setObjectName(QStringLiteral("searchStatus"));
    m_status->setFont(uiFont(11));
    m_status->setForegroundRole(QPalette::PlaceholderText);
    m_status->setWordWrap(true);
    m_status->setContentsMargins(10, 0, 10, 4);
    return new WrapRow(rowOf({m_field, m_previous, m_next}, m_field), 3,
                       rowOf({m_category, m_arguments}, m_category), 2);
}

void SearchPanel::focusField() {
    m_field->setFocus(Qt::ShortcutFocusReason);
    m_field->selectAll();
}

/// Asks where something else is asked than before.
void SearchPanel::find() {
    m_typing.stop();
    const SearchQuery query{m_field->text().toStdString(),
                            m_category->currentData().toString().toStdString()};
    if (!(query == m_search.query())) m_search.find(query);
}

void SearchPanel::walk(int by) {
    find();
    if (m_search.running())
        m_walkWhenFound = true; // Enter came before the hits
    else
        m_search.walk(by);
}

bool SearchPanel::eventFilter(QObject *object, QEvent *event) {
    if (object != m_field || event->type() != QEvent::KeyPress)
        return QWidget::eventFilter(object, event);
    const auto *key = static_cast<QKeyEvent *>(event);
    switch (key->key()) {
    case Qt::Key_Return:
    case Qt::Key_Enter:
        walk(key->modifiers() & Qt::ShiftModifier ? -1 : 1);
        return true;
    case Qt::Key_Down:
        m_table->setFocus();
        return true;
    case Qt::Key_Escape:
        if (m_search.readingArguments())
            m_search.stopArguments();
        else
            m_field->clear();
        return true;
    default:
        return false;
    }
}

void SearchPanel::fillCategories() {
    const QSignalBlocker quiet(m_category);
    m_category->clear();
    m_category->addItem(tr("All categories"), QString());
    if (!m_state.trace()) return;
    for (const std::string &category : categoriesOf(*m_state.trace()))
        m_category->addItem(QString::fromStdString(category), QString::fromStdString(category));
}

void SearchPanel::refresh() {
    m_model->setHits(m_state.loaded(), m_search.hits());
    const auto hits = m_search.hits();
    m_table->setVisible(hits && (hits->count > 0 || !hits->trackNames.empty()));
    m_previous->setEnabled(hits && hits->count > 0);
    m_next->setEnabled(hits && hits->count > 0);
    const bool reading = m_search.readingArguments();
    m_arguments->setText(reading ? tr("Stop") : tr("In arguments"));
    m_arguments->setToolTip(
        reading ? tr("Stop reading arguments (Esc)")
                : tr("Search the arguments too: they are read from the file once more"));
    m_arguments->setEnabled(reading ||
                            (!m_search.query().text.empty() && !m_search.knowsArguments()));
    showStatus();
    if (!m_search.running() && std::exchange(m_walkWhenFound, false)) m_search.walk(1);
}

void SearchPanel::showStatus() {
    const auto hits = m_search.hits();
    const QString asked = QString::fromStdString(m_search.query().text);
    QStringList parts;
    if (m_search.readingArguments())
        parts << tr("Reading arguments: %1 %.").arg(int(std::floor(100 * m_fraction)));
    if (!m_search.problem().empty()) {
        parts << QString::fromStdString(m_search.problem());
    } else if (asked.isEmpty()) {
        parts << tr("Enter goes from hit to hit, Shift+Enter back.");
    } else if (hits && hits->count == 0 && hits->trackNames.empty()) {
        parts << (m_search.knowsArguments() ? tr("No name or argument contains “%1”.").arg(asked)
                                            : tr("No name contains “%1”.").arg(asked));
        if (!asked.startsWith(QLatin1Char('/'))) parts << tr("Try a regular expression with /…/.");
    } else if (hits) {
        const auto place = m_search.place();
        parts << (place ? tr("%1 of %2 hits")
                              .arg(countText(int64_t(*place)), countText(int64_t(hits->count)))
                        : tr("%1 hits").arg(countText(int64_t(hits->count)))) +
                     (m_search.knowsArguments() ? tr(", arguments included.")
                                                : QStringLiteral("."));
        size_t unseen = 0;
        for (const SearchHits::OfTrack &track : hits->tracks)
            if (!m_state.tracks().shown(track.track)) unseen += track.rows.size();
        if (unseen)
            parts << tr("%1 of them on tracks that are not shown: going to one shows its track.")
                         .arg(countText(int64_t(unseen)));
        if (!hits->trackNames.empty())
            parts << tr("Tracks: %1.").arg(countText(int64_t(hits->trackNames.size())));
        if (hits->count > HitsModel::kMost)
            parts << tr("The first %1 are listed; all are marked and walked.")
                         .arg(countText(int64_t(HitsModel::kMost)));
    }
    m_status->setText(parts.join(QLatin1Char(' ')));
}

void SearchPanel::goTo(int row) {
    const IntervalId id = m_model->intervalAt(row);
    if (id.valid()) return m_state.reveal(id);
    const uint32_t track = m_model->trackAt(row);
    if (track != kNone) m_state.revealTrack(track);
}

} // namespace longpole
