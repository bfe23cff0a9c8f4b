#!/bin/sh
# SPDX-License-Identifier: MIT
# Losses during counting, in a guest of two sockets with two processors each. The processor through which the second
# socket is read goes offline: `pmon stat` through the kernel's driver and through registers, and perf, each over two
# steps of 10 us of a scenario, have the counts of `pmon stat` outside. pmon itself is killed: `pmon restore` restores
# the registers.
# Usage: gone.sh PMON SCENARIO
pmon=$1 scenario=$2 what="no processor went offline in a guest"
. "$(dirname "$0")/guest.sh"
need qemu-system-x86_64 busybox perf xz rdmsr setpci
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cat >"$work/script" <<'END'
cat >/tmp/command <<'COMMAND'
pmon-step 10000
echo 0 >/sys/devices/system/cpu/cpu2/online
pmon-step 10000
echo reads $(cat /sys/bus/event_source/devices/uncore_imc_0/cpumask) of $(cat /sys/devices/system/cpu/online)
echo 1 >/sys/devices/system/cpu/cpu2/online
until grep -q '^0-3$' /sys/devices/system/cpu/online; do :; done
COMMAND
echo reads $(cat /sys/bus/event_source/devices/uncore_imc_0/cpumask) of $(cat /sys/devices/system/cpu/online)
E=imc/CLOCKTICKS/,imc/CAS_COUNT.RD/,cbo/CLOCKTICKS/,cbo/TOR_INSERTS.MISS_ALL/
pmon stat --backend perf --csv --per-socket -o /tmp/a -e $E sh /tmp/command
pmon stat --backend direct --csv --per-socket -o /tmp/b -e $E sh /tmp/command
E=uncore_imc/clockticks/,uncore_imc/event=4,umask=3/,uncore_cbox/event=0/,uncore_cbox/event=0x35,umask=0xa/
perf stat -o /tmp/c -x ' ' -a --per-socket -e $E sh /tmp/command
sed 's/^/perf /' /tmp/a; sed 's/^/registers /' /tmp/b; sed 's/^/linux /' /tmp/c
state() { echo $(rdmsr -a 0xd10) $(rdmsr -a 0xd04) $(setpci -s 7f:10.1 d8.l f4.l; setpci -s ff:10.1 d8.l f4.l); }
echo before $(state)
pmon stat --backend direct -e cbo/CLOCKTICKS/,imc/CLOCKTICKS/ -- sh -c 'kill -9 $PPID'
echo killed $?
echo between $(state)
pmon restore
echo restored $? $(ls /run | grep -c journal)
echo after $(state)
END
"$pmon" vm --timeout 1800 --sockets 2 --processors 2 --scenario "$scenario" -- sh -c "$(cat "$work/script")" >"$work/out" 2>"$work/errors"
booted $? "$work/out" "$work/errors"
"$pmon" stat -p snbep -I 0.01 --csv --per-socket --scenario "$scenario" \
  -e imc/CLOCKTICKS/,imc/CAS_COUNT.RD/,cbo/CLOCKTICKS/,cbo/TOR_INSERTS.MISS_ALL/ >"$work/intervals" || exit 1
sed 's/^/want /' "$work/intervals" | awk '
BEGIN {
  OFMT = "%.0f"                            # whole numbers past 2^31
  tool[0] = "perf"; tool[1] = "registers"; tool[2] = "linux"
  event["uncore_imc/clockticks/"] = "imc/CLOCKTICKS/"; event["uncore_imc/event=4,umask=3/"] = "imc/CAS_COUNT.RD/"
  event["uncore_cbox/event=0/"] = "cbo/CLOCKTICKS/"; event["uncore_cbox/event=0x35,umask=0xa/"] = "cbo/TOR_INSERTS.MISS_ALL/"
}
{ split($2, field, ",") }
$1 == "want" && field[4] ~ /\// { want[tool[int((field[1] * 1e5 + 0.5) / 2)], field[4], field[5]] += field[8] }
/^(perf|registers) / && field[4] ~ /\// { got[$1, field[4], field[5]] = field[8] }
$1 == "linux" && $5 in event { got[$1, event[$5], substr($2, 2)] = $4 }
END {
  for (i = 0; i < 3; i++)
    for (e in event)
      for (s = 0; s < 2; s++)
        print tool[i] ":" event[e] ":socket" s, want[tool[i], event[e], s], got[tool[i], event[e], s]
}' "$work/out" - | sort >"$work/beside"
compare <"$work/beside"
[ $moved -eq 24 ] || { echo "$moved counts are more than nothing, and not 24"; failed=1; }
# The processor that reads, before and in each run; the registers' state before, between and after.
grep '^reads' "$work/out" | sort | uniq -c | awk '{ print $1, $3, $5 }' >"$work/reads"
printf '1 0,2 0-3\n3 0,3 0-1,3\n' | cmp -s - "$work/reads" || { echo "read otherwise:"; cat "$work/reads"; failed=1; }
state() { sed -n "s/^$1 //p" "$work/out"; }
[ -n "$(state before)" ] && [ "$(state before)" = "$(state after)" ] || { echo "not what it was"; failed=1; }
[ "$(state before)" != "$(state between)" ] || { echo "nothing was programmed"; failed=1; }
[ "$(state killed)" = 137 ] && [ "$(state restored)" = "0 0" ] || { echo "pmon was not killed or not restored"; failed=1; }
[ $failed -eq 0 ] || cat "$work/out" "$work/errors"
exit $failed
