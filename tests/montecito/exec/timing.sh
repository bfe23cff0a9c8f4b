#!/bin/sh
# SPDX-License-Identifier: MIT
# Assembles the lines of timing.cases, each in a program of its own, and compares the stalls with the line's numbers.
# The instructions run in a loop, so that caches, TLBs and predictors are warm. The difference between four iterations
# and three is counted, less that of the first line, which has no instructions. Usage: timing.sh PMON CASES
set -u
pmon=$(realpath "$1") cases=$(realpath "$2")
command -v ia64-linux-gnu-ld >/dev/null || { echo "skipped: no binutils-ia64-linux-gnu"; exit 77; }
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
exe=GRALL,GRGR,FRALL,PR,ARCR
events=$(echo $exe | sed 's/[A-Z]*/BE_EXE_BUBBLE.&/g'),SYLL_NOT_DISPERSED.IMPL
build() { # instructions, rounds
  {
    cat <<'HEAD'
        .text
        .explicit
        .global _start#
        .proc _start#
_start:
        alloc r40 = ar.pfs, 0, 16, 0, 0
        movl r20 = p
        movl r21 = q
        mov r22 = 1;;
        ldfd f20 = [r20]
HEAD
    printf '        mov r23 = %s;;\n' "$2"
    cat <<'HEAD'
.round:
        alloc r40 = ar.pfs, 0, 16, 0, 0
        movl r24 = p
        movl r25 = q
        mov r26 = 200;;
        mov r20 = r24
        mov.i ar.ec = r0
        mov r21 = r25;;
        clrrrb;;
        st8 [r20] = r20
        st8 [r21] = r20;;
        mf;;
        mov.i ar.lc = r26;;
        ld8 r4 = [r20];;
HEAD
    # the L1D contains p, but not q: lines of the same set evict it
    cat <<'HEAD'
        movl r27 = q + 4096;;
        ld8 r28 = [r27]
        movl r27 = q + 8192;;
        ld8 r28 = [r27]
        movl r27 = q + 12288;;
        ld8 r28 = [r27]
        movl r27 = q + 16384;;
        ld8 r28 = [r27]
.quiet:
        { .mib
        nop.m 0
        nop.i 0
        br.cloop.sptk.few .quiet;;
        }
        mov.i ar.lc = r22;;
        nop.m 0;;
        nop.m 0;;
        nop.m 0;;
        nop.m 0;;
        nop.m 0;;
HEAD
    printf '%s;;\n' "$1" | sed 's/;; */;;@/g; s/@*$//; s/; /\n/g; s/@/\n/g; s/} {/}\n{/g; s/ }/\n}/g; s/{ \(.mm.\|.mi.\|.mf.\) /{ \1\n/g; s/\(r0\) (p/\1\n(p/; s/\.\(one\|next\): /.\1:\n/'
    cat <<'TAIL'
.end:
        nop.m 0;;
        nop.m 0;;
        clrrrb;;
        alloc r40 = ar.pfs, 0, 16, 0, 0;;
        adds r23 = -1, r23;;
        cmp.ne p8, p9 = r0, r23
 (p8)   br.cond.sptk.few .round;;
        mov r15 = 1025;;
        break.i 0x100000;;
        .endp _start#
        .data
        .align 16384
        .skip 64
p:      data8 p
        .skip 120
q:      data8 p
        .skip 32768
TAIL
  } >program.s
  ia64-linux-gnu-as -o program.o program.s 2>as && ia64-linux-gnu-ld -static -o "program$2" program.o 2>>as
}
counts() { # rounds
  "$pmon" -p montecito stat --csv -o csv -e "$events" -- "./program$1" >/dev/null 2>run </dev/null || return 1
  tr -d '\r' <csv | awk -F, '$5 == "" && $4 ~ /^pmu/ { sub(/^pmu.[A-Z_]*\./, "", $4); sub(/\/$/, "", $4); print $4, $8 }'
}
difference() { # event
  echo $(($(awk -v e="$1" '$1 == e { print $2 }' four) - $(awk -v e="$1" '$1 == e { print $2 }' three)))
}
passed=0 failed=0
while IFS='|' read -r name instructions wanted; do
  case $name in '' | '#'*) continue ;; esac
  if ! { build "$instructions" 3 && build "$instructions" 4 && "$pmon" -p montecito machine run -- ./program3 >run 2>&1 &&
    counts 3 >three && counts 4 >four; }; then
    echo "FAILED: $name: cannot be assembled or run"; head -n 3 as run; failed=$((failed + 1)); continue
  fi
  [ -e nothing ] || for event in $(echo $events | tr ',' ' '); do echo "${event#*.} $(difference "${event#*.}")"; done >nothing
  for one in $wanted; do
    event=${one%=*}
    is=$(($(difference "$event") - $(awk -v e="$event" '$1 == e { print $2 }' nothing)))
    if [ "$is" -eq "${one#*=}" ]; then
      passed=$((passed + 1))
    else
      echo "FAILED: $name: $event: expected ${one#*=}, not $is"
      failed=$((failed + 1))
    fi
  done
done <"$cases"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
