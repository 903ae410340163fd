# SPDX-License-Identifier: Apache-2.0
# silent.sh PROGRAM…: runs it; anything on its stderr is a failure.
said=$(mktemp)
trap 'rm -f "$said"' EXIT
"$@" 2>"$said"
status=$?
if [ -s "$said" ]; then
    cat "$said" >&2
    [ $status -ne 0 ] || status=1
fi
exit $status
