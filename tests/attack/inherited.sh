#!/bin/sh
# SPDX-License-Identifier: MIT
# pmon's caller may have blocked and ignored signals. pmon works as without these, and the measured program inherits
# them from the caller, as with env: on the machine, on a host of plain files, and on mounted registers. Usage:
# inherited.sh PMON FAKE-HOST LOOK-SIGNALS WAIT-FOR-SIGNAL [few: some of the signals only]
set -u
pmon=$(realpath "$1") fake_host=$(realpath "$2") look=$(realpath "$3") waits=$(realpath "$4") few=${5-} bad=0
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
sh "$fake_host" host || exit 1
mkdir mounted
export XDG_RUNTIME_DIR="$work"
# A sanitizer's handlers of fault signals would hide from pmon that these were ignored.
own=handle_segv=0:handle_sigbus=0:handle_sigfpe=0:handle_sigill=0:handle_sigtrap=0
export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}$own" UBSAN_OPTIONS="${UBSAN_OPTIONS:+$UBSAN_OPTIONS:}$own"
fail() { echo "$*"; bad=1; }

# ---- the measured program inherits its caller's signal settings, and its exit status is reported ----
# "-": none. The test's own parent may have ignored further signals. (env blocks before it ignores.)
with() {   # ignored, blocked, command...
  ignore=$1 block=$2
  shift 2
  [ "$ignore" = - ] || set -- env --ignore-signal="$ignore" "$@"
  [ "$block" = - ] || set -- env --block-signal="$block" "$@"
  timeout 600 env --default-signal "$@"
}
same() {   # ignored, blocked, exit code, arguments...
  case="ignored $1, blocked $2" ignored=$1 blocked=$2 code=$3
  shift 3
  with "$ignored" "$blocked" $through "$look" >want
  with "$ignored" "$blocked" "$pmon" "$@" $through "$look" >got 2>error
  got=$?
  case="$case${through:+, through $through}"
  [ $got -eq "$code" ] || fail "pmon $1, $case: exit code $got: $(cat error)"
  [ "$1 $2" = 'machine mount' ] || grep -q 'exited with status 3' error || fail "pmon $1, $case: $(cat error)"
  diff want got >differs || fail "pmon $1, $case: $(cat differs)"
}
ways='host' through=
command -v qemu-x86_64 >/dev/null && ways="$ways machine record"
[ -c /dev/fuse ] && "$pmon" machine mount -p snbep mounted true 2>/dev/null && ways="$ways mount"
inherited='CHLD,XFSZ,TERM,QUIT/CHLD,PIPE,USR2'
[ "$few" ] || inherited="-/- CHLD/- -/CHLD INT,HUP,PIPE,USR1/- -/INT,TERM,ALRM,HUP,BUS $inherited"
for signals in $inherited; do
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

# The settings also reach programs that the command executes and starts. The emulator needs SIGSEGV and SIGBUS itself.
faults=SEGV,BUS,ILL,FPE,TRAP
for way in $ways; do
  for through in 'env' 'env --default-signal=BUS,FPE' "env --ignore-signal=$faults env" \
    "env --ignore-signal=$faults env --default-signal=SEGV,TRAP env" 'timeout 300'; do
    for signals in -/- "$faults/-"; do
      [ "$few$signals" != few-/- ] || continue
      case $way in
      machine) set -- 1 stat --backend machine -o report -e imc/CAS_COUNT.RD/ -- ;;
      record) set -- 1 machine record -o trace -- ;;
      *) continue ;;
      esac
      same "${signals%/*}" "${signals#*/}" "$@"
    done
  done
done
grep -q '^SEGV ignored$' want || fail "no faults were ignored: $(cat want)"

# ---- one signal ends a measurement, also if the command inherited this signal as ignored or blocked ----
# Whenever it ends: if pmon had to kill the command, 20 s after the signal, the machine reports that.
mkfifo ready
ends() {   # ignored, blocked, signal, host, machine or mount, command...
  case="$4, ignored $1, blocked $2, SIG$3" ignored=$1 blocked=$2 signal=$3 way=$4
  shift 4
  case $signal in HUP) number=1 ;; INT) number=2 ;; TERM) number=15 ;; esac
  case $way in
  host) set -- "$pmon" stat -o report --root host -p snbep --backend direct -e cbo/CLOCKTICKS/ -- "$@" ;;
  machine) set -- "$pmon" stat -o report --backend machine -e imc/CAS_COUNT.RD/ -- "$@" ;;
  mount) set -- "$pmon" machine mount -p snbep mounted "$@" ;;
  esac
  [ "$ignored" = - ] || set -- env --ignore-signal="$ignored" "$@"
  [ "$blocked" = - ] || set -- env --block-signal="$blocked" "$@"
  rm -f report
  env --default-signal "$@" 2>error &
  pid=$!
  timeout 300 cat ready >/dev/null || fail "$case: the command does not start: $(cat error)"
  kill -s "$signal" $pid
  timeout 300 tail -s 0.05 --pid=$pid -f /dev/null || {
    kill -KILL "$(cat command.pid)" $pid
    fail "$case: one signal does not end pmon"
  }
  wait $pid
  got=$?
  ! grep 'was killed' error || fail "$case: one signal does not end the command"
  # machine mount exits with the command's status: of SIGTERM, or of SIGKILL if SIGTERM has no effect.
  [ $way = mount ] && case "$ignored $blocked" in *TERM*) number=9 ;; *) number=15 ;; esac
  [ $got -eq $((128 + number)) ] || fail "$case: exit code $got: $(cat error)"
  [ $way = mount ] || [ -s report ] || fail "$case: no report"
}
for way in host machine mount; do
  case " $ways " in *" $way "*) ;; *) continue ;; esac
  inherited='INT,TERM/- -/INT,TERM,HUP,ALRM'
  [ "$few" ] || inherited="INT/- TERM/- -/INT -/TERM $inherited"
  for signals in $inherited; do
    for name in INT TERM; do
      ends "${signals%/*}" "${signals#*/}" $name $way "$waits" command.pid ready
    done
  done
  ends - HUP HUP $way "$waits" command.pid ready
done
# A command that has installed a handler by now gets the signal.
ends TERM - TERM host "$waits" command.pid ready handled
[ "$(cat handled)" = 15 ] || fail 'an ignored SIGTERM: the command has a handler, and did not get it'
exit $bad
