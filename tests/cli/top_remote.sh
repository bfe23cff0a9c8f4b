#!/bin/sh
# SPDX-License-Identifier: MIT
# `pmon top http://...` in a real terminal: the values of an exporter whose scenario has known traffic; of a server with
# given numbers (rates, counts, gauges, a restart, no values); and servers that are not exporters. Usage: top_remote.sh
# PMON
pmon=$(realpath "$1")
for tool in curl python3; do
  command -v $tool >/dev/null || { echo "SKIPPED: no $tool" >&2; exit 77; }
done
tests=$(realpath "$(dirname "$0")/..")
. "$tests/cli/terminal.sh"
children=
trap 'mux kill-server 2>/dev/null; kill $children 2>/dev/null; rm -rf "$work"' EXIT # timeout forwards the signal

# 5 GB/s into stack 2, for longer than the test runs.
printf 'dma write 5GB/s stack 2 port 1 for 1s\n' >s.scn
port=$(python3 "$tests/exporter/ports.py" $$)
timeout -s KILL 500 "$pmon" -p emr exporter --listen "127.0.0.1:$port" --scenario s.scn -I 10us \
  -m IIO_MEM_WRITE_BANDWIDTH,MEM_WRITE_BANDWIDTH >out 2>err &
children=$!
tries=0
until curl -s --max-time 60 "http://127.0.0.1:$port/" >/dev/null; do
  kill -0 "$children" 2>/dev/null && [ $tries -lt 1200 ] || { complain "no exporter: $(cat err)"; exit 1; }
  tries=$((tries + 1))
  timeout 0.05 tail -f /dev/null
done
start 120 40 C.UTF-8 "'$pmon' top -I 1s http://127.0.0.1:$port"
await 'EMULATED emr'
# The rate covers as many intervals as end between two requests: the fewer there are, the more a line at their ends
# changes it.
rate='(4\.99|5\.00)[0-9] GB/s'
holds 'not by socket' like "IIO_MEM_WRITE_BANDWIDTH .*$rate .* 0 B/s .*$rate"
mux send-keys Enter
await 'Source: '
mux send-keys q
await 'status 0'

# The answers of the server: first nothing is measured; then totals grow by known amounts in half a second. The totals
# begin, and restart, when there is a file "begin", which the server removes.
cat >server.py <<'PY'
import http.server, json, os, sys
requests, before = 0, None
def answer(k):
    global before
    if os.path.exists('begin'):
        before = k - 1
        os.remove('begin')
    if before is None:
        return None
    def one(source, kind, unit, value, package=0, instance=None, of=None, valid=True, reason=''):
        return {'name': 'x', 'source': source, 'package': package, 'instance': instance, 'kind': kind, 'unit': unit,
                'instance_unit': of, 'value': value, 'standard_error': 0, 'valid': valid, 'reason': reason}
    t = k - before
    return {'platform': 'somebody\x1b[31melse', 'backend': 'direct', 'emulated': False, 'intervals': t, 'seconds': t * 0.5, 'series': [
        one('RATE', 'rate', 'bytes/s', 1e9 * t, 0, 0, 'imc'), one('RATE', 'rate', 'bytes/s', 2e9 * t, 0, 1, 'imc'),
        one('RATE', 'rate', 'bytes/s', 0.25e9 * t, 1, 0, 'imc'), one('COUNT', 'count', '', 600 * t),
        one('ENERGY', 'count', 'J', 60 * t), one('GAUGE', 'gauge', 'Hz', 2.2e9, 0), one('GAUGE', 'gauge', 'Hz', 1.8e9, 1),
        one('GONE', 'rate', 'bytes/s', 7, 0, None, None, False, 'the unit is off')]}
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        global requests
        requests += 1
        if self.path == '/json':
            body = answer(requests)
            data = json.dumps(body).encode() if body else b''
            code = 200 if body else 503
        else:
            code, data = 200, {'/none/json': b'{"series": 3}', '/deep/json': b'[' * 200000, '/large/json': b' ' * (7 << 20),
                               '/many/json': json.dumps({'platform': 'x', 'seconds': 1, 'series': [{}] * 9000}).encode(),
                               '/names/json': json.dumps({'platform': 'x', 'seconds': requests, 'series': [
                                   {'source': f'NAME{i:04}', 'kind': 'gauge', 'unit': 'Hz', 'package': i % 64, 'value': requests * 1e9,
                                    'valid': True} for i in range(8192)]}).encode(),
                               '/odd/json': json.dumps({'platform': 5, 'seconds': 1, 'series': [5, None, {'package': -1, 'instance': 1e300, 'source': {}}]}).encode(),
                               '/text/json': b'hello'}.get(self.path, b'')
            if not data:
                code = 404
        try:
            self.send_response(code)
            self.end_headers()
            self.wfile.write(data)
        except OSError:
            pass
    def log_message(self, *a):
        pass
server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Handler)
print(server.server_address[1], flush=True)
server.serve_forever()
PY
timeout -s KILL 500 python3 server.py >port 2>server.err &
children="$children $!"
tries=0
until [ -s port ] || [ $tries -ge 1200 ]; do tries=$((tries + 1)); timeout 0.05 tail -f /dev/null; done
port=$(cat port)
start 140 40 C.UTF-8 "'$pmon' top -I 300ms http://127.0.0.1:$port/"
await 'nothing is measured yet'
touch begin
await 'RATE'
await '6.500 GB/s'
for line in 'RATE  *6.000 GB/s  *500 MB/s  *6.500 GB/s' 'COUNT .* 1.200 k/s' 'ENERGY .* 120 W' 'GAUGE  *2.200 GHz  *1.800 GHz  *no data' \
  'GONE .*no data'; do
  holds "not shown: $line" like "$line"
done
holds "hardware is called emulated" unlike EMULATED
holds "an escape sequence reached the terminal" unlike "somebody$(printf '\033')" -e
mux send-keys u
await 'socket 0 imc 1      4.000 GB/s'
# After the restart the totals are smaller: no value is below 0, and values return.
touch begin
begun_anew() { [ ! -e begin ]; }
holds 'the exporter is not asked again' begun_anew
tries=0
while [ $tries -lt 60 ]; do
  tries=$((tries + 1))
  like ' -[0-9]' && complain "below 0: $(screen)"
  timeout 0.05 tail -f /dev/null
done
await 'socket 0 imc 1      4.000 GB/s'
mux send-keys q
await 'status 0'

# Servers that are not exporters: one message each, without a terminal.
for trial in 'none:not a response of pmon exporter' 'deep:not a response' 'large:larger than 6 MB' 'many:more than 8192 series' 'text:not a response' \
  'missing:HTTP status 404'; do
  timeout 600 "$pmon" top "http://127.0.0.1:$port/${trial%%:*}" </dev/null >out 2>err
  status=$?
  [ $status -eq 1 ] && grep -q "${trial#*:}" err || complain "$trial: status $status, $(cat err)"
done
start 100 30 C "'$pmon' top -I 300ms http://127.0.0.1:$port/odd"
await 'F1 help'
mux send-keys q
await 'status 0'
# Series of many names and packages: an answer takes a fraction of a second of processor time, not 20 s.
start 140 30 C "sh -c \"ulimit -t 30; exec '$pmon' top -I 300ms http://127.0.0.1:$port/names\""
last=
for i in 1 2 3; do
  holds 'a name is not shown' like 'NAME0000 *[0-9.]* GHz'
  shown=$(screen | grep -o 'NAME0000 *[0-9.]* GHz')
  tries=0
  while [ "$shown" = "$last" ] && [ $tries -lt 1200 ]; do
    tries=$((tries + 1))
    timeout 0.05 tail -f /dev/null
    shown=$(screen | grep -o 'NAME0000 *[0-9.]* GHz')
  done
  last=$shown
done
mux send-keys q
await 'status 0'
"$pmon" top http://127.0.0.1:1 </dev/null 2>err
[ $? -eq 1 ] && grep -q 'http://127.0.0.1:1: .*connect.*; start `pmon exporter --listen HOST:PORT` on that server' err || complain "no server: $(cat err)"
"$pmon" top -g MEM http://127.0.0.1:1 </dev/null 2>err
[ $? -eq 2 ] && grep -q 'omit -e, -m and -g' err || complain "a group: $(cat err)"
exit $failed
