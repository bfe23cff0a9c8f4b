#!/bin/sh
# SPDX-License-Identifier: MIT
# pmon's caller may have signals blocked and ignored. pmon works as without, and the program that it measures has what
# the caller set up, as with env: on the machine, on a host of plain files, and on mounted registers.
# Usage: inherited.sh PMON FAKE-HOST LOOK-SIGNALS
set -u
pmon=$(realpath "$1") fake_host=$(realpath "$2") look=$(realpath "$3") bad=0
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
sh "$fake_host" host || exit 1
mkdir mounted
export XDG_RUNTIME_DIR="$work"
fail() { echo "$*"; bad=1; }

# ---- the program that is measured finds what its caller set up, and its exit status is reported ----
# "-": none. What started the tests may have ignored others. (env blocks before it ignores.)
with() {   # ignored, blocked, command...
  ignore=$1 block=$2
  shift 2
  [ "$ignore" = - ] || set -- env --ignore-signal="$ignore" "$@"
  [ "$block" = - ] || set -- env --block-signal="$block" "$@"
  timeout 60 env --default-signal "$@"
}
same() {   # ignored, blocked, exit code, arguments...
  case="ignored $1, blocked $2" ignored=$1 blocked=$2 code=$3
  shift 3
  with "$ignored" "$blocked" "$look" >want
  with "$ignored" "$blocked" "$pmon" "$@" "$look" >got 2>error
  got=$?
  [ $got -eq "$code" ] || fail "pmon $1, $case: exit code $got: $(cat error)"
  [ "$1 $2" = 'machine mount' ] || grep -q 'exited with status 3' error || fail "pmon $1, $case: $(cat error)"
  diff want got >differs || fail "pmon $1, $case: $(cat differs)"
}
ways='host'
command -v qemu-x86_64 >/dev/null && ways="$ways machine record"
[ -c /dev/fuse ] && "$pmon" machine mount -p snbep mounted true 2>/dev/null && ways="$ways mount"
for signals in -/- CHLD/- -/CHLD INT,HUP,PIPE,USR1/- -/INT,TERM,ALRM,HUP,BUS CHLD,XFSZ,TERM,QUIT/CHLD,PIPE,USR2; do
  for way in $ways; do
    case $way in
    host) set -- 1 stat --root host -p snbep --backend direct -o report -e cbo/CLOCKTICKS/ -- ;;
    machine) set -- 1 stat --backend machine -o report -e imc/CAS_COUNT.RD/ -- ;;
    record) set -- 1 machine record -o trace -- ;;
    mount) set -- 3 machine mount -p snbep mounted ;;
    esac
    same "${signals%/*}" "${signals#*/}" "$@"
  done
done
grep -q '^PIPE blocked$' want && grep -q '^XFSZ ignored$' want || fail "no signals were set up: $(cat want)"

# ---- a blocked signal stops a measurement ----
mkfifo ready
cat >sleeper <<'END'
echo $$ >sleeper.pid
echo ready >ready
exec sleep 1000
END
for name in INT TERM; do
  env --default-signal --block-signal=INT,TERM,HUP,ALRM \
    "$pmon" stat --root host -p snbep --backend direct -o report -e cbo/CLOCKTICKS/ -- sh sleeper 2>error &
  pid=$!
  read -r line <ready
  kill -s $name $pid
  timeout 30 sh -c "until grep -q 'signal [0-9]*: stopped' error || ! kill -0 $pid; do :; done"
  kill -s $name $pid # the program blocks the first one
  timeout 30 tail --pid=$pid -s 0.02 -f /dev/null || {
    kill -KILL $(cat sleeper.pid) $pid
    fail "a blocked SIG$name does not stop pmon"
  }
  wait $pid
done
exit $bad
