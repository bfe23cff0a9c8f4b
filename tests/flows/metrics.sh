#!/bin/sh
# SPDX-License-Identifier: MIT
# Values of metrics for each flow, from the scenarios' comments `# metric NAME VALUE [socket N]`. VALUE is what the flow
# implies; for a rate, the amount that the whole run moves. Without a socket, it is socket 0's. Each metric is measured
# alone, so that nothing is estimated.
# Usage: metrics.sh PMON FOLDER
set -u
pmon=$1
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
bad=0 seen=0

for file in "$2"/*.scn; do
  name=${file##*/}
  sed -n 's/^# metric //p' "$file" >"$folder/metrics"
  while read -r metric value _ socket; do
    seen=$((seen + 1))
    "$pmon" -p "${name%%-*}" stat --csv --scenario "$file" -m "$metric" >"$folder/csv" 2>"$folder/errors" ||
      { echo "$name: $metric: $(cat "$folder/errors")"; bad=1; continue; }
    awk -F, -v name="$metric" -v implied="$value" -v socket="$socket" -v file="$name" '
      $4 != name || $7 != "" || $5 != (socket == "" ? 0 : socket) { next }
      { rows++; is = $9 ~ /\/s$/ ? $8 * $3 : $8; reason = $15 }
      END {
        if (rows != 1 || (is - implied) ^ 2 > (0.0003 * implied) ^ 2 || reason != "") {
          printf "%s: %s is %s, the flow implies %s %s (%d rows)\n", file, name, is, implied, reason, rows
          exit 1
        }
      }' "$folder/csv" || bad=1
  done <"$folder/metrics"
done
echo "$seen metrics compared"
[ $bad -eq 0 ] && [ $seen -gt 0 ]
