#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Installs the Debian 12 packages that a build needs, and nothing when all are there. On other
# systems it only says what is missing. Exit: 0 ready, 1 something needed is missing.
set -eu

export PATH="${PATH:-/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin}"
export LC_ALL=C.UTF-8
export DEBIAN_FRONTEND=noninteractive

packages=(
    g++ cmake ninja-build pkg-config
    qt6-base-dev qt6-svg-dev libqcustomplot-dev libqcustomplot2.1-qt6
    nlohmann-json3-dev libcli11-dev libsimdjson-dev libsqlite3-dev libisal-dev libxxhash-dev libre2-dev
    libzstd-dev
    fonts-roboto-unhinted
)

is_debian_12() {
    # shellcheck disable=SC1091
    [ -r /etc/os-release ] && (. /etc/os-release && [ "${ID:-}:${VERSION_ID:-}" = debian:12 ])
}

find_missing() {
    local package
    missing=()
    for package in "${packages[@]}"; do
        case $(dpkg-query -W -f '${db:Status-Abbrev}' "$package" 2>/dev/null || true) in
        ?i*) ;;
        *) missing+=("$package") ;;
        esac
    done
}

install_missing() {
    local as_root=() log status=0
    find_missing
    if [ "${#missing[@]}" -eq 0 ]; then
        return 0
    fi
    if [ "$(id -u)" -ne 0 ]; then
        if ! command -v sudo >/dev/null; then
            printf 'Missing packages; as root, run: apt-get install --no-install-recommends %s\n' \
                "${missing[*]}" >&2
            return 1
        fi
        as_root=(sudo env "DEBIAN_FRONTEND=$DEBIAN_FRONTEND" "LC_ALL=$LC_ALL")
    fi
    printf 'Installing %s …\n' "${missing[*]}"
    log=$(mktemp)
    apt_get() { "${as_root[@]}" apt-get -q -y -o DPkg::Lock::Timeout=300 -o Acquire::Retries=3 "$@"; }
    { apt_get update && apt_get install --no-install-recommends "${missing[@]}"; } \
        >"$log" 2>&1 </dev/null || status=$?
    if [ "$status" -ne 0 ]; then
        tail -n 30 "$log" >&2
        find_missing
        printf 'Some packages could not be installed: %s.\n' "${missing[*]}" >&2
        rm -f "$log"
        return 1
    fi
    rm -f "$log"
}

# Elsewhere the names of packages are unknown, so the things themselves are looked for.
name_missing() {
    local missing=() tool module
    for tool in c++ cmake ninja pkg-config; do
        command -v "$tool" >/dev/null || missing+=("$tool")
    done
    for module in Qt6Widgets Qt6Svg Qt6Test nlohmann_json CLI11 simdjson sqlite3 libisal libxxhash re2 libzstd; do
        pkg-config --exists "$module" 2>/dev/null || missing+=("$module")
    done
    if [ "${#missing[@]}" -gt 0 ]; then
        printf 'This is not Debian 12, so nothing is installed; missing here (tools and pkg-config modules): %s.\n' \
            "${missing[*]}" >&2
        return 1
    fi
    printf 'This is not Debian 12, but all tools and libraries were found; the font Roboto is looked for by CMake.\n'
}

if is_debian_12; then
    install_missing
else
    name_missing
fi
