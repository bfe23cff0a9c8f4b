#!/bin/sh
# SPDX-License-Identifier: MIT
# What measuring costs, in a guest on the emulated E5-2600: register accesses (as the machine saw them) and processor time of
# `pmon stat`, through the kernel's driver and through registers, and of `perf stat`, for the same counters in one boot. usage: bench/guest.sh [PMON [pmon vm's options]]
# Exit status 1: pmon made more accesses than perf.
set -u
pmon=${1:-${BUILD:-$(dirname "$0")/../build}/pmon}
[ $# -gt 0 ] && shift
for tool in qemu-system-x86_64 busybox perf wrmsr; do
  command -v $tool >/dev/null || { echo "SKIPPED: $tool is not here"; exit 0; }
done
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT

# Each tool runs once for the whole time, then through four intervals and through twelve: the difference is what eight of
# them take. A write to a filter that none of them uses tells in the log where one begins. Looks at control registers, one
# for each counter and second, are left out there, and are in the times. Those are as the kernel accounts them, for eight
# intervals: the least of three, the tools in turn, because what an access takes depends on what else this computer does.
cat >"$dir/script" <<'END'
cat >/tmp/tool <<'TOOL'
E=uncore_imc/event=0x4,umask=0x3/,uncore_imc/event=0x4,umask=0xc/,uncore_ha/event=0x1,umask=0x3/
E=$E,uncore_cbox/event=0x35,umask=0xa/,uncore_cbox/event=0x0/
# tool NUMBER OPTION [INTERVALS]
tool() {
  K=${3:+-I 250}
  P="pmon stat --csv --per-socket -e $E -o /tmp/o $K"
  S="sleep $(awk "BEGIN { print 0.25 * ${3:-2} }")"
  case $1 in
    1) perf stat -x , -a -e $E -o /tmp/o $K ${3:+--interval-count $3} $S ;;
    2) $P --backend perf $S ;;
    3) $P --backend direct $2 $S ;;
    4) $P --backend direct --freeze none $2 $S ;;
  esac
}
TOOL
. /tmp/tool
for n in 1 2 3 4; do
  for k in "" 4 12; do
    rm -f /tmp/o
    wrmsr 0xc34 $((16 * n + ${k:-1}))
    tool $n "--verify 1000000" $k >/dev/null 2>/tmp/e || cat /tmp/e
    wrmsr 0xc34 0
    echo intervals $n ${k:-1} $(grep -v '^#\|begin' /tmp/o | grep -v '^$' | cut -d , -f 1 | sort -u | wc -l)
  done
done
# The time of children that have ended, in hundredths of a second: fields 16 and 17 of a shell's own stat.
for i in 1 2 3; do
  for n in 1 2 3 4; do
    sh -c '. /tmp/tool; tool "$0" "" 8 >/dev/null 2>&1; cut -d " " -f 16,17 /proc/$$/stat' $n | sed "s/^/time $n /"
  done
done
END
"$pmon" vm "$@" --log "$dir/log" -- sh -c "$(cat "$dir/script")" >"$dir/out" 2>"$dir/errors"
result=$?
if [ $result -eq 3 ]; then cat "$dir/errors"; echo "SKIPPED: no kernel"; exit 0; fi
grep -q '^time 4 ' "$dir/out" || { cat "$dir/out" "$dir/errors"; exit 1; }

# accesses behind the mark N up to the next one
awk '$2 == "write" && $5 == "0xc34" { mark = $NF; next }
     $2 == "read" || $2 == "write" { n[mark]++ }
     END { for (m in n) print "accesses", m, n[m] }' "$dir/log" >"$dir/accesses"
awk 'BEGIN { split("perf stat|pmon stat, perf|pmon stat, registers|pmon stat, registers as they run", name, "|")
             printf "%-36s %10s %12s %10s %10s\n", "", "one run", "an interval", "user s", "system s" }
     $1 == "accesses" { accesses[$2] = $3 }
     $1 == "intervals" { k[$2, $3] = $4 }
     $1 == "time" && (!($2 in sum) || $3 + $4 < sum[$2]) { sum[$2] = $3 + $4; user[$2] = $3; system_time[$2] = $4 }
     END {
       for (n = 1; n <= 4; n++) {
         one[n] = accesses[sprintf("0x%x", 16 * n + 1)]
         each[n] = (accesses[sprintf("0x%x", 16 * n + 12)] - accesses[sprintf("0x%x", 16 * n + 4)]) / (k[n, 12] - k[n, 4])
         printf "%-36s %10d %12.1f %10.2f %10.2f\n", name[n], one[n], each[n], user[n] / 100, system_time[n] / 100
       }
       for (n = 2; n <= 4; n++) {
         if (sum[n] > sum[1]) print name[n] " took longer than perf"
         if (one[n] > one[1] || each[n] > each[1] + 0.5) { print name[n] " made more accesses than perf"; bad = 1 }
       }
       exit bad
     }' "$dir/accesses" "$dir/out"
