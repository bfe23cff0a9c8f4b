#!/bin/sh
# SPDX-License-Identifier: MIT
# Tests what a stream's definition and the channel's timings alone imply: how many rows it opens, and its read latency.
# usage: dram_stream.sh BENCH_DRAM_STREAM
set -u
stream=${1:?usage: dram_stream.sh BENCH_DRAM_STREAM}
status=0
# The expected cost of refreshes is that of refreshes of all banks, which begin when they are due.
refresh='dram.refresh=all-bank dram.postpone=0'
for platform in emr snbep; do
  for name in sequential random-one random-many copy mixed conflict; do
    # shellcheck disable=SC2086
    { "$stream" "$platform" $refresh && "$stream" "$platform" $refresh "$name" /dev/stdout; } | awk -v name="$name" -v platform="$platform" '
      /^(LD|ST) / { asked++; lines[$2]; next }
      $1 == "stream" { if ($2 == name) period = $3; next }
      { v[$1] = $2 }
      function is(what, value, low, high) {
        if (value >= low && value <= high) return
        printf "%s %s: %s is %s, not from %s to %s\n", platform, name, what, value, low, high
        bad = 1
      }
      END {
        # each data command finds its row open or opens it; some writes may still wait
        is("hits and activates", v["hits"] + v["activates"], v["reads"] + v["writes"], v["reads"] + v["writes"])
        is("requests", v["reads"] + v["writes"], asked - v["writes_high"], asked)
        is("refreshes", v["refreshes"], v["ranks"] * (asked * period / v["nREFI"] - 1), v["ranks"] * (asked * period / v["nREFI"] + 1))
        is("conflicts", v["conflicts"], 0, v["activates"])
        hit = v["nCL"] + v["nBL"]; closed = hit + v["nRCD"]; conflict = closed + v["nRP"]
        # a request that arrives in a refresh, with the precharge before it, waits for half of it
        refresh = v["nRFC"] + v["nRP"]; wait = refresh * refresh / 2 / v["nREFI"]
        if (name == "sequential") { # rows of 128 lines, opened once; rows in use again after each refresh
          rows = asked / 128
          is("activates", v["activates"], rows, rows + 16 + 8 * v["refreshes"])
          is("conflicts", v["conflicts"], 0, 0)
          is("latency", v["latency"], hit, 2 * conflict)
        }
        if (name == "random-one") {
          is("hits", v["hits"], 0, asked / 1000)
          is("latency", v["latency"], closed - 1, conflict + 1.2 * wait)
        }
        if (name == "conflict") { # also requests that waited for a refresh, after which all go on at once
          is("hits", v["hits"], 0, 0)
          is("conflicts", v["conflicts"], asked - v["refreshes"], asked - 1)
          is("latency", v["latency"], conflict + wait, 5 * conflict)
        }
        if (name == "copy" || name == "mixed")
          is("reads", v["reads"], int(2 * asked / 3), int(2 * asked / 3) + 1)
        exit bad
      }' || status=1
  done
done

# Random reads (rows closed at once), each alone, wait less for refreshes of one bank of each group than for those of
# all banks: for a refresh of their own bank, or for an activate.
for name in all-bank same-bank; do
  "$stream" emr dram.page=closed dram.refresh=$name random-one
done | awk '$1 == "latency" { latency[n++] = $2 }
  END {
    clock = 1 / 2.8; all = 295; bank = 130; apart = 30; most = 3900
    expected = (all * all / 2 / most - bank * bank / most - 3 / 4 * apart * apart / 2 / (most / 8)) / clock
    differs = latency[0] - latency[1]
    good = differs > expected * 0.7 && differs < expected * 1.3
    if (!good) printf "random-one: with refreshes of one bank %s clocks less, not %s\n", differs, expected
    exit !good }' || status=1

# Full streams (as many requests as the channel takes), by bottleneck: the clocks of each request, with almost no
# refreshes.
while read -r name settings; do
  settings="$refresh dram.trefi=100000 $settings"
  for platform in emr snbep; do
    # shellcheck disable=SC2086
    { "$stream" "$platform" $settings && "$stream" "$platform" $settings "$name"; } | awk -v name="$name" -v platform="$platform" '
      { if ($1 != "stream" && !($1 in v)) v[$1] = $2; else if ($1 != "stream") v["their " $1] = $2 }
      function later(a, b) { return a > b ? a : b }
      END {
        # a burst; in one bank tCCD_L, which DDR3 does not have; four activates of a rank in a window; a row of a bank
        # read or written; the turns of the bus to writes and back for each batch of writes
        turns = 2 + v["nWTRS"] + v["nCL"]; batch = v["writes_high"] - v["writes_low"]
        if (name == "full-sequential" || name == "full-banks") least = most = v["nBL"]
        if (name == "full-banks" && v["ranks"] == 1) least = most = later(v["nBL"], v["nFAW"] / 4)
        if (name == "full-row") least = most = v["nBL"] * (v["banks"] == 32 ? 2 : 1)
        if (name == "full-conflict") least = most = later(v["nRAS"], v["nRCD"] + v["nRTP"]) + v["nRP"]
        if (name == "full-store-conflict") least = most = v["nRCD"] + v["nCL"] + v["nBL"] + v["nWR"] + v["nRP"]
        if (name == "full-copy") least = most = (2 * batch * v["nBL"] + turns) / (2 * batch)
        if (name == "full-stores") { least = v["nBL"]; most = v["nBL"] + turns / batch }
        far = name == "full-copy" ? 0.05 : 0.02
        good = v["each"] >= least * (1 - far) && v["each"] <= most * (1 + far)
        if (!good) printf "%s %s: a request takes %s clocks, not from %s to %s\n", platform, name, v["each"], least, most
        exit !good
      }' || status=1
  done
done <<'FULL'
full-sequential
full-row
full-banks
full-banks dram.ranks=1 dram.tfaw=40 dram.rpq=12
full-conflict
full-stores
full-store-conflict
full-copy
FULL
exit $status
