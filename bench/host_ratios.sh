#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs the same programs on this host and on a machine of its shape, and compares the cost of a program's property, as
# the ratio of two loops of bench/kernels.c. The host's cache sizes are read, its clock is measured, and its core's
# figures come from A. Fog's tables. On the host the least processor time of many short runs counts, since other
# processes use it, too: a loop works in 1 MB, which they do not evict within its time slice.
# usage: bench/host_ratios.sh [PMON [KERNELS [RUNS]]]      RUNS of each loop on the host, 60 when absent
#   SETTINGS='NAME=VALUE...'   more settings of the machine
set -u
pmon=${1:-build/pmon} kernels=${2:-build/bench/bench_kernels} runs=${3:-60}
for program in "$pmon" "$kernels"; do
  [ -x "$program" ] || { echo "$program: not built; run ninja -C build bench/bench_kernels" >&2; exit 1; }
done

# Prints the least processor time of a repetition on this host, in ns
host_ns() {
  i=0
  while [ $i -lt "$runs" ]; do
    "$kernels" "$1" 1
    i=$((i + 1))
  done | sort -n | head -n 1
}
cache() { cat "/sys/devices/system/cpu/cpu0/cache/index$1/$2" 2>/dev/null; }
# Prints the settings for the host's processor: a socket with the last level in eight slices; the core, by family.
shape() {
  echo sockets=1 cores=8 chas=8 mesh.columns=4 core.walks=on
  echo "l1d.size=$(cache 0 size)" "l1d.ways=$(cache 0 ways_of_associativity)" "l1i.size=$(cache 1 size)" \
    "l1i.ways=$(cache 1 ways_of_associativity)" "l2.size=$(cache 2 size)" "l2.ways=$(cache 2 ways_of_associativity)"
  last=$(cache 3 size)
  [ -n "$last" ] && echo "llc.size=$((${last%K} / 8))K" "llc.ways=$(cache 3 ways_of_associativity)"
  clock=$(awk -v ns="$(host_ns clock)" 'BEGIN { printf "%.3f", 4 * 65536 / ns }')
  echo "core.ghz=$clock"
  case $(awk -F '[: \t]+' '/^(vendor_id|cpu family)/ { print $NF }' /proc/cpuinfo | head -n 2 | paste -s -d -) in
    AuthenticAMD-25) echo core.width=6 core.window=256 core.mlp=24 core.mispredict=13 l2.latency=12 \
      latency.load=4 latency.mul=3 latency.fadd=3 latency.fmul=3 l2.bandwidth=32 dtlb.4k=64 dtlb.ways=16 dtlb.2m=64
      # the last level runs at the core's clock; with two cycles more in a slice than Emerald Rapids, a load from it
      # takes 46
      echo "uncore.ghz=$clock" cha.pipe=18 ;;
    GenuineIntel-6) ;;
    *) echo "the core's figures are Emerald Rapids'; give this host's in SETTINGS" >&2 ;;
  esac
}
# Prints the time of a repetition on the machine: the difference between two repetitions and one.
machine_ns() {
  for times in 1 2; do
    # shellcheck disable=SC2046
    "$pmon" machine run --preset emr $(for setting in $settings; do echo "--set $setting"; done) -- "$kernels" "$1" $times \
      </dev/null 2>/dev/null | awk '$1 == "simulated_fs" { gsub(",", "", $2); print $2 }'
  done | awk 'NR == 1 { t = $1 } END { if (NR == 2) printf "%.0f", ($1 - t) * 1e-6 }'
}

settings="$(shape | paste -s -d ' ') ${SETTINGS-}"
echo "the machine: $settings"
echo "| loops | host, ms | ratio | machine, ms | ratio | differs |"
echo "|---|---|---|---|---|---|"
while read -r one other; do
  set -- "$(host_ns "$one")" "$(host_ns "$other")" "$(machine_ns "$one")" "$(machine_ns "$other")"
  echo "$@" | awk -v what="$other by $one" '{
    host = $2 / $1; machine = $4 / $3
    printf "| %s | %.3f, %.3f | %.2f | %.3f, %.3f | %.2f | %+.0f %% |\n", what, $2 / 1e6, $1 / 1e6, host, $4 / 1e6, $3 / 1e6,
           machine, 100 * (machine / host - 1) }'
done <<'LOOPS'
rows columns
near-array near-list
array list
sorted unsorted
blocked unblocked
LOOPS
