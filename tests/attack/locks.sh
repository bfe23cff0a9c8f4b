#!/bin/sh
# SPDX-License-Identifier: MIT
# 40 pairs of sessions that start at the same instant on one host: never two at a time, the second one names the first,
# and `pmon restore` does not touch a running session. The owner of a lock who has exited is not named. Usage: locks.sh
# PMON FAKE-HOST FAILING-CALLS
set -u
pmon=$1 fake_host=$2 failing_calls=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export XDG_RUNTIME_DIR="$work"
bad=0 ran=0 refused=0
"$fake_host" "$work/host" || exit 1
mkfifo "$work/gate0" "$work/gate1"

# The measured program: a folder exists while it runs; it waits until the other session has been refused or has ended.
cat >"$work/program" <<'END'
mkdir "$1/running" 2>/dev/null || echo both >>"$1/both"
i=0; while [ $i -lt 2000 ]; do i=$((i + 1)); done
rmdir "$1/running" 2>/dev/null
END
one() {
  read -r go <"$work/gate$1"
  "$pmon" stat -p snbep --root "$work/host" --backend direct -e cbo/CLOCKTICKS/ -- sh "$work/program" "$work" \
    >"$work/out$1" 2>"$work/err$1"
  echo $? >"$work/code$1"
}
for pair in $(seq 40); do
  one 0 & first=$!
  one 1 & second=$!
  echo go >"$work/gate0"
  echo go >"$work/gate1"
  wait $first; wait $second
  for i in 0 1; do
    if [ "$(cat "$work/code$i")" = 3 ] && grep -q 'no counter has a value' "$work/err$i"; then
      ran=$((ran + 1))
    elif [ "$(cat "$work/code$i")" = 3 ] && grep -q 'in use by process [0-9]* (pmon\|in use by another process' "$work/err$i"; then
      refused=$((refused + 1))
    else
      echo "pair $pair: exit code $(cat "$work/code$i"), $(cat "$work/err$i")"; bad=1
    fi
  done
done
[ -e "$work/both" ] && { echo "$(wc -l <"$work/both") of 40 pairs ran at the same time"; bad=1; }
[ $ran -ge 40 ] || { echo "only $ran sessions ran"; bad=1; }
grep -l 18446744073 "$work"/err* && bad=1
ls "$work"/*.journal 2>/dev/null && { echo 'a journal is left'; bad=1; }

# `restore` during a session: its journal and its registers are not touched.
cat >"$work/waiter" <<'END'
echo ready >"$1/gate0"
read -r go <"$1/gate1"
END
"$pmon" stat -p snbep --root "$work/host" --backend direct -e cbo/CLOCKTICKS/ -- sh "$work/waiter" "$work" \
  >"$work/out" 2>"$work/err" &
pid=$!
read -r line <"$work/gate0"
before=$(cksum "$work/host/dev/cpu/0/msr")
"$pmon" restore --root "$work/host" --backend direct >"$work/out" 2>"$work/restored"; code=$?
[ $code != 0 ] && grep -q "is running, process $pid" "$work/restored" ||
  { echo "restore of a running session: $code, $(cat "$work/restored")"; bad=1; }
[ "$(cksum "$work/host/dev/cpu/0/msr")" = "$before" ] || { echo 'restore wrote registers of a running session'; bad=1; }
[ -e "$work/pmon-$pid.journal" ] || { echo 'restore removed the journal of a running session'; bad=1; }
"$pmon" stat -p snbep --root "$work/host" --backend direct --force -e cbo/CLOCKTICKS/ -- true >"$work/out" 2>"$work/second"
grep -q "in use by process $pid (pmon" "$work/second" || { echo "second session: $(cat "$work/second")"; bad=1; }
# Where /proc hides the names of processes, the process number is reported.
env LD_PRELOAD="$failing_calls" FAIL_COMM=EACCES "$pmon" stat -p snbep --root "$work/host" --backend direct --force \
  -e cbo/CLOCKTICKS/ -- true >"$work/out" 2>"$work/hidden"
grep -q "in use by process $pid: wait" "$work/hidden" || { echo "hidden name: $(cat "$work/hidden")"; bad=1; }
echo go >"$work/gate1"
wait $pid; code=$?
[ $code = 3 ] || { echo "the session: exit code $code, $(cat "$work/err")"; bad=1; }

# A process that has inherited the lock of an exited one: the kernel's list names the latter.
flock "$work/host/dev/cpu/0/msr" sh -c 'echo ready >"$1/gate0"; read -r go <"$1/gate1"' heir "$work" &
pid=$!
read -r line <"$work/gate0"
kill $pid
wait $pid 2>/dev/null
"$pmon" stat -p snbep --root "$work/host" --backend direct -e cbo/CLOCKTICKS/ -- true >"$work/out" 2>"$work/third"; code=$?
[ $code = 3 ] && grep -q 'in use by another process$' "$work/third" ||
  { echo "beside an inherited lock: $code, $(cat "$work/third")"; bad=1; }
echo go >"$work/gate1"
echo "$ran sessions ran, $refused were refused"
exit $bad
