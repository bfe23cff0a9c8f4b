#!/bin/sh
# SPDX-License-Identifier: MIT
# Signals while a sleeping program is measured: pmon reports its counts, passes the signal on, restores all registers
# and exits with 128 + the signal's number. Usage: signals.sh PMON FAKE-HOST WAIT-FOR-SIGNAL
set -u
pmon=$1 fake_host=$2 waits=$3
command -v qemu-x86_64 >/dev/null || { echo "SKIPPED: no qemu-user" >&2; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0

# A program that writes a line into a FIFO, then waits for a signal and writes its number into the file `handled`.
mkfifo "$work/ready"

# A runner in the background has SIGINT ignored, which its programs inherit: restore the default.
stop() {    # SIGNAL NUMBER
  rm -f "$work/handled"
  env --default-signal "$pmon" stat -e imc/CAS_COUNT.RD/ --log "$work/log" -- "$waits" "$work/pid" "$work/ready" "$work/handled" \
    >"$work/out" 2>"$work/err" &
  pid=$!
  read -r line <"$work/ready"
  kill -s "$1" "$pid"
  wait "$pid"; code=$?
  [ "$code" = $((128 + $2)) ] || { echo "$1: exit code $code"; cat "$work/err"; bad=1; }
  grep -q 'CAS_COUNT.RD' "$work/out" || { echo "$1: no report"; bad=1; }
  [ "$(cat "$work/handled" 2>/dev/null)" = "$2" ] || { echo "$1: the program did not get it"; bad=1; }
  "$pmon" machine check -p emr "$work/log" >"$work/checked" 2>&1 || { echo "$1: the log"; cat "$work/checked"; bad=1; }
}
stop INT 2
stop TERM 15
stop HUP 1

# A comparison has no report.
env --default-signal "$pmon" diff -- "$waits" "$work/pid" "$work/ready" "$work/handled" -- true >"$work/out" 2>"$work/err" &
pid=$!
read -r line <"$work/ready"
kill -s TERM "$pid"
wait "$pid"; code=$?
[ "$code" = 143 ] || { echo "diff: exit code $code"; bad=1; }
grep -q 'signal 15: stopped; nothing is compared$' "$work/err" || { echo "diff: $(cat "$work/err")"; bad=1; }
[ ! -s "$work/out" ] || { echo "diff: $(cat "$work/out")"; bad=1; }

# A recording that a signal ends is complete, and the program gets the signal.
record() {    # SIGNAL NUMBER
  rm -f "$work/handled"
  env --default-signal "$pmon" machine record -o "$work/trace" -- "$waits" "$work/pid" "$work/ready" "$work/handled" 2>"$work/err" &
  pid=$!
  read -r line <"$work/ready"
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
env --default-signal "$pmon" machine run -- "$waits" "$work/pid" "$work/ready" "$work/handled" >"$work/out" 2>"$work/err" &
pid=$!
read -r line <"$work/ready"
kill -s INT "$pid"
wait "$pid"; code=$?
[ "$code" = 130 ] || { echo "run: exit code $code"; bad=1; }
grep -q 'signal 2: stopped; the account covers the time before the signal$' "$work/err" || { echo "run: $(cat "$work/err")"; bad=1; }
awk '$1 == "instructions" && $NF != "0" { found = 1 } END { exit !found }' "$work/out" || { echo "run: no account"; bad=1; }

# So does that of Montecito's cores. The stream lasts for hours; it begins when the handler of SIGINT is installed. After
# 0.2 s of processor time (field 14), bundles have retired.
env --default-signal "$pmon" -p montecito machine run --generate loops:100000000000 >"$work/out" 2>"$work/err" &
pid=$!
until grep -qE '^SigCgt:.*[2367abef]$' "/proc/$pid/status"; do kill -0 "$pid" || break; done
until [ "$(cut -d' ' -f14 "/proc/$pid/stat")" -ge 20 ]; do kill -0 "$pid" || break; done
kill -s INT "$pid"
wait "$pid"; code=$?
[ "$code" = 130 ] || { echo "cores: exit code $code"; bad=1; }
grep -q 'signal 2: stopped; the account covers the time before the signal$' "$work/err" || { echo "cores: $(cat "$work/err")"; bad=1; }
grep -q '^bundles ' "$work/out" || { echo "cores: no account"; bad=1; }

# A run that is cut off is not part of the mean of the complete runs before it.
cat >"$work/second" <<'EOF'
[ -e "$1/ran" ] || { : >"$1/ran"; exit 0; }
echo ready >"$1/ready"
while :; do :; done
EOF
env --default-signal "$pmon" stat -r 5 --csv -e imc/CAS_COUNT.RD/ -- sh "$work/second" "$work" >"$work/out" 2>"$work/err" &
pid=$!
read -r line <"$work/ready"
kill -s INT "$pid"
wait "$pid"; code=$?
[ "$code" = 130 ] || { echo "repeated: exit code $code"; bad=1; }
grep -q 'signal 2: stopped; the report covers the complete runs$' "$work/err" || { echo "repeated: $(cat "$work/err")"; bad=1; }
[ "$(awk -F, 'NR == 4 { print $16 }' "$work/out")" = 1 ] || { echo "repeated: $(cat "$work/out")"; bad=1; }

# If SIGINT was ignored from the start, the program gets SIGTERM instead.
cat >"$work/loop" <<'EOF'
echo ready >"$1/ready"
while :; do :; done
EOF
(trap '' INT; exec "$pmon" stat -e imc/CAS_COUNT.RD/ -- sh "$work/loop" "$work") >"$work/out" 2>"$work/err" &
pid=$!
read -r line <"$work/ready"
kill -INT "$pid"
wait "$pid"; code=$?
[ "$code" = 130 ] || { echo "ignored: exit code $code"; bad=1; }

# A second signal kills a program that ignores the first one.
cat >"$work/deaf" <<'EOF'
trap '' TERM
echo ready >"$1/ready"
exec sleep 1000
EOF
env --default-signal "$pmon" stat -e imc/CAS_COUNT.RD/ -o "$work/out" -- sh "$work/deaf" "$work" 2>"$work/err" &
pid=$!
read -r line <"$work/ready"
kill -TERM "$pid"
until grep -q 'signal [0-9]*: stopped' "$work/err"; do kill -0 "$pid" || break; done
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
  rm -f "$work/pids" "$work/out"
  env --default-signal XDG_RUNTIME_DIR="$work" "$pmon" stat "$@" -o "$work/out" -- sh "$work/family" "$work" 2>"$work/err" &
  pid=$!
  read -r line <"$work/ready"
  kill -TERM "$pid"
  until [ -s "$work/out" ]; do kill -0 "$pid" || break; done
  kill -TERM "$pid"
  timeout 600 tail --pid="$pid" -s 0.02 -f /dev/null || { echo "$name: pmon does not end"; kill -KILL "$pid"; bad=1; }
  wait "$pid"; code=$?
  [ "$code" = 143 ] || { echo "$name: exit code $code"; cat "$work/err"; bad=1; }
  [ "$(wc -l <"$work/pids")" = 4 ] || { echo "$name: not all processes were there"; bad=1; }
  for p in $(cat "$work/pids"); do
    timeout 600 tail --pid="$p" -s 0.02 -f /dev/null ||
      { echo "$name: a process of the program lives on: $(tr '\0' ' ' <"/proc/$p/cmdline")"; kill -KILL "$p"; bad=1; }
  done
}
kill_family machine --backend machine -e imc/CAS_COUNT.RD/
kill_family host -p snbep --root "$work/host" --backend direct -e cbo/CLOCKTICKS/
exit $bad
