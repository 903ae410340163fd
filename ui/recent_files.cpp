// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/recent_files.h"

#include <QFileInfo>
#include <QSettings>

namespace longpole {

namespace {

constexpr int kMost = 12;
const QString kKey = QStringLiteral("recent");

void store(const QList<QStringList> &entries) {
    QStringList lines;
    for (const QStringList &entry : entries) lines << entry.join(QLatin1Char('\n'));
    QSettings().setValue(kKey, lines);
}

} // namespace

QList<QStringList> recentFiles() {
    QList<QStringList> entries;
    for (const QString &line : QSettings().value(kKey).toStringList())
        if (!line.isEmpty()) entries << line.split(QLatin1Char('\n'));
    return entries;
}

void rememberRecent(const QStringList &paths) {
    QStringList absolute;
    for (const QString &path : paths) absolute << QFileInfo(path).absoluteFilePath();
    QList<QStringList> entries = recentFiles();
    entries.removeAll(absolute);
    entries.prepend(absolute);
    store(entries.mid(0, kMost));
}

void forgetRecent(const QStringList &paths) {
    QList<QStringList> entries = recentFiles();
    entries.removeAll(paths);
    store(entries);
}

void clearRecent() {
    QSettings().remove(kKey);
}

} // namespace longpole
