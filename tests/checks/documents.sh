#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# documents.sh ROOT [LONGPOLE_CLI]: README's table of dependencies against what set-up installs, and
# the options that the command line offers against its man page.
set -eu
cd "$1"
cli=${2:-}
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

if [ -n "$cli" ]; then
    for command in $("$cli" --help | sed -n '/^Subcommands:/,$s/^  \([a-z]*\) .*/\1/p'); do
        for option in $("$cli" "$command" --help | grep -o -e '--[a-z0-9-]*' | LC_ALL=C sort -u); do
            case $option in --help) continue ;; esac
            if ! grep -q -F -e "Fl -${option#--}" packaging/man/longpole-cli.1; then
                echo "packaging/man/longpole-cli.1 does not name $option of $command"
                failed=1
            fi
        done
    done
fi
exit $failed
