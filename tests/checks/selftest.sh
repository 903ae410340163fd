#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# selftest.sh PROGRAM_WITH_QT: plants faults in a small tree and expects each check to name them; a
# check that cannot fail is worth nothing.
set -eu
checks=$(cd "$(dirname "$0")" && pwd)
with_qt=$1
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
cd "$tree"

apache='// SPDX-License-Identifier: Apache-2.0'
gpl='// SPDX-License-Identifier: GPL-3.0-or-later'
script='# SPDX-License-Identifier: Apache-2.0'
failed=0

sound_tree() {
    rm -rf ./* .ci
    mkdir -p .ci app/cli app/window core/base core/model core/import core/analysis core/export \
        core/capture packaging tests/core tests/ui ui/panels ui/timeline build/x resources/docs
    echo "$script" >.ci/run
    echo "$script" >CMakeLists.txt
    for folder in app/cli core/base core/model core/import core/analysis core/capture core/export tests/core; do
        echo "$apache" >$folder/a.cpp
    done
    for folder in app/window ui ui/panels ui/timeline tests/ui; do echo "$gpl" >$folder/a.cpp; done
    echo '#include "ui/a.h"' >>app/window/a.cpp
    echo '#include "core/model/a.h"' >>core/analysis/a.cpp
    echo '#include <string>' >>core/analysis/a.cpp
    echo '#include "core/capture/format.h"' >>core/import/a.cpp
    printf '%s\n' 'see "/usr/share/fonts" and a/home/b' '## Dependencies' '| package (Debian 12) | why |' \
        '|---|---|' '| g++ 12, cmake | building |' '## Licence' >README.md
    printf '%s\n' "$script" 'packages=(' '    g++ cmake' ')' >packaging/setup.sh
    echo 'in /''home/somebody, but built' >build/x/log.txt
    printf '%s\n' "$apache" '    void holds() {' >tests/core/a_test.cpp
    echo '| a | b | `core.a` `holds` |' >resources/docs/lessons.md
}

# expect FAULT CHECK FILE LINE: the check must fail and name the file once LINE is in it.
expect() {
    sound_tree
    mkdir -p "$(dirname "$3")"
    printf '%s\n' "$4" >>"$3"
    if output=$(sh "$checks/$2.sh" "$tree" 2>&1); then
        echo "$2 did not notice: $1"
        failed=1
    elif ! printf '%s\n' "$output" | grep -q -F "$3"; then
        echo "$2 failed on '$1' without naming $3: $output"
        failed=1
    fi
}

for check in includes licences wording documents lessons; do
    sound_tree
    if ! output=$(sh "$checks/$check.sh" "$tree" 2>&1); then
        echo "$check finds a fault in a sound tree: $output"
        failed=1
    fi
done

expect 'core includes the window' includes core/base/a.cpp '#include "ui/theme.h"'
expect 'base includes the model' includes core/base/a.cpp '#include "core/model/trace.h"'
expect 'model includes an importer' includes core/model/a.cpp '#include "core/import/importer.h"'
expect 'the capture library includes base' includes core/capture/a.cpp '#include "core/base/time.h"'
expect 'import includes more of capture than the layout' includes core/import/a.cpp '#include "core/capture/session.h"'
expect 'import includes analysis' includes core/import/a.cpp '  #  include "core/analysis/steps.h"'
expect 'analysis includes import' includes core/analysis/a.cpp '#include "core/import/importer.h"'
expect 'analysis includes export' includes core/analysis/a.cpp '#include "core/export/csv.h"'
expect 'core uses Qt' includes core/model/a.cpp '#include <QString>'
expect 'the command line uses Qt' includes app/cli/a.cpp '#include <QtCore/QFile>'
expect 'the command line includes the window' includes app/cli/a.cpp '#include "ui/theme.h"'
expect 'the library includes a program' includes ui/a.cpp '#include "app/window/main.h"'
expect 'panels include the timeline' includes ui/panels/a.cpp '#include "ui/timeline/lane.h"'
expect 'the timeline includes panels' includes ui/timeline/a.cpp '#include "ui/panels/details.h"'
expect 'a path relative to the file' includes core/base/a.cpp '#include "time.h"'
expect 'a folder without a rule' includes core/other/a.cpp "$apache"

expect 'no licence' licences tests/core/b.cpp 'int main() {}'
expect 'wrong licence in ui' licences ui/b.h "$apache"
expect 'wrong licence in core' licences core/base/b.h "$gpl"
expect 'wrong licence in tests/ui' licences tests/ui/b.cpp "$apache"
expect 'wrong licence in app/cli' licences app/cli/b.cpp "$gpl"
expect 'script without licence' licences packaging/b.sh '#!/bin/sh'

expect 'path of a machine' wording core/base/a.cpp '// see /''home/somebody/notes'
expect 'temporary path' wording README.md 'open "/''tmp/x.json"'
expect 'unfinished work' wording ui/a.cpp '// TO''DO: later'
expect 'number of a ticket' wording README.md 'as is''sue 12 says'

expect 'a package without a reason' documents packaging/setup.sh 'packages=( # more
    libextra-dev
)'
expect 'a reason without a package' documents README.md '## Dependencies
| libother-dev | no use |'

page=resources/docs/lessons.md
expect 'a test that is not there' lessons $page '| c | d | `core.b` |'
expect 'a function that is not there' lessons $page '| c | d | `core.a` `breaks` |'
expect 'a line without a test' lessons $page '| c | d | by hand |'

for how in '' alone; do
    # shellcheck disable=SC2086
    if sh "$checks/linkage.sh" "$with_qt" $how >/dev/null 2>&1; then
        echo "linkage did not notice Qt in $with_qt $how"
        failed=1
    fi
done
exit $failed
