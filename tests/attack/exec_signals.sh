#!/bin/sh
# SPDX-License-Identifier: MIT
# A signal that comes at the last moment before a process executes another program is not lost: on the machine, where
# QEMU has taken it and not delivered it yet, and on a host, where pmon's own handlers would take it. Usage:
# exec_signals.sh PMON FAKE-HOST SIGNAL-AT-EXEC
set -u
pmon=$(realpath "$1") fake_host=$(realpath "$2") preloaded=$(realpath "$3") bad=0
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export XDG_RUNTIME_DIR="$work"
fail() { echo "$*"; bad=1; }
at() {   # CALL COMMAND...
  call=$1
  shift
  timeout -s KILL 100 env --default-signal SIGNAL_AT="$call" LD_PRELOAD="$preloaded" "$@"
}

sh "$fake_host" host || exit 1
at execvp "$pmon" stat -p snbep --root host --backend direct -o out -e cbo/CLOCKTICKS/ -- sh -c ': >ran' 2>err; code=$?
[ $code = 143 ] || fail "host: exit code $code: $(cat err)"
[ ! -e ran ] || fail 'host: the command ran after the signal'

command -v qemu-x86_64 >/dev/null || { echo "SKIPPED: no qemu-user" >&2; [ $bad = 0 ] && exit 77; exit $bad; }
cat >script <<'END'
(exec sh -c ': >ran' victim)
echo $? >status
END
at execve "$pmon" stat --backend machine -o out -e imc/CAS_COUNT.RD/ -- sh script 2>err; code=$?
[ $code = 0 ] || fail "machine: exit code $code: $(cat err)"
[ "$(cat status)" = 143 ] || fail "machine: the process exited with status $(cat status)"
[ ! -e ran ] || fail 'machine: the next program ran after the signal'
exit $bad
