#!/bin/sh
# SPDX-License-Identifier: MIT
# Rates that result from several units together: prefetchers and fill buffers of a core, batches of writes of a memory
# channel.
# usage: rates.sh PMON
set -u
pmon=$1
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
bad=0

# prints a total of the last run, over all sockets
total() { awk -v name="$1" '$1 == name { v = $NF; gsub(",", "", v); print v }' "$dir/out"; }
run() {
  timeout -s KILL 600 "$pmon" machine run --scenario "$dir/scenario" "$@" >"$dir/out" 2>"$dir/errors" ||
    { cat "$dir/errors"; bad=1; }
}
check() { awk -v what="$1" "BEGIN { ok = $2; print (ok ? \"ok\" : \"WRONG\") \": \" what \" ($2)\"; exit !ok }" || bad=1; }
threads() {
  thread=0
  while [ $thread -lt "$1" ]; do
    echo "thread $thread on core $thread: $2"
    thread=$((thread + 1))
  done >"$dir/scenario"
}

# A slow walk through lines in L2: L1's prefetcher fetches almost all of them in time.
threads 1 'stream read 256K stride 64 times 4'
run --set sockets=1 --set cores=1 --set chas=1 --set core.cpi=10
ahead=$(total read_l1_misses)
run --set sockets=1 --set cores=1 --set chas=1 --set core.cpi=10 --set prefetch.l1=off
check 'without prefetch.l1 each line misses L1' "$(total read_l1_misses) == 16384"
check 'with it few do' "$ahead < 16384 / 20"

# One thread reads at least as fast as it writes, eight bytes at a time; reads by lines are faster with the next-page
# prefetcher than without.
for preset in emr snbep; do
  threads 1 'stream read 4M stride 64'
  run --preset $preset
  reads=$(total simulated_fs)
  run --preset $preset --set prefetch.next_page=off
  alone=$(total simulated_fs)
  threads 1 'stream read 4M stride 8'
  run --preset $preset
  eights=$(total simulated_fs)
  threads 1 'stream write 4M stride 8'
  run --preset $preset
  check "$preset: reads are not slower than writes" "$eights <= $(total simulated_fs) * 1.01"
  [ $preset = snbep ] || check "$preset: pages in a row are faster" "$reads < $alone * 0.85"
done

# The more threads read, the longer a read miss occupies the CHA's TOR, and the less bandwidth each further thread adds.
latency() { awk '$1 == "tor.DRD.miss.local" { n = $2 } n && $1 == "life_fs" { gsub(",", "", n); gsub(",", "", $2)
  printf "%.1f", $2 / n * 1e-6; exit }' "$dir/out"; }
before=0 rate_before=0
for n in 1 16 32 48 64; do
  threads $n 'stream read 256K stride 64'
  run --set sockets=1 --set prefetch=off --set pages=2M
  now=$(latency) rate=$(awk "BEGIN { printf \"%.1f\", $(total cas_reads) * 64e6 / $(total simulated_fs) }")
  check "$n threads: $now ns at $rate GB/s" "$now > $before && $rate > $rate_before && $rate < 358.4"
  [ $n -gt 1 ] || one=$now
  before=$now rate_before=$rate
done
check '64 threads wait about 1.7 times as long as one' "$now > 1.5 * $one && $now < 3 * $one"

# Loads and stores of the same lines by many threads: reads and writes alternate on the bus in batches.
mixed() {
  least=$1 peak=$2
  shift 2
  run --set sockets=1 "$@"
  reads=$(total cas_reads) writes=$(total cas_writes) time=$(total simulated_fs)
  check "$* carries more than $least of its peak" "($reads + $writes) * 64 / ($time * 1e-6) > $least * $peak"
  check 'each command column hits a row or opens one' "$reads + $writes == $(total row_hits) + $(total activates)"
  check 'each write of the queue reaches memory' "$writes == $(total wpq_inserts)"
}
threads 24 'stream modify 512K stride 64'
for pages in 4K 2M; do
  mixed 0.72 89.6 --set cores=24 --set chas=16 --set imcs=1 --set llc.size=64K --set llc.ways=16 --set l2.size=128K \
    --set pages=$pages
done
run --set sockets=1 --set cores=24 --set chas=16 --set imcs=1 --set llc.size=64K --set llc.ways=16 --set l2.size=128K \
  --set pages=2M --set dram.twtr_s=50
slow=$(total simulated_fs)
check 'turning from writes to reads takes dram.twtr_s' "$slow > $time"
threads 8 'stream modify 512K stride 64'
for pages in 4K 2M; do
  mixed 0.78 51.2 --preset snbep --set llc.size=160K --set pages=$pages
done

# Lines of one row of DDR3 follow each other without gaps (tCCD is one burst): a stream uses one bank after the other.
threads 1 'stream read 4M stride 64'
run --preset snbep --set sockets=1 --set channels=1
check 'rows of one channel carry more than 0.8 of its peak' \
  "$(total cas_reads) * 64 / ($(total simulated_fs) * 1e-6) > 0.8 * 12.8"

# A scenario's own setting takes precedence over a preset behind it; a later value replaces the setting.
threads 1 'stream read 64K stride 64'
run --preset snbep --set sockets=1 --set dram.cl=100
slow=$(total simulated_fs)
echo 'set sockets=1 dram.cl=100' >>"$dir/scenario"
run --preset snbep
check 'a preset keeps what the scenario sets' "$(total simulated_fs) == $slow"
run --preset snbep --set dram.cl=13.75
check 'a value behind the scenario replaces it' "$(total simulated_fs) < $slow"
exit $bad
