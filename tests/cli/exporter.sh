#!/bin/sh
# SPDX-License-Identifier: MIT
# `pmon exporter`: the series of a scenario with known traffic, read back through a real Prometheus: with concurrent
# scrapers, after a restart, and when counters wrap; both text formats, addresses, refused requests, hostile clients,
# the exit. Usage: exporter.sh PMON SOURCE
pmon=$(realpath "$1")
source=$(realpath "$2") tests=$(realpath "$(dirname "$0")/..")
for tool in curl python3; do
  command -v $tool >/dev/null || { echo "SKIPPED: no $tool" >&2; exit 77; }
done
work=$(mktemp -d) || exit 1
exporter= prometheus=
trap '[ -z "$exporter" ] || kill $(pgrep -P "$exporter") 2>/dev/null; kill -9 $exporter $prometheus 2>/dev/null; rm -rf "$work"' EXIT
cd "$work" || exit 1
failed=0
complain() { echo "$*"; failed=1; }
# Seconds for which an exporter may run; the thread sanitizer needs more.
limit=${EXPORTER_SECONDS:-330}
# await SECONDS COMMAND...: waits until the command succeeds; fails at once if the exporter has exited. SECONDS apply to
# an idle host.
await() {
  tries=$(($1 * 20 * limit / 110))
  shift
  while ! "$@" >/dev/null 2>&1; do
    tries=$((tries - 1))
    [ $tries -gt 0 ] && kill -0 "$exporter" 2>/dev/null || return 1
    timeout 0.05 tail -f /dev/null
  done
  return 0
}
free_port() { python3 "$tests/exporter/ports.py" $$; }
get() { curl -s --max-time 60 "$@"; }

# 400 times 768 non-temporal line writes: 19,660,800 bytes of writes on 16 channels in 8 s. Half of the pages are on
# each socket.
{
  echo 'set numa=interleave prefetch=off'
  for _ in $(seq 400); do
    echo 'thread 0 on core 0: stream past-caches 48K stride 64'
    echo 'thread 0 on core 0: sleep 20ms'
  done
} >s.scn
port=$(free_port)
start() {
  timeout -s KILL "$limit" "$pmon" -p emr exporter "$@" >out 2>err &
  exporter=$!
}
# Prometheus starts first, so that it sees the scenario from its start.
if command -v prometheus >/dev/null; then
  server=$(free_port)
  cat >prometheus.yml <<YML
global: {scrape_interval: 500ms, scrape_timeout: 500ms}
scrape_configs:
  - job_name: pmon
    static_configs: [{targets: ['localhost:$port']}]
YML
  prometheus --config.file=prometheus.yml --storage.tsdb.path=data --web.listen-address="127.0.0.1:$server" >prometheus.log 2>&1 &
  prometheus=$!
  exporter=$prometheus # await needs a live process
  query() {
    get -G "http://127.0.0.1:$server/api/v1/query" --data-urlencode "query=$1" |
      grep -o '"value":\[[0-9.]*,"[^"]*"' | sed 's/.*,"\(.*\)"/\1/' | paste -s -d ' '
  }
  is() { [ "$(query "$1")" = "$2" ]; }
  # Prometheus looks for its targets seconds after it is ready, and does not scrape before.
  await 30 is 'up{job="pmon"}' 0 || complain "Prometheus: $(tail -3 prometheus.log)"
fi
start --listen "localhost:$port" --scenario s.scn -I 100ms -m MEM_WRITE_BANDWIDTH,LLC_DRD_MISS_RATIO -e imc/CAS_COUNT.WR/,cha/TOR_INSERTS.IA_MISS/
await 20 get -f "http://localhost:$port/-/ready" || { complain "never ready: $(cat err)"; exit 1; }
grep -qE "serving http://(127\.0\.0\.1|\[::1\]):$port/metrics\$" err || complain "the place: $(cat err)"

if [ -n "$prometheus" ]; then
  await 20 is 'up{job="pmon"}' 1 || complain "not scraped: $(tail -3 prometheus.log)"
  # Eight clients scrape without pause: Prometheus is served nevertheless, and all clients see the same values of an
  # interval.
  timeout "$limit" python3 - "$port" <<'PY' || complain "scraped by many"
import http.client, sys, threading
bodies, wrong = {}, []

def scrape():
    c = http.client.HTTPConnection('localhost', int(sys.argv[1]), timeout=120)
    for _ in range(100):
        c.request('GET', '/metrics')
        body = c.getresponse().read().decode()
        values, own = body.split('# HELP pmon_scrape_age_seconds', 1)
        interval = values.split('\npmon_intervals_total ')[1].split()[0]
        if bodies.setdefault(interval, values) != values:
            wrong.append(interval)
        if 'pmon_scrapes_total' not in own:
            wrong.append(own)

threads = [threading.Thread(target=scrape) for _ in range(8)]
for t in threads:
    t.start()
for t in threads:
    t.join()
assert bodies and not wrong, wrong[:3]
PY
  await 20 is 'max_over_time(up{job="pmon"}[3s])' 1 || complain "not scraped beside others"
  await 30 is pmon_measuring 0 || { complain "the scenario does not end within $limit s: $(cat err)"; exit 1; }
  # Half of the writes are on each socket, plus at most one line of page tables per burst; nothing is multiplexed, so
  # that intervals add no error.
  counted=$("$pmon" -p emr stat --scenario s.scn -e imc/CAS_COUNT.WR/ --csv | tr -d '\r' | awk -F, '$5 == "" { n = $8 } END { print n }')
  [ "$counted" -ge 307200 ] && [ "$counted" -lt 307600 ] || complain "stat: $counted"
  # A scrape that takes longer than its timeout of 500 ms on a busy host leaves no values until the next one.
  await 20 is 'sum(pmon_events_total{event="imc/CAS_COUNT.WR/"})' "$counted" ||
    complain "writes: $(query 'sum(pmon_events_total{event="imc/CAS_COUNT.WR/"})')"
  written() {
    query 'sum by (socket) (pmon_memory_written_bytes_total)' |
      awk '{ good = NF == 2 && $1 > 9.8e6 && $1 < 9.9e6 && $1 + $2 >= 19660800 && $1 + $2 < 19686400 } END { exit !good }'
  }
  await 20 written ||
    complain "bytes: $(query 'sum by (socket) (pmon_memory_written_bytes_total)')"
  # The rates that Prometheus saw while the scenario ran, per measured time: this host may be slower than the scenario.
  # A burst of 49,152 bytes every 20 ms, and a little more for the burst itself: between two scrapes the bytes are those
  # of the elapsed time, except for the burst that an interval's end cuts, whose lines count in the next interval.
  python3 - "$server" <<'PY' || complain "rates differ from the scenario's"
import json, sys, time, urllib.parse, urllib.request

def ask(path, **of):
    with urllib.request.urlopen(f'http://127.0.0.1:{sys.argv[1]}/api/v1/{path}?' + urllib.parse.urlencode(of)) as answer:
        return json.load(answer)['data']['result']

now = time.time()
written, measured = ({float(at): float(v) for at, v in ask('query_range', query=q, start=now - 300, end=now, step=0.1)[0]['values']}
                     for q in ('sum(pmon_memory_written_bytes_total)', 'pmon_measured_seconds_total'))
last = max(measured.values())
seen = sorted({(measured[at], written[at]) for at in measured if at in written and measured[at] < last})
assert len(seen) > 3, seen
for i, (begin, before) in enumerate(seen):
    for end, after in seen[i + 1:]:
        wanted = 49152 * (end - begin) / 0.02
        assert 0.99 * wanted - 49152 <= after - before <= wanted + 49152, (begin, end, after - before, wanted)
rate = ask('query', query='max_over_time((sum(rate(pmon_memory_written_bytes_total[4s])) / sum(rate(pmon_measured_seconds_total[4s]) > 0))[5m:500ms])')
assert 0.9 * 2457600 < float(rate[0]['value'][1]) < 1.1 * 2457600, rate
PY
else
  echo "not scraped: no prometheus"
  ended() { get "http://localhost:$port/metrics" | grep -q '^pmon_measuring 0'; }
  await 30 ended || { complain "the scenario does not end within $limit s: $(cat err)"; exit 1; }
fi

get "http://localhost:$port/metrics" >metrics
get -H 'Accept: application/openmetrics-text;version=1.0.0,text/plain;q=0.5' -D head "http://localhost:$port/metrics" >openmetrics
get "http://localhost:$port/json" >json
! command -v promtool >/dev/null || promtool check metrics <metrics >lint 2>&1 || complain "promtool: $(cat lint)"
grep -q '^pmon_info{version="[0-9.]*",platform="emr",backend="machine",emulated="true"} 1$' metrics || complain "no pmon_info"
# Nothing is measured any more: the age of the values grows.
first=$(awk '/^pmon_scrape_age_seconds / { print $2 }' metrics)
get "http://localhost:$port/metrics" | awk -v first="$first" '/^pmon_scrape_age_seconds / { good = $2 > first && first > 0 } END { exit !good }' ||
  complain "age of the values: $first"
grep -q '^# TYPE pmon_memory_written_bytes_total counter$' metrics || complain "no type"
grep -q '^# TYPE pmon_memory_written_bytes counter$' openmetrics || complain "OpenMetrics names a family with _total"
grep -q '^# UNIT pmon_memory_written_bytes bytes$' openmetrics || complain "no unit"
grep -qi '^vary: accept' head || complain "no Vary: $(cat head)"
get -H 'Accept: application/openmetrics-text;q=0.1,text/plain' -D text "http://localhost:$port/metrics" >lint
grep -qi '^content-type: text/plain; version=0.0.4' text || complain "preferred: $(cat text)"
[ "$(tail -n 1 openmetrics)" = '# EOF' ] || complain "no # EOF"
grep -qi '^content-type: application/openmetrics-text' head || complain "$(cat head)"
# A missing value is reported as missing, not as 0: the ratio had no look-up in the last interval.
grep -q '^pmon_metric_valid{series="pmon_metric",socket="0",metric="LLC_DRD_MISS_RATIO",.*reason="denominator zero.*"} 0$' metrics || complain "validity: $(grep RATIO metrics)"
grep -q '^pmon_metric{.*LLC_DRD_MISS_RATIO' metrics && complain "a value without validity is served"
python3 - <<'PY' || complain "JSON and text differ"
import json, re
series = json.load(open('json'))['series']
text = dict(re.findall(r'^(pmon_memory_written_bytes_total\{.*\}) (\S+)$', open('metrics').read(), re.M))
mine = [s for s in series if s['name'] == 'pmon_memory_written_bytes_total']
assert len(mine) == 16 == len(text), (len(mine), len(text))
for s in mine:
    assert float(text['pmon_memory_written_bytes_total{socket="%d",channel="%d"}' % (s['package'], s['instance'])]) == s['value']
PY

# Refused requests, and clients other than browsers.
status() { get -o body -w '%{http_code}' "$@"; }
[ "$(status "http://localhost:$port/")" = 200 ] || complain "/"
# A request as to a proxy: the target has the scheme and another host's name.
for path in '' / /metrics; do
  [ "$(status --noproxy '' -x "http://localhost:$port" "http://other:9000$path")" = 200 ] || complain "absolute form: $path"
done
[ "$(status --noproxy '' -x "http://localhost:$port" http://other/none)" = 404 ] || complain "absolute form: /none"
[ "$(status "http://localhost:$port/none")" = 404 ] || complain "/none"
[ "$(status -X POST -d x "http://localhost:$port/metrics")" = 405 ] || complain "POST"
[ "$(status -I "http://localhost:$port/-/healthy")" = 200 ] || complain "HEAD"
python3 - "$port" <<'PY' || complain "hostile clients"
import socket, sys
port = int(sys.argv[1])

def send(data):
    s = socket.create_connection(('localhost', port), timeout=60)
    try:
        s.sendall(data)
        return s.recv(100)
    except OSError:
        return b''
    finally:
        s.close()

answers = [send(b'GET / HTTP/1.1\r\nHost: x\r\nX: ' + b'a' * (1 << 20) + b'\r\n\r\n'), send(b'\0' * 5000 + b'\r\n\r\n'),
           send(b'GET /' + b'a' * 100000 + b' HTTP/1.1\r\n\r\n'), send(b'NONSENSE\r\n\r\n'),
           send(b'POST /metrics HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000000\r\n\r\n')]
assert not any(b' 200 ' in a for a in answers), answers
# More idle connections than the exporter serves: real requests are answered once some idle ones are closed.
idle = [socket.create_connection(('localhost', port), timeout=60) for _ in range(250)]
for s in idle[:100]:
    s.sendall(b'GET /metr')
assert b' 200 ' in send(b'GET /-/healthy HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
for s in idle:
    s.close()
# A body of 1 GB is not read: the answer precedes it, and the connection is closed.
s = socket.create_connection(('localhost', port), timeout=60)
s.sendall(b'POST /metrics HTTP/1.1\r\nHost: x\r\nContent-Length: 1073741824\r\n\r\n')
sent = 0
try:
    while sent < 1 << 26:
        sent += s.send(bytes(1 << 16))
except OSError:
    pass
assert sent < 1 << 26, sent
PY
await 20 get -f "http://localhost:$port/-/healthy" || complain "not healthy after hostile clients"
grep VmHWM "/proc/$(pgrep -P $exporter -x pmon || echo $exporter)/status" >&2

# The process that serves the network has no capabilities, cannot gain any, and is not root.
network=$(pgrep -P "$(pgrep -P $exporter -x pmon || echo $exporter)" -x pmon)
grep -q '^CapEff:.0*$' "/proc/$network/status" && grep -q '^CapPrm:.0*$' "/proc/$network/status" &&
  grep -q '^NoNewPrivs:.1$' "/proc/$network/status" || complain "capabilities: $(grep -E 'Cap|NoNew' "/proc/$network/status")"
[ "$(awk '/^Uid/ { print $3 }' "/proc/$network/status")" != 0 ] || complain "the network process is root"

kill -TERM "$(pgrep -P $exporter -x pmon || echo $exporter)"
wait $exporter
[ $? -eq 0 ] || complain "SIGTERM is no end of a service: $(cat err)"
grep -q report err && complain "a service has no report: $(cat err)"
exporter=

# A server that is gone is down, and none of its series has a value. After its return its counters restart: Prometheus
# sees one reset.
if [ -n "$prometheus" ]; then
  exporter=$prometheus # await needs a live process
  await 20 is 'up{job="pmon"}' 0 || complain "a server that is gone is up"
  await 20 is pmon_measuring '' || complain "a server that is gone has series"
  # The restarted exporter has a machine that was captured just before two counters wrap: one of 32 bits in each socket,
  # and one of 48 bits. No total decreases.
  "$pmon" -p emr capture --machine | sed -e 's/\(msr 0x611 .* \)0x0 /\10xfffff000 /' -e 's/\(msr 0x3821 .* \)0x0 /\10xfffffffff000 /' >near.cap
  [ "$(grep -cE ' 0xfffff(ffff)?000 ' near.cap)" = 4 ] || complain "capture: $(grep -n 'msr 0x\(611\|3821\) ' near.cap)"
  { cat s.scn; echo 'dma write 10MB/s stack 2 port 1 for 1s'; } >wraps.scn
  start --listen "localhost:$port" --capture near.cap --scenario wraps.scn -I 100ms -e imc/CAS_COUNT.WR/ \
    -m IIO_PORT1_BANDWIDTH_IN,PKG_ENERGY_JOULES
  await 20 is 'up{job="pmon"}' 1 || complain "not scraped again: $(cat err)"
  await 20 is 'max(resets(pmon_events_total{event="imc/CAS_COUNT.WR/"}[10m]))' 1 ||
    complain "resets: $(query 'resets(pmon_events_total{event="imc/CAS_COUNT.WR/"}[10m])')"
  await 30 is 'sum(pmon_io_bytes_total)' 10000000 || complain "48 bits: $(query 'sum(pmon_io_bytes_total)'): $(cat err)"
  # Watts of two idle packages; an unnoticed wrap of 32 bits would be 262,144 J.
  await 20 is 'count(pmon_energy_joules_total > ignoring (domain, socket) group_left () (50 * pmon_measured_seconds_total))' 2 &&
    await 20 is 'count(pmon_energy_joules_total < ignoring (domain, socket) group_left () (200 * pmon_measured_seconds_total))' 2 &&
    is 'max(resets(pmon_energy_joules_total[10m]))' 0 && is 'max(resets(pmon_io_bytes_total[10m]))' 0 ||
    complain "32 bits: $(query pmon_energy_joules_total) in $(query pmon_measured_seconds_total) s"
  kill -TERM "$(pgrep -P $exporter -x pmon || echo $exporter)"
  wait $exporter
  exporter=
fi

# Other addresses.
start --listen unix:"$work/socket" --scenario s.scn -I 100ms
await 20 get -f --unix-socket socket http://x/-/ready || complain "unix: $(cat err)"
get --unix-socket socket http://x/metrics | grep -q '^pmon_memory_read_bytes_total{socket="1",channel="7"}' || complain "default series"
timeout -s KILL 600 "$pmon" -p emr exporter --listen unix:"$work/socket" --scenario s.scn 2>second
[ $? -eq 2 ] || complain "a socket in use is taken"
grep -q 'in use' second || complain "$(cat second)"
kill -TERM "$(pgrep -P $exporter -x pmon || echo $exporter)"
wait $exporter
exporter=
[ ! -e socket ] || complain "the socket remains"
# I/O by port, with the port's devices: from free-running counters, so exact to the byte. A port without device and
# traffic has no series.
printf '%s\n' 'device 0000:17:00.0 stack 2 port 1 Ethernet controller: X710' \
  'device 0000:17:00.1 stack 2 port 1 Ethernet controller: X710' 'device 0000:18:00.0 socket 1 stack 4 port 3 SSD' \
  'crc upi1 5 socket 1' 'dma write 1GB/s stack 2 port 1 for 10ms' 'dma read 2GB/s stack 3 port 0 for 10ms' >io.scn
start --listen unix:"$work/socket" --scenario io.scn -I 5ms
io_ended() { get --unix-socket socket http://x/metrics | grep -q '^pmon_measuring 0'; }
await 30 io_ended || complain "the I/O scenario does not end: $(cat err)"
get --unix-socket socket http://x/metrics >io
get --unix-socket socket http://x/json >io.json
kill -TERM "$(pgrep -P $exporter -x pmon || echo $exporter)"
wait $exporter
exporter=
two='socket="0",stack="2",port="1",device="Ethernet controller: X710",bdf="0000:17:00.0,0000:17:00.1"'
ssd='socket="1",stack="4",port="3",device="SSD",bdf="0000:18:00.0"'
grep '^pmon_io_bytes_total{' io | sort >ports
sort >expected <<TEXT
pmon_io_bytes_total{$two,direction="in"} 10000000
pmon_io_bytes_total{$two,direction="out"} 0
pmon_io_bytes_total{$ssd,direction="in"} 0
pmon_io_bytes_total{$ssd,direction="out"} 0
pmon_io_bytes_total{socket="0",stack="3",port="0",direction="out"} 20000000
TEXT
diff expected ports || complain "I/O by port"
# A device reads 20 MB that no core has cached: each line misses, and so does each line of the 16 MB that were written
# before.
awk '/^pmon_io_llc_misses_total.socket="0"/ { io = $2 } /^pmon_upi_crc_errors_total.*socket="1",link="1"/ { crc = $2 }
     /^pmon_upi_crc_errors_total/ { all += $2 } END { exit !(io >= 312500 && io <= 468750 && crc == 5 && all == 5) }' io ||
  complain "misses of devices, errors of links: $(grep -E '^pmon_(io_llc|upi_crc)' io)"
grep -q '^pmon_frequency_limited_ratio{socket="1",limit="thermal"} 0$' io || complain "frequency limits"
# All default series. No line has a label twice, which newer versions of Prometheus refuse.
! command -v promtool >/dev/null || promtool check metrics <io >lint 2>&1 || complain "promtool, default series: $(cat lint)"
awk '/^[^#]/ { split("", seen); line = $0
       while (match(line, /[{,][a-z_]+="/)) {
         label = substr(line, RSTART + 1, RLENGTH - 3); line = substr(line, RSTART + RLENGTH)
         if (label in seen) { print; bad = 1 }
         seen[label] } }
     END { exit bad }' io >twice || complain "labels twice: $(head -n 1 twice)"
python3 - <<'PY' || complain "JSON has no devices"
import json
series = json.load(open('io.json'))['series']
mine = [s for s in series if s.get('bdf') == '0000:17:00.0,0000:17:00.1']
assert [s['port'] for s in mine] == [1, 1] and mine[0]['device'] == 'Ethernet controller: X710', mine
PY
# A total without any value so far is missing, not 0: the addresses of HBM's registers are not known.
start -p spr --listen unix:"$work/socket" --scenario s.scn -I 5ms -m MEM_WRITE_BANDWIDTH,HBM_WRITE_BANDWIDTH
await 20 get -f --unix-socket socket http://pmon/-/ready || complain "HBM: $(cat err)"
get --unix-socket socket http://pmon/metrics >hbm
grep -q '^pmon_memory_written_bytes_total{socket="0",channel="0"} ' hbm || complain "no DRAM beside HBM"
grep -q '^pmon_[a-z_]*_total{.*HBM' hbm && complain "a total without a value: $(grep -m 1 HBM hbm)"
grep -q '^pmon_metric_valid{.*HBM.*reason=".*not known for this processor.*"} 0$' hbm || complain "HBM has no reason"
kill -TERM "$(pgrep -P $exporter -x pmon || echo $exporter)"
wait $exporter
exporter=
# IPv6, and a socket that systemd opened.
if python3 -c 'import socket; socket.socket(socket.AF_INET6).bind(("::1", 0))' 2>err; then
  start --listen "[::1]:$port" --scenario io.scn -I 5ms
  await 20 get -f "http://[::1]:$port/-/ready" || complain "IPv6: $(cat err)"
  kill -TERM "$(pgrep -P $exporter -x pmon || echo $exporter)"
  wait $exporter
  exporter=
fi
if command -v systemd-socket-activate >/dev/null; then
  timeout -s KILL "$limit" systemd-socket-activate -l "127.0.0.1:$port" "$pmon" -p emr exporter --listen nonsense --scenario io.scn -I 5ms \
    >out 2>err </dev/null &
  exporter=$!
  await 20 get -f "http://127.0.0.1:$port/-/ready" || complain "systemd's socket: $(cat err)"
  grep -q "serving http://127.0.0.1:$port/metrics\$" err || complain "systemd's address: $(cat err)"
  kill -TERM "$(pgrep -P $exporter -x pmon || echo $exporter)"
  wait $exporter
  exporter=
fi
# Invalid addresses are refused with a message that has the address; a port above 65535 is not truncated to 16 bits.
echo text >file
for wrong in nonsense :x '[::1' a:b:c: 'localhost:' localhost:65536 localhost:+80 localhost:99999 \
  1.2.3.4.5:99 256.0.0.1:99 '[1::2::3]:99' unix: unix:"$(printf '%0200d' 0)"; do
  timeout -s KILL 600 "$pmon" -p emr exporter --listen "$wrong" --scenario s.scn 2>err
  [ $? -eq 2 ] || complain "--listen $wrong"
  grep -q -- --listen err || complain "$wrong: $(cat err)"
done
refused() {   # EXIT-CODE TEXT ARGUMENTS...
  expected=$1 text=$2
  shift 2
  timeout -s KILL 600 "$pmon" -p emr exporter "$@" 2>err </dev/null
  [ $? -eq "$expected" ] && grep -q -- "$text" err || complain "$*: expected $text: $(cat err)"
}
refused 2 'file: the file exists and is not a socket' --listen unix:file --scenario s.scn
[ "$(cat file)" = text ] || complain "a file is gone"
refused 2 'no/such: No such file' --listen unix:no/such --scenario s.scn
refused 2 'invalid value "nan" for --listen' --listen nan # options are checked before the host
refused 2 'listen 1.2.3.4.5:99: 1.2.3.4.5 is not an address' --listen 1.2.3.4.5:99
refused 2 'listen .1::2::3.:99: 1::2::3 is not an address' --listen '[1::2::3]:99'
refused 2 'backend machine: no input; add --scenario FILE' --backend machine
# A group of Linux' resctrl is one of this host, which has none of this name, or no resctrl.
refused 2 'resctrl-group: the emulated machine has no groups' --resctrl-group x --scenario s.scn
refused 3 'backend resctrl: .* resctrl' --listen unix:group --backend resctrl --resctrl-group no-such-group -m L3_OCCUPANCY
# Without an input the exporter measures the host. Where that has no counters, the message explains how to try the
# exporter.
[ -e /sys/bus/event_source/devices/uncore_imc_0 ] || [ -e /sys/bus/event_source/devices/uncore_imc ] ||
  refused 3 'add --scenario FILE or --trace FILE'
# A port that another process uses: the message names the option, or the line of the file.
python3 - "$pmon" <<'PY' || complain "a port in use"
import os, socket, subprocess, sys
pmon = sys.argv[1]
taken = socket.socket()
taken.bind(('127.0.0.1', 0))
taken.listen()
address = '127.0.0.1:%d' % taken.getsockname()[1]
with open('taken.yml', 'w') as f:
    f.write(f'interval: 1s\nlisten: {address}\n')

def refusal(*arguments):
    run = subprocess.run([pmon, '-p', 'emr', 'exporter', '--scenario', 's.scn', *arguments], stdin=subprocess.DEVNULL,
                         capture_output=True, text=True, timeout=120)
    assert run.returncode == 2, run
    return run.stderr

for name, error in ((f'--listen {address}', refusal('--listen', address)),
                    (f'taken.yml:2:9: listen {address}', refusal('--config', 'taken.yml'))):
    assert f'{name}: Address already in use; another program uses this address' in error, error
# Two sockets of systemd: LISTEN_PID is the shell's process number, which pmon inherits by exec.
run = subprocess.run(['sh', '-c', 'LISTEN_PID=$$ LISTEN_FDS=2 exec "$@"', 'sh', pmon, '-p', 'emr', 'exporter', '--scenario', 's.scn'],
                     stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120)
assert run.returncode == 2 and 'LISTEN_FDS: 2 sockets' in run.stderr, run
# A datagram socket, which accepts no connections.
datagrams = socket.socket(type=socket.SOCK_DGRAM)
datagrams.bind(('127.0.0.1', 0))
run = subprocess.run(['sh', '-c', 'exec 3<&%d; LISTEN_PID=$$ LISTEN_FDS=1 exec "$@"' % datagrams.fileno(), 'sh',
                      pmon, '-p', 'emr', 'exporter', '--scenario', 's.scn'],
                     stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120, pass_fds=[datagrams.fileno()])
assert run.returncode == 2 and 'not a listening stream socket' in run.stderr, run
PY

# The rules and units that are shipped.
if command -v promtool >/dev/null; then
  (cd "$source/examples/prometheus" && promtool check rules pmon.rules.yml && promtool test rules pmon.test.yml) >rules 2>&1 ||
    complain "rules: $(cat rules)"
fi
if command -v systemd-analyze >/dev/null && systemd-analyze security --offline=true "$source/examples/systemd/pmon-exporter.service" >security 2>&1; then
  awk '/Overall exposure/ { for (i = 1; i <= NF; i++) if ($i ~ /^[0-9.]+$/ && $i + 0 >= 2) exit 1 }' security || complain "$(tail -1 security)"
fi
exit $failed
