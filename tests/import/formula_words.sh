#!/bin/sh
# SPDX-License-Identifier: MIT
# What words of metrics' formulas stand for: as an event the time stamp counter counts on each CPU; where the base formula
# names its ticks, the formula names its frequency; the index 0 is the first instance of each package; a name that begins
# with a digit cannot be in an equation. Three formulas of Intel's files disagree with their descriptions. The unit MB/s
# that only Linux perf's file states is that of the metric.
# usage: formula_words.sh PMON SAMPLE
set -u
pmon=$(realpath "$1") sample=$(realpath "$2")
T=$(mktemp -d) || exit 2
trap 'rm -rf "$T"' EXIT
failed=0
passed=0
cp -r "$sample" "$T/sample" && chmod -R u+w "$T/sample" && cd "$T" || exit 2
terms=$(yes '+ a' | head -n 950 | tr '\n' ' ')
cat >sample/ICX/metrics/icelakex_metrics.json <<END
{"Metrics": [
{"MetricName": "cpu_utilization", "UnitOfMeasure": "percent", "Events": [{"Name": "INST_RETIRED.ANY", "Alias": "a"}, {"Name": "TSC", "Alias": "b"}], "Formula": "100 * a / b"},
{"MetricName": "clock", "UnitOfMeasure": "", "Events": [{"Name": "INST_RETIRED.ANY", "Alias": "a"}], "Constants": [{"Name": "SYSTEM_TSC_FREQ", "Alias": "c"}], "Formula": "a * c"},
{"MetricName": "ticks", "UnitOfMeasure": "", "Events": [{"Name": "INST_RETIRED.ANY", "Alias": "a"}], "Constants": [{"Name": "SYSTEM_TSC_FREQ", "Alias": "c"}], "Formula": "a * c", "BaseFormula": "inst_retired.any * tsc"},
{"MetricName": "first", "UnitOfMeasure": "", "Events": [{"Name": "UNC_CHA_CLOCKTICKS", "Alias": "a"}], "Formula": "1 / a[0]"},
{"MetricName": "4K", "UnitOfMeasure": "percent", "Events": [{"Name": "INST_RETIRED.ANY", "Alias": "a"}], "Formula": "7 * a"},
{"MetricName": "uses_4K", "UnitOfMeasure": "", "Events": [{"Name": "INST_RETIRED.ANY", "Alias": "a"}], "Formula": "a + $terms", "BaseFormula": "3 * tma_4k"},
{"MetricName": "Info_System_CPU_Utilization", "UnitOfMeasure": "", "Events": [{"Name": "INST_RETIRED.ANY", "Alias": "a"}], "Constants": [{"Name": "SYSTEM_TSC_FREQ", "Alias": "b"}], "Formula": "a / b", "BaseFormula": "inst_retired.any / tsc"},
{"MetricName": "Info_System_MEM_DRAM_Read_Latency", "UnitOfMeasure": "", "Events": [{"Name": "UNC_CHA_CLOCKTICKS:one_unit", "Alias": "a"}], "Formula": "8 / a"},
{"MetricName": "Info_System_UPI_Data_Transmit_BW", "UnitOfMeasure": "", "Events": [{"Name": "INST_RETIRED.ANY", "Alias": "a"}], "Formula": "a / ( DURATIONTIMEINMILLISECONDS / 1000 )"},
{"MetricName": "perf_reads", "UnitOfMeasure": "", "Events": [{"Name": "INST_RETIRED.ANY", "Alias": "a"}], "Formula": "a"}
]}
END
"$pmon" import sample --only ICX -o words || exit 1
while IFS= read -r equation; do
  if grep -qxF "  equation $equation" words/icx.met; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "no equation $equation"
  fi
done <<END
(100 * core/INST_RETIRED.ANY / (TSC * INSTANCES(core))) / 100
core/INST_RETIRED.ANY * (TSC_SPEED * 1000000)
core/INST_RETIRED.ANY * TSC
1 / (cha/CLOCKTICKS / INSTANCES(cha) * PACKAGES)
3 * ((7 * core/INST_RETIRED.ANY) / 100)
(core/INST_RETIRED.ANY / TSC) / INSTANCES(core)
(8 / (cha/CLOCKTICKS / INSTANCES(cha))) * SAMPLE_INTERVAL
core/INST_RETIRED.ANY / ((SAMPLE_INTERVAL * 1000) / 1000)
(core/INST_RETIRED.ANY) * 1000000 * SAMPLE_INTERVAL
END
[ $failed = 0 ] || cat words/icx.met
echo "$passed passed, $failed failed"
[ $failed = 0 ] && [ $passed = 9 ]
