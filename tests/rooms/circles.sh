#!/bin/sh
# SPDX-License-Identifier: MIT
# Files stand in layers: no two of them need each other, directly or through others, unless the list below names their
# circle. What a file needs are the functions and variables that its object refers to and another one defines.
# Usage: circles.sh ROOT BUILD
set -u
folders=$(cd "$1" && find src cli machine vm helper plugin -type d) && cd "$2" || exit 1

# Each line: the files of a circle (or ROOM/: any files of that room), and why they need each other.
accepted='
src/plan/expand_metrics.c src/plan/metric_list.c: a pattern leaves out metrics that could not be counted: it tries them
src/plan/fit.c src/plan/witness.c: a witness is added if all events still fit
plugin/: the callbacks of QEMU share the state of a thread
vm/later.c vm/talk.c: messages of the guest decide when it is saved, and a save decides what it gets next
vm/resume.c vm/vm.c: a machine without a snapshot is started to make one
machine/pmon/block.c machine/pmon/level.c: a level is reported as pulses are
machine/trace/live.c machine/trace/live_open.c: the operations of a source that is being opened
machine/common/: a request of a core can evict, walk pages and prefetch, which are requests
machine/emr/: units answer the requests of other units
machine/snbep/: units answer the requests of other units
machine/montecito/ machine/montecito/core/ machine/montecito/front/ machine/montecito/memory/ machine/montecito/monitors/ machine/montecito/pipeline/: in a cycle each part of the pipeline sees, and holds up, the others
machine/montecito/exec/: an instruction can fault, and a handler consists of instructions
'

find . -name '*.c.o' -path '*.p/*' ! -path './tests/*' ! -path './bench/*' ! -path './fuzz/*' -print0 | xargs -0 nm -A |
  LC_ALL=C sort | awk -v accepted="$accepted" -v folders="$folders" '
  # Returns the source of an object, in whose name underscores stand for slashes.
  function source_of(object,   dir, name, n) {
    dir = object
    sub(/^\.\//, "", dir)
    name = dir
    sub(/.*\//, "", name)
    sub(/\.o$/, "", name)
    sub(/[^\/]*\.p\/[^\/]*$/, "", dir)
    while ((n = index(name, "_")) && ((dir substr(name, 1, n - 1)) in rooms)) {
      dir = dir substr(name, 1, n - 1) "/"
      name = substr(name, n + 1)
    }
    return dir name
  }
  BEGIN {
    n = split(folders, lines, "\n")
    for (k = 1; k <= n; k++) rooms[lines[k]]
  }
  {
    object = $1
    sub(/:[^:]*$/, "", object)
    if (object != last) file = source_of(last = object)
    files[file]
    if ($(NF - 1) == "U") needs[file, ++n_needs[file]] = $NF
    else if ($(NF - 1) ~ /^[TDRBVWC]$/ && !($NF in home)) home[$NF] = file
  }
  END {
    for (file in files)
      for (i = 1; i <= n_needs[file]; i++)
        if ((needs[file, i] in home) && home[needs[file, i]] != file) uses[file, ++n_uses[file]] = home[needs[file, i]]
    for (file in files) {
      split("", seen)
      top = 1
      stack[1] = file
      while (top) {
        at = stack[top--]
        for (i = 1; i <= n_uses[at]; i++)
          if (!(uses[at, i] in seen)) { seen[uses[at, i]]; stack[++top] = uses[at, i] }
      }
      if (file in seen) on[file]
      for (other in seen) reaches[file, other]
    }
    n = split(accepted, lines, "\n")
    for (file in on) {
      circle = ""
      good = 0
      for (k = 1; k <= n && !good; k++) {
        if (!match(lines[k], /: /)) continue
        good = 1
        split(substr(lines[k], 1, RSTART - 1), names, " ")
        for (other in on) {
          if (!((file, other) in reaches) || !((other, file) in reaches)) continue
          room = other
          sub(/[^\/]*$/, "", room)
          fits = 0
          for (i in names) fits = fits || other == names[i] || room == names[i]
          good = good && fits
        }
        if (good) used[k]
      }
      if (good || (file in printed)) continue
      for (other in on)
        if (((file, other) in reaches) && ((other, file) in reaches)) { circle = circle " " other; printed[other] }
      print "files need each other:" circle
      bad = 1
    }
    for (k = 1; k <= n; k++)
      if (match(lines[k], /: /) && !(k in used)) {
        print "is no circle any more: " substr(lines[k], 1, RSTART - 1)
        bad = 1
      }
    for (file in files) all++
    if (all < 400) { print "only " all " files"; bad = 1 }
    exit bad
  }'
