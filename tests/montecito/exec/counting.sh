#!/bin/sh
# SPDX-License-Identifier: MIT
# Assembles the lines of counting.cases, each in a program of its own, and compares what its instructions count in a
# round with the line's numbers. Ten rounds are counted, less those of a program that has a no-op instead.
# Usage: counting.sh PMON CASES
set -u
pmon=$(realpath "$1") cases=$(realpath "$2")
command -v ia64-linux-gnu-ld >/dev/null || { echo "skipped: no binutils-ia64-linux-gnu"; exit 77; }
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
build() { # instructions
  {
    cat <<'HEAD'
        .text
        .explicit
        .global _start#
        .proc _start#
_start:
        alloc r40 = ar.pfs, 0, 12, 0, 0
        mov.m ar.rsc = r0
        movl r20 = p
        mov r22 = 9;;
        mov.i ar.lc = r22
        adds r21 = 64, r20
        setf.sig f6 = r22
        setf.sig f7 = r22;;
        ld8 r4 = [r20];;
.round:
HEAD
    printf '%s\n;;\n' "$1" | sed 's/;; */;;@/g; s/; /\n/g; s/@/\n/g; s/} {/}\n{/g; s/ }/\n}/g; s/{ \(.m..\) /{ \1\n/g; s/ (p6)/\n(p6)/g'
    cat <<'TAIL'
.last:
        nop.m 0
        br.cloop.sptk.few .round;;
        mov r15 = 1025;;
        break.i 0x100000;;
.callee:
        alloc r36 = ar.pfs, 0, 8, 0, 0;;
        br.ret.sptk.few b6;;
        .endp _start#
        .data
        .align 16384
p:      data8 p
        .skip 256
TAIL
  } >program.s
  ia64-linux-gnu-as -o program.o program.s 2>as && ia64-linux-gnu-ld -static -o program program.o 2>>as
}
counts() { # events, separated by commas: prints EVENT COUNT
  "$pmon" -p montecito stat --csv -o csv -e "{$1}" -- ./program >/dev/null 2>run </dev/null || return 1
  tr -d '\r' <csv | awk -F, '$5 == "" && $4 ~ /^pmu/ { sub(/^pmu./, "", $4); sub(/\/$/, "", $4); print $4, $8 }'
}
passed=0 failed=0
while IFS='|' read -r name instructions wanted; do
  case $name in '' | '#'*) continue ;; esac
  events=$(echo $wanted | sed 's/=[0-9]*//g; s/ /,/g')
  # the instructions of a line that are not there count nothing: an empty round of the same program
  if ! { build 'nop.m 0' && counts "$events" >nothing && build "$instructions" && counts "$events" >some && [ -s some ]; }; then
    echo "FAILED: $name: cannot be assembled or run"; head -n 3 as run; failed=$((failed + 1)); continue
  fi
  for one in $wanted; do
    event=${one%=*}
    is=$(awk -v e="$event" '$1 == e { n += FNR == NR ? -$2 : $2 } END { print n / 10 }' nothing some)
    if [ "$is" = "${one#*=}" ]; then
      passed=$((passed + 1))
    else
      echo "FAILED: $name: $event: expected ${one#*=} a round, not $is"
      failed=$((failed + 1))
    fi
  done
done <"$cases"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
