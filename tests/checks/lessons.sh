#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# lessons.sh ROOT: every test that resources/docs/lessons.md names is there, with its functions, and
# every line of its table names one.
set -eu
cd "$1"
page=resources/docs/lessons.md
if [ ! -f "$page" ]; then
    echo "$page is missing"
    exit 1
fi
sed -n 's/^| \([^*-].*\) |$/\1/p' "$page" | grep -v '^what holds' | awk -F' [|] ' '
    { n = split($NF, words, "`"); found = 0; program = ""
      for (i = 2; i <= n; i += 2) {
          if (words[i] ~ /[.]/) { program = words[i]; found = 1; print program " -" }
          else print program " " words[i]
      }
      if (!found) print "- " $1 }' | {
    failed=0
    lines=0
    while read -r program function; do
        lines=$((lines + 1))
        if [ "$program" = - ]; then
            echo "$page names no test for: $function"
            failed=1
            continue
        fi
        source=tests/$(printf '%s' "$program" | tr . /)_test.cpp
        if [ ! -f "$source" ]; then
            echo "$page names $program, but there is no $source"
            failed=1
        elif [ "$function" != - ] && ! grep -q "void $function()" "$source"; then
            echo "$page names $function, which $source lacks"
            failed=1
        fi
    done
    if [ "$lines" = 0 ]; then
        echo "$page names no test"
        failed=1
    fi
    exit $failed
}
