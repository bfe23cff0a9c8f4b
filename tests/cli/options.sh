#!/bin/sh
# SPDX-License-Identifier: MIT
# Options of all commands: every option in a command's completion is in its help and in its manual page (without a page:
# the shared pages); the command accepts every option of its help and page; no line of help is longer than 80 columns.
# Names of events may precede the platform. Usage: options.sh PMON MAN
pmon=$1 man=$2
failed=0
complain() { echo "$*"; failed=1; }
long() { grep -oE -- '(^|[^a-z-])--[a-z][a-z-]*' | grep -oE -- '--[a-z-]*' | sort -u; }
seen=0
for command in $("$pmon" --help | sed -n 's/^  \([a-z][a-z-]*\)  *[a-z].*/\1/p'); do
  help=$("$pmon" "$command" --help) || complain "$command --help ends with status $?"
  long_lines=$(printf '%s\n' "$help" | awk 'length > 80')
  [ -z "$long_lines" ] || complain "$command: help beyond 80 columns: $long_lines"
  # Wrapped lines are filled: the next line's first word would not have fitted.
  printf '%s\n' "$help" | awk '
    substr($0, 1, 24) ~ /^ +$/ && held != "" { if (length(held) + 1 + length($1) <= 79) { print "\"" held "\" has room for " $1; bad = 1 } }
    { held = /^  / && length($0) > 24 && substr($0, 23, 2) ~ / $/ && !/^  (-.,|   ) --[a-z-]+ [A-Z]+$/ ? $0 : "" }
    END { exit bad }' || complain "$command: the help breaks lines too early"
  offered=$("$pmon" __complete "$command" -- -- 2>/dev/null; "$pmon" __complete "$command" --)
  page=$man/pmon-$command.1
  pages=$page
  [ -f "$page" ] || pages="$man/pmon.1 $man/pmon-list.1 $man/pmon-encode.1"
  text=$(cat $pages | sed 's/\\-/-/g')
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
[ "$("$pmon" __complete)" = "$("$pmon" __complete '')" ] || complain "without a word, other commands are offered"
# Each command, and each action of a command with actions, is in the help with its description.
for command in $("$pmon" __complete ''); do
  "$pmon" --help | grep -qE "^  $command +[a-z]" || complain "pmon --help does not describe $command"
  "$pmon" "$command" --help | awk 'NR == 1 && !/^usage: pmon [a-z]/ || NR == 2 && $0 != "" || NR == 3 && !/^[a-z]/ { exit 1 }' ||
    complain "$command: the help begins with something else than usage and description"
done
for action in $("$pmon" __complete machine ''); do
  "$pmon" machine --help | grep -qE "^  $action\b" || complain "pmon machine --help does not list $action"
  # An action's help has this action's options only.
  helped=$("$pmon" machine "$action" --help) || complain "pmon machine $action --help fails"
  [ "${helped#usage: pmon machine "$action" }" != "$helped" ] || complain "pmon machine $action --help: another usage"
  [ "$(printf '%s\n' "$helped" | grep -oE '^ .{5}--[a-z-]+' | grep -oE -e '--.*' | sort)" = \
    "$("$pmon" __complete machine "$action" -- | grep -oE -e '^--[a-z-]+' | sort)" ] ||
    complain "pmon machine $action --help has other options than it takes"
done
# Montecito's registers are not MSRs: an action that mounts them does not take a stream of bundles.
"$pmon" machine mount --help | grep -q Montecito && complain "pmon machine mount --help: options of Montecito"
# Options after the arguments belong to the action, except where a command follows, which has its own.
"$pmon" machine run --set cores=1 echo --version 2>/dev/null | grep -q '^echo (GNU coreutils)' ||
  complain "pmon machine run: echo has not got its option"
for action in 'check none' 'diff none none' 'replay none'; do
  is=$("$pmon" machine $action --nope 2>&1)
  case $is in *'--nope: no such option'*) ;; *) complain "pmon machine $action --nope: $is" ;; esac
done
"$pmon" machine --help | sed -n '/^Actions /,/^$/p' | awk 'NR > 1 && NF && !/^  [a-z]/ && substr($0, 1, 24) !~ /^ +$/ { exit 1 }' ||
  complain "pmon machine --help has an action without a name"
# Completion offers event and metric names of the platform that an option chooses, also when the option follows the
# name.
scenario=$(dirname "$0")/../../examples/scenarios/snbep-session.scn
for option in --preset=snbep --set=platform=snbep --scenario="$scenario"; do
  is=$("$pmon" stat -e ha/REQUESTS.NOPE "$option" --dry-run 2>&1)
  case $is in *'REQUESTS has no umask "NOPE"'*) ;; *) complain "pmon stat -e ha/... $option: $is" ;; esac
  is=$("$pmon" stat --every 5,ha/NOPE "$option" --dry-run 2>&1)
  case $is in *'ha has no event "NOPE"'*) ;; *) complain "pmon stat --every 5,ha/... $option: $is" ;; esac
done
# Guests have a default platform of their own, which help and manual page name.
for command in vm bench-driver bench-tool; do
  own=$("$pmon" $command --help | sed -n 's/.*processor platform (default: \([a-z]*\))$/\1/p')
  { [ -n "$own" ] && grep -qE "(default $own|$own \(default\))" "$man/pmon-$command.1"; } ||
    complain "pmon $command: another default platform in the help ($own) than in the manual page"
done
[ $seen -gt 100 ] || complain "only $seen options seen"
"$pmon" --help | awk 'length > 80 { print; bad = 1 } END { exit bad }' || complain "pmon --help is wider than 80 columns"
exit $failed
