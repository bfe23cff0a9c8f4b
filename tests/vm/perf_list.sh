#!/bin/sh
# SPDX-License-Identifier: MIT
# Every name of an uncore event that `perf list` prints in a guest is one that pmon resolves, or one of the differences
# that docs/kernel-names.md states. Platforms other than snbep need a QEMU that vm/qemu/build.sh made: PMON_VM_QEMU or
# Meson's option vm_qemu names it.
# Usage: perf_list.sh PMON PLATFORM [QEMU]
pmon=$1 platform=$2 qemu=${PMON_VM_QEMU:-${3:-}} what="no guest listed perf's names on $2"
. "$(dirname "$0")/guest.sh"
# The minimum number of names; some events count only with a filter, which perf leaves at 0; one is in no document
# (Linux 6.1).
case $platform in
snbep) need qemu-system-x86_64 busybox perf xz; fewest=500 filter=24 withdrawn='^$' options= ;;
*) need_qemu busybox perf xz; fewest=600 filter=0 withdrawn='^unc_m2m_direct2core_taken:' options="--qemu $qemu" ;;
esac
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
# perf 6.1 has no tables of Emerald Rapids; it lists those of Sapphire Rapids.
"$pmon" -p "$platform" vm --timeout 900 $options -- sh -c \
  "[ $platform != emr ] || export PERF_CPUID=GenuineIntel-6-8F-8; perf list --raw-dump" >"$work/list" 2>"$work/errors"
booted $? "$work/errors" "$work/list"
tr ' ' '\n' <"$work/list" | grep -e '^unc_' -e '^uncore_.*/' | sort -u >"$work/names"
xargs "$pmon" -p "$platform" encode <"$work/names" >"$work/encoded" 2>"$work/why"
awk '/^pmon encode: /{ why = $0 } /^  unc/{ print $1 ": " why }' "$work/why" >"$work/refused"
n=$(wc -l <"$work/names") refused=$(wc -l <"$work/refused")
needs=$(grep -c 'counts only with the filter' "$work/refused")
others=$(grep -v -e 'counts only with the filter' -e "$withdrawn" "$work/refused")
echo "$platform: $n names, $((n - refused)) resolved; $needs need a filter"
failed=0
[ "$n" -ge "$fewest" ] || { echo "expected $fewest names at least"; failed=1; }
[ "$needs" -eq "$filter" ] || { echo "expected $filter that need a filter"; failed=1; }
[ -z "$others" ] || { printf 'not resolved:\n%s\n' "$others"; failed=1; }
exit $failed
