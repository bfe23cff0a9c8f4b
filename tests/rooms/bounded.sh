#!/bin/sh
# SPDX-License-Identifier: MIT
# Each result of a built-in Xeon's metrics has a bound in its unit, or docs/metrics.md gives the reason why it has none.
# Usage: bounded.sh SOURCE-ROOT
set -u
cd "$1" || exit 1
unbounded=$(sed -n '/^## Implausible values/,/^## Units/s/^| `\([^|]*\) |.*/`\1/p' docs/metrics.md | grep -o '`[^`]*`' | tr -d '`')
for platform in emr snbep; do
  cat data/$platform/*.unit | awk -v unbounded="$unbounded" -v platform=$platform '
    BEGIN { n = split(unbounded, words, "\n"); for (i = 1; i <= n; i++) none[words[i]] = 1 }
    FNR == NR && FILENAME == "-" {
      if ($1 == "unit") unit = $2
      if ($1 == "bound") bound[unit, $2 == "package" ? $3 : $2] = 1
      next
    }
    $1 == "unit" { unit = $2 }
    $1 == "metric" { metric = $2 }
    $1 == "result" {
      $1 = ""; result = substr($0, 2); metrics++
      if (!((unit, result) in bound) && !((unit, result "/s") in bound) && !(result in none)) {
        print FILENAME ": " unit "/" metric ": no bound for " result
        bad = 1
      }
    }
    END { if (metrics < 80) { print platform ": only " metrics " metrics found"; bad = 1 } exit bad }
  ' - data/$platform/*.met || failed=1
done
exit ${failed:-0}
