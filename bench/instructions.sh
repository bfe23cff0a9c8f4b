#!/bin/sh
# SPDX-License-Identifier: MIT
# Compares the instructions of a fixed set of commands, which do not depend on the computer's load, with those recorded
# in bench/instructions.tsv: a command that takes over 3 % more fails, one that takes over 3 % less needs a new record.
# BUILD/ in a command is the build's folder; a command may be a program there. SCRATCH/ is an empty folder.
# usage: bench/instructions.sh [--record] [BUILD]      exit status 77: without Valgrind
set -u
cd "$(dirname "$0")/.." || exit 1
record=
[ "${1-}" = --record ] && { record=yes; shift; }
build=${1:-build}
list=bench/instructions.tsv
percent=3
command -v valgrind >/dev/null || { echo 'skipped: valgrind is not installed'; exit 77; }
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
mkdir "$dir/scratch"
unset MALLOC_PERTURB_ # set by a test runner; it adds instructions to every allocation
export LC_ALL=C HOME="$dir" XDG_DATA_HOME="$dir" XDG_CONFIG_HOME="$dir"

# bench_names writes one dump for each text; the instructions of other commands are counted as a whole.
measure() {
  program=$1
  shift
  case $program in
    bench_names)
      mkdir "$dir/dumps"
      valgrind --tool=callgrind --dump-line=no --callgrind-out-file="$dir/dumps/out" "$build/bench/bench_names" "$@" \
        >"$dir/stdout" 2>"$dir/stderr" </dev/null || return 1
      times=$(awk '$2 == "COUNTED_TIMES" { print $3 }' bench/counted.h)
      awk -v times="$times" '/^totals:/ && $2 { print $2 / times }' "$dir"/dumps/out.* | sort -n |
        awk '{ v[NR] = $1 } END { if (!NR) exit 1; printf "%d\n", v[int(NR / 2) + 1] }'
      rm -r "$dir/dumps"
      ;;
    pmon | "$build"/*)
      [ "$program" = pmon ] && program=$build/pmon
      valgrind --tool=callgrind --callgrind-out-file=/dev/null "$program" "$@" >"$dir/stdout" 2>"$dir/stderr" \
        </dev/null || return 1
      awk '/Collected/ { print $4 }' "$dir/stderr"
      ;;
    *) return 1 ;;
  esac
}

passed=0 failed=0
while IFS='	' read -r before arguments; do
  case $before in '#'*) echo "$before${arguments:+	$arguments}"  >>"$dir/list"; continue ;; esac
  program=$(printf '%s\n' "$arguments" | sed -n "s#.*BUILD/\([^ ]*\).*#$build/\1#p")
  [ -z "$program" ] || [ -x "$program" ] || { # without binutils-ia64-linux-gnu, or cmocka
    echo "$arguments: skipped, no $program"
    printf '%s\t%s\n' "$before" "$arguments" >>"$dir/list"
    continue
  }
  # shellcheck disable=SC2046
  if ! now=$(measure $(printf '%s\n' "$arguments" | sed "s#BUILD/#$build/#g; s#SCRATCH/#$dir/scratch/#g")) || [ -z "$now" ]; then
    echo "$arguments: does not run"
    sed -n 1,5p "$dir/stderr"
    failed=$((failed + 1))
    continue
  fi
  printf '%s\t%s\n' "$now" "$arguments" >>"$dir/list"
  if echo "$before $now" | awk -v what="$arguments" -v percent="$percent" '{
    more = $1 ? ($2 / $1 - 1) * 100 : 0
    verdict = more > percent ? "SLOWER" : more < -percent ? "faster: record it (bench/instructions.sh --record)" : ""
    printf "%12d %12d %+6.1f %%  %s  %s\n", $1, $2, more, what, verdict
    exit more > percent }'; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
done <"$list"
if [ -n "$record" ]; then
  [ "$(wc -l <"$dir/list")" -eq "$(wc -l <"$list")" ] || { echo 'not recorded: a command does not run'; exit 1; }
  cp "$dir/list" "$list"
  exit 0
fi
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
