#!/bin/sh
# SPDX-License-Identifier: MIT
# The verdict on a guest as data: stock Linux passes with its baseline, a violation that is not in the baseline fails,
# and the command's exit code takes precedence. Usage: verdict.sh PMON BASELINE
pmon=$1 baseline=$2 what="no verdict on a guest was tried"
. "$(dirname "$0")/guest.sh"
need qemu-system-x86_64 busybox xz wrmsr jq python3
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failed=0
check() {    # what is expected of the last run: file, jq's condition
  jq -e "$2" "$work/$1" >/dev/null || { echo "not so in $1: $2"; cat "$work/$1"; failed=1; }
}
well_formed() {
  python3 -c 'import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])' "$1" || { cat "$1"; failed=1; }
}
# Only the stock driver. The verdict from the log, and in the report for a CI, is the same.
"$pmon" vm --timeout 900 --baseline "$baseline" --artifacts "$work/kept" -- sh -c 'echo output; echo error >&2' >"$work/out" 2>"$work/why"
booted $? "$work/why"
for name in accesses.log console.log end.capture errors.log findings junit.xml output.log result.json start.capture versions; do
  [ -f "$work/kept/$name" ] || { echo "no artifact $name"; failed=1; }
done
[ "$(cat "$work/out" "$work/kept/output.log" "$work/kept/errors.log")" = "output
output
error" ] || { echo "the outputs differ"; failed=1; }
check kept/result.json '.verdict == "passed" and .exit_code == 0 and .violations == 5 and .known == 5'
check kept/result.json '[.findings[] | select(.unit == "imc") | .registers, .times, .known, .guest_address] ==
  [4, 4, true, "7f:10.0 0xf4"]'
well_formed "$work/kept/junit.xml"
grep -q "^release: [0-9]" "$work/kept/versions" && grep -q "^QEMU emulator version" "$work/kept/versions" ||
  { cat "$work/kept/versions"; failed=1; }
"$pmon" machine check -p snbep "$work/kept/accesses.log" >"$work/checked"
grep -q "5 violations" "$work/checked" || { echo "the log does not have what was found"; cat "$work/checked"; failed=1; }
for when in start end; do
  "$pmon" machine describe --capture "$work/kept/$when.capture" >/dev/null || { echo "the capture at the $when is none"; failed=1; }
done
# A CBo's control register with reserved bit 20: a new violation, although the baseline has the same rule.
"$pmon" vm --timeout 900 --baseline "$baseline" --json "$work/json" --junit "$work/junit" -- sh -c "wrmsr 0xd10 0x100000; true" 2>"$work/why"
code=$?
[ $code -eq 122 ] || { echo "exit code $code, not 122"; cat "$work/why"; failed=1; }
check json '.verdict == "violation" and .known == 5 and .violations == 6'
check json '[.findings[] | select(.known | not) | .register, .bits] == ["Cn_MSR_PMON_CTL0", 1048576]'
grep -q 'failures="1" errors="0" skipped="2"' "$work/junit" || { cat "$work/junit"; failed=1; }
well_formed "$work/junit"
exit $failed
