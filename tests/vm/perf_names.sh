#!/bin/sh
# SPDX-License-Identifier: MIT
# perf's names in a guest: perf counts 20 us of a scenario by the names of its own tables and of sysfs, then pmon counts
# the next 20 us by the same names through the kernel's driver. Both have the counts of `pmon stat` by these names
# without a guest. Platforms other than snbep need a QEMU that vm/qemu/build.sh made: PMON_VM_QEMU or Meson's option
# vm_qemu names it.
# Usage: perf_names.sh PMON PLATFORM SCENARIO [QEMU]
pmon=$1 platform=$2 scenario=$3 qemu=${PMON_VM_QEMU:-${4:-}} what="no guest counted by perf's names on $2"
. "$(dirname "$0")/guest.sh"
case $platform in
snbep)
  need qemu-system-x86_64 busybox perf xz
  names="unc_c_clockticks unc_c_tor_inserts.miss_all unc_c_llc_victims.m_state unc_h_requests.reads unc_h_requests.writes
    unc_m_cas_count.rd unc_m_cas_count.wr unc_m_act_count unc_q_txl_flits_g0.data uncore_qpi/clockticks/ unc_r2_clockticks
    unc_r3_clockticks unc_p_clockticks"
  least=9 options= ;;
*)
  need_qemu busybox perf xz
  names="unc_cha_clockticks unc_cha_tor_inserts.ia_miss unc_m_cas_count.rd unc_m_cas_count.wr unc_m_act_count.all
    unc_m2m_clockticks unc_upi_clockticks unc_upi_txl_flits.all_data unc_iio_data_req_of_cpu.mem_write.part0
    unc_i_clockticks unc_m3upi_clockticks unc_p_clockticks"
  least=12 options="--qemu $qemu" ;;
esac
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
list=$(echo $names | tr ' ' ,)
"$pmon" stat -p "$platform" -I 0.02 --csv --per-socket --scenario "$scenario" -e "$list" >"$work/pmon" || exit 1
# perf 6.1 has no tables of Emerald Rapids; these events are the same on Sapphire Rapids.
cat >"$work/script" <<'END'
[ $platform != emr ] || export PERF_CPUID=GenuineIntel-6-8F-8
perf stat -x ' ' -o /tmp/linux -a -e $list pmon-step 20000
unset PERF_CPUID
pmon stat --backend perf --csv --per-socket -o /tmp/perf -e $list pmon-step 20000
for f in linux perf; do sed "s/^/$f /" /tmp/$f; done
END
"$pmon" -p "$platform" vm --timeout 900 $options --scenario "$scenario" \
  -- sh -c "list='$list' platform=$platform; $(cat "$work/script")" >"$work/out" 2>"$work/errors"
booted $? "$work/errors" "$work/out"
# pmon's rows are in the order of the names.
rows() { awk -F , -v begin="$1" '$4 ~ /\// && $5 == 0 && (begin == "" || $1 == begin) { print $8 }'; }
echo $names | tr ' ' '\n' >"$work/names"
rows 0.000000000 <"$work/pmon" | paste -d ' ' "$work/names" - | while read -r name want; do
  echo "perf:$name $want $(awk -v e="$name" '$1 == "linux" && ($3 == e || $4 == e) { print $2 }' "$work/out")"
done >"$work/counts"
rows 0.000020000 <"$work/pmon" >"$work/second"
sed -n 's/^perf //p' "$work/out" | rows "" | paste -d ' ' "$work/names" "$work/second" - | sed 's/^/pmon:/' >>"$work/counts"
compare <"$work/counts"
[ $failed -eq 0 ] || { echo "perf or pmon counts otherwise by these names"; cat "$work/errors" "$work/out"; }
[ "$moved" -ge $((2 * least)) ] || { echo "only $moved of the counts are more than nothing"; failed=1; }
exit $failed
