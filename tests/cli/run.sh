#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs the commands of a cases file (lines `$ pmon ...`) and compares their output and exit status with the file (a line
# `? N` after the output; without it, 0). File names are relative to the folder of the cases. Usage: run.sh PMON CASES
# [--bless]
pmon=$(realpath "$1") cases=$(realpath "$2") bless=$3
cd "$(dirname "$cases")" || exit 1
unset NO_COLOR COLUMNS
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
grep -E '^(#|[$] )' "$cases" > "$work/commands"
while IFS= read -r line; do
  printf '%s\n' "$line"
  case $line in
    '$ pmon '*)
      eval "set -- ${line#\$ pmon }"
      "$pmon" -p emr "$@" > "$work/out" 2>&1 < /dev/null
      status=$?
      cat "$work/out"
      [ $status -eq 0 ] || printf '? %s\n' "$status" ;;
  esac
done < "$work/commands" > "$work/is"
if [ "$bless" = --bless ]; then
  cp "$work/is" "$cases"
else
  diff -u "$cases" "$work/is"
fi
