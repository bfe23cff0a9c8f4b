#!/bin/sh
# SPDX-License-Identifier: MIT
# The kernel's uncore driver, built out of tree. Unmodified, it passes with its baseline and counts what the scenario
# states. With each of the bugs of driver.bugs, the bug is found: by a rule, at the register, or by a different count.
# Runs for each processor that the QEMU supports. JOBS guests at a time (2), each for at most TIMEOUT seconds (900).
# Usage: driver.sh PMON FOLDER-OF-BASELINES QEMU [BUG...]
pmon=$1 baselines=$2 qemu=${PMON_VM_QEMU:-$3} what="no driver was built and tried"
shift 3
here=$(cd "$(dirname "$0")" && pwd)
. "$here/guest.sh"
need qemu-system-x86_64 busybox xz perf wrmsr setpci jq make gcc flock
kernel_6_1
release=${kernel##*/vmlinuz-}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
source=$(sh "$here/../../scripts/driver_source.sh" "$release" 2>"$work/why") || skip "$(cat "$work/why")"
build() {    # folder
  make -s -C "/lib/modules/$release/build" M="$1/intel" modules >"$1/log" 2>&1 && [ -f "$1/intel/intel-uncore.ko" ] ||
    { tail -n 20 "$1/log"; return 1; }
}
# Linux sometimes panics when a loaded host slows the emulator down while the kernel calibrates its timer; such a run is
# repeated once.
guest() {    # folder of the driver
  boot "$1"
  code=$?
  [ $code -ne 123 ] || ! grep -q '"accesses":0,' "$1/json" || { boot "$1"; code=$?; }
  return $code
}
boot() {     # on the E5-2600 with both sockets, on Emerald Rapids as the capture of `machine` has it
  case $platform in
  snbep) set -- "$1" --sockets 2 ;;
  emr) set -- "$1" --sockets 1 --capture "$work/capture" ;;
  esac
  folder=$1
  shift
  "$pmon" -p "$platform" vm ${qemu:+--qemu "$qemu"} --kernel "$kernel" "$@" --scenario "$here/driver_$platform.scn" \
    --baseline "$baselines/linux-6.1-$platform.baseline" --module "$folder/intel/intel-uncore.ko" --json "$folder/json" \
    --log "$folder/accesses" --console --timeout "${TIMEOUT:-900}" -- sh -c "$(cat "$here/driver_$platform.guest")" >"$folder/counts" \
    2>"$folder/errors"
}
# The unmodified driver.
mkdir "$work/stock"
cp -a "$source/." "$work/stock/"
build "$work/stock" || skip "the driver cannot be built here"
groups() { jq -r '.findings[] | select(.known | not) | "\(.rule) \(.register) \(.bits)"' "$1/json" | sort -u; }
stock() {    # runs it
  sed -n 's/^# want //p' "$here/driver_$platform.guest" >"$work/want"
  guest "$work/stock"
  booted $? "$work/stock/errors"
  diff "$work/want" "$work/stock/counts" || { cat "$work/stock/errors"; exit 1; }
  echo "stock on $platform: passed"
  groups "$work/stock" >"$work/stock/groups"
  ! grep '^sw.left-out ' "$work/stock/groups" || { echo "stock on $platform: it leaves units out"; exit 1; }
}

# Prints the wrong counts of a label, as a log's comments: "# counted SOCKET PRINTED RIGHT".
wrong() {    # folder, label
  while read -r label socket right; do
    [ "$label" != "$2" ] || sed -n "s/^$label $socket \([0-9]*\)$/# counted $socket \1 $right/p" "$1/counts"
  done <"$work/want" | awk '$4 != $5'
}

judge() {    # folder; what shows the bug
  case $2 in
  counted)
    wrong "$1" "$3" >"$1/wrong"
    [ -s "$1/wrong" ] || { echo "${1##*/}: $3 is counted as ever"; return 1; }
    (sed -n "s/^# asked $3 /# asked /p" "$here/driver_$platform.guest"; cat "$1/wrong" "$1/accesses") >"$1/log"
    "$pmon" machine check --json "$1/log" | jq -r 'select(.rule == "sw.asked" or (.rule | startswith("sw.count-"))) |
      "\(.rule) \(.register) access \(.access), package \(.package), \(.address)"' >"$1/new"
    while read -r rule register where; do
      case "$rule $register" in "$4 "$5) echo "${1##*/}: $rule at $register ($where): $(paste -sd ';' "$1/wrong")"; return 0 ;; esac
    done <"$1/new"
    echo "${1##*/}: $(paste -sd ';' "$1/wrong"), but no $4 at $5:"
    cat "$1/new" ;;
  rule)
    groups "$1" | comm -13 "$work/stock/groups" - >"$1/new"
    while read -r rule register bits; do
      case "$rule $register" in "$3 "$4) echo "${1##*/}: $rule at $register (bits $bits)"; return 0 ;; esac
    done <"$1/new"
    echo "${1##*/}: no $3 at $4, but"
    cat "$1/new" ;;
  esac
  return 1
}
try() {      # name, file, sed script, what shows it
  name=$1 file=$2 script=$3
  mkdir "$work/$name"
  cp -a "$work/stock/intel" "$work/stock"/*.h "$work/$name/"
  sed -i "$script" "$work/$name/intel/$file"
  cmp -s "$work/$name/intel/$file" "$work/stock/intel/$file" && { echo "$name: the driver is not changed"; return 1; }
  build "$work/$name" || return 1
  guest "$work/$name"
  code=$?
  set -f
  case $code in
  0 | 122) judge "$work/$name" $4 && return 0 ;;
  *) echo "$name: the guest's exit code is $code" ;;
  esac
  diff "$work/want" "$work/$name/counts"
  tail -n 60 "$work/$name/errors"
  return 1
}
field() { printf '%s\n' "$line" | cut -f "$1"; }
worker() {   # takes bug after bug: lines NAME<tab>FILE<tab>SCRIPT<tab>SHOWN
  while line=$(flock "$work/lock" sh -c 'head -n 1 "$1"; sed -i 1d "$1"' take "$work/todo"); [ -n "$line" ]; do
    name=$(field 1) file=$(field 2) script=$(field 3) by=$(field 4)
    (try "$name" "$file" "$script" "$by") >"$work/$name.out" 2>&1 || echo "$name" >>"$work/failed"
    cat "$work/$name.out"
    rm -rf "${work:?}/$name"
  done
}
workers() {
  i=0
  while [ $((i += 1)) -lt "${JOBS:-2}" ]; do worker & done
  worker
  wait
}
: >"$work/failed"
platforms=snbep
if [ -n "$qemu" ] && "$pmon" -p emr capture --machine --set sockets=1 -o "$work/whole"; then
  # CHA 5 is missing in the discovery page, so that the numbers of the others have a gap.
  awk '$1 == "words" && $2 >= 48 && $2 < 56 { next } { print }' "$work/whole" >"$work/capture"
  platforms="snbep emr"
else
  echo "not on emr: neither PMON_VM_QEMU nor the option vm_qemu names a QEMU that vm/qemu/build.sh made"
fi
for platform in $platforms; do
  awk -v platform=$platform -v only=" $* " '$1 == "bug" { name = $2; of = $3 == "" ? "snbep" : $3 }
    $1 == "sed" { file = $2; script = substr($0, index($0, $2) + length($2) + 1) }
    $1 == "shows" && of == platform && (only == "  " || index(only, " " name " ")) {
      print name "\t" file "\t" script "\t" substr($0, 7)
    }' "$here/driver.bugs" >"$work/todo"
  [ -s "$work/todo" ] || continue
  stock
  workers
done
[ ! -s "$work/failed" ] || { echo "not found: $(tr '\n' ' ' <"$work/failed")"; exit 1; }
