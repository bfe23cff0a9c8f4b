#!/bin/sh
# SPDX-License-Identifier: MIT
# `pmon exporter --config`: the effect of a file, options that override it, errors with line and column, SIGHUP with a
# correct and a wrong file. Usage: exporter_config.sh PMON
pmon=$(realpath "$1")
tools=''
. "$(dirname "$(realpath "$0")")/served.sh"
get() { curl -sf --max-time 60 --unix-socket socket "http://x$1"; }
has() { get /metrics | grep -q "$1"; }
has_not() { ! has "$1"; }
{
  echo 'set numa=interleave'
  for _ in $(seq 20); do printf 'thread 0 on core 0: stream past-caches 256K stride 64\nthread 0 on core 0: sleep 200ms\n'; done
} >s.scn

# Errors: the message has the place, and the exit code is that of wrong usage.
while IFS='|' read -r place message content; do
  printf "$content" >wrong.yml
  timeout -s KILL 600 "$pmon" -p emr exporter --config wrong.yml --scenario s.scn --listen unix:none 2>err </dev/null
  status=$?
  check "$content: exit $status" [ $status -eq 2 ]
  check "$content: $place" grep -q "wrong.yml:$place" err
  check "$content: $message" grep -q "$message" err
done <<'END'
1:1: |unknown key "intervall"|intervall: 1s
2:11: |invalid value "soon"|listen: x:1\ninterval: soon
3:5: |no metric|interval: 1s\nmetrics:\n  - "MEM_READ_BANDWITH"
3:7: |no event "A"|interval: 1s\nmetrics:\n  - "B=A*2"\n  - "C=imc/CAS_COUNT.RD"
2:5: |each other: B uses A, A uses B|metrics:\n  - "B=A"\n  - "A=B"
1:24: |has no umask|events: [imc/CAS_COUNT.XX/]
2:1: |duplicate key|interval: 1s\ninterval: 2s
1:10: |NOTHING|groups: [NOTHING]
1:10: |expected a list|metrics: MEM_READ_BANDWIDTH
1:11: |expected a string|interval: [1s]
1:10: |machine|backend: magic
2:13: |a URL such as http|otlp:\n  endpoint: ftp://localhost/v1
2:13: |none.yml: No such file|interval: 1s\nweb-config: none.yml
1:1: |expected keys|just text
1:11: |expected a string|metrics: [[MEM_READ_BANDWIDTH]]
1:3: |expected a key|? [interval]\n: 1s
1:1: |expected listen, web-config, backend, interval, slice, otlp, metrics, groups, events$|listn: x:1
2:3: |expected endpoint, interval$|otlp:\n  url: http://localhost
2:13: |otlp has no endpoint|otlp:\n  interval: 1s
2:1: |a second document|interval: 1s\n---\ninterval: 2s
3:1: |did not find|interval: 1s\n...\n}
END
timeout -s KILL 600 "$pmon" -p emr exporter --config none.yml --scenario s.scn 2>err </dev/null
check "no file" [ $? -eq 2 ]
printf 'interval: 1s\nlisten: localhost\n' >wrong.yml
timeout -s KILL 600 "$pmon" -p emr exporter --config wrong.yml --scenario s.scn 2>err </dev/null
check "the place of an address" grep -q '"localhost" for wrong.yml:2:9: listen; expected HOST:PORT' err
for address in '[::1:9738' '[::1]x:9738' '::1:9738' "$(printf '%0300d' 0):9738"; do
  printf 'listen: "%s"\n' "$address" >wrong.yml
  timeout -s KILL 600 "$pmon" -p emr exporter --config wrong.yml --scenario s.scn 2>err </dev/null
  check "$address: its place" grep -q "wrong.yml:1:9: listen; expected HOST:PORT" err
done
printf 'interval: [1s\n' >wrong.yml
timeout -s KILL 600 "$pmon" -p emr exporter --config wrong.yml --scenario s.scn 2>err </dev/null
check "what is no YAML" grep -q 'wrong.yml:[0-9]*:[0-9]*: ' err
head -c 2000000 /dev/zero >wrong.yml
timeout -s KILL 600 "$pmon" -p emr exporter --config wrong.yml --scenario s.scn 2>err </dev/null
check "a file beyond the limit" grep -q 'at most' err

cat >good.yml <<'YML'
listen: unix:socket
interval: 100ms
metrics: [MEM_WRITE_BANDWIDTH]
events:
  - imc/CAS_COUNT.WR/
YML
timeout -s KILL 500 "$pmon" -p emr exporter --config good.yml --scenario s.scn >out 2>err </dev/null &
exporter=$!
check "ready" await get /-/ready
pid=$(pgrep -P $exporter -x pmon || echo $exporter)
check "the file's event" has 'pmon_events_total.*imc/CAS_COUNT.WR/'
check "the file's metric" has pmon_memory_written_bytes_total
check "nothing else" has_not pmon_memory_read_bytes_total
# The scenario has ended: totals do not change any more.
check "the scenario's end" await has '^pmon_measuring 0'
written=$(get /metrics | grep '^pmon_memory_written_bytes_total' | sort)

# A hangup during the start, here while the scenario is read, is handled when the exporter serves.
mkfifo scenario
timeout -s KILL 500 "$pmon" -p emr exporter --config good.yml --listen unix:second --scenario scenario >out2 2>err2 </dev/null &
second=$! others=$!
exec 3>scenario
second_pid=$(pgrep -P $second -x pmon || echo $second)
kill -HUP "$second_pid"
cat s.scn >&3
exec 3>&-
check "a hangup during the start" await grep -q 'reloaded the configuration' err2
cat s.scn >scenario # the new session reads it again
kill -TERM "$second_pid"
wait $second
check "the second exporter's end" [ $? -eq 0 ]

echo 'metrics: [NONE' >good.yml
kill -HUP "$pid"
check "a wrong file" await grep -q 'old configuration remains' err
check "goes on with the old one" has 'pmon_events_total.*imc/CAS_COUNT.WR/'
check "and its totals" [ "$(get /metrics | grep '^pmon_memory_written_bytes_total' | sort)" = "$written" ]


# An address that cannot be served is an error, as at the start. Another address or access method needs a restart, which
# is reported at each reload until the file names the current ones again.
printf 'listen: localhost:http\ninterval: 100ms\nmetrics: [MEM_WRITE_BANDWIDTH]\n' >good.yml
: >err
kill -HUP "$pid"
check "a wrong address" await grep -q '"localhost:http" for good.yml:1:9: listen; expected HOST:PORT' err
check "the configuration before" await grep -q 'old configuration remains' err
check "is what is served" has 'pmon_events_total.*imc/CAS_COUNT.WR/'
for time in first second; do
  printf 'listen: localhost:9\nbackend: perf\nmetrics: [MEM_WRITE_BANDWIDTH]\n' >good.yml
  : >err
  kill -HUP "$pid"
  check "$time time: right, but for a restart" await grep -q 'reloaded' err
  check "$time time: another address" grep -q 'good.yml:1:9: listen localhost:9: the new address takes effect after a restart' err
  check "$time time: another access method" grep -q 'good.yml:2:10: backend perf: the new access method takes effect' err
done

# backend: machine is the access method in use, which was selected without a name.
printf 'listen: unix:socket\nbackend: machine\ninterval: 100ms\nmetrics: [MEM_WRITE_BANDWIDTH, MEM_READ_BANDWIDTH]\n' >good.yml
: >err
kill -HUP "$pid"
check "a right file" await grep -q 'reloaded' err
check "no restart is necessary" sh -c '! grep restart err'
check "new series" await has pmon_memory_read_bytes_total
check "old series are gone" has_not pmon_events_total
# Totals that remain in the configuration continue.
get /metrics | grep '^pmon_memory_written_bytes_total' | sort >after
check "a counter does not go back" sh -c "echo '$written' | awk 'NR == FNR { before[\$1] = \$2; next } \$2 < before[\$1] { exit 1 } END { exit NR < 20 }' - after"
kill -TERM "$pid"
wait $exporter
check "SIGTERM ends it" [ $? -eq 0 ]
exporter=

# Options override the file.
cat >good.yml <<'YML'
listen: unix:other
interval: 60s
metrics: [MEM_READ_BANDWIDTH]
YML
timeout -s KILL 500 "$pmon" -p emr exporter --config good.yml --listen unix:socket -I 100ms -m MEM_WRITE_BANDWIDTH --scenario s.scn >out 2>err </dev/null &
exporter=$!
check "options" await get /-/ready
check "-m" has pmon_memory_written_bytes_total
check "and not the file's" has_not pmon_memory_read_bytes_total
pid=$(pgrep -P $exporter -x pmon || echo $exporter)
# The exporter exits when the process that serves the network dies.
kill -KILL "$(pgrep -P "$pid" -x pmon)"
wait $exporter
check "the network process is missed" [ $? -eq 1 ]
check "and it says so" grep -q 'network process has exited' err
exporter=
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
