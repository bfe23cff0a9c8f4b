#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs every example in the documentation: lines `$ pmon ...` of the pages and texts, `Example: pmon ...` and
# `Examples: pmon ...` of the commands' help. Each must exit with status 0. Usage: examples.sh PMON PERFMON FILE...
pmon=$(realpath "$1")
sample=$(realpath "$2")
shift 2
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
for file in "$@"; do
  sed -n 's/\\-/-/g; s/^\$ pmon //p' "$file"
done >"$work/examples"
[ "$(wc -l <"$work/examples")" -gt 25 ] || { echo "hardly any examples found in the documentation"; exit 1; }
for command in $("$pmon" --help | sed -n 's/^  \([a-z][a-z-]*\)  *[a-z].*/\1/p'); do
  "$pmon" "$command" --help | sed -n 's/^Examples\{0,1\}: pmon //p; s/^ \{10\}pmon //p'
done >"$work/helped"
[ "$(wc -l <"$work/helped")" -gt 7 ] || { echo "hardly any examples found in the help"; exit 1; }
cat "$work/helped" >>"$work/examples"
# Provides the files that the examples use.
cd "$work" || exit 1
mkdir build
seq 500 >build/demo.txt
"$pmon" -p emr list --format perf-json >events.json || exit 1
ln -s "$sample" perfmon
export XDG_DATA_HOME="$work/data"
failed=0
while IFS= read -r line; do
  case $line in
    'import '*' --host') echo "not run, depends on the host: $line"; continue ;;
    vm*|bench-*) echo "left to vm-guest: $line"; continue ;;
    *' -- '*) command -v qemu-x86_64 >/dev/null || { echo "not run, no qemu-x86_64: $line"; continue; } ;;
  esac
  # The examples are for the default platform, which is the host's own if pmon knows it.
  case $line in
    -p*) ;;
    *) line="-p emr $line" ;;
  esac
  printf '%s\n' "'$pmon' $line" >run
  sh run >out 2>&1 </dev/null || { echo "pmon $line: status $?"; head -n 5 out; failed=1; }
done <examples
exit $failed
