#!/bin/sh
# SPDX-License-Identifier: MIT
# A fleet of emulated servers under one real Prometheus: each has an exporter with an address of its own on the loopback
# interface (127.1.0.1, 127.1.0.2 ...), a host label and a load; platforms alternate. Checks that every server is scraped and
# that servers of more load have the higher counters, and prints what it costs. Usage: fleet.sh [SERVERS [PMON]]
set -u
servers=${1-200}
pmon=$(realpath "${2-build/pmon}")
for tool in prometheus curl python3; do
  command -v $tool >/dev/null || { echo "SKIPPED: no $tool" >&2; exit 77; }
done
work=$(mktemp -d) || exit 1
started=
# timeout passes SIGTERM on; SIGKILL would leave its exporter.
trap 'kill $started 2>/dev/null; wait 2>/dev/null; rm -rf "$work"' EXIT
cd "$work" || exit 1
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.1.0.1", 0)); print(s.getsockname()[1])')

# Load 1, 2 or 3: MiB that are written past the caches in a tenth of a second; a second of it, then the values remain.
for load in 1 2 3; do
  for _ in 1 2 3 4; do
    echo "thread 0 on core 0: stream past-caches ${load}M stride 64"
    echo 'thread 0 on core 0: sleep 100ms'
  done >"load$load.scn"
done
{
  echo 'global: {scrape_interval: 5s, scrape_timeout: 4s}'
  echo 'scrape_configs:'
  echo '  - job_name: pmon'
  echo '    static_configs:'
} >prometheus.yml
# Nothing of this waits: exporters start one after another, and Prometheus finds them when they are there.
i=0
while [ $i -lt "$servers" ]; do
  i=$((i + 1))
  address=127.1.$((i / 250)).$((i % 250 + 1)) load=$((i % 3 + 1)) platform=emr
  [ $((i % 4)) -ne 0 ] || platform=snbep
  timeout -s KILL 900 nice -n 10 "$pmon" -p $platform exporter --listen "$address:$port" --scenario load$load.scn -I 100ms </dev/null >/dev/null 2>"err$i" &
  started="$started $!"
  echo "      - {targets: ['$address:$port'], labels: {host: 'server$i', platform: $platform, load: '$load'}}" >>prometheus.yml
done
server=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
prometheus --config.file=prometheus.yml --storage.tsdb.path=data --web.listen-address="127.0.0.1:$server" </dev/null >prometheus.log 2>&1 &
prometheus=$!
started="$started $prometheus"

python3 - "$server" "$servers" "$prometheus" <<'PY'
import json, sys, time, urllib.parse, urllib.request

port, servers, pid = int(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])


def query(text):
    url = f'http://127.0.0.1:{port}/api/v1/query?query=' + urllib.parse.quote(text)
    try:
        with urllib.request.urlopen(url, timeout=20) as answer:
            return json.load(answer)['data']['result']
    except OSError:
        return []


def one(text):
    result = query(text)
    return float(result[0]['value'][1]) if result else 0


deadline = time.monotonic() + 30 + 3 * servers
while one('count(pmon_measuring == 0)') < servers:
    if time.monotonic() > deadline:
        sys.exit(f'fleet: {one("count(pmon_measuring == 0)"):.0f} of {servers} servers have ended and were scraped')
    time.sleep(0.5)
written = {int(r['metric']['load']): float(r['value'][1])
           for r in query('avg by (load) (sum by (host, load) (pmon_memory_written_bytes_total))')}
# The default series are multiplexed, so that bursts are estimates: a load of three times as much is distinct.
assert sorted(written) == [1, 2, 3] and written[1] < written[3], written
assert one('count(count by (host) (pmon_info))') == servers
memory = int(next(l for l in open(f'/proc/{pid}/status') if l.startswith('VmRSS')).split()[1])
print(f'servers {servers}, series {one("sum(scrape_samples_scraped)"):.0f}, '
      f'per server: emr {one("max(scrape_samples_scraped{platform=" + chr(34) + "emr" + chr(34) + "})"):.0f}, '
      f'snbep {one("max(scrape_samples_scraped{platform=" + chr(34) + "snbep" + chr(34) + "})"):.0f}')
print(f'scrape: median {one("quantile(0.5, scrape_duration_seconds)") * 1e3:.1f} ms, '
      f'longest {one("max(scrape_duration_seconds)") * 1e3:.1f} ms; Prometheus: {memory >> 10} MB')
print('bytes written per server by load:', {k: round(v) for k, v in sorted(written.items())})
PY
