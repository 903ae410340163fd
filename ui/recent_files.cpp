// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/recent_files.h"

#include <QCoreApplication>
#include <QDir>
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

const QList<Example> &examples() {
    static const QList<Example> list = {
        {QStringLiteral("serial_step.json"), QStringLiteral("Serial step"),
         QStringLiteral("100 ms in four phases, one after the other")},
        {QStringLiteral("overlapping_timeline.json"), QStringLiteral("Overlapping timeline"),
         QStringLiteral("68 ms of work in 50 ms: which parts count?")},
        {QStringLiteral("training.json.gz"), QStringLiteral("Training run"),
         QStringLiteral("about twenty steps with a warm-up, CPU, copies and streams")},
    };
    return list;
}

QString examplesFolder() {
    const QDir programs(QCoreApplication::applicationDirPath());
    const QString installed =
        programs.absoluteFilePath(QStringLiteral("../share/longpole/examples"));
    if (QFileInfo::exists(installed)) return QDir::cleanPath(installed);
    return QStringLiteral(LONGPOLE_SOURCE_DIR "/resources/examples");
}

} // namespace longpole
