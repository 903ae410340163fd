// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QList>
#include <QStringList>

namespace longpole {

/// The traces opened last, newest first, at most 12; an entry holds the files of one job. Only
/// paths are stored, in the settings of the user.
QList<QStringList> recentFiles();
void rememberRecent(const QStringList &paths);
void forgetRecent(const QStringList &paths);
void clearRecent();

/// A trace that ships with the program.
struct Example {
    QString file; ///< name inside examplesFolder()
    QString title;
    QString caption; ///< one line: what it shows
};
const QList<Example> &examples();
/// Where the examples lie: beside the installed program, else in the source tree it was built from.
QString examplesFolder();

} // namespace longpole
