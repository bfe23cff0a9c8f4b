#!/bin/sh
# SPDX-License-Identifier: MIT
# Terminal escapes in recordings, captures, logs, traces, scenarios, platform files, event files, regions and file
# names: no byte of pmon's output acts on a terminal. Usage: terminal.sh PMON TAMPER SCENARIO
set -u
pmon=$1 tamper=$2 scenario=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0 seen=0
evil=$(printf 'evil\033]0;x\007\302\233\177\342\200\256')

# prints NAME COMMAND...: whatever the exit code, the output has only text and line ends, and the beginning of the
# hostile text at least once.
prints() {
  name=$1
  shift
  timeout 600 "$@" >"$work/raw" 2>&1 </dev/null
  sed "s/$(printf '\\r')\$//" "$work/raw" >"$work/out" # the line ends of CSV
  LC_ALL=C tr -d '\n\t -~\200-\377' <"$work/out" | grep -q . && { echo "$name: control characters in: $(head -c 400 "$work/out" | od -c | head -n 20)"; bad=1; }
  LC_ALL=C grep -q "$(printf '\302[\200-\237]\|\342\200[\252-\256]')" "$work/out" && { echo "$name: C1 or direction"; bad=1; }
  grep -q 'evil' "$work/out" && seen=$((seen + 1)) || echo "$name: the text is not printed: $(head -n 3 "$work/out")" >>"$work/unseen"
}

"$pmon" stat -p emr --scenario "$scenario" --record "$work/good" >/dev/null 2>&1 || exit 1
recording() { # NAME SQL
  cp "$work/good" "$work/r.$1"
  "$tamper" "$work/r.$1" "$2" || exit 1
  for format in '' --csv --json; do prints "recording, $1 $format" "$pmon" report $format "$work/r.$1"; done
}
recording command "UPDATE meta SET value = '$evil' WHERE key = 'command'"
recording event "UPDATE event SET name = '$evil' WHERE id = 0"
recording platform "UPDATE meta SET value = '$evil' WHERE key = 'platform'"
recording machine "UPDATE meta SET value = '$evil' WHERE key = 'machine'"
recording backend "UPDATE meta SET value = '$evil' WHERE key = 'backend'"
recording region "INSERT INTO region VALUES(0, '$evil', -1, 1, 0, 0, 1, 2, 0, 0)"
recording key "INSERT INTO meta VALUES('$evil', '$evil')"

printf '%s x y z\n' "$evil" >"$work/text"
prints log "$pmon" machine check "$work/text"
prints replay "$pmon" machine replay "$work/text"
prints trace "$pmon" stat -p emr --trace "$work/text" -e cha/CLOCKTICKS/
prints scenario "$pmon" machine run --scenario "$work/text"
prints bundles "$pmon" -p montecito stat --bundles "$work/text"
prints platform "$pmon" -p "$work/text" list
prints load "$pmon" machine run --load-state "$work/text" --scenario "$scenario"
prints restore "$pmon" restore "$work/text"
prints import "$pmon" import "$work/text"
prints 'stat --replay' "$pmon" stat -p emr --replay "$work/text"
prints 'event name' "$pmon" stat -p emr -e "$evil" -- true
prints 'metric name' "$pmon" stat -p emr -m "$evil" -- true
prints 'command name' "$pmon" "$evil"
prints 'option name' "$pmon" list "--$evil"
prints 'file name' "$pmon" report "$work/$evil"
prints search "$pmon" search "$evil"
prints program "$pmon" stat -p emr --backend machine -- "$work/$evil"
"$pmon" capture -p emr --machine -o "$work/capture" >/dev/null 2>&1 || exit 1
for line in 1 2 3 4 5 6 7 8 9 10; do
  sed "${line}s/ .*/ $evil/" "$work/capture" >"$work/c.$line"
  prints "capture, line $line" "$pmon" doctor --replay "$work/c.$line"
  prints "machine of a capture, line $line" "$pmon" machine describe --capture "$work/c.$line"
done

# A user-supplied platform: each text of its files, in each list.
cat >"$work/own.platform" <<END
platform own
import emr
title t $evil
cite X$evil 1
file own.met
END
cat >"$work/own.met" <<END
cite X$evil 1
metric OWN$evil
  unit ratio
  brief b $evil
  equation 1 / 2
metric PLAIN
  unit $evil
  brief b $evil
  equation CAS_COUNT.RD / 2
END
for words in list metrics 'show PLAIN' units "stat -m PLAIN -- true" 'explain PLAIN' doctor; do
  prints "platform: $words" "$pmon" -p "$work/own.platform" $words
done
printf '[{"EventName": "UNC_CHA_%s", "EventCode": "0x1", "UMask": "0x%s", "Unit": "%s", "BriefDescription": "%s"}]' evil evil x 'evil\u001b[2J\u009b\u007f' >"$work/events.json"
prints 'import of events' "$pmon" import "$work/events.json"
printf '[{"EventName": "UNC_CHA_EVIL", "EventCode": "0x1", "UMask": "0x1", "Unit": "CHA", "BriefDescription": "evil\\u001b[2J"}]' >"$work/events.json"
prints 'import of a description' "$pmon" import "$work/events.json" --as emr --output "$work/out.platform"
# 41 of 51 are messages on standard error.
[ $seen -ge 46 ] || { echo "only $seen texts were printed"; cat "$work/unseen"; bad=1; }
exit $bad
