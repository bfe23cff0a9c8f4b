#!/bin/sh
# SPDX-License-Identifier: MIT
# A measured program has the same environment as without pmon: blocked and ignored signals, descriptors, limits, file
# mode mask, environment variables, folder and priority, in the first run and in the second. The emulator handles
# ignored signals itself, so that their effect is compared: on the program, on a program that it starts, and on one that
# it executes. Usage: surroundings.sh PMON
set -u
pmon=$1
command -v qemu-x86_64 >/dev/null || { echo "SKIPPED: no qemu-user" >&2; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat >"$work/look" <<'EOT'
grep '^SigBlk' /proc/self/status
for fd in 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do
  [ -e /proc/self/fd/$fd ] && [ $fd != 3 ] && echo "descriptor $fd"
done
ulimit -a
ulimit -Ha
umask
nice
pwd
env -0 | sort -z | tr '\0' '\n' | grep -v '^_='
kill -s XFSZ $$; echo survived XFSZ
kill -s USR1 $$; echo survived USR1
for signal in PIPE TERM HUP; do
  sh -c "kill -s $signal \$\$"; echo "$signal $?"
done
sh -c 'kill -s USR1 $$; echo survived USR1, started'
exec sh -c 'kill -s XFSZ $$; echo survived XFSZ, in its place
exec env --default-signal=XFSZ sh -c "kill -s USR1 \$\$; echo survived USR1, beside XFSZ
sh -c \"kill -s XFSZ \\\$\\\$\"; exit 3"'
EOT
bad=0
# The test's parent may have ignored SIGHUP. Descriptor 9 is inherited; 7 is not, and the limit of open files differs.
surround() {
  (
    trap '' XFSZ USR1
    umask 027
    ulimit -S -n 300
    exec 9</dev/null 7<&-
    SURROUNDED='with a
line' env --default-signal=HUP,TERM,PIPE "$@"
  ) 2>/dev/null
}
surround sh "$work/look" >"$work/outside"
[ "$(grep -c survived "$work/outside")" = 5 ] || { echo "signals:"; cat "$work/outside"; bad=1; }
for options in '' '-r 2' "--log $work/log" "--record $work/record"; do
  surround "$pmon" stat --backend machine -e imc/CAS_COUNT.RD/ -o "$work/report" $options -- sh "$work/look" >"$work/inside"
  code=$?
  [ $code = 1 ] || { echo "$options: exit code $code"; bad=1; }
  cat "$work/outside" >"$work/want"
  diff "$work/want" "$work/inside" >"$work/diff" || { echo "differences with '$options':"; cat "$work/diff"; bad=1; }
done
exit $bad
