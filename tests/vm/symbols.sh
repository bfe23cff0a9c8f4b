#!/bin/sh
# SPDX-License-Identifier: MIT
# `pmon vm --check` names the functions of the guest's kernel that made an access: of the driver's module while it is
# loaded (for a function that ends in a jump, its caller), of the sysfs file, of the msr module; by the guest's own
# names, and by --symbols. Needs a QEMU that vm/qemu/build.sh made. Usage: symbols.sh PMON QEMU
pmon=$1 qemu=${PMON_VM_QEMU:-$2} what="no function was named"
. "$(dirname "$0")/guest.sh"
need_qemu busybox xz setpci wrmsr jq
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failed=0
# Reserved bits in an event's control of a memory channel, and a filter without a control of a CBo while it counts.
accesses='setpci -s 7f:10.1 0xd8.l=0x500304; wrmsr 0xd10 0x400035'
"$pmon" vm --timeout 900 --qemu "$qemu" --json "$work/json" --junit "$work/junit" -- \
  sh -c "$accesses; grep -E ' (pci_conf1_write|__start___ex_table|_text)\$' /proc/kallsyms" >"$work/map" 2>"$work/text"
booted $? "$work/text"
function() { # register, then what the JSON has
  got=$(jq -r --arg r "$1" '[.findings[] | select(.register == $r)][0] | "\(.function) \(.module)"' "$work/json")
  [ "$got" = "$2" ] || { echo "$1: $got, not $2"; failed=1; }
}
function MC_CHy_PCI_PMON_BOX_CTL "uncore_pci_pmu_register intel_uncore"
function MC_CHy_PCI_PMON_CTL0 "pci_write_config null"
function Cn_MSR_PMON_CTL0 "msr_write msr"
# Callers from the access on: first the kernel's access functions, then the module, then the kernel again.
jq -e '([.findings[] | select(.register == "MC_CHy_PCI_PMON_BOX_CTL")][0].calls[0:4] ==
  ["pci_conf1_write", "uncore_pci_pmu_register [intel_uncore]", "uncore_pci_probe [intel_uncore]", "local_pci_probe"]) and
  ([.findings[] | select(.register == "Cn_MSR_PMON_CTL0")][0].calls | index(["msr_write [msr]", "vfs_write"]) != null)' \
  "$work/json" >/dev/null || failed=1
grep -q '^       by uncore_pci_pmu_register \[intel_uncore\], called by uncore_pci_probe \[intel_uncore\], called by local_pci_probe' \
  "$work/text" || failed=1
grep -q '^       by pci_write_config, called by ' "$work/text" || failed=1
grep -q 'by uncore_pci_pmu_register \[intel_uncore\]' "$work/junit" || failed=1
# Each function once, with the numbers of all its registers: the home agent and the four channels, then the written
# bits.
jq -e '([.functions[] | select(.function == "uncore_pci_pmu_register")] == [{"function": "uncore_pci_pmu_register",
  "module": "intel_uncore", "violations": 5, "known": 0, "advices": 0}]) and
  (.functions | length == (map(.function) | unique | length)) and
  ([.functions[].violations] | add) == .violations and ([.functions[].advices] | add) == .advices' "$work/json" >/dev/null ||
  failed=1
grep -qx 'function uncore_pci_pmu_register \[intel_uncore\]: 5 violations (0 known), 0 advisories' "$work/text" || failed=1
grep -q '<property name="uncore_pci_pmu_register \[intel_uncore\]" value="5 violations (0 known), 0 advisories"/>' \
  "$work/junit" || failed=1
[ "$failed" -eq 0 ] || { cat "$work/text" "$work/json"; exit 1; }
# A map with a different name for the same function; and a map of another kernel, refused before the guest starts.
sed -i 's/ pci_conf1_write$/ renamed_write/' "$work/map"
"$pmon" vm --timeout 900 --qemu "$qemu" --symbols "$work/map" --json "$work/json" -- true 2>"$work/text"
booted $? "$work/text"
jq -e '[.findings[] | select(.register == "MC_CHy_PCI_PMON_BOX_CTL")][0] |
  .function == "uncore_pci_pmu_register" and .calls[0] == "renamed_write"' "$work/json" >/dev/null ||
  { cat "$work/text" "$work/json"; failed=1; }
sed -i 's/^.\{16\} \(.\) __start___ex_table/ffffffff80001000 \1 __start___ex_table/' "$work/map"
"$pmon" vm --timeout 900 --qemu "$qemu" --symbols "$work/map" -- true 2>"$work/text"
[ $? -eq 2 ] && grep -q "^pmon vm: --symbols: the file does not match the guest's kernel" "$work/text" || { cat "$work/text"; failed=1; }
exit $failed
