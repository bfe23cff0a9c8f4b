#!/bin/sh
# SPDX-License-Identifier: MIT
# The benches without a guest: messages for invalid arguments, lists, and the report when no guest can be started.
# Usage: cli.sh PMON
pmon=$1 failed=0
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
expect() {   # exit code, part of the message, arguments...
  code=$1 part=$2
  shift 2
  output=$("$pmon" "$@" 2>&1 >/dev/null)
  got=$?
  if [ $got -ne "$code" ]; then echo "pmon $*: exit code $got, not $code"; failed=1; fi
  case $output in *"$part"*) ;; *) echo "pmon $*: \"$output\" does not contain \"$part\""; failed=1 ;; esac
}
expect 2 "no guest can run on this platform; use -p emr, snbep or spr" bench-driver -p montecito
expect 2 "guests of this platform need a QEMU built by" bench-driver -p emr
expect 2 "expected a number from 1 to 2" bench-driver --sockets 3
expect 2 "expected a number from 1 to" bench-driver -j 0
expect 2 "expected a number from 1 to 65535" bench-driver --gdb 70000
expect 2 "--check none: no such check; \`pmon bench-driver --list\` lists them" bench-driver --check wrap,none
expect 2 "--kernel $work/none: No such file" bench-driver --kernel "$work/none"
echo text >"$work/text"
expect 2 "--kernel $work/text: not a Linux kernel in boot format (bzImage)" bench-driver --kernel "$work/text"
mkdir "$work/tree"
expect 2 "--kernel $work/tree: no kernel was built in this folder (arch/x86/boot/bzImage is missing)" bench-driver --kernel "$work/tree"
expect 2 "--gdb: only with a single guest" bench-driver --matrix --gdb 1234 --qemu false
expect 2 "$work/none: No such file" bench-driver --checks "$work/none"
expect 2 "mine: unexpected argument" bench-driver mine
# Errors in named files are reported before missing features of this host, and before guests take minutes.
for option in --kernel --module --checks --baseline; do
  expect 2 "$option $work/none: No such file" bench-driver -p emr $option "$work/none"
done
for option in --json --junit; do
  expect 2 "$option $work/none/file: No such file" bench-driver --qemu false $option "$work/none/file"
  expect 2 "$option $work/none/file: No such file" bench-tool --vm '--qemu false' --value 'a 1 0 b' $option "$work/none/file" -- true
done
expect 2 "--scenario $work/none: No such file" bench-tool --scenario "$work/none" --value 'a 1 0 b' -- true
# An existing output file is tested itself: /dev/null is in a folder that only root may write to. Root may write to
# every file.
: >"$work/kept.json" && chmod 400 "$work/kept.json"
for option in --json --junit; do
  expect 2 "$option $work: Is a directory" bench-driver --qemu false $option "$work"
  expect 2 "guests of this platform need a QEMU built by" bench-driver -p emr $option /dev/null
  if [ "$(id -u)" -ne 0 ]; then
    expect 2 "$option $work/kept.json: Permission denied" bench-driver --qemu false $option "$work/kept.json"
  fi
done
expect 2 "--snapshot $0: the file exists and is not a folder" bench-driver --qemu false --snapshot "$0"
expect 2 "--artifacts $0: the file exists and is not a folder" bench-driver --qemu false --artifacts "$0"
expect 2 "--snapshot $work/none/states: No such file" bench-driver --qemu false --snapshot "$work/none/states"
# The folder is created, and the commands that repeat a check contain the option.
"$pmon" bench-driver -p snbep -p emr --qemu false --snapshot "$work/states" >"$work/out" 2>&1
[ -d "$work/states" ] && grep -q -- "again: .*-p snbep .*--snapshot $work/states" "$work/out" &&
  grep -q -- "again: .*-p emr .*--snapshot $work/states" "$work/out" ||
  { echo "--snapshot in a matrix"; cat "$work/out"; failed=1; }
printf 'check mine: x\ncount y\n' >"$work/checks"
expect 2 "$work/checks:2: expected count EVENT COUNT" bench-driver --checks "$work/checks"
expect 2 "expected a port from 1 to 65535" vm --gdb 0 -- true
expect 2 "no input; add --bench FILE, or -- COMMAND" bench-tool
expect 2 "no expected value" bench-tool -- true
expect 2 "--value: the count is not a number" bench-tool --value 'a b 0 c' -- true
expect 2 "--bench $work/none: No such file" bench-tool --bench "$work/none"
expect 2 "--bench $work: Is a directory" bench-tool --bench "$work"
expect 2 "--bench /dev/null: the file is empty" bench-tool --bench /dev/null
printf 'command true\nvalue a 1 0 ([0-9])\nscenario set platform=snbep\n' >"$work/bench"
expect 2 "the bench file has a command, too" bench-tool --bench "$work/bench" -- false
expect 2 "the bench file has a scenario, too" bench-tool --bench "$work/bench" --scenario "$work/bench"

# All checks of a user are listed after those of the platform.
printf 'check mine sockets 2: what I want\nmust true\n' >"$work/checks"
"$pmon" bench-driver -p emr -p snbep --list --checks "$work/checks" >"$work/list" || failed=1
[ "$(grep -c 'what I want (two sockets)$' "$work/list")" -eq 2 ] && grep -q '^emr  events ' "$work/list" &&
  grep -q '^snbep  filter-users ' "$work/list" && [ "$(grep -Ec '^(emr|snbep)  (suspend|resume) ' "$work/list")" -eq 4 ] || { cat "$work/list"; failed=1; }

# The machine accepts the scenario of all checks, and its rounds are in order. `false` takes QEMU's place.
"$pmon" bench-driver --matrix --qemu false -p snbep -j 2 --artifacts "$work/kept" --json "$work/json" --junit "$work/junit" \
  >"$work/out" 2>"$work/errors"
[ $? -eq 1 ] || { echo "a bench without a QEMU did not fail"; failed=1; }
grep -q '^events  *not reached  *not reached$' "$work/out" && grep -q 'no guest (exit code 125): pmon vm: false' "$work/out" ||
  { cat "$work/out" "$work/errors"; failed=1; }
grep -q '"platform":"snbep","sockets":2,"kernel":"default","passed":false,"error":"no guest' "$work/json" ||
  { cat "$work/json"; failed=1; }
grep -q '<testsuite name="snbep, 2 sockets, kernel default" .*failures="0"' "$work/junit" || { cat "$work/junit"; failed=1; }
# Processors of different suites in one matrix: a check that a processor does not have is a dash.
"$pmon" bench-driver --matrix --qemu false -p snbep -p emr --sockets 1 >"$work/out" 2>"$work/errors"
[ $? -eq 1 ] && grep -q '^filter-users  *not reached  *-$' "$work/out" && grep -q '^reload  *not reached  *not reached$' "$work/out" && grep -q '^links  *-  *not reached$' "$work/out" ||
  { echo "a matrix of two processors"; cat "$work/out" "$work/errors"; failed=1; }
grep -q '^# units 1$' "$work/kept/cell-2/accesses" || { echo "no log of the accesses"; failed=1; }
sed -n "s/^echo '@round \(.*\)'/\1/p" "$work/kept/cell-2/script" >"$work/rounds"
sort -n -u "$work/rounds" | cmp -s - "$work/rounds" && [ "$(wc -l <"$work/rounds")" -ge 20 ] ||
  { echo "the rounds are not in order:"; cat "$work/rounds"; failed=1; }
for platform in snbep emr spr; do
  "$pmon" -p $platform bench-driver --qemu false --artifacts "$work/$platform" >"$work/out" 2>&1
  "$pmon" machine run -p $platform --scenario "$work/$platform/cell-1/scenario" >"$work/out" 2>&1 ||
    { head -n 5 "$work/out"; failed=1; }
done
# A kernel from its build folder, and one from a package, with its modules.
mkdir -p "$work/tree/arch/x86/boot" "$work/tree/include/config" "$work/tree/arch/x86/events/intel"
echo 6.1.9-mine >"$work/tree/include/config/kernel.release"
echo kernel >"$work/tree/arch/x86/boot/bzImage"
echo module >"$work/tree/arch/x86/events/intel/intel-uncore.ko"
kernels="--kernel $work/tree" unpacked=kernel-1
if command -v dpkg-deb >/dev/null; then
  mkdir -p "$work/package/DEBIAN" "$work/package/boot" "$work/package/lib/modules/6.1.8/kernel/arch/x86/events/intel"
  printf 'Package: linux\nVersion: 1\nArchitecture: all\nMaintainer: pmon <pmon@localhost>\nDescription: test\n' \
    >"$work/package/DEBIAN/control"
  echo kernel >"$work/package/boot/vmlinuz-6.1.8"
  echo module >"$work/package/lib/modules/6.1.8/kernel/arch/x86/events/intel/intel-uncore.ko"
  dpkg-deb --build "$work/package" "$work/linux.deb" >/dev/null || failed=1
  kernels="$kernels --kernel $work/linux.deb" unpacked="$unpacked kernel-2"
fi
"$pmon" bench-driver --qemu false $kernels --artifacts "$work/kernels" >"$work/out" 2>&1
for folder in $unpacked; do
  grep -q kernel "$work/kernels/$folder/boot"/vmlinuz-6.1.* &&
    grep -q module "$work/kernels/$folder"/lib/modules/6.1.*/kernel/arch/x86/events/intel/intel-uncore.ko ||
    { cat "$work/out"; find "$work/kernels"; failed=1; }
done
"$pmon" bench-tool --qemu false --value 'a 1 0 ([0-9]+) nothing' --json "$work/json" -- true >"$work/out" 2>"$work/errors"
[ $? -eq 1 ] && grep -q '^a  *1  *-  *-  missing$' "$work/out" && grep -q "no guest (exit code 125" "$work/errors" ||
  { cat "$work/out" "$work/errors"; failed=1; }
exit $failed
