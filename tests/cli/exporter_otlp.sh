#!/bin/sh
# SPDX-License-Identifier: MIT
# `pmon exporter --otlp`: a small receiver decodes the messages and checks names, units, attributes, times, and that
# totals equal those of /metrics; a collector that is down. Usage: exporter_otlp.sh PMON
pmon=$(realpath "$1")
tools='python3'
. "$(dirname "$(realpath "$0")")/served.sh"
# Keeps the last message; answers 503 while the file "away" exists.
cat >receiver.py <<'PY'
import http.server, os, sys
class Receiver(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        away = os.path.exists("away")
        if not away:
            with open("message.new", "wb") as f:
                f.write(body)
            os.rename("message.new", "message")
            with open("request.new", "w") as f:
                f.write(self.path + " " + self.headers["Content-Type"])
            os.rename("request.new", "request")
        self.send_response(503 if away else 200)
        self.end_headers()
        self.wfile.write(b"{}")
    def log_message(self, *_):
        pass
server = http.server.HTTPServer(("127.0.0.1", 0), Receiver)
with open("port.new", "w") as f:
    f.write(str(server.server_address[1]))
os.rename("port.new", "port")
server.serve_forever()
PY
touch away
python3 receiver.py 2>receiver.log &
others=$!
await test -s port || { cat receiver.log; exit 1; }
{
  echo 'set numa=interleave'
  for _ in $(seq 5); do printf 'thread 0 on core 0: stream past-caches 256K stride 64\nthread 0 on core 0: sleep 200ms\n'; done
} >s.scn
cat >exporter.yml <<YML
otlp:
  endpoint: http://127.0.0.1:$(cat port)/v1/metrics
  interval: 100ms
metrics: [MEM_WRITE_BANDWIDTH, LLC_DRD_MISS_RATIO, PKG_ENERGY_JOULES, UNCORE_FREQUENCY]
events: [imc/CAS_COUNT.WR/]
YML
timeout -s KILL 500 "$pmon" -p emr exporter --config exporter.yml --listen unix:socket --scenario s.scn -I 100ms 2>err </dev/null &
exporter=$!
get() { curl -sf --max-time 60 --unix-socket socket http://x/metrics; }
ended() { get | grep -q '^pmon_measuring 0'; }
check "a collector that is away is reported" await grep -q 'HTTP status 503; trying again' err
rm away
check "and that it is there" await grep -q 'responds again' err
check "the end of the scenario" await ended
get >metrics
same() {
  rm -f message
  await test -s message && python3 - <<'PY'
import json, re, time
message = json.load(open("message"))
resource, = message["resourceMetrics"]
attributes = {a["key"]: a["value"]["stringValue"] for a in resource["resource"]["attributes"]}
assert attributes["service.name"] == "pmon-exporter" and attributes["pmon.emulated"] == "true", attributes
assert attributes["pmon.platform"] == "emr" and attributes["host.name"], attributes
cpuinfo = dict(re.findall(r"^(.*?)\s*: (.*)$", open("/proc/cpuinfo").read().split("\n\n")[0], re.M))
if "cpu family" in cpuinfo:  # other architectures have no such line
    cpu = [attributes["host.cpu." + k] for k in ("vendor.id", "family", "model.id", "stepping")]
    assert cpu == [cpuinfo[k] for k in ("vendor_id", "cpu family", "model", "stepping")], (cpu, cpuinfo)
scope, = resource["scopeMetrics"]
metrics = {m["name"]: m for m in scope["metrics"]}
assert set(metrics) <= {"pmon.memory.written", "pmon.energy", "pmon.uncore.frequency", "pmon.events", "pmon.metric", "pmon.metric.valid"}, list(metrics)
# The ratio had no look-up in the last interval: its points have no value, and another metric gives the reason.
missing = metrics["pmon.metric"]["gauge"]["dataPoints"]
assert missing and all(p["flags"] == 1 and "asDouble" not in p for p in missing), missing
valid = [({a["key"]: a["value"]["stringValue"] for a in p["attributes"]}, p.get("asDouble"))
         for p in metrics["pmon.metric.valid"]["gauge"]["dataPoints"]]
reasons = [a["reason"] for a, v in valid if a.get("metric") == "LLC_DRD_MISS_RATIO" and a["series"] == "pmon.metric" and v == 0]
assert len(reasons) == len(missing) and "denominator zero" in reasons[0], valid
assert sum(v == 1 and a["series"] == "pmon.memory.written" and "channel" in a for a, v in valid) == 16, valid
energy, frequency = metrics["pmon.energy"], metrics["pmon.uncore.frequency"]
assert energy["unit"] == "J" and energy["sum"]["isMonotonic"] is True and frequency["unit"] == "Hz", (energy, frequency)
assert [p["asDouble"] > 0 and "startTimeUnixNano" not in p for p in frequency["gauge"]["dataPoints"]] == [True, True], frequency
written = metrics["pmon.memory.written"]
assert written["unit"] == "By" and written["sum"]["isMonotonic"] is True
assert written["sum"]["aggregationTemporality"] == 2
points = {}
for p in written["sum"]["dataPoints"]:
    labels = {a["key"]: a["value"]["stringValue"] for a in p["attributes"]}
    points[labels["socket"], labels["channel"]] = p["asDouble"]
    begin, end = int(p["startTimeUnixNano"]), int(p["timeUnixNano"])
    assert 0 < end - begin < 200e9, (begin, end)
text = {(m[0], m[1]): float(m[2]) for m in
        re.findall(r'^pmon_memory_written_bytes_total\{socket="(\d+)",channel="(\d+)"\} (\S+)$', open("metrics").read(), re.M)}
assert len(text) == 16 and text == points, (text, points)
events = metrics["pmon.events"]["sum"]["dataPoints"]
assert {"key": "event", "value": {"stringValue": "imc/CAS_COUNT.WR/"}} in events[0]["attributes"], events[0]
assert sum(p["asDouble"] for p in events) * 64 == sum(text.values())
PY
}
# On a busy host a message from before the end can still be in flight: then the next one has the totals.
soon_same() { same || same || same; }
check "the same totals as in /metrics" soon_same
check "path and type" grep -qx '/v1/metrics application/json' request
kill -TERM "$(pgrep -P $exporter -x pmon || echo $exporter)"
wait $exporter
check "SIGTERM ends it" [ $? -eq 0 ]
exporter=
timeout -s KILL 600 "$pmon" -p emr exporter --otlp file:///etc/passwd --listen unix:other --scenario s.scn 2>err </dev/null
check "no other protocol" [ $? -eq 2 ]
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
