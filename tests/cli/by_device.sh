#!/bin/sh
# SPDX-License-Identifier: MIT
# Values by device on the emulated machine: a scenario names devices; each device's values are those of its traffic.
# Usage: by_device.sh PMON
pmon=$(realpath "$1")
. "$(dirname "$(realpath "$0")")/checks.sh"
cd "$folder" || exit 1
traffic='dma write 4GB/s stack 2 port 0 for 100us
dma read 2GB/s stack 2 port 1 for 100us
dma read 1GB/s socket 1 stack 3 port 4 for 100us'
cat >devices.scn <<EOF
set sockets=2
device 0000:17:00.0 socket 0 stack 2 port 0 Ethernet controller: X710
device 0000:18:00.0 stack 2 port 1 Drive A
device 0000:19:00.0 stack 2 port 1 Drive B
$traffic
EOF
card='0000:17:00.0 Ethernet controller: X710 (socket 0, stack 2, port A)'
drives='0000:18:00.0 Drive A; 0000:19:00.0 Drive B (socket 0, stack 2, port B)'
value() { awk -F, -v name="$1" -v device="$2" '$4 == name && index($0, device) { printf "%.2f", $8 / 1e9 }' "$3"; }

"$pmon" stat --by device --csv -m 'IIO_PART0_MEM_*,IIO_PART1_MEM_*' --scenario devices.scn --record r.db >csv 2>err
check "the exit status" 0 $?
check "errors" "" "$(cat err)"
check "what the card writes" 4.00 "$(value IIO_PART0_MEM_WRITE_BANDWIDTH "$card" csv)"
check "what the drives read" 2.00 "$(value IIO_PART1_MEM_READ_BANDWIDTH "$drives" csv)"
check "what the card reads" 0.00 "$(value IIO_PART0_MEM_READ_BANDWIDTH "$card" csv)"
check "rows" 4 "$(($(wc -l <csv) - 1))"
"$pmon" report --by device --csv r.db >again
check "the exit status of the report" 0 $?
check "the recording" "$(value IIO_PART1_MEM_READ_BANDWIDTH "$drives" csv)" \
  "$(value IIO_PART1_MEM_READ_BANDWIDTH "$drives" again)"
contains "text" "
$drives
  IIO_PART1_MEM_READ_BANDWIDTH " "$("$pmon" report --by device r.db)"
contains "json" "\"device\":\"$card\"" "$("$pmon" report --by device --json r.db)"

# Without -m the metrics of ports are measured; traffic of ports without a device is not lost.
contains "no device" "no known device (socket 1, stack 3, port E)
  IIO_PART4_MEM_READ_BANDWIDTH " "$("$pmon" stat --by device --scenario devices.scn)"
# Values of a whole stack belong to all its devices.
contains "stack" "0000:17:00.0 Ethernet controller: X710; 0000:18:00.0 Drive A; 0000:19:00.0 Drive B (socket 0, stack 2)
  IIO_MEM_READ_BANDWIDTH " "$("$pmon" stat --by device -g IO --scenario devices.scn)"
# All runs of a mean have the same rows, whatever counts in them.
contains "mean" "mean of 2 runs" "$("$pmon" stat -r 2 --by device -m 'IIO_PART0_*' --scenario devices.scn 2>&1)"

# A recording whose table of devices is damaged is refused, as with other damaged tables.
python3 -c 'import sqlite3, sys
with sqlite3.connect("r.db") as db: db.execute("update device set name = null where port = 1")'
message=$("$pmon" report --by device r.db 2>&1 >damaged)
check "the exit status of a damaged table" 2 $?
contains "a damaged table" "a device has no name, or an invalid place" "$message"
check "what it prints" "" "$(cat damaged)"

printf '%s\n' "$traffic" | grep -v 'socket 1' >none.scn
contains "no names" "the emulated machine has no named devices (\`device\` lines of a scenario, or a capture's)" \
  "$("$pmon" stat --set sockets=2 --by device --scenario none.scn 2>&1)"
printf 'dma read 1GB/s for 10us\n' >snbep.scn
contains "snbep" "--by device: no unit of platform snbep counts the ports of I/O stacks" \
  "$("$pmon" -p snbep stat --by device --scenario snbep.scn 2>&1)"
refused() {   # line, message
  printf '%s\n' "$1" >bad.scn
  contains "$1" "$2" "$("$pmon" stat --scenario bad.scn 2>&1)"
}
refused 'device 17:00.0 stack 2 port 0 x' "line 1: expected a PCI address (0000:17:00.0), not '17:00.0'"
refused 'device 0000:17:00.0 stack 2' 'line 1: expected the name of the device at the end of the line, or its id'
refused 'device 0000:17:00.0 port 8 x' 'line 1: '
refused 'device 0000:17:00.0 id 8086-1572' "line 1: expected a vendor and device ID (8086:1572), not '8086-1572'"
refused 'device 0000:17:00.0 id 8086:1572 class 02' "line 1: expected a class code of 4 or 6 hexadecimal digits (0200), not '02'"

# A device that has only numbers is named by these, or by pci.ids; the devices of a capture appear with their names.
cat >numbers.scn <<EOF
set sockets=1
device 0000:17:00.0 stack 2 port 0 id 8086:ffff class 0200
dma write 4GB/s stack 2 port 0 for 20us
EOF
contains "numbers" "8086:ffff (socket 0, stack 2, port A)" "$("$pmon" stat --by device -m 'IIO_PART0_*' --scenario numbers.scn)"
"$pmon" capture --machine --set sockets=1 -o plain.capture
sed -e 's/^pmon-capture 2/pmon-capture 3/' \
  -e '/^unit 0 cha 0/i device 0 iio 2 0 0000:17:00.0 0x8086 0x1572 0x20000 Ethernet controller: X710' plain.capture >mine.capture
"$pmon" stat --by device --csv -m 'IIO_PART0_MEM_WRITE_BANDWIDTH' --capture mine.capture --scenario none.scn >csv 2>err
check "errors of the capture" "" "$(grep -v 'not as captured' err)"
check "what a captured card writes" 4.00 "$(value IIO_PART0_MEM_WRITE_BANDWIDTH "$card" csv)"
contains "captured again" "
device 0 iio 2 0 0000:17:00.0 0x8086 0x1572 0x20000 Ethernet controller: X710
" "$("$pmon" capture --capture mine.capture)"
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
