#!/bin/sh
# SPDX-License-Identifier: MIT
# `pmon stat --by device` in a guest on Emerald or Sapphire Rapids with two sockets: I/O values are attributed to the
# devices that the scenario names. The counts of its first half by registers and of the second by Linux perf add up to
# those counted outside; the processor's bus numbers determine a device's stack. The guest's bandwidth limits are those
# of the machine: its firmware tables have a module for each channel. Needs a QEMU that vm/qemu/build.sh made:
# PMON_VM_QEMU or Meson's option vm_qemu names it. Usage: by_device.sh PMON PLATFORM QEMU
pmon=$1 platform=$2 qemu=${PMON_VM_QEMU:-$3} what="no guest counted by device"
. "$(dirname "$0")/guest.sh"
need_qemu busybox xz
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failed=0
cat >"$work/scenario" <<'END'
set sockets=2 cores=2
device 0000:17:00.0 stack 1 port 0 id 8086:1572 class 0200
device 0000:27:00.0 stack 5 port 2 id 144d:a80a class 0108
device 0000:97:00.0 socket 1 stack 1 port 0 id 8086:1572 class 0200
dma read 1GB/s stack 1 port 0 for 40us
dma write 2GB/s stack 5 port 2 for 40us
dma read 3GB/s socket 1 stack 1 port 0 for 40us
END
metrics=IIO_PART0_MEM_READ_BANDWIDTH,IIO_PART2_MEM_WRITE_BANDWIDTH
"$pmon" -p "$platform" stat --scenario "$work/scenario" --by device --csv -m $metrics -o "$work/outside" || exit 1
"$pmon" -p "$platform" vm --timeout 900 --sockets 2 --processors 2 --qemu "$qemu" --scenario "$work/scenario" --log "$work/log" -- sh -c "
  for backend in direct perf; do
    [ \$backend = perf ] && ns=30000 || ns=20000
    pmon stat --backend \$backend --by device --csv -m $metrics -o /tmp/out -- pmon-step \$ns
    sed \"s/^/\$backend /\" /tmp/out
  done
  pmon capture -o /tmp/captured && sed -n 's/^limit/& /p' /tmp/captured" >"$work/guest" 2>"$work/why"
booted $? "$work/guest" "$work/why"
# Prints device (without its name, which comes from the host's pci.ids), metric, socket, stack and lines of each row;
# rows are added up if each of them counted something. Without a prefix, the first column is a time.
rows() {
  sed -n "s/^$1[0-9.]*,[0-9.]*,\([0-9.]*\),\(IIO_PART[0-9]_MEM_[A-Z]*_BANDWIDTH,[0-9]*\),iio,\([0-9]*\),\([0-9.]*\),.*\"\(0000:[0-9a-f:.]*\)[^\"]*\".*/\1 \4 \2 \3 \5/p" "$2" |
    awk '{ key = $3 " " $4 " " $5; bytes[key] += $1 * $2; none[key] = none[key] || $1 * $2 <= 0; n[key]++ }
      END { for (key in bytes) printf "%s %d times %s%.0f\n", key, n[key], none[key] ? "nothing " : "", bytes[key] / 64 }' | sort
}
rows '' "$work/outside" | sed 's/ 1 times / 2 times /' >"$work/expected"
rows '[a-z]* ' "$work/guest" >"$work/counted"
[ "$(wc -l <"$work/expected")" -eq 3 ] || { echo "outside not three devices have values"; cat "$work/outside"; failed=1; }
diff "$work/expected" "$work/counted" || failed=1
case $platform in emr) ddr=5600000000 ;; spr) ddr=4800000000 ;; esac
for limit in "ddr - $ddr" 'channels 0 8' 'channels 1 8'; do
  grep -q "^limit *$limit\$" "$work/guest" || { echo "the guest's pmon does not know: $limit"; failed=1; }
done
[ $failed -eq 0 ] || cat "$work/guest" "$work/why"
exit $failed
