#!/bin/sh
# SPDX-License-Identifier: MIT
# --pre and --post: they run before and after each run, are not measured, and end the measurement if they fail; a signal
# reaches them. Usage: hooks.sh PMON
pmon=$(realpath "$1")
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failed=0
complain() { echo "$*"; failed=1; }
run() { timeout -s KILL 100 "$pmon" -p emr stat -e imc/CAS_COUNT.RD/ "$@" </dev/null >out 2>errors; }
expect() { [ "$(tr '\n' ' ' <log)" = "$1 " ] || complain "$2: $(cat log errors)"; rm -f log; }
printf 'thread 0 on core 0: stream read 64K stride 64\n' >s.scn

# A command, and an input without a command.
run -r 2 --pre 'echo pre >>log; [ -e s.scn ] && echo "text of pre"' --post 'echo post >>log' -- sh -c 'echo run >>log' ||
  complain "no runs: $(cat errors)"
expect 'pre run post pre run post' 'order'
[ "$(grep -c 'text of pre' out)" -eq 2 ] || complain "the output of --pre: $(cat out)"
run --scenario s.scn --csv
cp out alone
run --scenario s.scn --csv --pre 'cat s.scn s.scn >copy' --post 'rm copy' || complain "a scenario: $(cat errors)"
cmp out alone || complain "--pre is measured"
[ ! -e copy ] || complain "--post has not run"

# A failure of --pre ends the measurement: the mean is that of the complete runs, and --post has nothing to undo.
run -r 3 --pre 'echo pre >>log; mkdir made' --post 'echo post >>log' --scenario s.scn
[ $? -eq 1 ] || complain "a failed --pre has another status"
expect 'pre post pre' 'after a failed --pre'
grep -q 'pmon stat: --pre: `.*mkdir made` exited with status 1; the measurement ends' errors || complain "$(cat errors)"
grep -q 'CAS_COUNT.RD/ .*1,02[0-9]' out || complain "no report of the complete run: $(cat out)"
run --pre 'exit 3' --scenario s.scn
[ $? -eq 1 ] || complain "a failed --pre has another status"
[ ! -s out ] || complain "measured after a failed --pre: $(cat out)"

# So does one of --post, after the report.
run -r 2 --post 'echo post >>log; kill -KILL $$' --scenario s.scn
[ $? -eq 1 ] || complain "a failed --post has another status"
expect post 'after a failed --post'
grep -q 'pmon stat: --post: .*terminated by signal 9 (Killed); the measurement ends' errors || complain "$(cat errors)"
grep -q 'CAS_COUNT.RD/ .*1,02[0-9]' out || complain "no report: $(cat out)"

# --post cleans up after a command that failed.
run --exit-code --post 'echo post >>log' -- sh -c 'exit 7'
[ $? -eq 7 ] || complain "not the command's status"
expect post 'after a failed command'

# A signal reaches the running command; its end is that of the measurement, as is a second signal for one that goes on.
run --pre 'trap "echo stopped >>log; exit 0" TERM; kill -TERM $PPID; while :; do :; done' --post 'echo post >>log' \
  --scenario s.scn
[ $? -eq 143 ] || complain "a signal during --pre has another status"
expect stopped 'signal during --pre'
grep -q 'pmon stat: --pre: signal 15: stopped while `' errors || complain "$(cat errors)"
run --post 'trap "kill -TERM $PPID; echo first >>log" TERM; kill -TERM $PPID; while :; do :; done' --scenario s.scn
[ $? -eq 143 ] || complain "signals during --post have another status"
[ -s out ] || complain "no report before a signal during --post"
rm -f log

# Nothing runs where nothing is measured.
run --pre 'echo pre >>log' --post 'echo post >>log' --dry-run || complain "--dry-run: $(cat errors)"
[ ! -e log ] || complain "--dry-run has run: $(cat log)"
for option in --pre --post; do
  run $option true --replay none
  [ $? -eq 2 ] || complain "--replay $option is accepted"
  grep -q -- '--replay cannot be combined with --pre or --post' errors || complain "$(cat errors)"
done
exit $failed
