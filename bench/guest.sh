#!/bin/sh
# SPDX-License-Identifier: MIT
# Measures the cost of measuring, in a guest on the emulated E5-2600: register accesses (as the machine observed them)
# and processor time of `pmon stat`, through the kernel's driver and through registers, and of `perf stat`, for the same
# counters in one boot. For the counters of the memory controllers alone it also measures `pcm-raw`, where it is
# installed, and `pcm`, where the guest's processor has counters (pmon vm's option --qemu); pcm reads some of the
# package's and the cores' as well.
# usage: bench/guest.sh [PMON [pmon vm's options]]
# The guest's clock follows its instructions, so that nothing depends on the host's load. QEMU as it is packaged stops
# at each MSR access and then translates the running code again, which would otherwise be most of the measured time.
# Exit status 1: pmon made more accesses than perf or pcm, or took more processor time.
set -u
pmon=${1:-${BUILD:-$(dirname "$0")/../build}/pmon}
[ $# -gt 0 ] && shift
for tool in qemu-system-x86_64 busybox perf wrmsr; do
  command -v $tool >/dev/null || { echo "SKIPPED: $tool is not here"; exit 0; }
done
tools="1 2 3 4" with=
if command -v pcm-raw >/dev/null; then tools="$tools 5 6 7 8 9" with="--with pcm-raw --with pcm"; fi
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT

# Each tool runs once for the whole time, then through four intervals and through twelve: the difference is the cost of
# eight. A write to a filter that no tool uses marks in the log where a run begins. These runs do not verify control
# registers, one read for each counter and second; the timed runs do. Times are as the kernel accounts them, for eight
# intervals, with 16 ns an instruction.
cat >"$dir/script" <<'END'
cat >/tmp/tool <<'TOOL'
E=uncore_imc/event=0x4,umask=0x3/,uncore_imc/event=0x4,umask=0xc/,uncore_ha/event=0x1,umask=0x3/
E=$E,uncore_cbox/event=0x35,umask=0xa/,uncore_cbox/event=0x0/
M=uncore_imc/event=0x4,umask=0x3/,uncore_imc/event=0x4,umask=0xc/
export PCM_NO_PERF=1 PCM_IGNORE_ARCH_PERFMON=1
# tool NUMBER OPTION [INTERVALS]
tool() {
  case $1 in
    5|6|7) E=$M; set -- $(($1 - 4)) "$2" $3 ;;
    8) pcm-raw 0.25 -i=${3:-2} -e imc/config=0x304,name=READS/ -e imc/config=0xc04,name=WRITES/; return ;;
    9) pcm 0.25 -i=${3:-2}; return ;;
  esac
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
grep -q arch_perfmon /proc/cpuinfo || tools=${tools% 9}
for n in $tools; do
  for k in "" 4 12; do
    rm -f /tmp/o
    wrmsr 0xc34 $((16 * n + ${k:-1}))
    tool $n "--verify 1000000" $k >/dev/null 2>/tmp/e || cat /tmp/e
    wrmsr 0xc34 0xff
    [ $n -ge 8 ] && echo intervals $n ${k:-2} ${k:-2} || echo intervals $n ${k:-1} $(grep -v '^#\|begin' /tmp/o | grep -v '^$' | cut -d , -f 1 | sort -u | wc -l)
  done
done
# The time of children that have ended, in hundredths of a second: fields 16 and 17 of a shell's own stat.
for n in $tools; do
  sh -c '. /tmp/tool; tool "$0" "" 8 >/dev/null 2>&1; cut -d " " -f 16,17 /proc/$$/stat' $n | sed "s/^/time $n /"
done
END
"$pmon" vm --instruction-ns 16 --timeout 600 "$@" $with --log "$dir/log" -- sh -c "tools='$tools'; $(cat "$dir/script")" >"$dir/out" 2>"$dir/errors"
result=$?
if [ $result -eq 3 ]; then cat "$dir/errors"; echo "SKIPPED: no kernel"; exit 0; fi
grep -q '^time 4 ' "$dir/out" || { cat "$dir/out" "$dir/errors"; exit 1; }

# accesses after mark N up to the next mark; pcm writes to that filter, too, but never such a value
awk '$2 == "write" && $5 == "0xc34" && $NF ~ /^0x[1-9a-f][0-9a-f]$/ { mark = $NF; next }
     $2 == "read" || $2 == "write" { n[mark]++ }
     END { for (m in n) print "accesses", m, n[m] }' "$dir/log" >"$dir/accesses"
awk -v last="${tools##* }" '
function say(ok, what) { print ok ? "yes" : "NO ", what }
function fewer(n, than) { return one[n] <= one[than] && each[n] <= each[than] + 0.5 }
BEGIN { split("perf stat|pmon stat, perf|pmon stat, registers|pmon stat, registers as they run|perf stat|pmon stat, perf|" \
              "pmon stat, registers|pcm-raw|pcm", name, "|") }
$1 == "accesses" { accesses[$2] = $3 }
$1 == "intervals" { k[$2, $3] = $4 }
$1 == "time" { sum[$2] = $3 + $4; user[$2] = $3; system_time[$2] = $4 }
END {
  for (n = 1; n <= last; n++) {
    if (!(n in sum))
      continue
    if (n == 1 || n == 5)
      printf "%-36s %10s %12s %10s %10s\n", n == 1 ? "all boxes" : "memory controllers", "one run", "an interval",
             "user s", "system s"
    one[n] = accesses[sprintf("0x%x", 16 * n + 1)]
    each[n] = (accesses[sprintf("0x%x", 16 * n + 12)] - accesses[sprintf("0x%x", 16 * n + 4)]) / (k[n, 12] - k[n, 4])
    printf "%-36s %10d %12.1f %10.2f %10.2f\n", name[n], one[n], each[n], user[n] / 100, system_time[n] / 100
  }
  for (n = 2; n <= 4; n++) {
    say(sum[n] <= sum[1], name[n] ": no more processor time than perf stat")
    say(fewer(n, 1), name[n] ": no more accesses than perf stat")
    bad += !fewer(n, 1) + (sum[n] > sum[1])
  }
  for (n = 6; n <= 7; n++)
    for (m = 8; m in sum; m++) {
      say(sum[n] <= sum[m], name[n] ": no more processor time than " name[m])
      say(fewer(n, m), name[n] ": no more accesses than " name[m])
      bad += !fewer(n, m) + (sum[n] > sum[m])
    }
  exit bad > 0
}' "$dir/accesses" "$dir/out"
