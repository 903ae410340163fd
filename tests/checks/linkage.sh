#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# linkage.sh PROGRAM [alone]: the command line must run where there is no Qt, so nothing may bring it in,
# directly or through another library. `alone` is for what is loaded into other programs: it links the C
# library, its loader and the C++ library, and nothing else (a sanitizer's own ones aside).
set -eu
libraries=$(ldd "$1")
case $libraries in
*libc.so*) ;;
*)
    echo "ldd does not say what $1 links"
    exit 1
    ;;
esac
if echo "$libraries" | grep -i -E 'libQt|qcustomplot'; then
    echo "$1 links the libraries above"
    exit 1
fi
if [ "${2:-}" = alone ] &&
    echo "$libraries" | grep -v -E '/?(linux-vdso|ld-linux[a-z0-9-]*|libc|libm|libdl|libgcc_s|libstdc\+\+|lib[a-z]+san)\.so'; then
    echo "$1 links the libraries above, and may link only the C and C++ libraries"
    exit 1
fi
