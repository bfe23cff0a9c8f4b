#!/bin/sh
# SPDX-License-Identifier: MIT
# Values beyond what the hardware can do are flagged, and so are sums with such a part; others are not. The bound of memory
# channels is lowered in a copy of the facts. usage: bounds.sh PMON UNITS SCENARIO
pmon=$(realpath "$1") units=$(realpath "$2") scenario=$(realpath "$3")
T=$(mktemp -d) || exit 2
trap 'rm -rf "$T"' EXIT
passed=0
failed=0

# counts NAME EXPECTED PATTERN FILE: how many lines of the file have the pattern.
counts() {
  n=$(grep -c -e "$3" "$4")
  if [ "$n" = "$2" ]; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    printf '%s: %s lines have "%s", expected %s:\n' "$1" "$n" "$3" "$2"
    cat "$4"
  fi
}

# platform NAME BOUND: the facts of emr with that bound of a channel.
platform() {
  awk '/^unit /{on = $2 == "imc"} on' "$units" | sed "s|bound  *bytes/s .*|bound bytes/s $2|" >"$T/$1.unit"
  printf 'platform %s\ntitle lowered\ncite X\nimport emr\nfile %s.unit\n' "$1" "$1" >"$T/$1.platform"
  sed -i '1i cite X' "$T/$1.unit"
}

measure() {
  name=$1
  shift
  timeout 60 "$pmon" stat -p "$T/$name.platform" --scenario "$scenario" --set core.mlp=8 -m MEM_READ_BANDWIDTH,DRAM_PAGE_HIT_RATIO "$@" \
    >"$T/out" 2>&1 </dev/null
}

platform true '16 * CLOCK_HZ(imc)'
measure true --csv
counts plausible 0 implausible "$T/out"
counts values 3 'MEM_READ_BANDWIDTH,.*,bytes/s,' "$T/out"

# Each channel reads about a gigabyte a second, more than this bound: sockets and the total are marked.
platform low '0.001 * CLOCK_HZ(imc)'
measure low --csv
counts beyond 3 'MEM_READ_BANDWIDTH,.*,implausible,' "$T/out"
counts others 3 implausible "$T/out"
measure low --json
counts json 1 '"implausible"' "$T/out"
measure low
counts note 1 'more than the hardware can do, here or in a part of the sum' "$T/out"

# Channels of socket 0 read less than this, those of socket 1 more: the total is marked, though it is less than all
# channels together can do.
platform half 1000000000
measure half --csv
counts total 2 implausible "$T/out"
counts other_socket 0 'MEM_READ_BANDWIDTH,0,.*implausible' "$T/out"
measure half --csv --per-unit
counts channels 8 'MEM_READ_BANDWIDTH,1,imc,[0-7],.*implausible' "$T/out"
counts other_channels 0 'MEM_READ_BANDWIDTH,0,imc,[0-7],.*implausible' "$T/out"

# Bounds consist of numbers and clocks.
platform wrong 'CAS_COUNT.RD'
measure wrong
counts refused 1 'only CLOCK_HZ(unit) and numbers are possible' "$T/out"

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
