#!/bin/sh
# SPDX-License-Identifier: MIT
# Who may know whom: each room's quoted includes, held against the table below. Public headers and a room's own files
# are always allowed; what is in brackets is one header. Usage: includes.sh SOURCE-ROOT
set -u
cd "$1" || exit 1

allowed='
src/base:
src/facts: src/base
src/platform: src/base src/facts
src/event: src/base src/facts src/platform
src/encode: src/base src/event src/platform (src/facts/field.h) (src/facts/index.h)
src/schedule: src/event src/metric src/platform (src/facts/guideline.h) (src/facts/field.h)
src/access: src/base src/platform
src/capture: src/access src/base src/platform
src/session: src/access src/base src/metric src/platform src/sample src/schedule
src/sample:
src/metric: (src/base/nearest.h) (src/facts/db.h) src/platform src/schedule
src/output: src/sample src/schedule
src/record: src/metric src/platform src/session
gen: src/base src/facts
machine: machine/pmon machine/emr machine/snbep machine/traffic
machine/pmon: machine
machine/emr: machine machine/pmon
machine/snbep: machine machine/pmon
machine/core: machine
machine/traffic: machine machine/pmon machine/emr machine/snbep
machine/trace: machine machine/traffic
machine/check: src/base src/facts src/platform (src/access/wrap.h)
plugin: machine/trace
vm: machine (machine/trace/guest.h) (machine/traffic/totals.h)
cli: vm machine machine/check machine/core machine/trace machine/traffic
'
rooms=$(find src machine vm cli gen plugin -name '*.[ch]' -exec dirname {} + | sort -u)
bad=0 seen=0
for room in $rooms; do
  line=$(printf '%s' "$allowed" | grep "^$room:") || { echo "$room: a room that the table does not have"; bad=1; continue; }
  for file in "$room"/*.[ch]; do
    # shellcheck disable=SC2013
    for header in $(sed -n 's/^ *# *include *"\([^"]*\)".*/\1/p' "$file"); do
      seen=$((seen + 1))
      case $header in
        */*) of=$(dirname "$header") ;;
        *) of=$room ;;
      esac
      [ "$of" = "$room" ] && continue
      case " ${line#*:} " in
        *" $of "* | *" ($header) "*) ;;
        *) echo "$file: includes $header; $room may not know it"; bad=1 ;;
      esac
    done
  done
done
[ "$seen" -gt 200 ] || { echo "only $seen includes found"; bad=1; }
exit $bad
