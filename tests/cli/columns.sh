#!/bin/sh
# SPDX-License-Identifier: MIT
# Each CSV column and each JSON member of a value is in the table of docs/formats.md, which also states the confidence
# level of intervals. Usage: columns.sh PMON FORMATS
set -u
pmon=$1 bad=0
scenario=$(mktemp)
trap 'rm -f "$scenario"' EXIT
echo 'thread 0 on core 0: random read 1M count 100' >"$scenario"
table=$(sed -n '/^## Values: CSV and JSON/,/^## Recordings/p' "$2")
measure() { "$pmon" -p emr stat --scenario "$scenario" -e imc/CAS_COUNT.RD/ "$@" || { echo 'columns: no measurement' >&2; exit 1; }; }
csv=$(measure --csv) || exit 1
columns=$(echo "$csv" | head -n 1 | tr -d '\r')
documented() { case $table in *"\`$1\`"*) ;; *) echo "columns: docs/formats.md does not have $1"; bad=1 ;; esac; }
for column in $(echo "$columns" | tr , ' '); do documented "$column"; done
case $columns in *,sigma,low,high,*) ;; *) echo "columns: $columns"; bad=1 ;; esac
json=$(measure --json) || exit 1
for member in $(echo "$json" | grep -oE '"[a-z_]+":' | tr -d '":' | sort -u); do documented "$member"; done
echo "$json" | grep -q '"sigma":0,"low":[0-9]*,"high":[0-9]*,' || { echo 'columns: JSON'; bad=1; }
case $table in *'one standard error'*'95 % confidence interval'*) ;; *) echo 'columns: no level'; bad=1 ;; esac
exit $bad
