#!/bin/sh
# SPDX-License-Identifier: MIT
# A signal that comes at the last moment before a process executes another program is not lost: pmon's own
# handlers would take it. Usage: exec_signals.sh PMON FAKE-HOST SIGNAL-AT-EXEC
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
exit $bad
