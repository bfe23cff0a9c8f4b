#!/bin/sh
# SPDX-License-Identifier: MIT
# `pmon stat` without names: each platform's default metrics have values and are not multiplexed; -p after the options
# that depend on it; --dry-run without a command, and with one. Usage: usual.sh PMON SCENARIO
set -u
pmon=$1 scenario=$2
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
fail() { echo "usual: $*" >&2; exit 1; }

# measure PLATFORM METRICS ARGUMENTS...: at least so many metrics have values, and none is multiplexed.
measure() {
  platform=$1 least=$2
  shift 2
  "$pmon" stat "$@" -p "$platform" --csv >"$folder/csv" || fail "$platform: stat ended with $?"
  awk -F, -v least="$least" '
    NR > 1 && $5 == "" && $8 != "" { values++ }
    NR > 1 && $13 != 1 && $13 != "" { print "counted part of the time: " $0; wrong = 1 }
    END { printf "%d usual metrics with values\n", values; exit wrong || values < least }' "$folder/csv" ||
    fail "$platform: see above"
}
measure emr 7 --scenario "$scenario"
measure snbep 6 --scenario "$scenario"
measure montecito 5 --generate mixed:20000

"$pmon" stat -e imc/CAS_COUNT.RD/ -p snbep --csv --scenario "$scenario" >"$folder/behind" || fail "-p behind -e: $?"
"$pmon" -p snbep stat -e imc/CAS_COUNT.RD/ --csv --scenario "$scenario" >"$folder/before" || fail "-p before -e: $?"
cmp "$folder/behind" "$folder/before" || fail "-p behind -e measures something else than -p before it"

# The register writes do not depend on the command.
"$pmon" stat --dry-run >"$folder/idle" 2>&1 || fail "--dry-run without a command: $? $(cat "$folder/idle")"
"$pmon" stat --dry-run --scenario "$scenario" >"$folder/given" || fail "--dry-run with a scenario: $?"
cmp "$folder/idle" "$folder/given" || fail "--dry-run prints other writes without a command"
# A program is looked up, but neither it nor its emulator starts.
mkdir "$folder/bin" "$folder/none"
printf '#!/bin/sh\n: >"%s/started"\n' "$folder" >"$folder/bin/qemu-$(uname -m)"
chmod +x "$folder/bin/qemu-$(uname -m)"
PATH=$folder/bin:$PATH "$pmon" stat --dry-run --backend machine -- /bin/true >"$folder/program" || fail "--dry-run with a program: $?"
cmp "$folder/idle" "$folder/program" || fail "--dry-run prints other writes with a program"
[ ! -e "$folder/started" ] || fail "--dry-run starts the emulator"
refuses() {
  code=$1 text=$2
  shift 2
  PATH=$folder/none "$pmon" stat --dry-run "$@" >"$folder/out" 2>&1
  is=$?
  [ $is -eq "$code" ] || fail "--dry-run $*: ended with $is: $(cat "$folder/out")"
  grep -q "$text" "$folder/out" || fail "--dry-run $*: $(cat "$folder/out")"
}
refuses 2 'nosuchcommand: no such command in PATH' -- nosuchcommand
refuses 3 "qemu-$(uname -m): not found" -- /bin/true
refuses 2 middle --place middle -- /bin/true
"$pmon" stat >"$folder/idle" 2>&1
[ $? -eq 2 ] || fail "a measurement without a command did not end with 2"
