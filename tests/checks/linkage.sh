#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# linkage.sh PROGRAM: the command line must run where there is no Qt, so nothing may bring it in,
# directly or through another library.
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
