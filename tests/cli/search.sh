#!/bin/sh
# SPDX-License-Identifier: MIT
# The first result of `pmon search` for users' questions with synonyms, phrases, stems and typing errors, and for names
# of other tools; and for questions without meaning. Usage: search.sh PMON QUESTIONS
set -u
pmon=$1
bad=0 asked=0
while IFS='|' read -r question begin; do
  case $question in '#'*) continue ;; esac
  asked=$((asked + 1))
  is=$("$pmon" -p emr search "$question" 2>&1 | head -n 1)
  case $is in
    "$begin"*) ;;
    *) echo "search: \"$question\" finds \"$is\" first, not $begin" >&2; bad=1 ;;
  esac
done <"$2"
[ $asked -ge 60 ] || { echo "only $asked questions"; bad=1; }
for nothing in 'xyzzyplugh' '!!!' lcal stoe '' "$(printf '%0600d' 0)"; do
  found=$("$pmon" -p emr search "$nothing" 2>/dev/null)
  [ -z "$found" ] || { echo "search: \"$nothing\" finds something: $found" | head -n 2; bad=1; }
done
for nothing in '' ' ' '!!'; do
  "$pmon" search "$nothing" 2>&1 | grep -qF "\"$nothing\": contains no word to search for" || { echo "search: \"$nothing\" has another message"; bad=1; }
done
# A question of stop words alone is taken literally, and results of the other processors appear too.
"$pmon" -p snbep search 'memory bandwidth' | head -n 1 | grep -q '^metric MEM_BANDWIDTH' || { echo "snbep"; bad=1; }
"$pmon" -p montecito search 'L3 misses' | head -n 1 | grep -qi 'L3' || { echo "montecito"; bad=1; }
# An alias is found if no row has the word in its text: every alias of a unit.
for p in emr spr snbep montecito; do
  for alias in $("$pmon" -p $p units --json | sed 's/.*"alias":"\([^"]*\)".*/\1/' | tr , ' '); do
    "$pmon" -p $p search "$alias" >/dev/null 2>&1 || { echo "search: -p $p finds nothing of $alias"; bad=1; }
  done
done
# Manual pages, documents and scenarios come last: the results of questions about a task.
topic() {   # WORDS LINE
  "$pmon" -p emr search "$1" 2>/dev/null | grep -qF -- "$2" || { echo "search: \"$1\" does not find \"$2\""; bad=1; }
}
topic 'html page' 'manual pmon-diff(1): --html FILE'
topic 'replay log' 'manual pmon-machine(1): replay'
topic 'is the uncore clocked down' 'document docs/tutorial.md, Is the uncore clocked down?'
topic 'polling a frozen box' 'scenario examples/scenarios/emr-polling.scn'
"$pmon" -p emr search --json 'replay log' | grep -q '^{"manual":"pmon-machine(1): replay","brief":"Repeats' || { echo "json"; bad=1; }
exit $bad
