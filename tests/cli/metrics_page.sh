#!/bin/sh
# SPDX-License-Identifier: MIT
# docs/metrics.md names metrics and events that exist, and each metric of data/*/tools.met. Usage: metrics_page.sh PMON SOURCE
set -u
pmon=$1 source=$2 page=$2/docs/metrics.md
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
bad=0
complain() { echo "metrics_page: $*" >&2; bad=1; }
for platform in emr snbep; do
  "$pmon" -p $platform metrics --json | sed 's/.*"name":"\([^"]*\)".*/\1/'
done | sort -u >"$folder/have"
[ -s "$folder/have" ] || complain "pmon metrics lists nothing"

grep '^|' "$page" | grep -o '`[A-Z][A-Za-z0-9_]*`' | tr -d '`' | grep -v '^Info_' | sort -u >"$folder/named"
[ "$(wc -l <"$folder/named")" -gt 60 ] || complain "the page names too few metrics"
comm -23 "$folder/named" "$folder/have" >"$folder/unknown"
[ -s "$folder/unknown" ] && complain "no such metrics: $(tr '\n' ' ' <"$folder/unknown")"
# The names in Intel's metric file are accepted, where the metric is the same; and perf's, which begin with tma_info_.
sed -n "/^| Intel's metric /,/^$/p" "$page" | grep '| |$' | sed -n 's/^| `\([A-Za-z0-9_]*\)`.* | `\([A-Z0-9_]*\)` | |$/\1 \2/p' |
  sed 's/^\(Info_[^ ]*\) \(.*\)/\1 \2\ntma_\L\1\E \2/' >"$folder/intel"
[ "$(wc -l <"$folder/intel")" -gt 35 ] || complain "the page has too few names of Intel's file"
while read -r intel own; do
  is=$("$pmon" -p emr show "$intel" 2>&1 | head -n 1)
  case $is in "$own "*|"$own") ;; *) complain "pmon show $intel: $is, not $own" ;; esac
done <"$folder/intel"
for name in $(sed -n 's/^metric //p' "$source"/data/*/tools.met); do
  grep -q "\`$name\`" "$page" || complain "the page does not name $name"
done

grep -o '`[a-z0-9]*/[A-Za-z0-9_.]*/`' "$page" | grep -v '\.\.\.' | tr -d '`' | sort -u >"$folder/events"
while read -r event; do
  "$pmon" -p emr encode "$event" >/dev/null 2>&1 || "$pmon" -p snbep encode "$event" >/dev/null 2>&1 ||
    complain "no such event: $event"
done <"$folder/events"
exit $bad
