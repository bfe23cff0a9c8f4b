#!/bin/sh
# SPDX-License-Identifier: MIT
# No capture, recording or journal of a megabyte takes more than 30 s of processor time (10 s on an idle host) or 512 MB
# in any command. Usage: megabyte.sh PMON MEGABYTE.PY FAKE-HOST SCENARIO [sanitized]
set -u
pmon=$1 fake_host=$3 scenario=$4 bad=0 runs=0
kilobytes=524288 seconds=30 part=1 forms='- -I --csv --json --per-unit --html'
# Under the sanitizers, where time is not checked, recordings have a fifth of the rows, and the slowest forms are left
# out.
[ "${5-}" = sanitized ] && kilobytes=unlimited seconds=100 part=5 forms='- --json'
command -v python3 >/dev/null || { echo "SKIPPED: no python3" >&2; exit 77; }
python3 -c 'import sqlite3' 2>/dev/null || { echo "SKIPPED: python3 has no sqlite3" >&2; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "$*"; bad=1; }
mkdir "$work/in"
"$pmon" capture -p emr --machine -o "$work/capture" >/dev/null 2>"$work/err" </dev/null || fail "capture: $(cat "$work/err")"
"$pmon" -p emr stat --scenario "$scenario" -I 5ms --record "$work/recording" -e imc/CAS_COUNT.RD/ -e iio/CLOCKTICKS/ \
  -e cha/CLOCKTICKS/ -m MEM_READ_BANDWIDTH >/dev/null 2>"$work/err" </dev/null || fail "stat: $(cat "$work/err")"
python3 "$2" "$work/capture" "$work/recording" "$work/in" $part || exit 1

# bounded NAME COMMAND...: the command exits by itself, with a report or with a message, within the limits.
bounded() {
  name=$1
  shift
  runs=$((runs + 1))
  (ulimit -v $kilobytes; ulimit -t $seconds; ulimit -c 0; exec timeout 300 "$pmon" "$@") >"$work/out" 2>"$work/err" </dev/null
  code=$?
  case $code in
  0) ;;
  1 | 2 | 3 | 4)
    [ "$1" = doctor ] || grep -q '^pmon' "$work/err" || fail "$name: $*: exit code $code without a message"
    grep -qi 'memory' "$work/err" && fail "$name: $*: $(head -c 300 "$work/err")" ;;
  *) fail "$name: $*: exit code $code: $(head -c 300 "$work/err")" ;;
  esac
}

for file in "$work"/in/capture-*; do
  name=${file##*/}
  bounded "$name" doctor --replay "$file"
  bounded "$name" discover --replay "$file"
  bounded "$name" machine describe --capture "$file"
  bounded "$name" stat -p emr -e imc/CAS_COUNT.RD/ --replay "$file"
done
limit=$kilobytes
kilobytes=unlimited # the emulated machine's caches
for file in "$work"/in/capture-*; do
  bounded "${file##*/}" stat -p emr -e imc/CAS_COUNT.RD/ --scenario "$scenario" --capture "$file"
done
kilobytes=$limit
for file in "$work"/in/recording-*; do
  name=${file##*/}
  for options in $forms; do
    case $options in
    -) bounded "$name" report "$file" ;;
    --html) bounded "$name" report --html "$work/page" "$file" ;;
    *) bounded "$name" report "$options" "$file" ;;
    esac
  done
  bounded "$name" diff "$work/recording" "$file"
  # The slowest one; the other diff has run its code.
  [ "${5-}" = sanitized ] || bounded "$name" diff "$file" "$file"
done
root=$work/host
"$fake_host" "$root" || exit 1
truncate -s 4G "$root/dev/cpu/0/msr"
boot=$(cat /proc/sys/kernel/random/boot_id 2>/dev/null || echo -)
export XDG_RUNTIME_DIR="$work"
for file in "$work"/in/journal-*; do
  name=${file##*/}
  { printf 'pmon journal 2\nprocess 1\nboot %s\nplatform snbep\n' "$boot"; cat "$file"; } >"$work/body"
  { cat "$work/body"; printf 'end %d %s\n' "$(wc -l <"$file")" "$(sha256sum <"$work/body" | cut -d' ' -f1)"; } >"$work/journal"
  chmod 600 "$work/journal"
  bounded "$name" restore --root "$root" --backend direct "$work/journal"
  cp "$work/err" "$work/$name.err"
done
# The journals' checks were reached.
grep -q 'no monitoring register' "$work/journal-foreign.err" || fail "journal-foreign: $(head -c 300 "$work/journal-foreign.err")"
echo "$runs runs"
exit $bad
