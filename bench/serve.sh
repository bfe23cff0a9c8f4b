#!/bin/sh
# SPDX-License-Identifier: MIT
# Compares the cost of serving a server's counters: `pmon exporter` and `pcm-sensor-server` in one guest on the emulated
# E5-2600 with two sockets. Each is scraped twenty times, once a second of the guest's time. The table has the processor
# time and the register accesses of a scrape, the memory, the size of an answer, and the memory traffic that each
# reports. That traffic is known: between the first and the second scrape, 1,048,576 lines are read in each of two
# channels.
# The guest's clock follows its instructions, so that nothing depends on the host's load.
# pmon is measured with its default series, which are multiplexed there in two rounds, and with series that fit into
# one.
# Usage: serve.sh QEMU [PMON]     (a QEMU that vm/qemu/build.sh made; scripts/qemu.sh prints its path)
set -u
qemu=${1:?usage: serve.sh QEMU [PMON]}
pmon=${2:-${BUILD:-$(dirname "$0")/../build}/pmon}
for tool in "$qemu" busybox pcm-sensor-server wrmsr; do
  command -v "$tool" >/dev/null || { echo "SKIPPED: $tool is not here"; exit 0; }
done
# pmon loads the library when it serves.
http=$(ldconfig -p | sed -n 's/.*libmicrohttpd.so.12 .*=> //p' | head -n 1)
[ -n "$http" ] || { echo "SKIPPED: libmicrohttpd is not here"; exit 0; }
PATH=$(dirname "$(realpath "$pmon")"):$PATH
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT

# Only pmon-step advances the machine's time: the first step passes the first part, the next one the second.
for part in 1 2 3; do
  for channel in imc0 imc2; do
    echo "inject $channel CAS_COUNT.RD 1048576 socket 0 at $((part * 100 - 50))us"
  done
done >"$dir/traffic.scn"

# A write to a filter that no tool uses marks where a phase begins in the log.
cat >"$dir/script" <<'END'
ip link set lo up
export PCM_NO_PERF=1
# Prints the processor time in hundredths of a second of all processes with a name.
spent() { for p in $(pidof "$1"); do cut -d ' ' -f 14,15 /proc/$p/stat; done | awk '{ n += $1 + $2 } END { print n + 0 }'; }
resident() { for p in $(pidof "$1"); do awk '$1 == "VmRSS:" { print $2 }' /proc/$p/status; done | sort -n | tr '\n' '+'; }
serve() { # NAME PORT MARK COMMAND...; NAME is the column: pmon, one or pcm
  name=$1 url=http://127.0.0.1:$2/metrics mark=$3
  rm -f /tmp/first /tmp/second /tmp/last
  shift 3
  program=$1
  "$@" >/tmp/$name.log 2>&1 &
  for i in $(seq 30); do sleep 1; wget -q -O /tmp/first $url 2>/dev/null && break; done
  sleep 3
  wget -q -O /tmp/first $url
  pmon-step 100000
  sleep 3
  wget -q -O /tmp/second $url
  before=$(spent $program)
  wrmsr 0xc34 $mark
  for i in $(seq 20); do sleep 1; wget -q -O /tmp/last $url; done
  wrmsr 0xc34 0xff
  echo cost $name $(($(spent $program) - before)) $(resident $program) $(wc -c </tmp/last) $(grep -vc '^#' /tmp/last)
  sed "s/^/first $name /" /tmp/first
  sed "s/^/second $name /" /tmp/second
  kill $!
  wait $!
  [ -s /tmp/first ] || sed "s/^/failed $name /" /tmp/$name.log
}
serve pmon 9001 0x11 pmon exporter --listen 127.0.0.1:9001
serve one 9002 0x12 pmon exporter --listen 127.0.0.1:9002 -m MEM_READ_BANDWIDTH,MEM_WRITE_BANDWIDTH,QPI_DATA_SENT_BANDWIDTH,\
QPI_DATA_RECEIVED_BANDWIDTH,PKG_ENERGY_JOULES,DRAM_ENERGY_JOULES,UNCORE_FREQUENCY,INSTRUCTIONS
serve pcm 9003 0x13 pcm-sensor-server -p 9003
END
"$pmon" vm -p snbep --qemu "$qemu" --sockets 2 --instruction-ns 4 --timeout 900 --scenario "$dir/traffic.scn" --log "$dir/log" \
  --with pmon --with "$http" --with pcm-sensor-server -- sh -c "$(cat "$dir/script")" >"$dir/out" 2>"$dir/errors"
result=$?
if [ $result -eq 3 ]; then cat "$dir/errors"; echo "SKIPPED: no kernel, or not this QEMU"; exit 0; fi
grep -q '^cost pcm ' "$dir/out" || { cat "$dir/out" "$dir/errors"; exit 1; }
[ -z "${KEEP-}" ] || cp "$dir/out" "$dir/log" "$KEEP"

awk '$2 == "write" && $5 == "0xc34" && $NF ~ /^0x(11|12|13|ff)$/ { mark = $NF; next }
     $2 == "read" || $2 == "write" { n[mark]++ }
     END { print "accesses pmon", n["0x11"] + 0; print "accesses one", n["0x12"] + 0; print "accesses pcm", n["0x13"] + 0 }' "$dir/log" >"$dir/accesses"
awk '
# True for the bytes read from memory of socket 0, where the traffic is.
function bytes(line) { return line ~ /pmon_memory_read_bytes_total\{.*socket="0"/ || line ~ /^DRAM_Reads\{socket="0"/ }
$1 == "accesses" { accesses[$2] = $3 }
$1 == "cost" { spent[$2] = $3; memory[$2] = $4; size[$2] = $5; series[$2] = $6 }
$1 == "first" || $1 == "second" {
  name = $2
  line = $0
  sub(/^[a-z]+ [^ ]+ /, "", line)
  if (bytes(line)) sum[$1, name] += $NF
}
END {
  n = split("pmon one pcm", names, " ")
  row("", "%18s", "pmon", "pmon, one round", "pcm-sensor-server")
  row("of a core, %, at one scrape a second", "%18.2f", spent["pmon"] / 20, spent["one"] / 20, spent["pcm"] / 20)
  row("register accesses a second", "%18.0f", accesses["pmon"] / 20, accesses["one"] / 20, accesses["pcm"] / 20)
  row("resident, KB, each process", "%18s", memory["pmon"], memory["one"], memory["pcm"])
  row("bytes of an answer", "%18d", size["pmon"], size["one"], size["pcm"])
  row("series", "%18d", series["pmon"], series["one"], series["pcm"])
  for (i = 1; i <= n; i++) got[i] = sum["second", names[i]] - sum["first", names[i]]
  row("bytes read, of 134,217,728", "%18.0f", got[1], got[2], got[3])
  exit got[2] != 134217728
}
function row(what, form, a, b, c) { printf "%-38s" form form form "\n", what, a, b, c }
' "$dir/accesses" "$dir/out"
