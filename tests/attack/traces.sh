#!/bin/sh
# SPDX-License-Identifier: MIT
# Small traces with large demands: each is refused, or read within 30 s and 512 MB. Usage: traces.sh PMON MAKE-TRACE
# [sanitized]
set -u
pmon=$1 make=$2
kilobytes=524288 seconds=30 threads=500 records= # 10 s on an idle host
# Under the sanitizers, where neither time nor memory is checked, fewer records do.
[ "${3-}" = sanitized ] && kilobytes=8388608 seconds=200 threads=60 records=512
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0

# trace WHAT N CODE TEXT [RECORDS]
trace() {
  "$make" "$work/trace" "$1" "$2" ${5-} || { bad=1; return; }
  # Limits resident memory: address space is reserved for caches of any size.
  (ulimit -t $seconds; exec python3 -c '
import resource, subprocess, sys
code = subprocess.run(sys.argv[2:]).returncode
used = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
if used > int(sys.argv[1]):
    print(used, "kB of memory", file=sys.stderr)
    code = 99
sys.exit(code if code >= 0 else 98)' $kilobytes "$pmon" stat -p emr --host-threads 4 \
    --trace "$work/trace" -e imc/CAS_COUNT.RD/) \
    >"$work/out" 2>"$work/err"; code=$?
  [ $code = "$3" ] || { echo "$1 $2: exit code $code, not $3: $(head -c 300 "$work/err")"; bad=1; }
  grep -q -- "$4" "$work/out" "$work/err" || { echo "$1 $2: lacks '$4': $(head -c 300 "$work/err")"; bad=1; }
}
trace sleep 0xffffffffffff 2 'undecodable records'
trace sleeps 3000000000 2 'sleeps of more than 60 s'
trace sleep 1000000000 0 'CAS_COUNT.RD'
trace threads $threads 0 'CAS_COUNT.RD'
[ "${3-}" = sanitized ] || trace together 288 0 'CAS_COUNT.RD'
trace together 289 2 'more simultaneous threads' $records
trace waits 10000000 0 'CAS_COUNT.RD'
exit $bad
