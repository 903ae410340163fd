// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/panels/notes_panel.h"

#include "ui/look_at.h"
#include "ui/marks.h"
#include "ui/numbers.h"
#include "ui/panels/table.h"
#include "ui/panels/table_order.h"
#include "ui/theme.h"

#include <QKeyEvent>
#include <QLabel>
#include <QVBoxLayout>

namespace longpole {

NotesModel::NotesModel(ViewState &state, QObject *parent)
    : QAbstractTableModel(parent), m_state(state) {
    const auto reset = [this] {
        beginResetModel();
        endResetModel();
    };
    connect(&m_state.marks(), &Marks::changed, this, reset);
    connect(&m_state, &ViewState::loadedChanged, this, reset);
}

int NotesModel::rowCount(const QModelIndex &parent) const {
    return parent.isValid() ? 0 : int(m_state.marks().all().size());
}

int NotesModel::columnCount(const QModelIndex &parent) const {
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant NotesModel::data(const QModelIndex &index, int role) const {
    if (!index.isValid()) return {};
    const TimeMark &mark = m_state.marks().all()[size_t(index.row())];
    if (role == Qt::TextAlignmentRole)
        return int((index.column() == Note ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    if (role == kValueRole && index.column() != Note)
        return qlonglong(index.column() == At ? mark.range.begin : mark.range.length());
    if (role != Qt::DisplayRole && role != Qt::EditRole && role != Qt::ToolTipRole) return {};
    switch (index.column()) {
    case At:
        return printed(mark.range.begin, TimeUnit{QStringLiteral("ms"), 6, 1});
    case Length:
        return mark.range.length() > 0 ? durationText(mark.range.length()) : QString();
    default:
        return mark.text;
    }
}

bool NotesModel::setData(const QModelIndex &index, const QVariant &value, int role) {
    if (role != Qt::EditRole || index.column() != Note) return false;
    m_state.marks().setText(m_state.marks().all()[size_t(index.row())].id, value.toString());
    return true;
}

QVariant NotesModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) return {};
    if (role == Qt::TextAlignmentRole)
        return int((section == Note ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    if (role == kValueRole && section != Note)
        return section == At ? QStringLiteral("begin_ns") : QStringLiteral("length_ns");
    if (role != Qt::DisplayRole) return {};
    return section == At ? tr("Begin, ms") : section == Length ? tr("Length") : tr("Note");
}

Qt::ItemFlags NotesModel::flags(const QModelIndex &index) const {
    const auto usual = QAbstractTableModel::flags(index);
    return index.column() == Note ? usual | Qt::ItemIsEditable : usual;
}

NotesPanel::NotesPanel(ViewState &state, Session &, QWidget *parent)
    : QWidget(parent), m_state(state), m_model(new NotesModel(state, this)),
      m_table(new Table(QStringLiteral("notesTable"), tr("Marks and notes"))),
      m_empty(new QLabel(tr("Press Ctrl+M to write a note at the mouse, M to mark it."))) {
    setAutoFillBackground(true);
    setBackgroundRole(QPalette::Base);
    m_empty->setObjectName(QStringLiteral("notesEmpty"));
    m_empty->setFont(uiFont(11));
    m_empty->setForegroundRole(QPalette::PlaceholderText);
    m_empty->setMargin(10);
    m_empty->setWordWrap(true);
    m_table->setFiller(NotesModel::Note);
    m_table->setModel(m_model);
    m_table->setEditTriggers(QAbstractItemView::EditKeyPressed | QAbstractItemView::DoubleClicked);
    m_table->installEventFilter(this);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_empty, 0, Qt::AlignTop);
    layout->addWidget(m_table, 1);
    for (auto gesture : {&QAbstractItemView::clicked, &QAbstractItemView::activated})
        connect(m_table, gesture, this,
                [this](const QModelIndex &index) { goTo(m_table->modelRow(index)); });
    connect(m_model, &QAbstractItemModel::modelReset, this, &NotesPanel::refresh);
    refresh();
}

void NotesPanel::refresh() {
    const size_t count = m_state.marks().all().size();
    setWindowTitle(count ? tr("Notes (%1)").arg(count) : tr("Notes"));
    m_table->setVisible(count > 0);
    m_empty->setVisible(count == 0);
}

void NotesPanel::goTo(int row) {
    const auto &marks = m_state.marks().all();
    if (row < 0 || size_t(row) >= marks.size()) return;
    const TimeRange range = marks[size_t(row)].range, view = m_state.view();
    if (range.length() > 0) return lookAt(m_state, range, {});
    const TimeNs half = view.length() / 2;
    if (!view.contains(range.begin))
        m_state.setView({range.begin - half, range.begin - half + view.length()});
}

void NotesPanel::edit(const QString &id) {
    const auto &marks = m_state.marks().all();
    for (size_t row = 0; row < marks.size(); ++row) {
        if (marks[row].id != id) continue;
        const QModelIndex index = m_table->viewIndex(int(row), NotesModel::Note);
        m_table->setFocus();
        m_table->setCurrentIndex(index);
        m_table->QAbstractItemView::edit(index);
    }
}

bool NotesPanel::eventFilter(QObject *object, QEvent *event) {
    if (object == m_table && event->type() == QEvent::KeyPress &&
        static_cast<QKeyEvent *>(event)->matches(QKeySequence::Delete)) {
        QStringList ids;
        for (const QModelIndex &row : m_table->selectionModel()->selectedRows())
            ids << m_state.marks().all()[size_t(m_table->modelRow(row))].id;
        for (const QString &id : ids) m_state.marks().remove(id);
        return true;
    }
    return QWidget::eventFilter(object, event);
}

} // namespace longpole
