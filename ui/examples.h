// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/speed.h"

#include <QList>
#include <QString>

#include <optional>

namespace longpole {

/// A trace that ships with the program, and how the window looks when it opens: one lesson each.
struct Example {
    QString file; ///< name inside examplesFolder()
    QString title;
    QString caption;              ///< one line: what it shows
    QString panel;                ///< the dock that is brought to the front
    QString selection;            ///< name of the interval that is selected; empty: none
    std::optional<uint32_t> step; ///< that is looked at; none: the default window
    QString slider;               ///< of What-if, which gets the focus; empty: none
    Speed speed;                  ///< of that slider
    QString see, attempt, lesson; ///< a line each
    QString path() const;
};

/// In the order of the menu.
const QList<Example> &examples();
/// Where they lie: beside the installed program, else in the source tree it was built from.
QString examplesFolder();

} // namespace longpole
