#!/bin/sh
# SPDX-License-Identifier: MIT
# Standard output is a pipe that is not read. The first signal ends the measurement: registers are restored, and the
# report waits for a reader. The second signal ends pmon. If it is closed, SIGPIPE ends pmon after temporary files have
# been removed. Usage: blocked.sh PMON FAKE-HOST SCENARIO
set -u
pmon=$(realpath "$1") fake_host=$(realpath "$2") scenario=$(realpath "$3") bad=0
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export XDG_RUNTIME_DIR="$work"
fail() { echo "$*"; bad=1; }
sh "$fake_host" host || exit 1
registers=host/dev/cpu/0/msr
cp "$registers" original

# The pipe is full from the start.
fill() {
  rm -f pipe ready
  mkfifo pipe ready
  exec 3<>pipe
  dd if=/dev/zero of=pipe bs=4096 count=10000 oflag=nonblock 2>/dev/null
}
ends() {   # NAME
  timeout 100 tail --pid="$pid" -s 0.02 -f /dev/null || {
    echo "$1: pmon does not end: $(cat err)"
    kill -KILL "$pid" "$(cat command)"
    exit 1
  }
  wait "$pid"
}
measured() {   # [-o FILE]: until the command runs; then the first signal
  env --default-signal "$pmon" stat -p snbep --root host --backend direct -I 1 -e cbo/CLOCKTICKS/ \
    "$@" -- sh -c 'echo $$ >command; echo >ready; exec sleep 1000' >&3 2>err &
  pid=$!
  timeout 100 cat ready >/dev/null || fail "the command does not start: $(cat err)"
  cmp -s "$registers" original && fail 'no register was programmed'
  kill -TERM "$pid"
  tries=1000
  until cmp -s "$registers" original || [ $((tries -= 1)) = 0 ]; do sleep 0.05; done
  [ $tries -gt 0 ] || fail 'registers are not restored while output is not read'
}

# The same with the file of -o.
for options in '' '-o pipe'; do
  fill
  measured $options
  kill -TERM "$pid"
  ends "two signals $options"; code=$?
  [ $code = 143 ] || fail "two signals $options: exit code $code"
done

for options in '' '-o pipe'; do
  fill
  measured $options
  tr -d '\0' <pipe >read 3>&- &
  reader=$!
  exec 3>&-
  ends "one signal and a reader $options"; code=$?
  wait $reader
  [ $code = 143 ] || fail "one signal and a reader $options: exit code $code"
  grep -q CLOCKTICKS read || fail "one signal and a reader $options: no report: $(cat read err)"
done

# The recording for a page contains the name of the scenario.
cp "$scenario" scenario
mkfifo closed
exec 3<>closed 4>closed 3>&-
env --default-signal "$pmon" stat --html page -I 0.01 --csv --scenario "$work/scenario" \
  -e imc/CAS_COUNT.RD/ >&4 2>err; code=$?
exec 4>&-
[ $code = 141 ] || fail "closed: exit code $code: $(cat err)"
left=$(grep -lsF "$work/scenario" /tmp/pmon-page-*) && { fail "closed: $left remains"; rm -f $left; }

# The account of a run of the machine.
command -v qemu-x86_64 >/dev/null || { echo "SKIPPED: no qemu-user" >&2; [ $bad = 0 ] && exit 77; exit $bad; }
fill
env --default-signal "$pmon" machine run -- sh -c 'echo $$ >command; echo >ready; exec sleep 1000' >&3 2>err &
pid=$!
timeout 100 cat ready >/dev/null || fail "the program does not start: $(cat err)"
kill -TERM "$pid"
tries=1000
until grep -q 'signal 15: stopped' err || [ $((tries -= 1)) = 0 ]; do sleep 0.05; done
kill -TERM "$pid"
ends 'machine run'; code=$?
[ $code = 143 ] || fail "machine run: exit code $code: $(cat err)"
exit $bad
