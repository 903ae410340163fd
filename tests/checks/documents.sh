#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# documents.sh ROOT [LONGPOLE_CLI LONGPOLE]: README's table of dependencies against what set-up installs, and
# the options that the programs offer against their man pages.
set -eu
cd "$1"
cli=${2:-}
window=${3:-}
failed=0

installed=$(sed -n '/^packages=(/,/^)/p' packaging/setup.sh | grep -v -e '(' -e ')' | tr -s ' ' '\n' |
    grep . | LC_ALL=C sort)
described=$(sed -n '/^## Dependencies/,/^## Licence/p' README.md | sed -n 's/^| \([^|]*\) |.*/\1/p' |
    tr ',' '\n' | sed 's/^ *//; s/ .*//' | grep -v -e '^package' -e '^-' | LC_ALL=C sort)
if [ -z "$installed" ] || [ "$installed" != "$described" ]; then
    echo "packaging/setup.sh installs: $installed"
    echo "README.md describes: $described"
    failed=1
fi

# Every option that COMMAND offers stands in the man page.
options_in() { # MANUAL COMMAND…
    manual=$1
    shift
    for option in $("$@" --help | grep -o -e '--[a-z0-9-]*' | LC_ALL=C sort -u); do
        if [ "$option" != --help ] && ! grep -q -F -e "Fl -${option#--}" "$manual"; then
            echo "$manual does not name $option of $*"
            failed=1
        fi
    done
}
if [ -n "$cli" ]; then
    commands=$("$cli" --help | sed -n '/^Subcommands:/,$s/^  \([a-z]*\) .*/\1/p')
    if [ -z "$commands" ]; then
        echo "$cli --help names no commands"
        failed=1
    fi
    options_in packaging/man/longpole-cli.1 "$cli"
    for command in $commands; do options_in packaging/man/longpole-cli.1 "$cli" "$command"; done
fi
if [ -n "$window" ]; then
    options_in packaging/man/longpole.1 "$window"
    options_in packaging/man/longpole.1 "$window" render
fi
exit $failed
