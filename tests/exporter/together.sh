#!/bin/sh
# SPDX-License-Identifier: MIT
# All texts of an interval are published together: after one of them has been read, the others are at least as new; a
# ready server has all of them. Usage: together.sh PMON
pmon=$(realpath "$1")
command -v python3 >/dev/null || { echo "SKIPPED: no python3" >&2; exit 77; }
work=$(mktemp -d) || exit 1
exporter=
trap '[ -z "$exporter" ] || kill -9 "$exporter" 2>/dev/null; rm -rf "$work"' EXIT
cd "$work" || exit 1
# An interval every few milliseconds, with all default series.
for _ in $(seq 300); do echo 'thread 0 on core 0: sleep 1s'; done >s.scn
"$pmon" -p emr exporter --listen unix:socket --scenario s.scn -I 2ms </dev/null >out 2>err &
exporter=$!
timeout -s KILL 120 python3 - $exporter <<'PY' || { cat err; exit 1; }
import json, os, re, socket, sys

LOOKS, INTERVALS = 400, 30 # at least
TEXTS = (('/metrics', '*/*'), ('/metrics', 'application/openmetrics-text'), ('/json', '*/*'))


class Client:
    def __init__(self):
        self.socket, self.bytes = socket.socket(socket.AF_UNIX), b''
        self.socket.settimeout(60)
        self.socket.connect('socket')

    def answer(self):
        while True:
            end = self.bytes.find(b'\r\n\r\n')
            if end >= 0:
                size = end + 4 + int(re.search(rb'(?i)content-length: (\d+)', self.bytes)[1])
                if len(self.bytes) >= size:
                    break
            more = self.socket.recv(1 << 18)
            assert more, 'the connection has ended'
            self.bytes += more
        code, text = int(self.bytes.split(None, 2)[1]), self.bytes[end + 4:size].decode()
        self.bytes = self.bytes[size:]
        return code, text

    def get(self, *requests):
        """The answers of requests that are sent at once."""
        self.socket.sendall(b''.join(f'GET {path} HTTP/1.1\r\nHost: x\r\nAccept: {accept}\r\n\r\n'.encode()
                                     for path, accept in requests))
        return [self.answer() for _ in requests]


def intervals(text):
    if text.startswith('{'):
        return json.loads(text)['intervals']
    return int(re.search(r'^pmon_intervals_total (\d+)$', text, re.M)[1])


while True:
    try:
        client = Client()
        ready, (code, text) = client.get(('/-/ready', '*/*'), TEXTS[-1])
        if ready[0] == 200:
            break
    except OSError:
        os.kill(int(sys.argv[1]), 0)
assert code == 200, 'it is ready without JSON: ' + text
seen, looks = set(), 0
while looks < LOOKS or len(seen) < INTERVALS:
    numbers = [intervals(text) for _, text in client.get(*TEXTS)]
    assert numbers == sorted(numbers), f'texts of the intervals {numbers}, one after the other'
    seen.add(numbers[0])
    looks += 1
print(f'{len(seen)} intervals in {looks} looks')
PY
