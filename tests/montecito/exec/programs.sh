#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs the programs of examples/montecito and compares output, exit status and counts with programs.cases:
#   run PROGRAM [ARGUMENT...]     output LINE     status N     count EVENT N
#   alone PROGRAM     as run, but the program uses the monitors itself, so that only its output is compared
# Counts are exact: each is measured in a run of its own; with `once` at the end each program runs once, and none is
# compared. Usage: programs.sh PMON FOLDER-OF-PROGRAMS CASES [once]
set -u
pmon=$(realpath "$1") programs=$2 cases=$(realpath "$3") once=${4-}
[ -x "$programs/hello" ] ||
  { echo "skipped: no binutils-ia64-linux-gnu, so the programs were not built"; echo "0 passed, 0 failed"; exit 77; }
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$programs" || exit 1
passed=0 failed=0 command='' status=0 alone=0
verdict() { # what, wanted, is
  if [ "$2" = "$3" ]; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    printf 'FAILED: %s: %s: expected %s, not %s\n' "$command" "$1" "$2" "$3"
  fi
}
count_of() { # event
  "$pmon" -p montecito stat --csv -o /dev/fd/3 -e "$1" -- ./$command 3>&1 >/dev/null 2>&1 </dev/null |
    tr -d '\r' | sed 's/"[^"]*"/pmu/' | awk -F, '$5 == "" && $4 ~ /^pmu/ { print $8 }'
}
# Cycle accounting: the five causes add up to all cycles without a retired instruction, and in every other cycle 1 to 6
# instructions retire. The cycles with one or more are all instructions less those beyond the first, which thresholds
# count. Each cycle in which dispersal does not stall has places for six syllables.
accounts() {
  sum=0
  for event in BE_EXE_BUBBLE.ALL BE_FLUSH_BUBBLE.ALL BE_L1D_FPU_BUBBLE.ALL BE_RSE_BUBBLE.ALL BACK_END_BUBBLE.FE; do
    sum=$((sum + $(count_of $event)))
  done
  verdict 'sum of the causes of BACK_END_BUBBLE' "$(count_of BACK_END_BUBBLE.ALL)" $sum
  retiring=$(count_of IA64_INST_RETIRED.THIS)
  for threshold in 1 2 3 4 5; do
    retiring=$((retiring - $(count_of "pmu/IA64_INST_RETIRED.THIS,threshold=$threshold/")))
  done
  cycles=$(count_of CPU_OP_CYCLES.ALL)
  verdict 'cycles with and without instructions' "$cycles" $((sum + retiring))
  verdict 'places for syllables (4.4)' $((6 * (cycles - $(count_of DISP_STALLED)))) \
    $(($(count_of INST_DISPERSED) + $(count_of SYLL_NOT_DISPERSED.ALL) - $(count_of SYLL_OVERCOUNT.ALL)))
}
finish() { # of the program before
  [ -n "$command" ] || return 0
  if [ "$alone" = 1 ]; then
    "$pmon" -p montecito machine run -- ./$command >"$work/out" 2>"$work/err" </dev/null
    verdict status "$status" $?
    verdict output "$(cat "$work/wanted")" "$(head -n "$(wc -l <"$work/wanted")" "$work/out")"
    return 0
  fi
  "$pmon" -p montecito stat -o "$work/report" -e IA64_INST_RETIRED.THIS -- ./$command >"$work/out" 2>"$work/err" </dev/null
  verdict status "$( [ "$status" -eq 0 ] && echo 0 || echo 1)" $?
  [ -n "$once" ] || accounts
  verdict output "$(cat "$work/wanted" 2>/dev/null)" "$(cat "$work/out")"
}
while IFS= read -r line; do
  set -- $line
  case ${1-} in
    '' | '#'*) ;;
    run) finish; command=${line#run } status=0 alone=0; : >"$work/wanted" ;;
    alone) finish; command=${line#alone } status=0 alone=1; : >"$work/wanted" ;;
    output) printf '%s\n' "${line#output }" >>"$work/wanted" ;;
    status) status=$2 ;;
    count)
      [ -n "$once" ] || verdict "$2" "$3" "$(count_of "$2")" ;;
    *) echo "$cases: what is: $line"; exit 1 ;;
  esac
done <"$cases"
finish
# Functions and instructions of several programs: each sample is attributed to its own program.
command='sample of two programs'
"$pmon" -p montecito sample --source branches -c 10 -- ./nqueens 6 -- ./hello >"$work/out" 2>"$work/err" </dev/null
verdict 'branches of nqueens' yes "$(grep -q 'solve.*br.ret' "$work/out" && echo yes)"
verdict 'the loop of hello' yes "$(grep -q '_start.*br.cloop' "$work/out" && echo yes)"
# A branch that was not taken has no slot in the trace buffer: the table names the bundle's branch, and the list has
# none.
command='sample of branches'
"$pmon" -p montecito sample --source branches -c 100 -- ./nqueens 5 >"$work/out" 2>"$work/err" </dev/null
verdict 'branches that were not taken' yes "$(grep -q 'slot 2 *not taken' "$work/out" && echo yes)"
verdict 'instructions that do not branch' '' "$(awk '/%/ && !/ br\./' "$work/out")"
"$pmon" -p montecito sample --source branches -c 100 --csv -- ./nqueens 5 >"$work/out" 2>"$work/err" </dev/null
verdict 'slots of branches that were not taken' '' "$(awk -F, 'NR > 1 && $11 !~ /taken/ { print $6 }' "$work/out" | sort -u)"
# Of 8192 loads that wait for one another, each sample loses the load that begins in the cycle of its overflow.
command='sample of a list'
for period in 1 7 50; do
  "$pmon" -p montecito sample --source dcache -c $period --csv -- ./list >"$work/out" 2>"$work/err" </dev/null
  verdict "samples with a period of $period" $((8192 / (period + 1))) "$(grep -c ',dcache,' "$work/out")"
done
# A program without an end.
command=endless
"$pmon" -p montecito machine run --set program.bundles=50 -- ./hello >"$work/out" 2>"$work/err" </dev/null
verdict status 1 $?
verdict report yes "$(grep -q 'hello: stopped: .* at 0x.*_start+0x.* slot 0: ' "$work/err" && grep -q ' r31 ' "$work/err" && echo yes)"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
