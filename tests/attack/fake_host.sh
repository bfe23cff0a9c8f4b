#!/bin/sh
# SPDX-License-Identifier: MIT
# Makes the files of a host with a one-package E5-2600 below DIR: registers are bytes of a plain file. Usage:
# fake_host.sh DIR
set -eu
root=$1
mkdir -p "$root/dev/cpu/0" "$root/proc" "$root/sys/devices/system/cpu/cpu0/topology" "$root/sys/bus/pci/devices"
printf 'vendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 45\nstepping\t: 7\n' >"$root/proc/cpuinfo"
echo 0 >"$root/sys/devices/system/cpu/online"
echo 0 >"$root/sys/devices/system/cpu/present"
echo 0 >"$root/sys/devices/system/cpu/cpu0/topology/physical_package_id"
echo 0 >"$root/sys/devices/system/cpu/cpu0/topology/package_cpus_list"
truncate -s 65536 "$root/dev/cpu/0/msr"
