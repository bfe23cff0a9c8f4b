#!/bin/sh
# SPDX-License-Identifier: MIT
# The commands of docs/peers.md: those of `pmon stat` measure a scenario, `pmon decode` reads a captured machine, others
# print something; options that stand alone are those of `pmon stat`. A command whose words stand for others (FILE,
# NAME) only has its options checked. Usage: peers_page.sh PMON SOURCE
pmon=$(realpath "$1") page=$(realpath "$2")/docs/peers.md
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
complain() { echo "peers_page: $*" >>complaints; }
"$pmon" -p emr capture --machine -o captured || complain "no capture"
printf 'thread 0 on core 0: stream read 64K stride 64\n' >s.scn

# The texts in the columns after the first one.
awk -F'|' '/^\|/ { for (i = 3; i <= NF; i++) print $i }' "$page" | grep -o '`[^`]*`' | tr -d '`' |
  sed -n '/^pmon [a-z]/p; s/^-.*/pmon stat &/p' | sed 's/ -- .*//' | sort -u >commands
[ "$(wc -l <commands)" -ge 50 ] || complain "few commands"

while read -r text; do
  command=$(echo "$text" | cut -d ' ' -f 2)
  "$pmon" "$command" --help >help 2>&1 || complain "no command $command"
  for option in $(echo "$text" | tr ' ' '\n' | grep '^-' | sed 's/=.*//'); do
    grep -Eq -e "(^|, | )$option\b" help || complain "$text: no option $option"
  done
done <commands

grep -E '^pmon (stat .|decode|list|metrics|show)' commands | grep -Evw 'FILE|NAME|GROUP|STRING|TIME|direct' |
  grep -Ev '^pmon stat (-I|--histogram)$' >tried
[ "$(wc -l <tried)" -ge 25 ] || complain "few commands are tried"
while read -r text; do
  case $text in
  pmon\ stat\ *) full="$text --scenario s.scn" ;;
  pmon\ decode\ *) full="$text --replay captured" ;;
  *) full=$text ;;
  esac
  eval "\"$pmon\" ${full#pmon }" >out 2>errors </dev/null && [ -s out ] || complain "$full: $(cat errors)"
done <tried
[ ! -e complaints ] || { cat complaints; exit 1; }
