#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs the micro-benchmarks bench/probe.c and chase.c live on the emulated machines, and prints a table for each
# question. Times are simulated: a figure is the difference of two runs. Some minutes; docs/design/017-proofs.md has the
# tables.
# usage: bench/probe.sh [PMON [PROBE [CHASE]]]
#   ONLY='latency search'   only these tables, of: latency loaded stream transfer remote search
#   PLATFORMS='emr snbep'
set -u
pmon=${1:-build/pmon} probe=${2:-build/bench/bench_probe} chase=${3:-build/bench/bench_chase}
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
for program in "$pmon" "$probe" "$chase"; do
  [ -x "$program" ] || { echo "$program: not built; run ninja -C build bench/bench_probe bench/bench_chase" >&2; exit 1; }
done

# Prints rows of a run's account, sums over all sockets: "ROW..." [OPTION...] -- COMMAND
account() {
  rows=$1
  shift
  "$pmon" machine run --preset "$platform" "$@" </dev/null 2>"$dir/errors" |
    awk -v rows=" $rows " 'index(rows, " " $1 " ") { gsub(",", "", $NF); print $NF }' | paste -s -d ' '
}
# Prints the ns of a step, from two runs: "LESS" "MORE" [OPTION...] -- COMMAND..., in which STEPS is the number of steps
step_ns() {
  less=$1 more=$2
  shift 2
  for steps in "$less" "$more"; do
    # shellcheck disable=SC2046
    account simulated_fs $(for word; do [ "$word" = STEPS ] && echo "$steps" || echo "$word"; done)
  done | awk -v n=$((more - less)) 'NR == 1 { t = $1 } END { if (NR == 2) printf "%.2f", ($1 - t) / n * 1e-6 }'
}
memory=$((16 << 20)) # more than the small caches
# Prints the bandwidth of a thread in GB/s, from the time of four more passes. MOVED is the part of its memory that
# STREAM counts: KERNEL MOVED [OPTION...]
rate() {
  kernel=$1 moved=$2
  shift 2
  ns=$(step_ns 1 5 "$@" -- "$probe" "$kernel" $memory STEPS)
  awk -v ns="$ns" -v bytes=$memory -v moved="$moved" 'BEGIN { printf "%.1f", bytes * moved / ns }'
}
# Prints the bandwidth of threads with a memory each, from the time of three more passes, and the mean latency of a
# missing read meanwhile: KERNEL MOVED THREADS [OPTION...]. The threads run at the same time: the one that is behind in
# simulated time runs next.
each=$((4 << 20))
live() {
  kernel=$1 moved=$2 n=$3
  shift 3
  for times in 1 4; do
    "$pmon" machine run --preset "$platform" "$@" -- "$probe" "$kernel" $each $times "$n" </dev/null 2>"$dir/errors" |
      awk '{ gsub(",", "") } $1 == "simulated_fs" { t = $2 } $1 == "tor.DRD.miss.local" { misses = $2; next }
        misses && !life && $1 == "life_fs" { life = $2 } END { print t, misses, life }'
  done | awk -v bytes="$each" -v n="$n" -v moved="$moved" 'NR == 1 { t = $1; misses = $2; life = $3 } END {
    if (NR == 2) printf "%.1f %.1f", 3 * n * bytes * moved / ($1 - t) * 1e6, ($3 - life) / ($2 - misses + !misses) * 1e-6 }'
}
# Prints the bandwidth of all threads of a scenario, the mean latency of a missing read in the CHAs, and the bandwidth
# of reads: THREADS 'STEP' [OPTION...]
together() {
  awk -v n="$1" -v step="$2" 'BEGIN { for (i = 0; i < n; i++) printf "thread %d on core %d: %s\n", i, i, step }' >"$dir/scenario"
  shift 2
  "$pmon" machine run --preset "$platform" "$@" --scenario "$dir/scenario" 2>"$dir/errors" |
    awk '{ gsub(",", "") } $1 == "simulated_fs" { t = $2 } $1 == "cas_reads" { reads = $NF } $1 == "cas_writes" { writes = $NF }
      $1 == "tor.DRD.miss.local" { misses = $2; next } misses && !life && $1 == "life_fs" { life = $2 }
      END { printf "%.1f %.1f %.1f", (reads + writes) * 64e6 / t, misses ? life / misses * 1e-6 : 0, reads * 64e6 / t }'
}
# True if the table NAME is selected.
asked() {
  case " ${ONLY-latency loaded stream transfer remote search} " in *" $1 "*) return 0 ;; esac
  return 1
}
# Prints a table's header.
head_row() {
  row "$@"
  printf '|'
  printf '%.0s---|' "$@"
  echo
}
row() {
  printf '|'
  printf ' %s |' "$@"
  echo
}
# Prints options for caches so small that a program with little memory misses them.
small() {
  if [ "$platform" = emr ]; then echo '--set l2.size=128K --set llc.size=20K'; else echo '--set l2.size=128K --set llc.size=160K'; fi
}

# Up to 16 MB: a list of chase.c. Above: the chain of probe.c. While the caches have room for all lines, it passes
# through each line once before it is measured. For larger memory, one line of each page is read before: the lines that
# are then measured are not in the caches either way.
latency() {
  head_row size "ns, $platform"
  caches=$([ "$platform" = emr ] && echo 262144 || echo 16384)
  for kilobytes in 4 16 32 64 256 1024 2048 4096 16384 65536 262144 524288 1048576 4194304; do
    bytes=$((kilobytes * 1024))
    if [ $kilobytes -le 16384 ]; then
      ns=$(step_ns 20000 120000 -- "$chase" $bytes STEPS)
    elif [ $kilobytes -le "$caches" ]; then
      ns=$(step_ns 20000 120000 -- "$probe" latency $bytes 1 STEPS)
    else
      ns=$(step_ns 20000 120000 -- "$probe" latency $bytes 0 STEPS)
    fi
    row "$kilobytes KB" "$ns"
  done
}
# Threads that read in large pages, without prefetchers: live, and in a scenario.
loaded() {
  head_row 'threads that read' "live, GB/s and ns, $platform" 'scenario'
  for n in $1; do
    # shellcheck disable=SC2046
    live=$([ "$n" -gt 16 ] || live read 1 "$n" --set sockets=1 --set prefetch=off --set pages=2M $(small))
    read=$(together "$n" 'stream read 1M stride 64' --set sockets=1 --set prefetch=off --set pages=2M)
    row "$n" "${live:--}" "${read% *}"
  done
}
# STREAM's kernels as STREAM counts bytes (without reads for ownership), live; two of them in scenarios.
stream() {
  head_row "threads, GB/s, $platform" read copy scale add triad 'read, scenario' 'copy, scenario'
  for n in $1; do
    # shellcheck disable=SC2046
    set -- $([ "$n" -gt 16 ] && echo - 0 - 0 - 0 - 0 - 0 || {
      for kernel in 'read 1' 'copy 0.66667' 'scale 0.66667' 'add 1' 'triad 1'; do
        live ${kernel% *} ${kernel#* } "$n" --set sockets=1 $(small)
        echo
      done
    }) $(together "$n" 'stream read 512K stride 64' --set sockets=1 $(small)) \
      $(together "$n" 'copy 256K' --set sockets=1 $(small))
    row "$n" "$1" "$3" "$5" "$7" "$9" "${11}" "$(awk -v memory="${14}" 'BEGIN { printf "%.1f", memory * 2 / 3 }')"
  done
}
# Prints the ns of an access to a line that a core has modified, from the time of 512 more lines: HOME OWNER READER
# STEP. The page's first reader is at its home. In scenarios, because the start-up of a program varies from run to run
# by the time of thousands of such loads.
moved_ns() {
  for size in 32K 64K; do
    {
      echo "thread 0 on core $1: stream read 64K stride 64 shared a"
      echo "thread 1 on core $2: sleep 50us"
      echo "thread 1 on core $2: stream write 64K stride 64 shared a"
      echo "thread 2 on core $3: sleep 200us"
      echo "thread 2 on core $3: $4 $size ${5-} shared a"
    } >"$dir/scenario"
    account simulated_fs --set prefetch=off --set upi.power=full --set dtlb.miss=0 --set core.mlp=1 --scenario "$dir/scenario"
  done | awk 'NR == 1 { t = $1 } END { if (NR == 2) printf "%.1f", ($1 - t) / 512 * 1e-6 }'
}
transfer() {
  head_row "a line that a core has modified, $platform" 'load, ns' 'load and store, ns'
  while read -r home owner reader what; do
    row "$what" "$(moved_ns "$home" "$owner" "$reader" chase)" \
      "$(moved_ns "$home" "$owner" "$reader" 'stream modify' 'stride 64')"
  done <<CORES
0 0 1 same socket
0 0 $(($1 - 1)) same socket, farthest core
0 0 $1 other socket, home of the line
$1 0 $1 other socket, the home is the reader's
CORES
}
remote() {
  head_row "the other socket's memory, $platform" value
  # shellcheck disable=SC2046
  {
    row 'a load, ns' "$(step_ns 2000 52000 --set numa=bind:1 -- "$probe" latency 0x40000000 0 STEPS)"
    row 'reads of one thread, GB/s' "$(rate read 1 $(small) --set numa=bind:1)"
    all=$(together "$1" 'stream read 512K stride 64' $(small) --set numa=bind:1)
    row "reads of $1 threads, GB/s" "${all##* }"
  }
}
search() {
  head_row numbers "ns a search, $platform" 'wrong predictions' 'without a branch, ns'
  for n in 256 4096 65536 1048576; do
    set -- "$(account 'simulated_fs branch_misses' -- "$probe" search $n 2000)" \
      "$(account 'simulated_fs branch_misses' -- "$probe" search $n 12000)" \
      "$(step_ns 2000 12000 -- "$probe" search-even $n STEPS)"
    echo "$*" | awk -v n=$n '{ printf "| %d | %.1f | %.1f | %.1f |\n", n, ($3 - $1) / 10000 * 1e-6, ($4 - $2) / 10000, $5 }'
  done
}

for platform in ${PLATFORMS-emr snbep}; do
  if [ "$platform" = emr ]; then threads='1 2 4 8 16 32 64' readers='1 2 4 8 16 24 32 40 48 56 64' cores=64; else threads='1 2 4 8' readers='1 2 4 6 8' cores=8; fi
  for table in latency loaded stream transfer remote search; do
    asked $table || continue
    case $table in
      loaded) loaded "$readers" ;;
      stream) stream "$threads" ;;
      transfer | remote) $table $cores ;;
      *) $table ;;
    esac
    echo
  done
done
