#!/bin/sh
# SPDX-License-Identifier: MIT
# `pmon stat --by device` in a guest on Emerald Rapids: values of I/O are those of the devices that the scenario names, as
# outside; which stack a device is behind is what the processor's bus numbers say. The guest's bounds are those of the
# machine: its firmware's tables have a module for each channel. Needs a QEMU that vm/qemu/build.sh made: PMON_VM_QEMU or
# Meson's option vm_qemu names it. Usage: by_device.sh PMON QEMU
pmon=$1 qemu=${PMON_VM_QEMU:-$2} what="no guest counted by device"
. "$(dirname "$0")/guest.sh"
need_qemu busybox xz
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failed=0
cat >"$work/scenario" <<'END'
set sockets=1 cores=2
device 0000:17:00.0 stack 1 port 0 id 8086:1572 class 0200
device 0000:27:00.0 stack 5 port 2 id 144d:a80a class 0108
dma read 1GB/s stack 1 port 0 for 20us
dma write 2GB/s stack 5 port 2 for 20us
END
metrics=IIO_PART0_MEM_READ_BANDWIDTH,IIO_PART2_MEM_WRITE_BANDWIDTH
"$pmon" -p emr stat --scenario "$work/scenario" --by device --csv -m $metrics -o "$work/outside" || exit 1
"$pmon" -p emr vm --qemu "$qemu" --scenario "$work/scenario" --log "$work/log" -- sh -c "
  pmon stat --backend direct --by device --csv -m $metrics -o /tmp/out -- pmon-step 20000
  sed 's/^/out /' /tmp/out
  pmon capture -o /tmp/captured && sed -n 's/^limit/& /p' /tmp/captured" >"$work/guest" 2>"$work/why"
booted $? "$work/guest" "$work/why"
# The device of a row, without its name, which is of the host's pci.ids, its metric and its value.
rows() { sed -n "s/^$1.*,\(IIO_PART[0-9]_MEM_[A-Z]*_BANDWIDTH\),0,iio,\([0-9]*\),.*\"\(0000:[0-9a-f:.]*\)[^\"]*\".*/\1 \2 \3/p" "$2" | sort; }
rows '' "$work/outside" >"$work/expected"
rows 'out ' "$work/guest" >"$work/counted"
[ "$(wc -l <"$work/expected")" -ge 2 ] || { echo "outside no device has values"; cat "$work/outside"; failed=1; }
diff "$work/expected" "$work/counted" || failed=1
for limit in 'ddr - 5600000000' 'channels 0 8'; do
  grep -q "^limit *$limit\$" "$work/guest" || { echo "the guest's pmon does not know: $limit"; failed=1; }
done
[ $failed -eq 0 ] || cat "$work/guest" "$work/why"
exit $failed
