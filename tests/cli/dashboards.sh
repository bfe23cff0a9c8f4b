#!/bin/sh
# SPDX-License-Identifier: MIT
# Checks the Grafana dashboards: they are what gen/dashboards.py generates, have the structure that Grafana reads, and
# each query returns data from a real Prometheus that scrapes an exporter. Grafana itself is not in Debian.
# Usage: dashboards.sh PMON SOURCE
pmon=$(realpath "$1")
source=$(realpath "$2") tests=$(realpath "$(dirname "$0")/..")
for tool in curl python3 prometheus; do
  command -v $tool >/dev/null || { echo "SKIPPED: no $tool" >&2; exit 77; }
done
work=$(mktemp -d) || exit 1
exporter= prometheus=
# Kills the exporter itself, not only `timeout`, which runs it.
trap '[ -z "$exporter" ] || kill $(pgrep -P "$exporter") 2>/dev/null; kill -9 $prometheus 2>/dev/null; rm -rf "$work"' EXIT
cd "$work" || exit 1
python3 "$source/gen/dashboards.py" "$source/cli/exporter/series.inc" made && diff -r made "$source/examples/grafana" ||
  { echo "examples/grafana is not what gen/dashboards.py makes"; exit 1; }
{
  echo 'set numa=interleave'
  for _ in $(seq 2000); do # 400 s: rates need traffic until all queries have run
    printf 'thread 0 on core 0: stream past-caches 256K stride 64\nthread 0 on core 0: sleep 200ms\n'
  done
  echo 'device 0000:17:00.0 stack 2 port 0 Ethernet controller: X710'
  echo 'dma write 10MB/s stack 2 port 0 for 1s'
  echo 'dma read 10MB/s stack 2 port 0 for 1s'
} >s.scn
free_port() { python3 "$tests/exporter/ports.py" $$; }
port=$(free_port)
server=$(free_port)
timeout -s KILL 500 "$pmon" -p emr exporter --listen "localhost:$port" --scenario s.scn -I 100ms 2>err </dev/null &
exporter=$!
tries=2400
until curl -sf "http://localhost:$port/-/ready" >ready; do
  tries=$((tries - 1))
  [ $tries -gt 0 ] && kill -0 $exporter 2>/dev/null || { cat err; exit 1; }
  timeout 0.05 tail -f /dev/null
done
cat >prometheus.yml <<YML
global: {scrape_interval: 200ms, scrape_timeout: 200ms}
scrape_configs:
  - job_name: pmon
    static_configs: [{targets: ['localhost:$port']}]
YML
prometheus --config.file=prometheus.yml --storage.tsdb.path=data --web.listen-address="127.0.0.1:$server" >prometheus.log 2>&1 &
prometheus=$!
python3 - "$server" made <<'PY'
import glob, json, re, sys, time, urllib.error, urllib.parse, urllib.request
passed = failed = 0

def check(good, text):
    global passed, failed
    passed, failed = passed + bool(good), failed + (not good)
    if not good:
        print("FAILED:", text)

def results(expression):
    query = urllib.parse.urlencode({"query": expression})
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{sys.argv[1]}/api/v1/query?{query}", timeout=10) as answer:
            return json.load(answer)["data"]["result"]
    except urllib.error.HTTPError as error:
        raise SystemExit(f"{expression}: {error.read().decode()}")
    except OSError:
        return []

# Waits until rates can be computed; then repeats each query until it returns data.
tries = 1200
while not results("rate(pmon_memory_read_bytes_total[5s]) > 0") and tries:
    tries -= 1
    time.sleep(0.1)
check(tries, "Prometheus has rates")
for path in sorted(glob.glob(sys.argv[2] + "/*.json")):
    board = json.load(open(path))
    check(re.fullmatch("pmon-[a-z]+", board["uid"]) and board["title"] and board["schemaVersion"] >= 30, path)
    check({v["name"] for v in board["templating"]["list"]} == {"datasource", "instance"}, path + ": variables")
    places = set()
    for panel in board["panels"]:
        grid = panel["gridPos"]
        check(0 <= grid["x"] and grid["x"] + grid["w"] <= 24 and (grid["x"], grid["y"]) not in places, panel["title"])
        places.add((grid["x"], grid["y"]))
        check(panel["type"] == "timeseries" and panel["targets"], panel["title"])
        for target in panel["targets"]:
            expression = target["expr"].replace("$__rate_interval", "5s").replace("$instance", ".*")
            check("$" not in expression, expression)
            tries = 600
            while not (found := results(expression)) and tries:
                tries -= 1
                time.sleep(0.1)
            check(found, f"{path}: {panel['title']}: no data: {expression}")
            for label in re.findall(r"{{(\w+)}}", target["legendFormat"]):
                check(all(label in r["metric"] for r in found), f"{expression}: no label {label}")
    check(len({p["id"] for p in board["panels"]}) == len(board["panels"]), path + ": ids")
print(f"{passed} passed, {failed} failed")
sys.exit(failed != 0)
PY
