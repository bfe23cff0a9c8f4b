#!/bin/sh
# SPDX-License-Identifier: MIT
# A chain of dependent loads takes the latency that the machine's parameters determine: for L2, LLC, memory and the
# other socket, averaged over all slices, controllers and links, within 2 %. n chains complete n times as many loads
# until the fill buffers are in use, and no more beyond that.
# usage: chains.sh PMON
set -u
pmon=$1
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
bad=0

# The latency of each level in ns, from the parameters: name and value on standard input.
cat >"$dir/levels.awk" <<'AWK'
function distance(a, b) { return a > b ? a - b : b - a }
{ v[$1] = $2 }
# Emerald Rapids' mesh: cores and slices down v["mesh.columns"] columns, controllers left and right, links above.
function mesh_place(kind, i) {
  if (kind == "cha") {
    column = int(i * columns / v["chas"])
    row = 1 + i - int((column * v["chas"] + columns - 1) / columns)
    column++
  }
  if (kind == "imc") { column = i % 2 ? columns + 1 : 0; row = 1 + int(i / 2) * (rows - 1) }
  if (kind == "link") { column = 1 + int((2 * i + 1) * columns / (2 * v["upi.links"])); row = 0 }
}
function mesh(from, i, to, k,    c, r) {
  mesh_place(from, i); c = column; r = row
  mesh_place(to, k)
  return (v["mesh.enter"] + (distance(c, column) + distance(r, row)) * v["mesh.hop"]) * uncore
}
# The mean over all slices, controllers and links; the core is at the first slice.
function mesh_levels(    a, m, l, n, go, on, back, slot) {
  rows = int((v["chas"] + columns - 1) / columns)
  slot = 64 / v["upi.gt"] / v["upi.lanes"]
  for (a = 0; a < v["chas"]; a++) {
    go = mesh("cha", 0, "cha", a) + v["cha.pipe"] * uncore
    llc += l2 + go + mesh("cha", a, "cha", 0)
    for (m = 0; m < v["imcs"]; m++) {
      local += l2 + go + mesh("cha", a, "imc", m) + memory + mesh("imc", m, "cha", 0)
      for (l = 0; l < v["upi.links"]; l++) {
        on = mesh("cha", a, "link", l) + slot + v["upi.flight"] + mesh("link", l, "cha", a) + v["cha.pipe"] * uncore
        back = mesh("imc", m, "link", l) + 10 * slot + v["upi.flight"] + mesh("link", l, "cha", 0)
        remote += l2 + go + on + mesh("cha", a, "imc", m) + memory + back
      }
    }
  }
  llc /= v["chas"]; local /= v["chas"] * v["imcs"]; remote /= v["chas"] * v["imcs"] * v["upi.links"]
}
# The E5-2600's ring: two stops of links after that of the devices, half of the slices, the home agent, the other half.
function ring(from, to,    d) {
  d = distance(from, to)
  d = d > stops - d ? stops - d : d
  return (v["mesh.enter"] + d * v["mesh.hop"]) * uncore
}
function slice(i) { return 3 + i + (i >= left) }
function later(a, b) { return a > b ? a : b }
# Without a directory, a home agent snoops the other socket's slice for local lines, and its own slice for the other's
# requests.
function ring_levels(    a, l, flit, home, go, agent, asked, found) {
  left = int((v["chas"] + 1) / 2); stops = v["chas"] + 4; home = 3 + left
  flit = 4 / v["upi.gt"]; agent = v["m2m.pipe"] * uncore
  for (a = 0; a < v["chas"]; a++) {
    go = ring(slice(0), slice(a)) + v["cha.pipe"] * uncore
    llc += l2 + go + ring(slice(a), slice(0))
    for (l = 1; l <= v["upi.links"]; l++) {
      asked = ring(home, l) + flit + v["upi.flight"] + ring(l, slice(a)) + v["cha.pipe"] * uncore
      found = agent + asked + ring(slice(a), l) + flit + v["upi.flight"] + ring(l, home)
      local += l2 + go + ring(slice(a), home) + later(memory, found) + ring(home, slice(0))
      found = agent + ring(home, slice(a)) + v["cha.pipe"] * uncore + ring(slice(a), home)
      remote += l2 + go + ring(slice(a), l) + flit + v["upi.flight"] + ring(l, home) + later(memory, found) + \
                ring(home, l) + 9 * flit + v["upi.flight"] + ring(l, slice(0))
    }
  }
  llc /= v["chas"]; local /= v["chas"] * v["upi.links"]; remote /= v["chas"] * v["upi.links"]
}
END {
  uncore = 1 / v["uncore.ghz"]; columns = v["mesh.columns"]
  l2 = v["l2.latency"] / v["core.ghz"]
  # a closed row; a refresh in the way is over after half of its time, and a row is precharged before it
  refresh = v["dram.trfc"] * v["dram.trfc"] / 2 / v["dram.trefi"]
  if (v["dram.refresh"] == "same-bank") { # each bank twice as often; activates of the others wait, too
    refresh = v["dram.trfc_sb"] * v["dram.trfc_sb"] / v["dram.trefi"]
    refresh += 3 / 4 * v["dram.trefsbrd"] * v["dram.trefsbrd"] / 2 / (v["dram.trefi"] / 8)
  }
  memory = 2 * v["m2m.pipe"] * uncore + v["dram.pipe"] + v["dram.trcd"] + v["dram.cl"] + v["dram.burst"] / v["dram.ghz"] + refresh
  if (v["platform"] == "snbep") ring_levels(); else mesh_levels()
  printf "%.3f %.3f %.3f %.3f %d\n", l2, llc, local, remote, v["core.mlp"]
}
AWK

# the simulated time of a load, in ns: of the second pass. A run that fails leaves a file, since it is in a shell of its
# own. SIZE CHAINS [OPTION...]
load_ns() {
  size=$1 chains=$2
  shift 2
  for times in 1 2; do
    echo "thread 0 on core 0: chase $size chains $chains times $times" >"$dir/scenario"
    timeout -s KILL 600 "$pmon" machine run "$@" --scenario "$dir/scenario" >"$dir/account" 2>"$dir/errors" ||
      echo "chase $size chains $chains: $(cat "$dir/errors")" >>"$dir/failed"
    awk '{ gsub(",", "") } $1 == "simulated_fs" { t = $2 } $1 == "reads" { n = $NF } END { print t, n }' "$dir/account"
  done | awk '{ t = $1 - t; n = $2 - n } END { printf "%.3f", t / n * 1e-6 }'
}
# arguments: description, expected value, tolerance upwards in percent, actual value
near() {
  awk -v what="$1" -v expected="$2" -v longer="$3" -v is="$4" 'BEGIN {
    good = is != "" && is >= expected * 0.98 && is <= expected * (1 + longer / 100)
    printf "%s: %.3f ns, to be %.3f, at most %d %% longer%s\n", what, is, expected, longer, good ? "" : "  WRONG"
    exit !good }' || bad=1
}
# Chains of a level: name, latency, size, options. Loads of many chains are not faster than the number of chains or of
# fill buffers allows, and up to a tenth slower: the window waits for the slowest chain.
chains() {
  level=$1 latency=$2 size=$3
  shift 3
  for n in 1 2 4 8 16 32; do
    near "$preset, $level, $n chains" \
      "$(awk -v l="$latency" -v n="$n" -v most="$buffers" 'BEGIN { print l / (n < most ? n : most) }')" \
      "$([ "$n" = 1 ] && echo 2 || echo 10)" "$(load_ns "$size" "$n" "$@")"
  done
}

for preset in emr snbep; do
  # closed pages, few refreshes; caches so small that a list of 4 MB comes from memory
  set -- --preset $preset --set prefetch=off --set core.cpi=0.05 --set dram.page=closed --set dram.trefi=100000 --set dtlb.miss=0
  small="--set l2.size=128K --set llc.size=$([ $preset = emr ] && echo 20K || echo 160K)"
  levels=$("$pmon" machine describe "$@" | awk -f "$dir/levels.awk")
  echo "$preset: L2, LLC, memory, the other socket's, in ns; fill buffers: $levels"
  # shellcheck disable=SC2086
  {
    read -r l2 llc near_memory far_memory buffers <<LEVELS
$levels
LEVELS
    near "$preset, L2" "$l2" 2 "$(load_ns 100K 1 "$@")"
    cycle=$("$pmon" machine describe "$@" | awk '$1 == "core.ghz" { print 1 / $2 }')
    # 32 pages, half of which are in the TLB; a line every eight cycles, though more chains are outstanding (less what
    # the first chains have not waited for at the end)
    near "$preset, L2, half of the translations" "$(awk -v l2="$l2" -v c="$cycle" 'BEGIN { print l2 + 10 * c }')" 2 \
      "$(load_ns 128K 1 "$@" --set dtlb.4k=16 --set dtlb.ways=4 --set dtlb.miss=20)"
    near "$preset, L2, 8 bytes a cycle" "$(awk -v c="$cycle" 'BEGIN { print 7.8 * c }')" 5 \
      "$(load_ns 100K 8 "$@" --set l2.bandwidth=8)"
    chains LLC "$llc" 512K "$@" --set l2.size=128K
    chains memory "$near_memory" 4M "$@" $small
    near "$preset, memory of the other socket" "$far_memory" 2 "$(load_ns 4M 1 "$@" $small --set numa=bind:1)"
  }
done
[ ! -e "$dir/failed" ] || { cat "$dir/failed"; bad=1; }
exit $bad
