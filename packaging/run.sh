#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# packaging/run.sh [TRACE…]: sets up, builds a release and opens the traces, or the bundled training
# example. Without a display it prints their figures and draws them to out/NAME.png instead.
set -eu
. "$(dirname "$0")/common.sh"

if [ "${1:-}" = -h ] || [ "${1:-}" = --help ]; then
    printf 'usage: packaging/run.sh [TRACE…]\n'
    exit 0
fi

for trace in "$@"; do
    if [ ! -r "$trace" ]; then
        printf '%s: there is no such file, or no right to read it; nothing was built.\n' "$trace" >&2
        exit 3
    fi
done

/bin/bash "$root/packaging/setup.sh"
build release longpole longpole-cli

# Written so that the lines shown below can be copied.
programs=$root/build/release/app
programs=${programs#"$PWD"/}
if [ $# -eq 0 ]; then
    example=$root/resources/examples/training.json.gz
    set -- "${example#"$PWD"/}"
fi

# Wayland's socket lies in the real runtime folder, so a display keeps it.
if [ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ]; then
    export XDG_RUNTIME_DIR="${XDG_RUNTIME_DIR:-$private}"
    printf 'Opening %s\n' "$*"
    "$programs/longpole" "$@"
    exit
fi

export XDG_RUNTIME_DIR="$private"
worst=0
show() { # PROGRAM ARGUMENT…
    local status=0
    printf '\n$ %s\n' "$*"
    "$@" || status=$?
    if [ "$status" -gt "$worst" ]; then worst=$status; fi
    # 3: unreadable; asking it more questions would only repeat the sentence.
    if [ "$status" -eq 3 ]; then exit 3; fi
}

name=$(basename "$1")
mkdir -p "$root/out"
picture=$root/out/${name%%.*}.png
picture=${picture#"$PWD"/}
printf 'No display: here are the figures, and a picture in %s\n' "$picture"
for question in info steps stats; do
    show "$programs/longpole-cli" "$question" "$@"
done
show "$programs/longpole" render "$@" -o "$picture"
exit "$worst"
