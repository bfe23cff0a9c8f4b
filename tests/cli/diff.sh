#!/bin/sh
# SPDX-License-Identifier: MIT
# `pmon diff`: recordings of scenarios with known traffic, commands run alternately, limits and their exit codes, and
# wrong usage. Usage: diff.sh PMON
pmon=$(realpath "$1")
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failed=0
complain() { echo "$*"; failed=1; }
# Usage: run STATUS ARGUMENT...; the output is in out and err.
run() {
  wanted=$1
  shift
  "$pmon" "$@" >out 2>err
  got=$?
  [ $got -eq "$wanted" ] || complain "pmon $*: status $got, not $wanted: $(cat err)"
}
has() { grep -qF -e "$1" "$2" || complain "no \"$1\" in: $(cat "$2")"; }

# A stream over twice the memory reads twice as many lines, plus one line of code.
for size in 2 4; do
  printf 'thread 0 on core 0: stream read %dM stride 64\n' $size >$size.scn
  run 0 -p emr stat --scenario $size.scn --set prefetch=off -e imc/CAS_COUNT.RD/,cha/CLOCKTICKS/ -m MEM_READ_BANDWIDTH \
    --record $size.pmon
  run 0 -p emr stat --scenario $size.scn --set prefetch=off -I 20us -m MEM_READ_BANDWIDTH --record $size-parts.pmon
done

run 0 diff 2.pmon 4.pmon
has 'A  2.pmon: EMULATED: emr, ' out
has '   scenario 2.scn' out
grep -qE '^\* imc/CAS_COUNT.RD/ +32,769 +65,537 +\+32,768 +\+100.0 % +2.000 +exact$' out || complain "diff: $(cat out)"
has 'the variation between runs is not known' out
run 0 diff -e imc/CAS_COUNT.RD/ 2.pmon 2.pmon
has 'the value is equal' out
run 0 diff --json 2.pmon 4.pmon 2.pmon
[ "$(wc -l <out)" -eq 2 ] || complain "two comparisons: $(cat out)"
has '"name":"imc/CAS_COUNT.RD/","package":null,"unit_name":"imc","instance":null,"unit":"","a":{"value":32769,"low":32769,"high":32769,"reason":null},"b":{"value":65537,' out
run 0 diff --csv --per-unit -e imc/CAS_COUNT.RD/ 2.pmon 4.pmon
[ "$(grep -c '^2.pmon,4.pmon,imc/CAS_COUNT.RD/,[01],imc,[0-7],,' out)" -eq 16 ] || complain "per unit: $(cat out)"
awk -F, 'NR > 1 { a += $8; b += $11 } END { exit a != 32769 || b != 65537 }' out || complain "channels do not add up"
run 0 diff --csv --per-socket -e imc/CAS_COUNT.RD/ 2.pmon 4.pmon
[ "$(wc -l <out)" -eq 3 ] || complain "per socket: $(cat out)"
run 0 diff 2-parts.pmon 4-parts.pmon
has "Welch's t test over the intervals" out
run 0 diff --csv --per-second -e imc/CAS_COUNT.RD/ --sort given 2.pmon 4.pmon
awk -F, 'NR == 2 { exit $7 != "/s" || $8 / $11 > 1.2 || $8 / $11 < 0.8 }' out || complain "per second: $(cat out)"

# Limits.
run 1 diff --fail-if 'imc/CAS_COUNT.RD/ > +99%' 2.pmon 4.pmon
has 'failed: --fail-if imc/CAS_COUNT.RD/ > +99%: imc/CAS_COUNT.RD/ changed by 100 %' err
run 0 diff --fail-if 'imc/CAS_COUNT.RD/ > +100%' --fail-if 'imc/CAS_COUNT.RD/<-1' 2.pmon 4.pmon
run 1 diff --fail-if 'imc/CAS_COUNT.RD/ < -30e3' 4.pmon 2.pmon
run 1 diff --fail-if 'imc/CAS_COUNT.RD/ >= 65000' 2.pmon 4.pmon
run 1 diff --fail-if 'IMC/cas_count.rd/ > +1' 2.pmon 4.pmon
has 'imc/CAS_COUNT.RD/ changed by 3.277e+04 (95 %' err
run 1 diff --fail-if 'imc/CAS_* > +99%' 2.pmon 4.pmon
run 2 diff --fail-if 'MEM_WRITE_BANDWIDTH > +5%' 2.pmon 4.pmon
has 'is not among the compared values' err
run 1 diff --per-unit --fail-if 'imc/CAS_COUNT.RD/ > +1000' 2.pmon 4.pmon
has 'imc/CAS_COUNT.RD/ (socket 0, imc 7) changed by' err
# A message is complete, however long the limit and the names in it are.
run 2 diff --fail-if "$(printf '%05000d' 0) > 1" 2.pmon 4.pmon
has '0 is not among the compared values; add it with -m or -e' err
run 1 diff --fail-if "imc/*$(printf '%05000d' 0 | tr 0 '*')CAS_COUNT.RD/ > +1" 2.pmon 4.pmon
has 'CAS_COUNT.RD/ changed by 3.277e+04 (95 % interval 3.277e+04 to 3.277e+04)' err
for limit in 'X' '> 5' 'X > five' 'X > 5%' 'X > +5 %%' 'X > nan'; do
  run 2 diff --fail-if "$limit" 2.pmon 4.pmon
  has 'NAME > +5%' err
done

# Wrong usage.
run 2 diff 2.pmon
has 'the second FILE' err
run 2 diff 2.pmon none.pmon
has 'none.pmon' err
run 2 diff -r 3 2.pmon 4.pmon
has '-r repeats commands' err
run 2 diff -- true
has 'expected two commands' err
run 2 diff --sort size 2.pmon 4.pmon
has 'change' err
run 0 -p snbep stat --scenario 2.scn --record snbep.pmon
run 2 diff 2.pmon snbep.pmon
has 'snbep.pmon: the recording is of platform snbep, 2.pmon of another: they cannot be compared' err
run 2 diff -p snbep 2.pmon snbep.pmon
has '2.pmon: the recording is of platform emr; omit -p, or add -p emr' err
# A recording is in the file of its name, whatever the name means to SQLite.
run 0 -p emr stat --scenario 2.scn --record :memory: -e imc/CAS_COUNT.RD/,cha/CLOCKTICKS/ -m MEM_READ_BANDWIDTH
run 0 diff :memory: 4.pmon
has 'A  :memory:: EMULATED: emr, ' out

# A group of Linux' resctrl is one of this host, which has none of this name, or no resctrl.
run 3 -p emr diff --backend resctrl --resctrl-group no-such-group -m L3_OCCUPANCY -- true -- true
grep -q 'backend resctrl: .* resctrl' err || complain "a group: $(cat err)"

# Commands that run alternately.
if command -v qemu-x86_64 >/dev/null; then
  head -c 30000 /dev/zero | tr '\0' x >small
  head -c 900000 /dev/zero | tr '\0' x >large
  run 0 -p emr diff --backend machine -r 2 -e imc/CAS_COUNT.RD/ -- wc -c small -- md5sum large
  has 'B  md5sum large: EMULATED: emr, ' out
  has 'mean of 2 runs' out
  grep -qE '^\* imc/CAS_COUNT.RD/' out || complain "commands: $(cat out)"
  # With one run each, commands are compared and checked against limits, too.
  run 1 -p emr diff --backend machine -r 1 -e imc/CAS_COUNT.RD/ --fail-if 'imc/CAS_COUNT.RD/ > +1' -- wc -c small -- md5sum large
  has 'B  md5sum large: EMULATED: emr, ' out
  grep -qE '^\* imc/CAS_COUNT.RD/' out || complain "one run: $(cat out)"
  has 'failed: --fail-if imc/CAS_COUNT.RD/ > +1: ' err
else
  echo "commands are not compared: no qemu-x86_64"
fi
exit $failed
