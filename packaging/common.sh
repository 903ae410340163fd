# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Shared by run.sh and test.sh; sourced, never run. Leaves the working folder as it is, because the
# paths a user gives are relative to it.

export PATH="${PATH:-/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin}"
export LC_ALL=C.UTF-8

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
private=$(mktemp -d)
chmod 700 "$private"
mkfifo "$private/silence"
if [ -z "${HOME:-}" ]; then
    export HOME="$private"
fi

ticker=
finish() {
    stop_ticker
    rm -rf "$private"
}
stop_ticker() {
    if [ -n "$ticker" ]; then
        kill "$ticker" 2>/dev/null || true
        wait "$ticker" 2>/dev/null || true
        ticker=
    fi
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# Prints one line every 10 s: what runs, for how long, and how far ninja says it is. It waits on a
# pipe that nobody writes to, because a sleep would outlive it.
tick() { # LABEL LOG
    local start=$SECONDS progress
    while ! read -r -t 10 <>"$private/silence" && kill -0 $$ 2>/dev/null; do
        progress=$(sed -n 's/^\(\[[0-9]*\/[0-9]*\]\).*/ \1/p' "$2" | tail -n 1)
        printf '  %s: %d s%s\n' "$1" $((SECONDS - start)) "$progress"
    done
}

# Runs a command with its output in a log file; shows the end of the log when it fails.
quietly() { # LABEL LOG COMMAND…
    local label=$1 log=$2 start=$SECONDS status=0
    shift 2
    mkdir -p "$(dirname "$log")"
    : >"$log"
    printf '%s …\n' "$label"
    tick "$label" "$log" &
    ticker=$!
    "$@" >"$log" 2>&1 </dev/null || status=$?
    stop_ticker
    if [ "$status" -ne 0 ]; then
        tail -n 40 "$log" >&2
        printf '%s failed after %d s; the whole log is %s\n' "$label" $((SECONDS - start)) "$log" >&2
        exit "$status"
    fi
    printf '%s: done, %d s\n' "$label" $((SECONDS - start))
}

# Configures a preset and builds all of it, or only the targets named.
build() { # PRESET [TARGET…]
    local preset=$1 folder=$root/build/$1
    shift
    quietly "Configuring ($preset)" "$folder/log/configure.txt" cmake -S "$root" --preset "$preset"
    quietly "Building ($preset)" "$folder/log/build.txt" ninja -C "$folder" -j "$(nproc)" "$@"
}
