#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# licences.sh ROOT: the SPDX line of every source file against the licence of its folder.
set -eu
cd "$1"

licence_of() {
    case $1 in
    ui/* | app/window/* | tests/ui/*) echo GPL-3.0-or-later ;;
    *) echo Apache-2.0 ;;
    esac
}

find .ci CMakeLists.txt app core packaging tests ui -type f \( -name '*.h' -o -name '*.cpp' -o -name '*.in' \
    -o -name '*.sh' -o -name '*.cmake' -o -name CMakeLists.txt -o -path .ci/run \) | LC_ALL=C sort | {
    faults=0
    while read -r file; do
        want=$(licence_of "$file")
        # The second line where the first one is #!.
        found=$(sed -n '1,2s/^.*SPDX-License-Identifier: \([A-Za-z0-9.-]*\).*$/\1/p' "$file" | head -n 1)
        if [ "$found" != "$want" ]; then
            echo "$file: SPDX-License-Identifier is '$found' and should be '$want'"
            faults=1
        fi
    done
    exit $faults
}
