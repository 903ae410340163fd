// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/recent_table.h"

#include "ui/icons.h"
#include "ui/numbers.h"
#include "ui/recent_files.h"
#include "ui/theme.h"

#include <QDateTime>
#include <QDir>
#include <QFileInfo>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLocale>

namespace longpole {

namespace {

constexpr int kRowHeight = 26;

QString dayText(const QDateTime &time) {
    const QLocale english(QLocale::English);
    const qint64 days = time.date().daysTo(QDate::currentDate());
    if (days == 0)
        return QObject::tr("today %1").arg(english.toString(time, QStringLiteral("HH:mm")));
    if (days == 1) return QObject::tr("yesterday");
    if (days > 1 && days < 7) return english.toString(time, QStringLiteral("dddd"));
    return english.toString(time, QStringLiteral("d MMM yyyy"));
}

QString shortFolder(const QString &folder) {
    const QString home = QDir::homePath();
    if (home.size() > 1 && (folder == home || folder.startsWith(home + QLatin1Char('/'))))
        return QLatin1Char('~') + folder.mid(home.size());
    return folder;
}

} // namespace

void RecentModel::refresh() {
    beginResetModel();
    m_entries.clear();
    for (const QStringList &paths : recentFiles()) {
        Entry entry;
        entry.paths = paths;
        const QFileInfo first(paths.first());
        entry.exists = first.exists();
        entry.cells[Name] = first.fileName();
        if (paths.size() > 1)
            entry.cells[Name] =
                QObject::tr("%1 and %2 more").arg(first.fileName()).arg(paths.size() - 1);
        entry.cells[Folder] = shortFolder(first.absolutePath());
        qint64 bytes = 0;
        for (const QString &path : paths) bytes += QFileInfo(path).size();
        entry.cells[Size] = entry.exists ? bytesText(bytes) : QStringLiteral("–");
        entry.cells[Changed] = entry.exists ? dayText(first.lastModified()) : tr("not found");
        m_entries << entry;
    }
    endResetModel();
}

int RecentModel::rowCount(const QModelIndex &parent) const {
    return parent.isValid() ? 0 : int(m_entries.size());
}

int RecentModel::columnCount(const QModelIndex &parent) const {
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant RecentModel::data(const QModelIndex &index, int role) const {
    if (!index.isValid() || index.row() >= m_entries.size()) return {};
    const Entry &entry = m_entries[index.row()];
    const bool right = index.column() == Size || index.column() == Changed;
    switch (role) {
    case Qt::DisplayRole:
        return entry.cells[index.column()];
    case Qt::ToolTipRole:
        return entry.paths.join(QLatin1Char('\n'));
    case Qt::TextAlignmentRole:
        return int((right ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    case Qt::ForegroundRole:
        if (!entry.exists) return theme().disabled;
        return index.column() == Name ? QVariant() : QVariant(theme().text2);
    case Qt::DecorationRole:
        if (index.column() != Name) return {};
        return icon(entry.exists ? QStringLiteral("file-text") : QStringLiteral("file-off"));
    default:
        return {};
    }
}

QVariant RecentModel::headerData(int section, Qt::Orientation orientation, int role) const {
    static const char *const kTitles[] = {"trace", "folder", "size", "changed"};
    if (orientation != Qt::Horizontal || section < 0 || section >= ColumnCount) return {};
    if (role == Qt::DisplayRole) return tr(kTitles[section]);
    if (role == Qt::TextAlignmentRole)
        return int((section >= Size ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    return {};
}

RecentTable::RecentTable(QWidget *parent) : QTableView(parent), m_model(new RecentModel(this)) {
    setObjectName(QStringLiteral("recentTable"));
    setAccessibleName(tr("Recent traces"));
    setModel(m_model);
    setAlternatingRowColors(true);
    setShowGrid(false);
    setWordWrap(false);
    setSelectionBehavior(SelectRows);
    setSelectionMode(SingleSelection);
    setEditTriggers(NoEditTriggers);
    setTabKeyNavigation(false);
    setFrameShape(NoFrame);
    setIconSize({16, 16});
    setTextElideMode(Qt::ElideMiddle);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    verticalHeader()->hide();
    verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    verticalHeader()->setDefaultSectionSize(kRowHeight);
    horizontalHeader()->setHighlightSections(false);
    horizontalHeader()->setSectionsClickable(false);
    horizontalHeader()->setFixedHeight(22);
    horizontalHeader()->setSectionResizeMode(RecentModel::Name, QHeaderView::Stretch);
    horizontalHeader()->setSectionResizeMode(RecentModel::Folder, QHeaderView::Stretch);
    for (int c : {RecentModel::Size, RecentModel::Changed})
        horizontalHeader()->setSectionResizeMode(c, QHeaderView::ResizeToContents);
    connect(this, &QTableView::clicked, this, &RecentTable::openRow);
}

void RecentTable::refresh() {
    m_model->refresh();
    setFixedHeight(horizontalHeader()->height() + kRowHeight * m_model->rowCount() + 2);
}

void RecentTable::openRow(const QModelIndex &index) {
    if (index.isValid()) emit openRequested(m_model->paths(index.row()));
}

void RecentTable::keyPressEvent(QKeyEvent *event) {
    const QModelIndex index = currentIndex();
    if (index.isValid() && (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter)) {
        openRow(index);
    } else if (index.isValid() && event->key() == Qt::Key_Delete) {
        forgetRecent(m_model->paths(index.row()));
        emit changed();
    } else {
        QTableView::keyPressEvent(event);
    }
}

} // namespace longpole
