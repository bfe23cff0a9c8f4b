#!/bin/sh
# SPDX-License-Identifier: MIT
# libpfm4's example, PAPI and pcm-iio in a guest, by their bench files: each value is correct, or wrong as the file
# states. A tool that is missing on this host is left out: papi-tools, Debian's source of libpfm4, pcm and a QEMU that
# vm/qemu/build.sh made.
# Usage: peers.sh PMON FOLDER-OF-BENCH-FILES SCRIPTS-FOLDER
pmon=$1 benches=$2 scripts=$3 what="no libpfm4, PAPI or pcm-iio was tried in a guest"
. "$(dirname "$0")/guest.sh"
need qemu-system-x86_64 busybox xz setpci jq
qemu=${PMON_VM_QEMU-}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failed=0 tried=0
peer() {     # name of the bench file, values
  "$pmon" bench-tool ${qemu:+--qemu "$qemu"} --timeout 900 --bench "$benches/$1.bench" --json "$work/json" >"$work/out" 2>"$work/errors"
  tried=$((tried + 1))
  cat "$work/out"
  jq -e ".passed and (.values | length == $2)" "$work/json" >/dev/null || { cat "$work/errors" "$work/json"; failed=1; }
}
if sh "$scripts/libpfm4.sh" "$work/libpfm4" --examples 2>"$work/why"; then
  PATH="$work/libpfm4:$PATH" peer libpfm4 7
else
  echo "libpfm4: $(tail -n 1 "$work/why")"
fi
if command -v papi_command_line >/dev/null; then peer papi 5; else echo "PAPI: papi_command_line is not here"; fi
if [ -n "$qemu" ] && command -v pcm-iio >/dev/null; then peer pcm-iio 11; else echo "pcm-iio: it, or the QEMU, is not here"; fi
[ $tried -gt 0 ] || skip "$(cat "$work/why")"
exit $failed
