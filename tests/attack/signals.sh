#!/bin/sh
# SPDX-License-Identifier: MIT
# Signals while a sleeping program is measured: pmon reports its counts, passes the signal on, restores all registers
# and exits with 128 + the signal's number. Usage: signals.sh PMON FAKE-HOST WAIT-FOR-SIGNAL
set -u
pmon=$1 fake_host=$2 waits=$3
LIMIT_S=200   # below the runner's limit
command -v qemu-x86_64 >/dev/null || { echo "SKIPPED: no qemu-user" >&2; exit 77; }

# Runs the parts in another shell. If they do not end, prints which one it is and where its processes are, and kills
# these: their environment has the variable `work`.
if [ -z "${work-}" ]; then
  work=$(mktemp -d) || exit 1
  trap 'rm -rf "$work"' EXIT
  work=$work sh "$0" "$@" &
  parts=$!
  timeout "$LIMIT_S" tail --pid="$parts" -s 0.02 -f /dev/null || {
    echo "no end after $LIMIT_S s, in part $(cat "$work/part"); pmon: $(cat "$work/err")"
    for p in $(grep -lzF "work=$work" /proc/[0-9]*/environ 2>/dev/null | cut -d/ -f3); do
      echo "$(tr '\0' ' ' <"/proc/$p/cmdline"): $(cat "/proc/$p/stat" "/proc/$p/wchan")"
      kill -KILL "$p"
    done
  }
  wait "$parts"
  exit
fi
bad=0
part() { echo "$*" >"$work/part"; }
ready() {
  timeout 100 cat "$work/ready" >/dev/null && return
  echo "$(cat "$work/part"): no program: $(cat "$work/err")"
  bad=1
}
runs() { case "$(cut -d' ' -f3 "/proc/$1/stat" 2>/dev/null)" in '' | Z | X) return 1 ;; esac; }

# A program that writes a line into a FIFO, then waits for a signal and writes its number into the file `handled`.
mkfifo "$work/ready"

# A runner in the background has SIGINT ignored, which its programs inherit: restore the default.
stop() {    # SIGNAL NUMBER
  part "stat, $1"
  rm -f "$work/handled"
  env --default-signal "$pmon" stat -e imc/CAS_COUNT.RD/ --log "$work/log" -- "$waits" "$work/pid" "$work/ready" "$work/handled" \
    >"$work/out" 2>"$work/err" &
  pid=$!
  ready
  kill -s "$1" "$pid"
  wait "$pid"; code=$?
  [ "$code" = $((128 + $2)) ] || { echo "$1: exit code $code"; cat "$work/err"; bad=1; }
  grep -q 'CAS_COUNT.RD' "$work/out" || { echo "$1: no report"; bad=1; }
  # The start of the program takes some 0.1 ms of simulated time; its sleep, and the end by a signal, take none.
  grep -q '[0-9] us of simulated time$' "$work/out" || { echo "$1: time passed: $(grep EMULATED "$work/out")"; bad=1; }
  [ "$(cat "$work/handled" 2>/dev/null)" = "$2" ] || { echo "$1: the program did not get it"; bad=1; }
  "$pmon" machine check -p emr "$work/log" >"$work/checked" 2>&1 || { echo "$1: the log"; cat "$work/checked"; bad=1; }
}
stop INT 2
stop TERM 15
stop HUP 1

# A comparison has no report.
part diff
env --default-signal "$pmon" diff -- "$waits" "$work/pid" "$work/ready" "$work/handled" -- true >"$work/out" 2>"$work/err" &
pid=$!
ready
kill -s TERM "$pid"
wait "$pid"; code=$?
[ "$code" = 143 ] || { echo "diff: exit code $code"; bad=1; }
grep -q 'signal 15: stopped; nothing is compared$' "$work/err" || { echo "diff: $(cat "$work/err")"; bad=1; }
[ ! -s "$work/out" ] || { echo "diff: $(cat "$work/out")"; bad=1; }

# A recording that a signal ends is complete, and the program gets the signal.
record() {    # SIGNAL NUMBER
  part "record, $1"
  rm -f "$work/handled"
  env --default-signal "$pmon" machine record -o "$work/trace" -- "$waits" "$work/pid" "$work/ready" "$work/handled" 2>"$work/err" &
  pid=$!
  ready
  kill -s "$1" "$pid"
  wait "$pid"; code=$?
  [ "$code" = $((128 + $2)) ] || { echo "record, $1: exit code $code"; cat "$work/err"; bad=1; }
  grep -q "signal $2: stopped; the file contains the accesses before the signal" "$work/err" || { echo "record, $1:"; cat "$work/err"; bad=1; }
  [ "$(cat "$work/handled" 2>/dev/null)" = "$2" ] || { echo "record, $1: the program did not get it"; bad=1; }
  "$pmon" machine run --trace "$work/trace" >"$work/out" 2>"$work/err" || { echo "record, $1: the trace"; bad=1; }
  [ ! -s "$work/err" ] || { echo "record, $1: the trace: $(cat "$work/err")"; bad=1; }
}
record INT 2
record TERM 15
record HUP 1

# The machine's account covers the time before the signal.
part run
env --default-signal "$pmon" machine run -- "$waits" "$work/pid" "$work/ready" "$work/handled" >"$work/out" 2>"$work/err" &
pid=$!
ready
kill -s INT "$pid"
wait "$pid"; code=$?
[ "$code" = 130 ] || { echo "run: exit code $code"; bad=1; }
grep -q 'signal 2: stopped; the account covers the time before the signal$' "$work/err" || { echo "run: $(cat "$work/err")"; bad=1; }
awk '$1 == "instructions" && $NF != "0" { found = 1 } END { exit !found }' "$work/out" || { echo "run: no account"; bad=1; }

# So does that of Montecito's cores. The stream lasts for hours; it begins when the handler of SIGINT is installed. After
# 0.2 s of processor time (field 14), bundles have retired.
part cores
env --default-signal "$pmon" -p montecito machine run --generate loops:100000000000 >"$work/out" 2>"$work/err" &
pid=$!
until grep -qE '^SigCgt:.*[2367abef]$' "/proc/$pid/status"; do runs "$pid" || break; done
until [ "$(cut -d' ' -f14 "/proc/$pid/stat")" -ge 20 ]; do runs "$pid" || break; done
kill -s INT "$pid"
wait "$pid"; code=$?
[ "$code" = 130 ] || { echo "cores: exit code $code"; bad=1; }
grep -q 'signal 2: stopped; the account covers the time before the signal$' "$work/err" || { echo "cores: $(cat "$work/err")"; bad=1; }
grep -q '^bundles ' "$work/out" || { echo "cores: no account"; bad=1; }

# A run that is cut off is not part of the mean of the complete runs before it.
part repeated
cat >"$work/second" <<'EOF'
[ -e "$1/ran" ] || { : >"$1/ran"; exit 0; }
echo ready >"$1/ready"
while :; do :; done
EOF
env --default-signal "$pmon" stat -r 5 --csv -e imc/CAS_COUNT.RD/ -- sh "$work/second" "$work" >"$work/out" 2>"$work/err" &
pid=$!
ready
kill -s INT "$pid"
wait "$pid"; code=$?
[ "$code" = 130 ] || { echo "repeated: exit code $code"; bad=1; }
grep -q 'signal 2: stopped; the report covers the complete runs$' "$work/err" || { echo "repeated: $(cat "$work/err")"; bad=1; }
[ "$(awk -F, 'NR == 4 { print $16 }' "$work/out")" = 1 ] || { echo "repeated: $(cat "$work/out")"; bad=1; }

# If SIGINT was ignored from the start, the program gets SIGTERM instead.
part ignored
cat >"$work/loop" <<'EOF'
echo ready >"$1/ready"
while :; do :; done
EOF
(trap '' INT; exec "$pmon" stat -e imc/CAS_COUNT.RD/ -- sh "$work/loop" "$work") >"$work/out" 2>"$work/err" &
pid=$!
ready
kill -INT "$pid"
wait "$pid"; code=$?
[ "$code" = 130 ] || { echo "ignored: exit code $code"; bad=1; }

# A second signal kills a program that ignores the first one.
part deaf
cat >"$work/deaf" <<'EOF'
trap '' TERM
echo ready >"$1/ready"
exec sleep 1000
EOF
env --default-signal "$pmon" stat -e imc/CAS_COUNT.RD/ -o "$work/out" -- sh "$work/deaf" "$work" 2>"$work/err" &
pid=$!
ready
kill -TERM "$pid"
until grep -q 'signal [0-9]*: stopped' "$work/err"; do runs "$pid" || break; done
kill -TERM "$pid"
wait "$pid"; code=$?
[ "$code" = 143 ] || { echo "deaf: exit code $code"; bad=1; }
grep -q 'CAS_COUNT.RD' "$work/out" || { echo "deaf: no report"; bad=1; }

# All processes that the program has started are killed, too: children, those in a session of their own, and a child
# whose parent exits at the first signal. On the machine, and on a host.
cat >"$work/family" <<'EOF'
trap '' TERM
sleep 1000 & echo $! >>"$1/pids"
setsid sleep 1000 & echo $! >>"$1/pids"
env --default-signal=TERM sh -c 'env --ignore-signal=TERM sleep 1000 & echo $! >>"$1/pids"; wait' sh "$1" & echo $! >>"$1/pids"
until [ "$(wc -l <"$1/pids")" = 4 ]; do :; done
echo ready >"$1/ready"
exec sleep 1000
EOF
"$fake_host" "$work/host" || exit 1
kill_family() {   # NAME OPTION...
  name=$1
  shift
  part "$name: pmon"
  rm -f "$work/pids" "$work/out"
  env --default-signal XDG_RUNTIME_DIR="$work" "$pmon" stat "$@" -o "$work/out" -- sh "$work/family" "$work" 2>"$work/err" &
  pid=$!
  ready
  kill -TERM "$pid"
  until [ -s "$work/out" ]; do runs "$pid" || break; done
  kill -TERM "$pid"
  wait "$pid"; code=$?
  [ "$code" = 143 ] || { echo "$name: exit code $code"; cat "$work/err"; bad=1; }
  [ "$(wc -l <"$work/pids")" = 4 ] || { echo "$name: not all processes were there"; bad=1; }
  for p in $(cat "$work/pids"); do
    part "$name: a process of the program lives on"
    while runs "$p" && grep -qzF "work=$work" "/proc/$p/environ" 2>/dev/null; do sleep 0.02; done
  done
}
kill_family machine --backend machine -e imc/CAS_COUNT.RD/
kill_family host -p snbep --root "$work/host" --backend direct -e cbo/CLOCKTICKS/
exit $bad
