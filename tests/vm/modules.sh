#!/bin/sh
# SPDX-License-Identifier: MIT
# In the guest, modprobe finds the kernel's modules and lspci the names of devices. Usage: modules.sh PMON
pmon=$1 what="no module was loaded in a guest"
. "$(dirname "$0")/guest.sh"
need qemu-system-x86_64 busybox xz lspci
[ -r /usr/share/misc/pci.ids ] || skip "/usr/share/misc/pci.ids is not here"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
pmu=/sys/bus/event_source/devices/uncore_cbox_0
"$pmon" vm --timeout 900 -- sh -c "rmmod intel_uncore; ls -d $pmu 2>/dev/null; modprobe intel_uncore && ls -d $pmu; lspci -s 7f:10.1" \
  >"$work/out" 2>"$work/why"
booted $? "$work/why"
[ "$(sed -n 1p "$work/out")" = "$pmu" ] && [ "$(wc -l <"$work/out")" -eq 2 ] &&
  grep -q "Xeon E5.*Memory Controller" "$work/out" || { cat "$work/out" "$work/why"; exit 1; }
