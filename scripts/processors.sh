#!/bin/sh
# SPDX-License-Identifier: MIT
# Prints docs/processors.md: what pmon makes of Intel's perfmon repository.
# usage: processors.sh PMON CHECKOUT REVISION
set -eu
pmon=$1 checkout=$2 revision=$3
T=$(mktemp -d)
trap 'rm -rf "$T"' EXIT
"$pmon" import "$checkout" -o "$T" >"$T/table"
cat <<END
# Processors from Intel's event files

What \`pmon import\` makes of Intel's perfmon repository, revision $revision. scripts/processors.sh writes
this page from a checkout of the repository. The events of these platforms are counted through Linux perf; their names,
codes and formulas are Intel's. Built-in platforms (\`emr\`, \`snbep\`, \`spr\`) have registers besides; the files of these
processors become \`emr_events\`, \`jkt\` and \`spr_events\`.

The fractions of the pipeline's slots of the top-down analysis are no events of the files, but the metrics name them:
\`PERF_METRICS.RETIRING\` is the kernel's \`topdown-retiring\`. They are usable where the kernel lists such an event
(\`/sys/bus/event_source/devices/cpu/events\`), which a virtual machine's often does not. pmon counts them as the kernel
requires, in one group behind all slots (\`TOPDOWN.SLOTS\`); attributes such as \`cmask\` or \`k\` are refused.
They were tried with the kernel's rules on a file tree (\`tests/hardware/test_server_names.c\`): never on a
processor that has them. A virtual machine without a PMU of cores refuses them in \`perf_event_open()\` with ENOENT.

Some metrics multiply an event by the latency with which its instructions retire, which only samples of Timed PEBS
contain. They use Intel's means of many programs (the repository's files of the type \`retire latency\`).
Energies (\`FREERUN_PKG_ENERGY_STATUS\`) are those of the kernel's PMU \`power\`. Each platform
from the E5-2600 on also has energy, idle states and clocks of threads by the kernel's PMUs \`power\`, \`cstate_pkg\`,
\`cstate_core\` and \`msr\`, and the values of resctrl (\`data/linux\`), with the names of built-in platforms: \`PKG_POWER\`,
\`CORE_FREQUENCY\`, \`PKG_C6_RATIO\`, \`L3_OCCUPANCY\` and others.

A metric whose formula is too large is translated from Intel's \`BaseFormula\`, which names other metrics. With random
counts, both formulas give equal values for the metrics of Sapphire Rapids, Cascade Lake, Granite Rapids and Ice Lake
where both are in the file. Emerald Rapids' \`BaseFormula\` of one metric names \`hbm_bound\`, which its file does not have.

In these places pmon's equations differ from the formulas, because the metrics' descriptions require it:
* A formula that Intel derived from a \`BaseFormula\` names the frequency of the time stamp counter (\`SYSTEM_TSC_FREQ\`)
  where the base formula names its ticks (\`tsc\`). The equation contains the ticks: both are equal in an interval of one
  second only. The event \`TSC\` is the ticks of all counted CPUs.
* \`a[0]\` is the sum of the first instance of each package, like \`pcu_0\` of Linux perf.
* \`Info_System_MEM_DRAM_Read_Latency\` and \`Info_System_UPI_Data_Transmit_BW\` are per interval in the files: their
  equations contain the time. \`Info_System_CPU_Utilization\` is divided by the number of CPUs on all processors.
* A metric without a unit has the unit MB/s if Linux perf's file of the processor states it (Emerald Rapids).

All other metrics of Broadwell, Skylake, Cascade Lake, Ice Lake, Sapphire Rapids, Emerald Rapids, Granite Rapids and
Sierra Forest were compared with a separate evaluation of the formulas: some 48,000 values over random counts are equal.

| platform | events | usable | omitted | metrics | usable |
|---|---|---|---|---|---|
END
sed -n 's/^\([a-z][a-z0-9_]*\)  *\([0-9]*\)  *\([0-9]*\)  *\([0-9]*\)  *\([0-9]*\)  *\([0-9]*\)$/| `\1` | \2 | \3 | \4 | \5 | \6 |/p' "$T/table"
cat <<END

Why rows are omitted:

| rows | reason |
|---|---|
END
cat "$T"/*.omitted 2>/dev/null | sed -n 's/^[^:]*: object [0-9]* ([^)]*): //; t a; d; :a; s/; omitted$//; s/, HA_.*//; p' | sort | uniq -c | sort -rn |
  sed 's/^ *\([0-9]*\) \(.*\)/| \1 | \2 |/'
cat <<END

Why metrics are omitted (names stand for \`EVENT\`):

| metrics | reason |
|---|---|
END
cat "$T"/*.omitted 2>/dev/null | sed -n 's/^[^:]*: metric [^:]*: //; t a; d; :a; s/; omitted$//; s/^PERF_METRICS[A-Z_.]* in/a PERF_METRICS event in/; s/^[A-Z0-9_.]* in its/`EVENT` in its/; s/event [A-Z0-9_.]* /event `EVENT` /; p' |
  sort | uniq -c | sort -rn | sed 's/^ *\([0-9]*\) \(.*\)/| \1 | \2 |/'
