#!/bin/sh
# SPDX-License-Identifier: MIT
# Colour is used on terminals only, unless --color or NO_COLOR says otherwise, and does not change the text. Usage:
# color.sh PMON
pmon=$1 work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
unset NO_COLOR COLUMNS
escape=$(printf '\033')
fail() { echo "$1"; exit 1; }
measure() { "$pmon" stat -p emr --slice 0.01 -e cha/CLOCKTICKS/ -m 'X=TOR_INSERTS.IA_MISS_DRD/TOR_INSERTS.IA' "$@" -- true; }

measure >"$work/plain" || fail 'no measurement'
grep -q 'no data' "$work/plain" || fail 'the plain report lacks what is to be coloured'
grep -q "$escape" "$work/plain" && fail 'colour without a terminal'
measure --color never >"$work/never" && cmp "$work/plain" "$work/never" || fail '--color never differs from plain'
measure --color always >"$work/always" || fail '--color always fails'
grep -q "${escape}\[1m" "$work/always" || fail 'no heading stands out'
grep -q "${escape}\[33mno data" "$work/always" || fail 'no doubt stands out'
"$pmon" --color always -p emr list DCLK | grep -q "^${escape}\[36mimc/DCLK/${escape}\[0m " || fail 'no name stands out'
"$pmon" --color always -p emr show imc/DCLK/ | grep -q "^  ${escape}\[2mcategory  *${escape}\[0mDCLK\$" || fail 'labels are not dim'
sed "s/${escape}\[[0-9]*m//g" "$work/always" | cmp - "$work/plain" || fail 'colour changes the text'
measure --color always --csv >"$work/csv" && grep -q CLOCKTICKS "$work/csv" || fail 'no CSV'
grep -q "$escape" "$work/csv" && fail 'colour in CSV'
measure --color always -o "$work/file" && cmp -s "$work/plain" "$work/file" || fail 'colour in a file'
"$pmon" --color always list -p emr CLOCKTICKS | grep -q "$escape" || fail '--color before the command is without effect'
"$pmon" list --color=always -p emr CLOCKTICKS | grep -q "$escape" || fail '--color after the command is without effect'
"$pmon" units -p emr --color never >/dev/null || fail '--color never is refused after the command'
"$pmon" units --color perhaps 2>&1 | grep -q '^pmon units: invalid value "perhaps" for --color' || fail 'a wrong --color after the command'
"$pmon" units --color 2>&1 | grep -q '^pmon units: --color: missing value$' || fail 'a missing value of --color after the command'
measure --color perhaps >"$work/wrong" 2>&1
[ $? -eq 2 ] && grep -q 'expected auto, always or never' "$work/wrong" || fail 'any word passes for a colour'

printf 'set sockets=1 cores=1 chas=2\nthread 0: stream 4K\n' >"$work/account.scn"
"$pmon" --color always machine run --scenario "$work/account.scn" >"$work/out" || fail 'no account'
grep -q "^${escape}\[1m  *socket 0\$" "$work/out" && [ "$(grep -c "^${escape}\[0m" "$work/out")" -eq 1 ] ||
  fail 'more than the head of an account stands out'

# A violated invariant is highlighted on standard error, each time that it is reported.
cat >"$work/mine.rule" <<EOF
unit imc
cite none
invariant mine.one-more
  brief there is one read more than there are reads
  holds CAS_COUNT.RD == CAS_COUNT.RD + 1
EOF
printf 'set sockets=1 cores=1 chas=2 imcs=1 channels=1\nthread 0: stream 64K\n' >"$work/small.scn"
invariant="$pmon stat -p emr,$work/mine.rule -e imc/CAS_COUNT.RD/ --scenario $work/small.scn"
$invariant >"$work/out" 2>"$work/err" || fail 'no measurement of an invariant'
grep -q '^pmon stat: invariant violated: mine\.one-more (' "$work/err" || fail 'an invariant that does not hold is not reported'
grep -q "$escape" "$work/err" && fail 'colour on standard error without a terminal'
$invariant --color never 2>"$work/never" >/dev/null && cmp "$work/err" "$work/never" || fail '--color never colours an invariant'
$invariant --color always 2>"$work/always" >/dev/null || fail '--color always fails with an invariant'
grep -q "^pmon stat: ${escape}\[33minvariant violated: mine\.one-more${escape}\[0m (" "$work/always" || fail 'no invariant stands out'
sed "s/${escape}\[[0-9]*m//g" "$work/always" | cmp - "$work/err" || fail "colour changes an invariant's text"

command -v script >/dev/null || { echo 'no terminal: script(1) is missing'; exit 77; }
script -qec true /dev/null </dev/null >"$work/terminal" 2>&1 ||
  { echo "skipped: no terminal can be made: $(head -n 1 "$work/terminal")"; exit 77; }
cat >"$work/run" <<EOF
exec "$pmon" stat -p emr --slice 0.01 -e cha/CLOCKTICKS/ "\$@" -- true
EOF
terminal() { TERM=${TERM_TYPE:-xterm} script -qec "sh $work/run $*" /dev/null </dev/null | grep -q "$escape\[1m"; }
terminal || fail 'no colour on a terminal'
terminal --color never && fail 'colour on a terminal with --color never'
NO_COLOR=1 terminal && fail 'colour on a terminal with NO_COLOR'
NO_COLOR='' terminal || fail 'no colour on a terminal with an empty NO_COLOR'
TERM_TYPE=dumb terminal && fail 'colour on a terminal that has none'
TERM_TYPE=dumb terminal --color always || fail 'no colour with --color always and TERM=dumb'
# Standard error is decided independently of standard output: a terminal here, while the report goes to a file.
TERM=xterm script -qec "$invariant >$work/out" /dev/null </dev/null >"$work/terminal"
grep -q "${escape}\[33minvariant violated" "$work/terminal" || fail 'no invariant stands out on a terminal'
grep -q "$escape" "$work/out" && fail 'colour in a file because standard error is a terminal'
# Messages are wrapped at the terminal's width, between words only.
"$pmon" stat --backend serial 2>"$work/line"
[ "$(wc -l <"$work/line")" -eq 1 ] || fail 'a message in a file is wrapped'
script -qec "stty cols 50; $pmon stat --backend serial" /dev/null </dev/null | tr -d '\r' >"$work/wrapped"
[ "$(wc -l <"$work/wrapped")" -eq 3 ] || fail 'a message of 108 characters is not three lines of 50 columns'
awk 'length > 50 { exit 1 }' "$work/wrapped" || fail 'a line is longer than the terminal is wide'
tr -s ' \n' ' ' <"$work/wrapped" >"$work/joined"
tr -s ' \n' ' ' <"$work/line" | cmp -s - "$work/joined" || fail 'wrapping changes the words'
# The description of a metric with a long name continues below its own first word.
name=NAME_OF_A_METRIC_THAT_IS_LONGER_THAN_FORTY
printf 'cite none\nmetric %s\n  brief many words that one line has no room for behind it\n  equation imc/CAS_COUNT.RD\n' $name >"$work/long.met"
script -qec "stty cols 80; $pmon --color never -p emr,$work/long.met metrics $name" /dev/null </dev/null | tr -d '\r' |
  awk '{ print match($0, NR == 1 ? "many" : "[^ ]") }' | tr '\n' ' ' >"$work/columns"
[ "$(cat "$work/columns")" = '51 51 ' ] || fail "lines of a long name begin in columns $(cat "$work/columns")"
exit 0
