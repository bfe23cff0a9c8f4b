#!/bin/sh
# SPDX-License-Identifier: MIT
# The duration of likwid-perfctr's sleep: the command's end wakes it if it comes during the sleep; after a command that
# has ended before, it sleeps 30 s of the guest's clock, which take no time on the host. Usage: likwid.sh PMON SCENARIO
pmon=$1 scenario=$2 what="likwid was not tried in a guest"
. "$(dirname "$0")/guest.sh"
need qemu-system-x86_64 busybox xz likwid-perfctr
qemu=${PMON_VM_QEMU-}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
{ tool_step; cat <<'END'; } >"$work/script"
for i in 0 1 2 3 4 5 6 7; do G=${G-}${G:+,}TOR_INSERTS_MISS_ALL:CBOX${i}C0,LLC_VICTIMS_M_STATE:CBOX${i}C1; done
clock() { echo "clock $1 $(sed 's/ .*//' /proc/uptime)"; }
clock begin
likwid-perfctr -M 0 -f -O -c 0,1 -g $G sh /tmp/step 10000 | grep -c '^TOR_INSERTS_MISS_ALL,'
clock woken
likwid-perfctr -M 0 -f -O -c 0,1 -g $G true | grep -c '^TOR_INSERTS_MISS_ALL,'
clock slept
END
"$pmon" vm ${qemu:+--qemu "$qemu"} --timeout 900 --instruction-ns 4 --sockets 2 --scenario "$scenario" \
  --with likwid-perfctr -- sh -c "$(cat "$work/script")" >"$work/out" 2>"$work/errors"
booted $? "$work/out" "$work/errors"
cat "$work/out"
[ "$(grep -cx 8 "$work/out")" -eq 2 ] || { echo "not all CBos have a line"; exit 1; }
awk '$1 == "clock" { at[$2] = $3 }
  END { woken = at["woken"] - at["begin"]; slept = at["slept"] - at["woken"]; exit !(woken < 10 && slept > 30 && slept < 40) }' \
  "$work/out" || { echo "likwid does not sleep as docs/vm.md says"; exit 1; }
