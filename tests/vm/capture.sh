#!/bin/sh
# SPDX-License-Identifier: MIT
# `pmon vm --capture`: QEMU's arguments, and the hardware that the guest has, are those of an edited capture: one
# package, a stepping, a missing PCI function, a register value; with a QEMU that vm/qemu/build.sh made, damaged
# discovery pages, too. With `arguments` as the third word, no guest is booted: a script takes QEMU's place.
# Usage: capture.sh PMON QEMU [arguments]
pmon=$1 qemu=${PMON_VM_QEMU:-$2} what="no captured machine was booted"
. "$(dirname "$0")/guest.sh"
need busybox xz
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failed=0
"$pmon" -p snbep capture --machine --set sockets=1 -o "$work/whole" || exit 1
sed -e '/^function 0 63:16.5 /d' -e 's/^platform .*/&\ncpu GenuineIntel 6 45 6/' \
  -e 's/\(msr 0xd14  *64  *\)0x0 /\10xc8000000 /' "$work/whole" >"$work/edited"
if [ "$3" = arguments ]; then
  [ -n "$(ls "${XDG_CACHE_HOME:-$HOME/.cache}"/pmon/vm/kernel/boot 2>/dev/null)" ] ||
    skip "no kernel has been downloaded yet; vm-guest does that"
  printf '#!/bin/sh\n[ "$1" = -device ] && { echo '\''"x-pci-proxy-dev"'\''; exit 0; }\nprintf "%%s\\n" "$@" >"$0.arguments"\n' \
    >"$work/qemu"
  chmod +x "$work/qemu"
  for capture in whole edited; do
    "$pmon" vm --qemu "$work/qemu" --capture "$work/$capture" --initrd /dev/null >"$work/out" 2>&1 ||
      { cat "$work/out"; exit 1; }
    mv "$work/qemu.arguments" "$work/$capture.arguments"
  done
  functions() { grep -c '^x-pci-proxy-dev' "$work/$1.arguments"; }
  [ "$(functions edited)" -eq $(($(functions whole) - 1)) ] ||
    { echo "QEMU has $(functions edited) functions of $(functions whole)"; failed=1; }
  grep -q 'model=45,stepping=6$' "$work/edited.arguments" || { echo "another processor"; failed=1; }
  grep -q '^1,sockets=1,' "$work/edited.arguments" || { echo "not one socket"; failed=1; }
  # Its registers are still in the file.
  grep -q 'the capture lists no such PCI function' "$work/out" || { cat "$work/out"; failed=1; }
  "$pmon" vm --qemu "$work/qemu" --capture "$work/whole" --sockets 2 --initrd /dev/null 2>"$work/out"
  grep -q 'the machine has only one socket' "$work/out" || { cat "$work/out"; failed=1; }
  exit $failed
fi
need rdmsr qemu-system-x86_64
expect() { # what, wanted, shown
  [ "$2" = "$3" ] || { echo "$1: $3, not $2"; failed=1; }
}
"$pmon" vm --timeout 900 --capture "$work/edited" -- sh -c 'awk "/^stepping/ { print \$3; exit }" /proc/cpuinfo
  ls /sys/bus/event_source/devices | grep -c imc
  rdmsr 0xd14' >"$work/out" 2>"$work/why"
booted $? "$work/why"
expect "stepping, channels, filter" "6 3 c8000000" "$(echo $(cat "$work/out"))"
[ -n "$qemu" ] || exit $failed
"$pmon" -p emr capture --machine --set sockets=1 -o "$work/emr" || exit 1
# A zeroed entry of a unit, and a page whose words are all ones.
awk '$1 == "words" && $2 >= 24 && $2 < 32 { next } { print }' "$work/emr" >"$work/zeroed"
awk '$1 == "words" { next } { print } $1 == "page" { for (i = 0; i < $3; i++)
  print "words", i, "0xffffffffffffffff" }' "$work/emr" >"$work/ones"
cha() { # the guests boot once: their state behind the boot has no functions of the uncore yet
  "$pmon" -p emr vm --timeout 900 --qemu "$qemu" --capture "$1" --snapshot "$work/state" -- sh -c \
    'ls /sys/bus/event_source/devices | grep -c cha; dmesg | grep -q "Invalid Global Discovery State" && echo invalid' 2>"$work/why"
}
expect "CHAs of the page" "64" "$(echo $(cha "$work/emr"))"
expect "CHAs without an entry" "63" "$(echo $(cha "$work/zeroed"))"
expect "CHAs of a page of ones" "0 invalid" "$(echo $(cha "$work/ones"))"
exit $failed
