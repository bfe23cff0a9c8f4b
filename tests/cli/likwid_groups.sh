#!/bin/sh
# SPDX-License-Identifier: MIT
# The uncore's events in likwid's groups for the E5-2600 are accepted as these files write them, except the temperature
# of a core, and a filter for six states of lines, of which the hardware has five. Those of group MEM count in one
# measurement as pmon's own event does. Usage: likwid_groups.sh PMON
pmon=$1 groups=/usr/share/likwid/perfgroups/sandybridgeEP
[ -d "$groups" ] || { echo "SKIPPED: likwid is not installed"; exit 77; }
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failed=0
complain() { echo "$*"; failed=1; }
events() { awk '/^METRICS/ { on = 0 } on && NF == 2 && $1 !~ /^(PMC|TMP)/ { print $2 ":" $1 } /^EVENTSET/ { on = 1 }' "$@"; }
events "$groups"/*.txt | sort -u >"$work/events"
n=$(wc -l <"$work/events")
[ "$n" -ge 30 ] || complain "$n events in likwid's groups"
sed 's/STATE=0x3F/STATE=0x1F/' "$work/events" | while read -r event; do
  "$pmon" -p snbep encode "$event" 2>&1 >/dev/null || echo "in $event"
done >"$work/errors"
[ ! -s "$work/errors" ] || complain "$(cat "$work/errors")"
printf 'thread 0 on core 0: stream read 64K stride 64\n' >"$work/s.scn"
reads() { tr -d '\r' <"$work/csv" | awk -F, -v e="$1" '$4 ~ e && $5 == "" { n += $8 } END { print n + 0 }'; }
"$pmon" -p snbep stat --scenario "$work/s.scn" --csv \
  -e "$(events "$groups/MEM.txt" | grep MBOX | paste -sd , -),imc/CAS_COUNT.RD/" >"$work/csv" || complain "MEM is not counted"
all=$(reads '^imc/') parts=$(reads '^imc[0-3]/CAS_COUNT.RD')
[ "$all" -ge 1024 ] && [ "$parts" -eq "$all" ] || complain "group MEM: $parts lines read, and $all"
exit $failed
