#!/bin/sh
# SPDX-License-Identifier: MIT
# Shows where `pmon stat` with a live program spends its processor time: samples the programs of bench/live.sh, and last
# bench/walk.c, with Linux perf (its software clock, no counters needed). Prints percent of all samples by part of the
# emulator and of pmon; a function of pmon belongs to the part of its source file.
# usage: bench/parts.sh [PMON [WALK]], a build with debug information
set -eu
pmon=${1:-build/pmon}
walk=${2:-build/bench/bench_walk}
for tool in perf nm; do
  command -v $tool >/dev/null || { echo "parts.sh: $tool is not installed" >&2; exit 1; }
done
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
awk 'BEGIN { x = 1; while (n < 1300000) { x = (x * 16807) % 2147483647; print x; n += length(x) + 1 } }' >"$dir/lines"
head -c 400000 "$dir/lines" >"$dir/some"
nm -l --defined-only "$pmon" | awk 'NF > 3 && match($4, /(machine|src|cli)\/[^:]*/) { print $3, substr($4, RSTART, RLENGTH) }' >"$dir/files"
# Parts of machine/common by the start of a file's name. A file that neither list names is reported, and
# counts as uncore.
caches='core|fast|host_prefetch|l1|l2|line_instructions|load|mappings|memory|miss|pace|page_ranges|private|queues|stores|uncached'
uncore='address|cache|conditions|config|counters|devices|drive_rows|feed|guest|host_pages|model|parameter|parts|pcie|power'
uncore="$uncore|request|slices|slots|state|thermal|totals|traffic|uncore_ratio"
for file in machine/common/*.[ch]; do
  case $(basename "$file") in dram*) continue ;; esac
  echo "$file" | grep -qE "^machine/common/($caches|$uncore)" || echo "parts.sh: $file is of no part, counted as uncore" >&2
done

program() {
  name=$1
  shift
  command -v "$1" >/dev/null || return 0
  perf record -q -e cpu-clock -F 2500 -o "$dir/data" "$pmon" stat -- "$@" >/dev/null 2>"$dir/stderr" || {
    cat "$dir/stderr" >&2
    exit 1
  }
  perf script -i "$dir/data" -F comm,ip,sym,dso 2>/dev/null | awk -v name="$name" -v files="$dir/files" \
    -v caches="^machine/common/($caches)" '
    BEGIN {
      n = split("program emulator plugin transport records caches uncore memory counters rest kernel", part, " ")
      while ((getline line < files) > 0) { split(line, f, " "); of[f[1]] = f[2] }
      head = sprintf("%-8s", "")
      for (i = 1; i <= n; i++) head = head sprintf(" %9s", part[i])
      if (name == "sort") print head "   seconds"
    }
    function of_pmon(file) {
      if (file ~ /^machine\/trace\/(area|copy|input|live|process|workers)/) return "transport"
      if (file ~ /^machine\/trace\/(feeder|dependence)/) return "records"
      if (file ~ /^machine\/common\/dram/) return "memory"
      if (file ~ caches) return "caches"
      if (file ~ /^machine\/(common|emr)\//) return "uncore"
      if (file ~ /^machine\/pmon\//) return "counters"
      return "rest"
    }
    {
      dso = $NF
      sub(/^\(/, "", dso); sub(/\)$/, "", dso)
      all++
      if (dso ~ /kernel/) what = "kernel"
      else if ($1 == "pmon") what = dso ~ /\/pmon$/ && ($3 in of) ? of_pmon(of[$3]) : "rest"
      else if (dso ~ /pmon-trace/) what = "plugin"
      else if (dso ~ /qemu|\/lib/) what = "emulator"
      else what = "program"
      of_part[what]++
    }
    END {
      line = sprintf("%-8s", name)
      for (i = 1; i <= n; i++) line = line sprintf(" %9.1f", 100 * of_part[part[i]] / all)
      printf "%s %9.2f\n", line, all / 2500
    }'
}

# shellcheck disable=SC1091
. bench/programs.sh
[ ! -x "$walk" ] || program walk "$walk"
