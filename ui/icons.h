// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>
#include <QIcon>
#include <QString>

namespace longpole {

/// An outline icon of resources/icons by its name, "folder-open". Its colour is taken from the
/// theme whenever it is painted: text2, disabled, or accent while checked.
QIcon icon(const QString &name);
/// The same for links: accent instead of text2.
QIcon linkIcon(const QString &name);
/// The same in one colour of the theme: on a filled button, for a severity.
QPixmap iconPixmap(const QString &name, QColor colour, int size, qreal ratio);

} // namespace longpole
