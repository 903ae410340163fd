#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# packaging/test.sh [--release|--sanitize|--slow|--threads]: sets up, builds and runs the tests
# off-screen, as released and then under AddressSanitizer and UndefinedBehaviorSanitizer, or only one
# of the two. Tests with the label `slow` take minutes and run with --slow alone, both ways. With
# --threads those with the label `threads`, and no others, are looked at for races by ThreadSanitizer.
set -eu
. "$(dirname "$0")/common.sh"

which=(-LE slow) targets=()
case ${1:-} in
'') presets=(release dev) ;;
--release) presets=(release) ;;
--sanitize) presets=(dev) ;;
--slow) presets=(release dev) which=(-L slow) ;;
--threads) presets=(tsan) which=(-L threads -LE slow) targets=(threaded_tests) ;;
*)
    printf 'usage: packaging/test.sh [--release|--sanitize|--slow|--threads]\n' >&2
    exit 2
    ;;
esac

/bin/bash "$root/packaging/setup.sh"

# The leak detector reads /proc, which a bare chroot may lack.
asan_options=
if [ ! -e /proc/self/task ]; then
    printf 'There is no /proc here, so leaks are not looked for.\n'
    asan_options=detect_leaks=0
fi

# Tests find no settings of the user and leave none behind.
run_tests() { # PRESET
    local home=$private/home-$1
    mkdir -p "$home"
    printf '\nTesting (%s)\n' "$1"
    env -u DISPLAY -u WAYLAND_DISPLAY -u XDG_CONFIG_HOME -u XDG_DATA_HOME -u XDG_CACHE_HOME \
        HOME="$home" XDG_RUNTIME_DIR="$private" QT_QPA_PLATFORM=offscreen \
        ASAN_OPTIONS="$asan_options" UBSAN_OPTIONS=print_stacktrace=1 \
        ctest --test-dir "$root/build/$1" -j2 "${which[@]}" --output-on-failure --no-tests=error
}

for preset in "${presets[@]}"; do
    build "$preset" "${targets[@]}"
    run_tests "$preset"
done
printf '\nAll tests passed (%s), %d min %d s in all.\n' "${presets[*]}" $((SECONDS / 60)) $((SECONDS % 60))
