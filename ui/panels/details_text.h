// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/session.h"

#include <QString>

namespace longpole {

/// The details of an interval as rich text in the colours of the theme; links read
/// "interval:TRACK:ROW". `arguments` may be null while they are being read, `path` while the window
/// is analysed.
QString detailsHtml(const Loaded &loaded, IntervalId id, const Arguments *arguments,
                    const WindowPath *path = nullptr);
/// The same as lines of key, tab, value.
QString detailsPlain(const Loaded &loaded, IntervalId id, const Arguments *arguments,
                     const WindowPath *path = nullptr);
/// What the panel says while nothing is selected.
QString noDetailsHtml();

} // namespace longpole
