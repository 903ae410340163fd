// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

class QWidget;

namespace longpole {

/// Shows every key and mouse gesture in a dialog over `parent`.
void showKeyHelp(QWidget *parent);

} // namespace longpole
