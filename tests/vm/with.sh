#!/bin/sh
# SPDX-License-Identifier: MIT
# Files named by --with are in the guest at the same path, also below /tmp. Usage: with.sh PMON
pmon=$1 what="no file was copied to a guest"
. "$(dirname "$0")/guest.sh"
need qemu-system-x86_64 busybox xz
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
case $work in /tmp/*) ;; *) skip "TMPDIR is not below /tmp" ;; esac
mkdir -p "$work/folder/empty"
echo data >"$work/folder/file"
printf '#!/bin/sh\necho program\n' >"$work/program"
chmod +x "$work/program"
"$pmon" vm --timeout 900 --with "$work/folder/" --with "$work/program" -- \
  sh -c "cat $work/folder/file; ls -d $work/folder/empty; $work/program; program; >/tmp/new && echo writable" \
  >"$work/out" 2>"$work/why"
booted $? "$work/why"
[ "$(echo $(cat "$work/out"))" = "data $work/folder/empty program program writable" ] || { cat "$work/out"; exit 1; }
