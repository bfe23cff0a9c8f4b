#!/bin/sh
# SPDX-License-Identifier: MIT
# Overflow interrupts of Emerald Rapids' uncore reach the guest's kernel: a module built here (tests/vm/overflow) counts
# the interrupts of the local APIC while a counter overflows three times, in the sequence of 817509 1.10.4 to 1.10.6;
# there are none while the overflow status remains set, nor where overflows do not freeze. Needs the kernel's headers,
# and a QEMU that vm/qemu/build.sh made. Usage: interrupts.sh PMON QEMU
pmon=$1 qemu=${PMON_VM_QEMU:-$2} what="no interrupt was sent"
here=$(cd "$(dirname "$0")" && pwd)
. "$here/guest.sh"
need_qemu busybox xz wrmsr rdmsr setpci make gcc jq
kernel_6_1
release=${kernel##*/vmlinuz-}
[ -d "/lib/modules/$release/build" ] || skip "no headers of $release (remedy: apt-get install linux-headers-$release)"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cp "$here/overflow/Kbuild" "$here/overflow/pmon-overflow.c" "$work/"
make -s -C "/lib/modules/$release/build" M="$work" modules >"$work/log" 2>&1 || { tail "$work/log"; skip "the module cannot be built"; }
for at in 1 2 4 6 8 10; do echo "inject cha LLC_VICTIMS.M_STATE 100 at ${at}us"; done >"$work/scenario"
cat >"$work/script" <<'END'
insmod "$1"
seen() { echo "$1 $(cat /sys/module/pmon_overflow/parameters/count) $(awk '$1 == "NMI:" { print $2 }' /proc/interrupts)"; }
arm() { wrmsr 0x2008 0xffffffffffce; } # 50 before it wraps
again() { wrmsr 0x2001 1; wrmsr 0x2ff2 0x$(rdmsr 0x2ff2); arm; wrmsr 0x2ff0 0; } # the status is cleared by ones
wrmsr 0x2ff0 1
wrmsr 0x2000 0x300
arm
wrmsr 0x2002 0x100137 # with frz_on_ovf
wrmsr 0x2ff0 0
seen before
pmon-step 1500
seen first
again
pmon-step 1000
seen second
arm # without clearing the status
wrmsr 0x2ff0 0
pmon-step 2000
seen left
again
wrmsr 0x2002 0x137
pmon-step 2000
seen off
wrmsr 0x2002 0x100137
again
pmon-step 2000
seen third
echo processor $(cat /sys/module/pmon_overflow/parameters/processor)
END
"$pmon" -p emr vm --timeout 900 --qemu "$qemu" --kernel "$kernel" --scenario "$work/scenario" --json "$work/json" \
  --with "$work/pmon-overflow.ko" --with "$work/script" -- sh "$work/script" "$work/pmon-overflow.ko" >"$work/out" 2>"$work/errors"
booted $? "$work/errors" "$work/out"
cat >"$work/want" <<'END'
before 0 0
first 1 1
second 2 2
left 2 2
off 2 2
third 3 3
processor 0
END
diff "$work/want" "$work/out" || { cat "$work/errors"; exit 1; }
jq -e '.overflow_interrupts == 3 and .interrupts_delivered' "$work/json" >/dev/null || { cat "$work/json"; exit 1; }
