#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# wording.sh ROOT: sources and documents speak of the product alone. Faults: absolute paths of some
# machine, unfinished-work marks, numbers of tickets. Brackets keep the patterns from finding
# themselves.
set -eu
cd "$1"

paths='(^|[^A-Za-z0-9_.$}/])/([w]ork|[t]mp|[h]ome|[r]oot|[m]nt)/'
marks='\b([T]ODO|[F]IXME|[X]XX|[H]ACK)\b'
others='[i]ssue #?[0-9]|[s]andbox|[c]o-authored-by|\b[s]ittings?\b'

found=$(find . \( -path ./.git -o -path ./build -o -path ./out \) -prune -o -type f -print |
    LC_ALL=C sort | xargs grep -I -n -E "$paths|$marks|$others" || true)
if [ -n "$found" ]; then
    echo "$found"
    exit 1
fi
