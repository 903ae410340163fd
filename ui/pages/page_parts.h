// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

class QFrame;
class QLabel;
class QPushButton;

namespace longpole {

// The parts that the start, reading and error pages share.
QLabel *headline(const QString &text);              ///< 22 px, bold
QLabel *sectionHead(const QString &text);           ///< 13 px, bold
QLabel *secondary(const QString &text, int pixels); ///< in text2, wraps
QFrame *divider();
/// The one button of a page that is filled with the accent.
void makePrimary(QPushButton *button, const QString &iconName);

} // namespace longpole
