#!/bin/sh
# SPDX-License-Identifier: MIT
# What measuring costs, in a guest on the emulated E5-2600: register accesses (as the machine saw them) and processor time of
# `pmon stat`, through the kernel's driver and through registers, of `perf stat` and, where it runs, of pcm-raw, for the
# same counters in one boot. usage: bench/guest.sh [PMON [pmon vm's options]]
# Exit status 1: pmon through the kernel's driver took more accesses, or more time, than perf.
set -u
pmon=${1:-${BUILD:-$(dirname "$0")/../build}/pmon}
[ $# -gt 0 ] && shift
for tool in qemu-system-x86_64 busybox perf wrmsr; do
  command -v $tool >/dev/null || { echo "SKIPPED: $tool is not here"; exit 0; }
done
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT

# Each tool runs once for the whole time and once in intervals; a write to a filter that none of them uses tells in the log
# where one begins. Then its processor time, as the kernel accounts it, five times.
cat >"$dir/script" <<'END'
E=uncore_imc/event=0x4,umask=0x3/,uncore_imc/event=0x4,umask=0xc/,uncore_ha/event=0x1,umask=0x3/
E=$E,uncore_cbox/event=0x35,umask=0xa/,uncore_cbox/event=0x0/
n=0
try() {
  name=$1
  shift
  n=$((n + 2))
  rm -f /tmp/o
  wrmsr 0xc34 $((n - 1))
  "$@" -o /tmp/o sleep 0.5 >/dev/null 2>/tmp/e || cat /tmp/e
  wrmsr 0xc34 $n
  rm -f /tmp/o
  "$@" -I 50 -o /tmp/o sleep 0.5 >/dev/null 2>/tmp/e || cat /tmp/e
  intervals=$(grep -v '^#\|begin' /tmp/o | grep -v '^$' | cut -d , -f 1 | sort -u | wc -l)
  wrmsr 0xc34 0
  for i in 1 2 3 4 5; do
    perf stat -x , -e task-clock,user_time -o /tmp/t "$@" -I 50 -o /tmp/o sleep 0.5 >/dev/null 2>&1
    awk -F , '/task-clock/ { all = $1 } /user_time/ { user = $1 / 1e6 } END { print all, user }' /tmp/t
  done | sort -n | awk -v n=$n -v name="$name" -v k="$intervals" 'NR == 3 { print "tool", n, k, $1, $2, name }'
}
try 'perf stat' perf stat -x , -a -e $E
try 'pmon stat, perf' pmon stat --backend perf --csv --per-socket -e $E
try 'pmon stat, registers' pmon stat --backend direct --csv --per-socket -e $E
try 'pmon stat, registers as they run' pmon stat --backend direct --freeze none --csv --per-socket -e $E
END
"$pmon" vm "$@" --log "$dir/log" -- sh -c "$(cat "$dir/script")" >"$dir/out" 2>"$dir/errors"
result=$?
if [ $result -eq 3 ]; then cat "$dir/errors"; echo "SKIPPED: no kernel"; exit 0; fi
grep -q '^tool 8 ' "$dir/out" || { cat "$dir/out" "$dir/errors"; exit 1; }

# accesses behind the mark N up to the next one
awk '$2 == "write" && $5 == "0xc34" { mark = $NF; next }
     $2 == "read" || $2 == "write" { n[mark]++ }
     END { for (m in n) print m, n[m] }' "$dir/log" >"$dir/accesses"
printf '%-36s %10s %12s %10s %10s\n' '' 'one run' 'an interval' 'CPU ms' 'user ms'
bad=0
grep '^tool ' "$dir/out" >"$dir/tools"
while read -r _ n k ms user name; do
  awk -v a=$((n - 1)) -v b="$n" -v k="$k" -v ms="$ms" -v user="$user" -v name="$name" '
    { v[$1] = $2 }
    END { hex = sprintf("0x%x", a); one = v[hex]; hex = sprintf("0x%x", b)
          printf "%-36s %10d %12.1f %10.1f %10.1f\n", name, one, (v[hex] - one) / (k - 1), ms, user }' "$dir/accesses"
done <"$dir/tools" | tee "$dir/table"
awk -F '  +' '{ one[NR] = $2; each[NR] = $3; ms[NR] = $4 }
     END { bad = one[2] > one[1] || each[2] > each[1] + 0.05 || ms[2] > ms[1]; exit bad }' "$dir/table" || bad=1
[ $bad -eq 0 ] || echo "more than perf stat"
exit $bad
