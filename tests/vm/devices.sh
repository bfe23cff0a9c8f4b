#!/bin/sh
# SPDX-License-Identifier: MIT
# Devices of a scenario and of a capture in a guest: lspci shows them at their addresses, with numbers, classes and names,
# behind the root ports of their stacks, on their sockets' nodes. Usage: devices.sh PMON
pmon=$1 what="no guest showed devices"
. "$(dirname "$0")/guest.sh"
need qemu-system-x86_64 busybox xz lspci
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failed=0
cat >"$work/devices.scn" <<'END'
set sockets=2
device 0000:17:00.0 stack 0 port 0 id 8086:1572 class 0200
device 0000:17:00.1 stack 0 port 0 id 8086:1572 class 0200
device 0000:98:00.0 socket 1 stack 0 port 4 id 10de:2330 class 0302
dma read 1GB/s for 10us
END
"$pmon" -p snbep capture --machine --set sockets=2 -o "$work/plain" || exit 1
sed -e 's/^pmon-capture 2/pmon-capture 3/' \
  -e '/^unit 0 cbo 0/i device 0 iio 0 1 0000:18:00.0 0x144d 0xa80a 0x10802 Drive A' "$work/plain" >"$work/capture"
printf '8086  Intel Corporation\n\t1572  Ethernet Controller X710\nC 02  Network controller\n\t00  Ethernet controller\n' >"$work/ids"
"$pmon" -p snbep vm --timeout 900 --sockets 2 --capture "$work/capture" --scenario "$work/devices.scn" --with "$work/ids" -- sh -c '
  lspci -n -s 17:; lspci -n -s 18:; lspci -n -s 98:; lspci -i '"$work/ids"' -s 17:00.1
  for d in 17:00.1 18:00.0 98:00.0; do readlink -f /sys/bus/pci/devices/0000:$d; cat /sys/bus/pci/devices/0000:$d/numa_node; done' \
  >"$work/out" 2>"$work/why"
booted $? "$work/out" "$work/why"
cat >"$work/expected" <<'END'
17:00.0 0200: 8086:1572
17:00.1 0200: 8086:1572
18:00.0 0108: 144d:a80a
98:00.0 0302: 10de:2330
17:00.1 Ethernet controller: Intel Corporation Ethernet Controller X710
/sys/devices/pci0000:16/0000:16:01.0/0000:17:00.1
0
/sys/devices/pci0000:16/0000:16:02.0/0000:18:00.0
0
/sys/devices/pci0000:97/0000:97:05.0/0000:98:00.0
1
END
diff "$work/expected" "$work/out" || { cat "$work/why"; failed=1; }
exit $failed
