#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# includes.sh ROOT: which folder may include which. A folder that is not in the table is a fault, so
# that a new one gets its line.
set -eu
cd "$1"

# shellcheck disable=SC2016
find core ui app -type f \( -name '*.h' -o -name '*.cpp' -o -name '*.cpp.in' \) | LC_ALL=C sort | xargs awk '
BEGIN {
    allow("core/base", "core/base")
    allow("core/model", "core/base core/model")
    allow("core/import", "core/base core/model core/import core/capture/format.h")
    allow("core/capture", "core/capture")
    allow("core/analysis", "core/base core/model core/analysis")
    allow("core/export", "core/base core/model core/analysis core/export")
    below = "core/base core/model core/import core/analysis core/export"
    allow("ui", below " ui")
    allow("ui/capture", below " ui")
    allow("ui/export", below " ui")
    allow("ui/pages", below " ui")
    allow("ui/plots", below " ui")
    allow("ui/timeline", below " ui")
    allow("ui/panels", below " ui")
    forbid("ui/timeline", "ui/panels")
    forbid("ui/panels", "ui/timeline")
    allow("app/cli", below " app/cli core/capture/check.h core/capture/control.h core/capture/format.h")
    allow("app/window", below " ui app/window")
    split("core/base core/model core/import core/analysis core/export core/capture app/cli", list, " ")
    for (i in list) plain[list[i]] = 1
}
function allow(folder, others) { allowed[folder] = others }
function forbid(folder, other) { forbidden[folder] = other }
function within(path, folder) { return path == folder || index(path, folder "/") == 1 }
function fault(says) { printf "%s:%d: %s\n", FILENAME, FNR, says; faults++ }

FNR == 1 {
    folder = FILENAME
    sub("/[^/]*$", "", folder)
    if (!(folder in allowed)) fault("no rule for the folder " folder "; add it to tests/checks/includes.sh")
}
/^[ \t]*#[ \t]*include[ \t]*"/ {
    path = $0
    sub("^[^\"]*\"", "", path)
    sub("\".*", "", path)
    if (path ~ /\.moc$/ || !(folder in allowed)) next
    if (path !~ "/") { fault("write \"" path "\" from the root of the tree"); next }
    count = split(allowed[folder], others, " ")
    for (i = 1; i <= count; i++) if (within(path, others[i])) break
    if (i > count || (folder in forbidden && within(path, forbidden[folder])))
        fault(folder " may not include " path)
}
/^[ \t]*#[ \t]*include[ \t]*<(Q|qcustomplot)/ {
    if (folder in plain) fault(folder " is without Qt")
}
END { exit faults > 0 }
'
