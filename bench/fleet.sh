#!/bin/sh
# SPDX-License-Identifier: MIT
# A fleet of emulated servers under one real Prometheus: one process (fleet.c), in which each server has a machine, a
# session, the exporter's HTTP server with an address of its own on the loopback interface (127.1.0.2, 127.1.0.3 ...), a
# host label and a load; platforms alternate. Checks that every server is scraped and reports the bytes that were
# written there, and prints the cost. Usage: fleet.sh [SERVERS [BENCH_FLEET]]
set -u
servers=${1-200}
fleet=$(realpath "${2-build/bench/bench_fleet}") ports=$(realpath "$(dirname "$0")/../tests/exporter/ports.py")
for tool in prometheus curl python3; do
  command -v $tool >/dev/null || { echo "SKIPPED: no $tool" >&2; exit 77; }
done
work=$(mktemp -d) || exit 1
started=
trap 'kill $started 2>/dev/null; wait 2>/dev/null; rm -rf "$work"' EXIT
cd "$work" || exit 1
port=$(python3 "$ports" $$)
intervals=4 bytes=65536   # a server of load 1 writes twenty times `bytes`
{
  echo 'global: {scrape_interval: 5s, scrape_timeout: 4s}'
  echo 'scrape_configs:'
  echo '  - job_name: pmon'
  echo '    static_configs:'
  i=0
  while [ $i -lt "$servers" ]; do
    i=$((i + 1))
    platform=emr
    [ $((i % 4)) -ne 0 ] || platform=snbep
    address=127.1.$((i / 250)).$((i % 250 + 1)) load=$((i % 3 + 1))
    echo "      - {targets: ['$address:$port'], labels: {host: 'server$i', platform: $platform, load: '$load'}}"
  done
} >prometheus.yml
nice -n 10 timeout 900 "$fleet" "$servers" "$port" $intervals $bytes </dev/null >fleet.out 2>fleet.err &
fleet=$!
started="$started $fleet"
server=$(python3 "$ports" $$)
prometheus --config.file=prometheus.yml --storage.tsdb.path=data --web.listen-address="127.0.0.1:$server" </dev/null >prometheus.log 2>&1 &
prometheus=$!
started="$started $prometheus"

python3 - "$server" "$servers" "$prometheus" "$fleet" $((20 * bytes)) <<'PY'
import json, os, sys, time, urllib.parse, urllib.request

port, servers, pid, fleet, expected = (int(a) for a in sys.argv[1:])


def query(text):
    url = f'http://127.0.0.1:{port}/api/v1/query?query=' + urllib.parse.quote(text)
    try:
        with urllib.request.urlopen(url, timeout=60) as answer:
            return json.load(answer)['data']['result']
    except OSError:
        return []


def one(text):
    result = query(text)
    return float(result[0]['value'][1]) if result else 0


def status(process, key):
    process = next(iter(children(process)), process)
    with open(f'/proc/{process}/status') as file:
        return int(next(line for line in file if line.startswith(key)).split()[1])


def children(process):  # of timeout: the command that it limits
    with open(f'/proc/{process}/task/{process}/children') as file:
        return [int(c) for c in file.read().split()]


deadline = time.monotonic() + 300 + 3 * servers
while one('count(pmon_measuring == 0)') < servers or one('min(up)') != 1:
    if time.monotonic() > deadline or not os.path.exists(f'/proc/{fleet}'):
        sys.exit(f'fleet: {one("count(pmon_measuring == 0)"):.0f} of {servers} servers have ended and were scraped: ' +
                 open('fleet.err').read())
    time.sleep(0.5)
assert one('count(count by (host) (pmon_info))') == servers
assert one('max(scrape_samples_scraped)')
# The written bytes are known: exactly on Emerald Rapids but for page tables; with the gaps of multiplexing on the
# E5-2600.
for r in query('sum by (host, platform, load) (pmon_memory_written_bytes_total)'):
    wanted, slack = expected * int(r['metric']['load']), 0.002 if r['metric']['platform'] == 'emr' else 0.03
    assert wanted * (1 - slack) <= float(r['value'][1]) <= wanted * (1 + slack), (r, wanted)
print(f'servers {servers} in one process of {status(fleet, "VmRSS") >> 10} MB, {status(fleet, "Threads")} threads; '
      f'series {one("sum(scrape_samples_scraped)"):.0f}, '
      f'per server: emr {one("max(scrape_samples_scraped{platform=" + chr(34) + "emr" + chr(34) + "})"):.0f}, '
      f'snbep {one("max(scrape_samples_scraped{platform=" + chr(34) + "snbep" + chr(34) + "})"):.0f}')
print(f'scrape: median {one("quantile(0.5, scrape_duration_seconds)") * 1e3:.1f} ms, '
      f'longest {one("max(scrape_duration_seconds)") * 1e3:.1f} ms; Prometheus: {status(pid, "VmRSS") >> 10} MB')
PY
