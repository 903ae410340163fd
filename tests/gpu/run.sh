#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# run.sh BUILD [OUT]: records small programs of known shape on a real device and holds what `whatif` predicts
# against the programs really changed: within 3 %. Writes OUT (default tests/gpu/last.json). About two
# minutes. Exit status 77, with the reason, where there is no device. LONGPOLE_GPU_TRIAL=DIR tries the
# script itself on the doubles in DIR.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
build=${1:?usage: run.sh BUILD [OUT]}
out=${2:-$root/tests/gpu/last.json}
cli=$build/app/longpole-cli
steps=40

skip() {
    echo "skipped: $1"
    exit 77
}
[ -x "$cli" ] || skip "$cli is not built"
if [ -z "${LONGPOLE_GPU_TRIAL:-}" ]; then
    [ -e /dev/nvidiactl ] || skip "there is no NVIDIA device (/dev/nvidiactl)"
fi
include=
for folder in "${CUDA_HOME:-/usr/local/cuda}/include" /usr/local/cuda/include /usr/include; do
    if [ -z "$include" ] && [ -e "$folder/cuda.h" ]; then include=$folder; fi
done
[ -n "$include" ] || skip "cuda.h is not here (CUDA Toolkit)"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if [ -n "${LONGPOLE_GPU_TRIAL:-}" ]; then
    library=$LONGPOLE_GPU_TRIAL/cuda
    LD_LIBRARY_PATH=$LONGPOLE_GPU_TRIAL/cuda:$LONGPOLE_GPU_TRIAL/cupti13
    FAKE_CUDA_PAGEABLE=1
    export LD_LIBRARY_PATH FAKE_CUDA_PAGEABLE
else
    library=${include%/include}/lib64/stubs
fi
c++ -std=c++20 -O2 -I"$root" -isystem "$include" "$root/tests/gpu/loop.cpp" -o "$work/loop" \
    -L"$library" -lcuda -ldl || skip "the program does not build"
"$work/loop" 1 >/dev/null || skip "the program does not run on this device"

failed=0
far=0 # a forecast that is off
figures=
number() { # FILE KEY: the first number of that key
    grep -o "\"$2\": *-\{0,1\}[0-9]*" "$1" | head -n 1 | grep -o -e '-\{0,1\}[0-9]*$'
}
figure() { figures="$figures${figures:+, }\"$1\": $2"; }

record() { # NAME WORDS…
    kept=$work/$1
    shift
    "$cli" record -q -o "$kept.lpcap" --steps $steps --warmup 5 -- "$work/loop" $((steps + 5)) "$@" \
        >"$kept.ns"
    "$cli" steps "$kept.lpcap" --json >"$kept.json"
}

# Every type of edge that the program makes is recorded.
record plain
record back sync back
for type in launch event sync copy; do
    "$cli" list "$work/back.lpcap" --edges --json >"$work/edges"
    if ! grep -q "\"type\": *\"$type\", *\"evidence\": *\"recorded\"" "$work/edges"; then
        echo "no recorded edge: $type"
        failed=1
    fi
done
"$cli" info "$work/plain.lpcap" | tail -n 1

# What recording costs.
bare=$("$work/loop" $steps)
recorded=$(cat "$work/plain.ns")
echo "a step: $bare ns bare, $recorded ns recorded"
figure bare_ns "$bare"
figure recorded_ns "$recorded"

# compare NAME BEFORE AFTER WHATIF…: the program is changed for real from BEFORE to AFTER; the recording of
# BEFORE predicts it.
compare() {
    name=$1 before=$2 after=$3
    shift 3
    # shellcheck disable=SC2086
    record "$name" $before
    # the measured steps as one window: of a single step a change may only move the wait elsewhere
    begin=$(tr -d '\n' <"$work/$name.json" | sed 's/.*"measured": *{//' | sed 's/.*"begin_ns": *\([0-9]*\).*/\1/')
    elapsed=$(number "$work/$name.json" elapsed_ns)
    "$cli" whatif "$work/$name.lpcap" --range "$begin..$((begin + elapsed))" "$@" --json >"$work/$name.whatif" || {
        echo "$name: no forecast"
        failed=1
        return
    }
    # shellcheck disable=SC2086
    record "$name-after" $after
    awk -v name="$name" -v before="$(number "$work/$name.json" per_step_ns)" \
        -v after="$(number "$work/$name-after.json" per_step_ns)" \
        -v replay="$(sed -n 's/.*"replay": *{"ns": *\([0-9]*\).*/\1/p' "$work/$name.whatif" | head -n 1)" \
        -v steps="$steps" 'BEGIN {
        forecast = replay / steps
        off = 100 * (forecast / after - 1)
        printf "%s: %d ns before, %d ns forecast, %d ns after: %.2f %% off\n", name, before, forecast, after, off
        exit off > 3 || off < -3
    }' >"$work/said" || far=1
    cat "$work/said"
    figure "$name" "\"$(cut -d: -f2- "$work/said")\""
}
compare cycles_halved '' 'cycles 1000000' --speed kind:kernel=2
compare pinned 'pageable' '' --edit async:kind:h2d
compare sync_removed 'sync sleep 1000' 'sleep 1000' --edit 'unsync:name:cuStreamSynchronize'
compare loader_halved 'sleep 8000 sync' 'sleep 4000 sync' --speed data_wait=2
compare graph 'cycles 80000 sync' 'cycles 80000 sync graph' --edit graph:step=10us

# A training loop of PyTorch, where there is one.
if python3 -c 'import sys, torch; sys.exit(not torch.cuda.is_available())' 2>/dev/null; then
    cat >"$work/train.py" <<'PY'
import sys

import torch

sys.path.insert(0, sys.argv[1])
import longpole_steps as longpole

model = torch.nn.Sequential(*[torch.nn.Linear(1024, 1024) for _ in range(8)]).cuda()
optimiser = torch.optim.SGD(model.parameters(), lr=1e-3)
batches = (torch.randn(256, 1024).pin_memory() for _ in range(30))
for batch in longpole.steps(batches):
    with longpole.phase("transfer"):
        batch = batch.cuda(non_blocking=True)
    with longpole.phase("forward"):
        loss = model(batch).square().mean()
    with longpole.phase("backward"):
        loss.backward()
    with longpole.phase("update"):
        optimiser.step()
        optimiser.zero_grad()
PY
    "$cli" record -q -o "$work/torch.lpcap" --steps 20 --warmup 5 -- python3 "$work/train.py" \
        "$root/core/capture" || failed=1
    "$cli" steps "$work/torch.lpcap" --json >"$work/torch.json" && "$cli" why "$work/torch.lpcap" || failed=1
    per_step=$(number "$work/torch.json" per_step_ns)
    if [ -z "$per_step" ]; then
        echo "PyTorch: the steps were not measured"
        failed=1
    fi
    figure torch_ns "${per_step:-null}"
else
    echo "PyTorch with CUDA is not here: no loop of it is recorded"
fi

commit=$(git -C "$root" rev-parse HEAD 2>/dev/null || echo unknown)
printf '{"commit": "%s", "figures": {%s}}\n' "$commit" "$figures" >"$out"
# Pretended time is what a busy machine makes of it.
[ -n "${LONGPOLE_GPU_TRIAL:-}" ] || [ $far = 0 ] || failed=1
exit $failed
