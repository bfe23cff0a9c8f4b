#!/bin/sh
# SPDX-License-Identifier: MIT
# Dependencies between rooms: each room's quoted includes must be in the table below. Public headers and a room's own
# files are always allowed; brackets mean a single header. A fragment that a file includes below its top is an .inc
# file. Tests, fuzzers and benchmarks may include any header, by its path from the root as well. Usage: includes.sh SOURCE-ROOT
set -u
cd "$1" || exit 1

allowed='
src/base:
src/facts: src/base
src/platform: src/base src/facts
src/event: src/base src/facts src/platform
src/encode: src/base src/event src/platform (src/facts/db.h) (src/facts/field.h) (src/facts/index.h) (src/facts/rule.h)
src/schedule:
src/metric: (src/base/array.h) (src/base/real.h) (src/base/text.h)
src/plan: src/event src/metric src/platform src/schedule (src/base/array.h) (src/base/buffer.h) (src/base/glob.h) (src/base/nearest.h) (src/base/text.h) (src/base/writer.h) (src/facts/db.h) (src/facts/field.h) (src/facts/invariant.h) (src/facts/rule.h)
src/access: src/base src/platform
src/capture: src/access src/base src/platform
src/session: src/access src/base src/plan src/platform src/sample (src/encode/image.h) (src/event/event.h)
src/sample: (src/base/real.h)
src/output: (src/base/array.h) (src/base/buffer.h) (src/base/escape.h) (src/base/real.h) (src/base/sized.h) (src/base/text.h) (src/base/writer.h) (src/platform/platform.h) (src/session/values.h) src/plan src/sample
src/record: (src/base/sized.h) src/plan src/platform src/session
gen: src/base src/facts
machine: machine/common machine/emr machine/montecito machine/pmon machine/snbep (machine/montecito/events/events.h) (src/base/text.h) (src/base/words.h)
machine/pmon:
machine/emr: machine/common machine/pmon
machine/snbep: machine/common machine/pmon
machine/common: machine/pmon (src/base/text.h) (src/base/words.h)
machine/montecito: machine/common machine/montecito/core machine/montecito/events machine/montecito/front machine/montecito/memory machine/montecito/monitors machine/montecito/pipeline machine/pmon
machine/montecito/events: machine/pmon
machine/montecito/stream: machine/montecito/events machine/pmon (machine/montecito/machine.h) (src/base/line.h) (src/base/words.h)
machine/montecito/core: machine/montecito/events machine/montecito/memory machine/montecito/monitors (machine/montecito/config.h) (machine/montecito/front/fetch.h) (machine/montecito/front/front.h) (machine/montecito/machine.h) (machine/montecito/pipeline/pipeline.h) (machine/montecito/pipeline/scoreboard.h) (machine/montecito/stream/record.h)
machine/montecito/monitors: machine/montecito/core machine/montecito/events machine/pmon (machine/montecito/memory/occupancy.h)
machine/montecito/memory: machine/montecito/core machine/montecito/events machine/montecito/monitors (machine/montecito/config.h) (machine/montecito/front/branch.h) (machine/montecito/front/front.h) (machine/montecito/front/predict.h)
machine/montecito/front: machine/montecito/core machine/montecito/events machine/montecito/memory machine/montecito/monitors (machine/montecito/pipeline/pipeline.h)
machine/montecito/pipeline: machine/montecito/core machine/montecito/events machine/montecito/front machine/montecito/memory machine/montecito/monitors
machine/montecito/exec: (machine/montecito/core/stall.h) (machine/montecito/machine.h) (machine/montecito/pipeline/scoreboard.h) (machine/montecito/stream/record.h)
machine/trace: machine machine/common machine/pmon (src/base/signals.h)
machine/library: machine machine/common machine/montecito machine/montecito/stream machine/trace (src/base/sized.h)
machine/check: src/base src/facts src/platform (src/access/wrap.h)
plugin: machine/trace
helper: src/access (src/base/signals.h)
vm: machine (machine/common/counters.h) (machine/common/guest.h) (machine/pmon/save.h) (machine/trace/guest.h) (machine/trace/process.h) (src/base/signals.h)
cli: cli/common cli/target (machine/config.h) (machine/model.h) (src/base/nearest.h) (src/base/signals.h)
cli/common: machine/check (machine/model.h) (src/base/escape.h) (src/base/glob.h) (src/base/nearest.h) (src/base/words.h)
cli/facts: cli/common cli/target (src/base/nearest.h)
cli/exporter: cli/common cli/stat cli/target (src/base/buffer.h) (src/base/escape.h) (src/base/real.h)
cli/import: cli/common cli/facts cli/target (src/base/real.h) (src/metric/expr.h)
cli/target: cli/common machine machine/check machine/montecito machine/montecito/exec machine/montecito/stream machine/trace (src/base/nearest.h) (src/base/real.h)
cli/host: cli/common cli/target
cli/machine: cli/common cli/target machine machine/check machine/montecito machine/montecito/stream machine/trace machine/common (machine/pmon/save.h) vm
cli/stat: cli/common cli/page cli/target (machine/trace/process.h) (src/access/replay.h) (src/base/buffer.h) (src/base/escape.h) (src/base/real.h) (src/base/signals.h)
cli/diff: cli/common cli/page cli/stat cli/target (src/base/real.h)
cli/page: cli/common (src/base/real.h)
cli/sample: cli/common cli/stat cli/target (machine/model.h) (machine/montecito/exec/program.h) (machine/montecito/machine.h)
cli/top: cli/common cli/stat (src/base/escape.h) (src/base/text.h)
cli/bench: cli/common (cli/vm/baseline.h) (machine/model.h) (src/base/real.h) vm
cli/vm: cli/common cli/target machine machine/check machine/trace vm
'
find src machine vm cli gen plugin helper tests fuzz bench -name '*.[ch]' | sort | xargs awk -v allowed="$allowed" '
  function room_of(path) { sub(/\/[^\/]*$/, "", path); return path }
  BEGIN {
    n = split(allowed, lines, "\n")
    for (i = 1; i <= n; i++)
      if (split(lines[i], half, ":") == 2) known[half[1]] = " " half[2] " "
  }
  FNR == 1 {
    body = 0
    room = room_of(FILENAME)
    any = FILENAME ~ /^(tests|fuzz|bench)\//
    if (!any && !(room in known) && !reported[room]++) { print room ": a room that the table does not have"; bad = 1 }
  }
  # A header is included at the top; a table in the middle of a file is a fragment: .inc.
  /^{/ { body = 1 }
  /^[a-z].*[{;=]$/ && !/^(struct|enum|union) [a-z_0-9]+;/ { body = 1 }
  !any && body && /^ *# *include *".*\.h"/ {
    print FILENAME ":" FNR ": a fragment is included that is named as a header; its name ends in .inc"
    bad = 1
  }
  /^ *# *include *"/ && (any || room in known) {
    header = $0
    gsub(/^[^"]*"|".*$/, "", header)
    seen++
    if (header !~ /\//) {
      print FILENAME ": includes " header " without its path from the root (docs/style.md)"
      bad = 1
      next
    }
    of = room_of(header)
    if (!any && of != room && !index(known[room], " " of " ") && !index(known[room], " (" header ") ")) {
      print FILENAME ": includes " header "; " room " may not know it"
      bad = 1
    }
  }
  END {
    if (seen < 200) { print "only " seen " includes found"; bad = 1 }
    exit bad
  }
'
