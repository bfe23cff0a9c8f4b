#!/bin/sh
# SPDX-License-Identifier: MIT
# Linux perf's own table compiler accepts the event files that `pmon list --format perf-json` writes, and compiles a few
# events to what the kernel's PMUs expect. The compiler comes with Linux (tools/perf/pmu-events/jevents.py);
# PMON_JEVENTS is its path; without it the test is skipped. Usage: jevents.sh PMON
[ -n "${PMON_JEVENTS-}" ] || { echo "skipped: PMON_JEVENTS does not name jevents.py"; exit 77; }
pmon=$1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/arch/x86/emr" "$work/arch/x86/snbep" "$work/arch/test"
for platform in emr snbep spr; do
  "$pmon" -p $platform list --format perf-json >"$work/arch/x86/$platform/uncore.json" || exit 1
done
printf '%s\n' Family-model,Version,Filename,EventType GenuineIntel-6-CF,v1,emr,core GenuineIntel-6-2D,v1,snbep,core \
  >"$work/arch/x86/mapfile.csv"
python3 "$PMON_JEVENTS" x86 "$work/arch" "$work/tables.c" || exit 1
missing=0
while read -r name config; do
  grep -F "\"$name\\000" "$work/tables.c" | grep -qF "\\000$config\\000" || { echo "$name is not $config"; missing=1; }
done <<'EVENTS'
unc_cha_tor_inserts.ia_miss_drd event=0x35,umask=0xc817fe01
unc_iio_bw_in_port1 event=0xff,umask=0x21
unc_m_cas_count.rd event=0x5,umask=0xcf
unc_m2m_cms_clockticks event=0xc0,umask=0x80000000
unc_p_power_state_occupancy.cores_c6 event=0x80,occ_sel=0x3
unc_q_cto_count event=0x138
EVENTS
exit $missing
