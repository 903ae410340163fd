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

} // namespace longpole
