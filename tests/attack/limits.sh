#!/bin/sh
# SPDX-License-Identifier: MIT
# Every reader of files has limits (docs/limits.md): endless files, long lines and small files with large demands end
# within 30 s of processor time (10 s on an idle host) and 512 MB, and the message states the limit. Usage: limits.sh
# PMON [sanitized]
set -u
pmon=$1 bad=0
# Three times the limit of an idle host: a host that is slow, or that other programs use, takes longer.
kilobytes=524288 seconds=30
most_kilobytes=524288
# The sanitizers quarantine freed memory for a while.
[ "${2-}" = sanitized ] && kilobytes=unlimited seconds=100 most_kilobytes=1048576
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "$*"; bad=1; }

# ends CODE TEXT COMMAND...
ends() {
  want=$1 text=$2
  shift 2
  (ulimit -v $kilobytes; ulimit -t $seconds; timeout 200 "$pmon" "$@") >"$work/out" 2>"$work/err" </dev/null
  code=$?
  [ $code = "$want" ] || fail "$*: exit code $code, not $want: $(head -c 300 "$work/err")"
  [ -z "$text" ] || grep -q -- "$text" "$work/err" || fail "$*: \"$(head -c 300 "$work/err")\" lacks \"$text\""
}
ends 2 'contains a NUL byte' machine check /dev/zero
ends 2 'contains a NUL byte' machine replay /dev/zero
ends 2 'contains a NUL byte' machine diff /dev/zero /dev/zero
ends 2 'text of less than 64 MiB' -p /dev/zero list
ends 2 'not a log' stat -p emr --replay /dev/zero -e cha/CLOCKTICKS/
ends 2 'longer than 1 MiB' stat -p emr --scenario /dev/zero
ends 2 'longer than 64 MiB' doctor --replay /dev/zero
ends 2 'longer than 64 MiB' machine describe --capture /dev/zero
ends 2 'not a regular file' report /dev/zero
ends 3 'not a regular file' restore /dev/zero
ends 2 'expected near end of file' import /dev/zero
ends 2 'line of text of at most 4095 bytes' -p montecito stat --bundles /dev/zero

# Without line ends.
tr '\0' x </dev/zero | head -c 300000000 >"$work/long"
ends 2 'longer than 256 MiB' machine check "$work/long"
ends 2 'text of less than 64 MiB' -p "$work/long" list
ends 2 'line of text of at most 4095 bytes' -p montecito stat --bundles "$work/long"
{ echo '# pmon-log 1'; cat "$work/long"; } >"$work/log"
ends 2 'line of text of at most 4095 bytes' stat -p emr --replay "$work/log" -e cha/CLOCKTICKS/
rm "$work/long" "$work/log"

# A kernel image of 3 MB that unpacks to 700 MB, more than the limit.
if [ "${2-}" = sanitized ]; then
  : # unpacking takes the time
elif command -v gzip >/dev/null && command -v qemu-system-x86_64 >/dev/null; then
  head -c 700000000 /dev/zero | gzip -1 >"$work/payload"
  size=$(wc -c <"$work/payload")
  bytes() { for n in "$@"; do printf "\\$(printf %03o "$n")"; done; }
  at() { dd of="$work/kernel" bs=1 seek="$1" conv=notrunc 2>/dev/null; }
  truncate -s 1024 "$work/kernel"
  bytes 1 | at 497
  bytes 85 170 | at 510
  printf HdrS | at 514
  bytes 12 2 | at 518
  bytes $((size & 255)) $((size >> 8 & 255)) $((size >> 16 & 255)) 0 | at 588
  cat "$work/payload" >>"$work/kernel"
  kilobytes=unlimited # the emulated machine's caches
  ends 125 'kernel' vm --kernel "$work/kernel" -- true
  ends 125 'longer than 256 MiB' vm --kernel /dev/zero -- true
  [ -x /usr/bin/time ] && { /usr/bin/time -f %M "$pmon" vm --kernel "$work/kernel" -- true 2>&1 | tail -n 1 |
    { read -r most; [ "$most" -lt "$most_kilobytes" ] || echo "kernel: $most kB"; }; } | grep . && bad=1
else
  echo 'SKIPPED: no gzip or no qemu-system-x86_64: no kernel image was tried'
fi

# A platform of 100,000 events, and one of 87,000 imports.
cat >"$work/own.platform" <<'END'
platform own
title own
cite X 1
clock uclk 1000000000 a clock
file own.reg
file own.unit
file own.evt
END
cat >"$work/own.reg" <<'END'
cite X 1
register CTL width 64
  63:8 umask rw 0 umask
  7:0 ev_sel rw 0 alias=event which
register CTR width 64
  63:0 count rw 0 volatile the count
END
cat >"$work/own.unit" <<'END'
cite X 1
unit own
  title own
  instances 1
  counters 1 width 64
  clock uclk
  events own
  at msr 0x2000
  register ctl OWN_CTL CTL 0x0 count 1
  register ctr OWN_CTR CTR 0x20 count 1
END
{ printf 'cite X 1\nevents own\n'; seq 0 99999 | awk '{ printf "event E%d 0x%x\n  brief e\n", $1, $1 % 256 }'; } >"$work/own.evt"
ends 0 '' -p "$work/own.platform" list
[ "$(grep -c '^own/E' "$work/out")" = 100000 ] || fail "$(wc -l <"$work/out") events"
{ echo 'platform many'; yes 'import emr' | head -n 87000; } >"$work/many.platform"
ends 2 'imported already' -p "$work/many.platform" list

# Files of 1 MB whose rows could each be compared with all others: the time must grow linearly with the rows.
seconds=6 tenth=
[ "${2-}" = sanitized ] && seconds=60 tenth=yes
printf 'cite X 1\nevents own\nevent E 1\n  brief e\n' >"$work/own.evt"
cp "$work/own.reg" "$work/base.reg"; cp "$work/own.unit" "$work/base.unit"; cp "$work/own.evt" "$work/base.evt"
cp "$work/own.platform" "$work/base.platform"
# grows CODE TEXT FILE NUMBER FORMAT: a base file with rows of this format, the number in place of %d. A tenth of the
# rows under the sanitizers, where time is not checked.
grows() {
  rows=$4
  [ "$1$tenth" != 0yes ] || rows=$((rows / 10))
  for kind in reg unit evt platform; do cp "$work/base.$kind" "$work/own.$kind"; done
  [ "$3" = own.met ] && { echo 'file own.met' >>"$work/own.platform"; echo 'cite X 1' >"$work/own.met"; }
  [ "$3" = own.rule ] && { echo 'file own.rule' >>"$work/own.platform"; echo 'cite X 1' >"$work/own.rule"; }
  [ "$3" = own.evt ] && printf 'cite X 1\nevents own\nevent E 1\n  brief e\n' >"$work/own.evt"
  seq 1 "$rows" | awk -v format="$5" 'BEGIN { n = split(format, part, "%d") }
    { line = part[1]; for (i = 2; i <= n; i++) line = line $1 part[i]; print line }' >>"$work/$3"
  ends "$1" "$2" -p "$work/own.platform" list
}
nl='
'
grows 0 '' own.unit 40000 '  register filter R%d CTL %d'
grows 0 '' own.unit 40000 '  register filter R CTL %d index %d'
echo 'values V' >>"$work/base.reg"
grows 0 '' own.reg 60000 '  %d v%d'
sed -i '$d' "$work/base.reg"
grows 0 '' own.reg 30000 "register X%d width 8$nl  7:0 a rw 0 x"
grows 0 '' own.evt 80000 'events s%d'
grows 0 '' own.unit 20000 "unit u%d$nl title t$nl alias a%d$nl instances 0"
grows 0 '' own.evt 20000 "event F%d 1$nl brief e$nl alias a%d,b%d,c%d"
grows 0 '' own.evt 30000 " umask U%d 1 | u$nl alias x"
grows 0 '' own.evt 100000 ' note a'
grows 0 '' own.met 20000 "metric M%d$nl brief m$nl equation E + M1"
grows 0 '' own.rule 20000 "rule r%d$nl brief m$nl when OWN_CTL.umask=1"
grows 0 '' own.rule 20000 "invariant r%d$nl brief m$nl holds E == E"
grows 2 'more than 64 steps per byte' own.unit 20000 "  register filter R%d CTL %d$nl  with R%d.umask=1"
seq 1 5000 | awk '{ printf "event F%d 1\n brief e\n", $1 }' >>"$work/base.evt"
grows 2 'more than 64 steps per byte' own.unit 20000 "unit u%d$nl title t$nl instances 0$nl counters 1 width 8$nl events own"
grows 2 '255 characters' own.evt 1 "event F 1$nl brief e$nl alias $(seq 1 1000 | tr '\n' ,)x"
for kind in reg unit evt platform; do cp "$work/base.$kind" "$work/own.$kind"; done
yes '# comment' | head -n 50000 >"$work/own.met"
yes 'file own.met' | head -n 40000 >>"$work/own.platform"
# The largest input: it reaches the limit of all readers, not that of 1 MB.
[ "${2-}" = sanitized ] || { seconds=30; ends 2 '256 MiB together' -p "$work/own.platform" list; }

# Metrics that use others several times: expanded, the last one has a million million terms.
{ printf 'cite X 1\nunit imc\nmetric W0\n brief m\n equation CAS_COUNT.RD\n'
  seq 1 6 | awk '{ printf "metric W%d\n brief m\n equation ", $1
    for (i = 0; i < 100; i++) printf "%sW%d", i ? " + " : "", $1 - 1
    print "" }'; } >"$work/own.met"
kilobytes=unlimited # the emulated machine's caches
echo 'thread 0: spin 10' >"$work/spin.scn"
ends 2 'expected at most 65536' stat -p "emr,$work/own.met" -m W6 --scenario "$work/spin.scn"

# Scenarios: conditions, devices, waits of zero length.
seq 1 5000 | awk '{ printf "crc upi0 1 at %dns\n", $1 }' >"$work/scn"
ends 2 'more than 4096 conditions' -p emr machine run --scenario "$work/scn"
yes 'dma read 1B/s for 1ns' | head -n 5000 >"$work/scn"
ends 2 'more than 4096 devices' -p emr machine run --scenario "$work/scn"
{ yes 'wait 0ns' | head -n 100000; echo 'thread 0: spin 1'; } >"$work/scn"
ends 0 '' -p emr machine run --scenario "$work/scn"

# Logs of 1 MB: each access in another package and register, checked and replayed.
awk 'BEGIN { for (i = 0; i < 28000; i++) printf "%d write %d msr 0x%x 64 0x1\n", i, i % 64, 8192 + i % 4096 }' >"$work/log"
ends 1 '' -p emr machine check "$work/log"

# Programs of Montecito of 1 MB: 256 segments of 2 GB at one address, 255 copies of the whole file, 40,000 symbols at
# one address.
kilobytes=524288
segments=256
[ "${2-}" = sanitized ] && kilobytes=unlimited segments=16
if command -v python3 >/dev/null; then
  python3 - "$work" "$segments" <<'END'
import struct, sys
BASE, SIZE = 1 << 62, 1 << 20
def program(name, segments, sections=b'', at=0):
    head = b'\x7fELF\2\1\1' + bytes(9) + struct.pack('<HHIQQQIHHHHHH', 2, 50, 1, BASE + SIZE - 64, 64, at, 0, 64, 56,
                                                   len(segments), 64, 3 if at else 0, 2 if at else 0)
    head += b''.join(struct.pack('<IIQQQQQQ', 1, 7, 0, a, a, SIZE, bytes_, 16384) for a, bytes_ in segments)
    file = head.ljust(at or SIZE, b'\0') if not sections else (head.ljust(at, b'\0') + sections)
    with open(sys.argv[1] + '/' + name, 'wb') as f:
        f.write(file.ljust(SIZE, b'\0')[:SIZE])
program('segments', [(BASE, 1 << 31)] * int(sys.argv[2]))
program('copies', [(BASE + (i << 24), 1 << 24) for i in range(255)])
n, at = 40000, 64 + 56
strings = at + 64 * 3
symbols = strings + 8
sections = bytes(64) + struct.pack('<IIQQQQIIQQ', 0, 2, 0, 0, symbols, n * 24, 2, 0, 8, 24)
sections += struct.pack('<IIQQQQIIQQ', 0, 3, 0, 0, strings, 8, 0, 0, 1, 0) + b'\0a\0\0\0\0\0\0'
sections += struct.pack('<IBBHQQ', 1, 2, 0, 1, BASE, 0) * n
program('symbols', [(BASE, 1 << 24)], sections, at)
END
  chmod +x "$work/segments" "$work/copies" "$work/symbols"
  for name in segments copies symbols; do
    ends 1 'break' -p montecito stat -- "$work/$name"
  done
else
  echo 'SKIPPED: no python3: no program of Montecito was tried'
fi
kilobytes=unlimited

# Configurations of the exporter: YAML nested as deep as possible, keys and anchors, hashes that take hours.
repeat() { awk -v n="$1" -v text="$2" 'BEGIN { for (i = 0; i < n; i++) printf "%s", text }'; }
exporter() { ends 2 "$1" exporter --listen "unix:$work/none/x" --backend machine "$2" "$work/yaml"; }
repeat 1000000 '[' >"$work/yaml"
exporter 'at most 131072 bytes' --config
repeat 131000 '[' >"$work/yaml"
exporter 'nested more than 16 levels deep' --config
repeat 32000 '{a: ' >"$work/yaml"
exporter 'nested more than 16 levels deep' --config
repeat 65000 '? ' >"$work/yaml"
exporter 'nested more than 16 levels deep' --web-config
{ echo 'a: &a [x,x]'; seq 1 6000 | awk '{ printf "b%d: &b%d [*a,*a]\n", $1, $1 }'; } >"$work/yaml"
exporter 'unknown key' --config
hash() { printf ' u%d: $2b$%s$abcdefghijklmnopqrstuughE8Ev8uGFaUgY2cNEySvxngrb/Jzdm\n' "$1" "$2"; }
{ echo 'basic_auth_users:'; hash 1 31; } >"$work/yaml"
exporter 'of cost 4 to 15' --web-config
{ echo 'basic_auth_users:'; hash 1 15 | awk '{ for (i = 0; i < 1700; i++) { sub(/u[0-9]*/, "u" i); print " " $0 } }'; } >"$work/yaml"
exporter 'no input' --web-config

# Only `pmon import` reads JSON: event files, and in a directory event and metric files with formulas.
nested() { awk -v n="$1" -v left="$2" -v right="$3" 'BEGIN { for (i = 0; i < n; i++) printf "%s", left
  printf "1"; for (i = 0; i < n; i++) printf "%s", right }'; }
nested 2049 '[' ']' >"$work/deep.json"
ends 2 'maximum parsing depth' import "$work/deep.json" -o "$work/deep.platform"
nested 400000 '{"Events":' '}' >"$work/deep.json"
ends 2 'maximum parsing depth' import "$work/deep.json" -o "$work/deep.platform"
{ printf '{"Header":'; nested 2000 '[' ']'; printf ',"Events":[]}'; } >"$work/deep.json"
ends 2 'the array of events is empty' import "$work/deep.json" -o "$work/deep.platform"
# rows UMASKS NAMES: UMASKS event rows of one event; each name occurs twice if NAMES is half of UMASKS.
rows() { awk -v n="$1" -v names="$2" 'BEGIN { printf "["; for (i = 0; i < n; i++)
  printf "%s{\"Unit\":\"CHA\",\"EventCode\":\"0x35\",\"UMask\":\"0x%x\",\"UMaskExt\":\"0x%x\",\"EventName\":\"UNC_CHA_T.X%d\"}",
    i ? "," : "", i % 256, int(i / 256), i % names; printf "]" }'; }
rows 40000 40000 >"$work/rows.json"
ends 0 '' import "$work/rows.json" -o "$work/rows.platform"
rows 40000 20000 >"$work/rows.json"
ends 0 '' import "$work/rows.json" -o "$work/rows.platform"
mkdir -p "$work/perfmon/BDX/events" "$work/perfmon/BDX/metrics"
printf '%s\n' 'Family-model,Version,Filename,EventType,Core Type,Native Model ID,Core Role Name' \
  'GenuineIntel-6-4F,V1,/BDX/events/x_uncore.json,uncore,,,' 'GenuineIntel-6-4F,V1,/BDX/metrics/x_metrics.json,metrics,,,' \
  >"$work/perfmon/mapfile.csv"
event='[{"Unit":"CBO","EventCode":"0x35","UMask":"0x01","EventName":"UNC_C_X.Y","BriefDescription":"b"}]'
# metric TEXT FORMULA: the only metric of a directory is left out for this reason.
metric() {
  echo "$event" >"$work/perfmon/BDX/events/x_uncore.json"
  printf '[{"MetricName":"m","BriefDescription":"b","UnitOfMeasure":"x","Events":[],"Constants":[],"Formula":"%s"}]' \
    "$2" >"$work/perfmon/BDX/metrics/x_metrics.json"
  ends 0 '' import "$work/perfmon" --only BDX -o "$work/imported"
  grep -q -- "$1" "$work"/imported/*.omitted || fail "$1: $(cat "$work"/imported/*.omitted)"
}
metric 'nested more than 60 deep' "$(nested 20000 '(' ')')"
metric 'nested more than 60 deep' "$(nested 60 '(' ')')"
metric 'longer than 64 KiB' "$(nested 40 'd_ratio(1,' ')')"
metric 'more than 900 terms' "$(nested 1 "$(yes '1+' | head -n 20000 | tr -d '\n')" '')"
echo "$event" >"$work/perfmon/BDX/events/x_uncore.json"
nested 3000 '[' ']' >"$work/perfmon/BDX/metrics/x_metrics.json"
ends 1 'maximum parsing depth' import "$work/perfmon" --only BDX -o "$work/imported2"
nested 3000 '[' ']' >"$work/perfmon/BDX/events/x_uncore.json"
ends 2 'maximum parsing depth' import "$work/perfmon" --only BDX -o "$work/imported2"
exit $bad
