#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# setup.sh ROOT: what packaging/setup.sh asks of the system, told by programs that stand in for
# dpkg-query, apt-get, sudo and id, so that nothing is installed here.
# shellcheck disable=SC1091,SC2317
set -eu
setup=$1/packaging/setup.sh
if ! (. /etc/os-release && [ "$ID:$VERSION_ID" = debian:12 ]) 2>/dev/null; then
    echo "skipped: packages are installed on Debian 12 only"
    exit 77
fi

fakes=$(mktemp -d)
trap 'rm -rf "$fakes"' EXIT
calls=$fakes/calls
failed=0

fake() { # NAME BODY
    printf '#!/bin/sh\n%s\n' "$2" >"$fakes/$1"
    chmod +x "$fakes/$1"
}
# run USER: output and calls of setup.sh, status in $status; the system's own sudo must not be found.
run() {
    : >"$calls"
    fake id "echo $1"
    for tool in bash mktemp rm tail env; do ln -sf "$(command -v $tool)" "$fakes/$tool"; done
    status=0
    output=$(env -i PATH="$fakes" bash "$setup" 2>&1) || status=$?
}
expect() { # WHAT CONDITION…
    what=$1
    shift
    if ! "$@"; then
        echo "not so: $what; status $status, said: $output, called: $(cat "$calls")"
        failed=1
    fi
}
called() { grep -q -e "$1" "$calls"; }
said() { printf '%s\n' "$output" | grep -q -e "$1"; }
called_nothing() { [ ! -s "$calls" ]; }
ended_with() { [ "$status" -eq "$1" ]; }

fake apt-get "echo apt-get \$DEBIAN_FRONTEND \$* >>'$calls'"
fake dpkg-query 'echo "ii "'
run 0
expect 'nothing to do when all is there' called_nothing
expect 'success when all is there' ended_with 0

# One package is missing.
fake dpkg-query "case \$* in *simdjson*) exit 1 ;; *) echo 'ii ' ;; esac"
run 0
expect 'success as root' ended_with 0
expect 'lists are read first' called '^apt-get noninteractive .*update$'
expect 'only what is missing, without recommendations' \
    called '^apt-get noninteractive .*install --no-install-recommends libsimdjson-dev$'

run 1000
expect 'without root and sudo it fails' ended_with 1
expect 'and says what to install' said 'as root, run: apt-get install .*libsimdjson-dev$'
expect 'and installs nothing' called_nothing

fake sudo "echo sudo >>'$calls'; \"\$@\""
run 1000
expect 'success with sudo' ended_with 0
expect 'sudo is used' called '^sudo$'
expect 'sudo keeps apt from asking' called '^apt-get noninteractive .*install .*libsimdjson-dev$'

fake apt-get "echo 'E: no network'; exit 100"
run 0
expect 'failure of apt-get is a failure' ended_with 1
expect 'and its words are shown' said 'E: no network'
expect 'and the package is named' said 'could not be installed: libsimdjson-dev'
exit $failed
