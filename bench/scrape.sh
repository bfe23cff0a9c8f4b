#!/bin/sh
# SPDX-License-Identifier: MIT
# Measures the cost of a scrape: the default series of an emulated server with two sockets, scraped 2,000 times over one
# connection in each text format, and over 200 connections of one scrape each. Prints the time that a client waits, the
# network process' processor time, and both processes' memory. The machine's own simulation rests meanwhile.
# Usage: scrape.sh [PLATFORM [PMON]]
set -u
platform=${1-emr}
pmon=$(realpath "${2-build/pmon}")
command -v python3 >/dev/null || { echo "SKIPPED: no python3" >&2; exit 77; }
work=$(mktemp -d) || exit 1
exporter=
trap '[ -z "$exporter" ] || kill $exporter; wait; rm -rf "$work"' EXIT
cd "$work" || exit 1
{
  echo 'thread 0 on core 0: stream past-caches 1M stride 64'
  echo 'thread 0 on core 0: sleep 200ms'
} >s.scn
"$pmon" -p "$platform" exporter --listen unix:socket --scenario s.scn -I 100ms 2>err &
exporter=$!
python3 - $exporter "$platform" <<'PY'
import os, re, socket, statistics, sys, time

exporter, platform = int(sys.argv[1]), sys.argv[2]
TEXTS = {'Prometheus': 'text/plain', 'OpenMetrics': 'application/openmetrics-text'}


def connect():
    s = socket.socket(socket.AF_UNIX)
    s.connect('socket')
    return s


def get(s, accept):
    """Returns the seconds until an answer is complete, and its text."""
    begin = time.perf_counter()
    s.sendall(f'GET /metrics HTTP/1.1\r\nHost: x\r\nAccept: {accept}\r\n\r\n'.encode())
    answer, size = b'', None
    while size is None or len(answer) < size:
        answer += s.recv(1 << 17)
        end = answer.find(b'\r\n\r\n')
        if end >= 0:
            size = end + 4 + int(re.search(rb'(?i)content-length: (\d+)', answer)[1])
    return time.perf_counter() - begin, answer[end + 4:].decode()


def spent(pid):
    with open(f'/proc/{pid}/stat') as f:
        return sum(map(int, f.read().rsplit(')', 1)[1].split()[11:13])) / os.sysconf('SC_CLK_TCK')


def resident(pid):
    with open(f'/proc/{pid}/status') as f:
        return int(re.search(r'VmRSS:\s+(\d+)', f.read())[1]) / 1024


while True:
    try:
        if 'pmon_measuring 0' in get(connect(), 'text/plain')[1]:
            break
    except (OSError, TypeError):
        os.kill(exporter, 0)
    time.sleep(0.1)
with open(f'/proc/{exporter}/task/{exporter}/children') as f:
    network = int(f.read().split()[0])
for name, accept in TEXTS.items():
    s, before = connect(), spent(network)
    times = sorted(get(s, accept)[0] for _ in range(2000))
    text = get(s, accept)[1]
    print(f'{platform}, {name}: {sum(not l.startswith("#") for l in text.splitlines())} series, {len(text)} bytes; '
          f'scrape median {statistics.median(times) * 1e3:.2f} ms, 99 % {times[1980] * 1e3:.2f} ms, longest '
          f'{times[-1] * 1e3:.1f} ms; processor time {(spent(network) - before) / 2000 * 1e6:.0f} us each')
times = sorted(get(connect(), 'text/plain')[0] for _ in range(200))
print(f'a connection each: median {statistics.median(times) * 1e3:.2f} ms, longest {times[-1] * 1e3:.1f} ms')
print(f'network process {resident(network):.1f} MB; reading process {resident(exporter):.1f} MB, with the emulated machine')
PY
