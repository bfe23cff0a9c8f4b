#!/bin/sh
# SPDX-License-Identifier: MIT
# Hardware faults in a guest: an MSR that faults on one processor only, a channel that disappears, a counter that is
# stuck. Usage: faults.sh PMON
pmon=$1 what="no faults were tried in a guest"
. "$(dirname "$0")/guest.sh"
need qemu-system-x86_64 busybox xz rdmsr setpci perf
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
printf 'inject cbo 0x37:0x01 100 at 1us\ninject cbo 0x37:0x01 100 at 3us\n' >"$work/scn"
cat >"$work/script" <<'END'
for p in 0 1; do rdmsr -p $p 0xd04 >/dev/null 2>&1 && echo "processor $p reads"; done
setpci -s 7f:10.0 0.l
setpci -s 7f:10.1 0.l
perf stat -x ' ' -a -e uncore_cbox_0/event=0x37,umask=1/,uncore_cbox_1/event=0x37,umask=1/ pmon-step 2>&1 | cut -d ' ' -f 1
setpci -s 7f:10.0 0.l
END
"$pmon" vm --timeout 900 --processors 2 --scenario "$work/scn" --fault 'msr 0xd04 processor 1' --fault 'gone imc0 at 2us' \
  --fault 'stuck cbo1 at 2us' -- sh -c "$(cat "$work/script")" >"$work/out" 2>"$work/why"
booted $? "$work/why"
cat >"$work/want" <<'END'
processor 0 reads
3cb08086
3cb18086
200
100
ffffffff
END
diff "$work/want" "$work/out" || { cat "$work/why"; exit 1; }
