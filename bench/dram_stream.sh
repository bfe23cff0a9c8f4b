#!/bin/sh
# SPDX-License-Identifier: MIT
# What follows from a stream's definition and the channel's timings alone: how many rows it opens, what its reads take.
# usage: dram_stream.sh BENCH_DRAM_STREAM
set -u
stream=${1:?usage: dram_stream.sh BENCH_DRAM_STREAM}
status=0
for platform in emr snbep; do
  for name in sequential random-one random-many copy mixed conflict; do
    { "$stream" "$platform" && "$stream" "$platform" "$name" /dev/stdout; } | awk -v name="$name" -v platform="$platform" '
      /^(LD|ST) / { asked++; lines[$2]; next }
      $1 == "stream" { if ($2 == name) period = $3; next }
      { v[$1] = $2 }
      function is(what, value, low, high) {
        if (value >= low && value <= high) return
        printf "%s %s: %s is %s, not from %s to %s\n", platform, name, what, value, low, high
        bad = 1
      }
      END {
        # each command of data finds its row open or opens it; writes may still wait
        is("hits and activates", v["hits"] + v["activates"], v["reads"] + v["writes"], v["reads"] + v["writes"])
        is("requests", v["reads"] + v["writes"], asked - v["writes_high"], asked)
        is("refreshes", v["refreshes"], v["ranks"] * (asked * period / v["nREFI"] - 1), v["ranks"] * (asked * period / v["nREFI"] + 1))
        is("conflicts", v["conflicts"], 0, v["activates"])
        hit = v["nCL"] + v["nBL"]; closed = hit + v["nRCD"]; conflict = closed + v["nRP"]
        # a request that comes in a refresh waits for half of it, and for a precharge before it
        refresh = v["nRFC"] + v["nRP"]; wait = refresh * refresh / 2 / v["nREFI"]
        if (name == "sequential") { # rows of 128 lines, opened once, and again after each refresh: those in use
          rows = asked / 128
          is("activates", v["activates"], rows, rows + 16 + 8 * v["refreshes"])
          is("conflicts", v["conflicts"], 0, 0)
          is("latency", v["latency"], hit, 2 * conflict)
        }
        if (name == "random-one") {
          is("hits", v["hits"], 0, asked / 1000)
          is("latency", v["latency"], closed - 1, conflict + 1.2 * wait)
        }
        if (name == "conflict") { # also those that waited for a refresh: all go on at once
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
exit $status
