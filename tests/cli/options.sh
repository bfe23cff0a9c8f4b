#!/bin/sh
# SPDX-License-Identifier: MIT
# Every option that a command's completion offers is in its help and in the manual, every option of the help and of a
# command's own page is accepted by the command, and no line of help is longer than 80 columns. Usage: options.sh PMON MAN
pmon=$1 man=$2
failed=0
complain() { echo "$*"; failed=1; }
long() { grep -oE -- '(^|[^a-z-])--[a-z][a-z-]*' | grep -oE -- '--[a-z-]*' | sort -u; }
seen=0
for command in $("$pmon" --help | sed -n 's/^  \([a-z][a-z]*\)  *[a-z].*/\1/p'); do
  help=$("$pmon" "$command" --help)
  long_lines=$(printf '%s\n' "$help" | awk 'length > 80')
  [ -z "$long_lines" ] || complain "$command: help beyond 80 columns: $long_lines"
  offered=$("$pmon" __complete "$command" -- -- 2>/dev/null; "$pmon" __complete "$command" --)
  page=$man/pmon-$command.1
  text=$(cat "$man/pmon.1" $([ -f "$page" ] && echo "$page") "$man/pmon-list.1" "$man/pmon-encode.1" | sed 's/\\-/-/g')
  for option in $offered; do
    seen=$((seen + 1))
    printf '%s\n' "$help" | grep -q -e "^  \(-., \|    \)$option\b" || complain "$command: $option is not in the help"
    printf '%s\n' "$text" | grep -q -e "$option\b" || complain "$command: $option is not in the manual"
  done
  for option in $(printf '%s\n' "$help" | sed -n 's/^  \(-., \|    \)\(--[a-z-]*\).*/\2/p'); do
    printf '%s\n' "$offered" | grep -qx -e "$option" || complain "$command: $option is in the help and not completed"
  done
  [ -f "$page" ] || continue
  for option in $(sed -n '/^\.SH OPTIONS/,/^\.SH [^O]/p' "$page" | sed 's/\\-/-/g' |
                  awk '/^\.TP/ { getline; print }' | long); do
    printf '%s\n' "$offered" | grep -qx -e "$option" || complain "$page: pmon $command has no $option"
  done
done
[ $seen -gt 100 ] || complain "only $seen options seen"
"$pmon" --help | awk 'length > 80 { print; bad = 1 } END { exit bad }' || complain "pmon --help is wider than 80 columns"
exit $failed
