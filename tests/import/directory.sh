#!/bin/sh
# SPDX-License-Identifier: MIT
# A directory of event and metric files becomes one platform per processor: what is imported, what is omitted with which
# reason, how the platforms are found, and errors. The sample was written by hand for this test. usage: directory.sh
# PMON SAMPLE
set -u
pmon=$(realpath "$1") sample=$(realpath "$2")
T=$(mktemp -d) || exit 2
trap 'rm -rf "$T"' EXIT
failed=0
passed=0

# expect NAME TEXT FILE: the file has a line with the text.
expect() {
  if grep -qF -- "$2" "$3"; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    printf '%s: "%s" is not in:\n' "$1" "$2"
    cat "$3"
  fi
}

# runs NAME STATUS COMMAND...: the command's exit code; its output is in $T/out.
runs() {
  name=$1 status=$2
  shift 2
  "$@" >"$T/out" 2>&1
  got=$?
  if [ "$got" = "$status" ]; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    printf '%s: exit code %s, expected %s:\n' "$name" "$got" "$status"
    cat "$T/out"
  fi
}

export XDG_DATA_HOME="$T/data"
cd "$T" || exit 2

# A missing file and a truncated one are reported; everything else is imported.
runs all 1 "$pmon" import "$sample"
expect all 'icx                    16       16        0       15       14' out
expect all 'bdx                     9        8        1        1        1' out
expect all 'spr_events              3        3        0        0        0' out
expect all 'skx                     7        7        0        2        2' out
expect all 'gnr                     6        6        0        2        2' out
expect all 'srf                     4        4        0        0        0' out
expect all 'odd                     8        4        4        5        1' out
expect all "written to $T/data/pmon/platforms/" out
expect all 'use a platform with pmon -p NAME' out
expect missing '/ODD/events/odd_uncore_extra.json: No such file or directory' out
expect truncated '/ODD/events/odd_core.json:3:' out
if grep -q '^pc ' out; then
  failed=$((failed + 1))
  echo 'a processor without home agents was imported'
fi

# A folder of the user's choice is not searched for names; a file's name is not one for a folder.
runs folder 0 "$pmon" import "$sample" --only ICX -o mine
expect folder 'use a platform with pmon -p mine/NAME.platform' out
runs folder-found 0 "$pmon" -p mine/icx.platform list
runs file 2 "$pmon" import "$sample" --only ICX -o mine.platform
expect file '-o mine.platform: a directory makes a folder of platforms' out

# A platform of an earlier importer (without a format) is reported with the command that imports it again, a current one
# and one that a user wrote are not.
expect current 'pmon import, format ' mine/icx.platform
mkdir old
cp mine/* old
sed -i '1s/, format [0-9]*//' old/icx.platform
runs old 0 "$pmon" -p old/icx.platform units
expect old 'warning: old/icx.platform: an older pmon import wrote it' out
expect old 'pmon import DIRECTORY -o old/' out
[ "$(grep -c 'older pmon import' out)" = 1 ] || { failed=$((failed + 1)); echo 'an older platform is reported more than once'; }
sed -i 1d old/icx.platform
for file in old mine; do
  runs $file 0 "$pmon" -p $file/icx.platform units
  if grep -q 'pmon import' out; then
    failed=$((failed + 1))
    echo "$file/icx.platform is reported as one of an older importer"
  fi
done

P=$T/data/pmon/platforms
expect reason 'object 1 (UNC_CHA_GOOD): object 1 of odd_uncore.json has the same name and a different code; omitted' "$P/odd.omitted"
expect reason 'object 3 (UNC_CHA_PARTS.FIRST): object 3 of odd_uncore.json has the same name and a different code; omitted' "$P/odd.omitted"
expect reason 'object 4 (UNC_CHA_PARTS.SECOND): object 4 of odd_uncore.json has the same name and a different code; omitted' "$P/odd.omitted"
expect reason 'object 2 (UNC_CHA_WIDE): "ExtSel" is 0x10, too large for field ev_sel_ext of unit cha, which has 1 bits' "$P/odd.omitted"
expect reason 'metric unknown_divisor: b in the formula is not an event of the files; omitted' "$P/odd.omitted"
expect reason "metric unbalanced: ')' is missing in the formula; omitted" "$P/odd.omitted"
expect reason 'metric unknown_function: the formula uses the function sqrt, which pmon does not support; omitted' "$P/odd.omitted"
expect reason 'metric no name at all: "MetricName" is not a valid name; omitted' "$P/odd.omitted"
expect reason 'object 3 (UNC_H_ADDR_OPC_MATCH.OPC): Linux has no term for its filter, HA_OpcodeMatch[5:0]' "$P/bdx.omitted"
if [ -e "$P/skx.omitted" ]; then
  failed=$((failed + 1))
  echo 'skx.omitted exists, and nothing of skx is omitted'
fi

# Names of units that are longer than their columns stay apart from what follows.
runs long-unit 0 "$pmon" -p icx metrics CORE_C6_RATIO
expect long-unit 'cstate_core Share of' out
"$pmon" -p icx units | awk 'NR == 1 { at = index($0, "instances") } NR > 1 && substr($0, at - 1, 1) != " " { bad = 1 }
                            END { exit bad || NR < 5 }' || { failed=$((failed + 1)); "$pmon" -p icx units; }

# Names of the files resolve without a path, as perf spells them.
runs show 0 "$pmon" -p icx show UNC_CHA_TOR_INSERTS.IA_MISS_DRD UNC_IIO_DATA_REQ_OF_CPU.MEM_READ.PART1 \
  UNC_IIO_BANDWIDTH_IN.PART2_FREERUN UNC_M_HCLOCKTICKS INST_RETIRED.ANY CPU_CLK_UNHALTED.THREAD CPU_CLK_UNHALTED.REF_TSC OCR.READS.DRAM \
  STALLS.MEM UNC_UPI_RxL_BASIC_HDR_MATCH.REQ_OPC
expect show 'uncore_cha/event=0x35,umask=0xc817fe01/' out
expect show 'uncore_iio/event=0x83,umask=0x4,ch_mask=0x2,fc_mask=0x7/' out
expect show 'uncore_iio_free_running/event=0xff,umask=0x22/' out
expect show 'uncore_imc/event=0xff/' out
expect show 'cpu/event=0xc0/' out
expect show 'cpu/event=0x3c/' out
expect show 'cpu/event=0x0,umask=0x3/' out
expect show 'cpu/event=0xb7,umask=0x1,config1=0x184000001/' out
expect show 'cpu/event=0xa3,umask=0x14,cmask=0x14,any=0x1/' out
expect show 'uncore_upi/event=0x5,umask=0x108/' out
runs show 0 "$pmon" -p SKX show UNC_CHA_TOR_INSERTS.IA_MISS_DRD UNC_CHA_TOR_INSERTS.IA_MISS_CRD
expect show 'uncore_cha/event=0x35,umask=0x21,config1=0x40433/' out
expect show 'uncore_cha/event=0x35,umask=0x21,config1=0x40233/' out
# A formula names a filter as Intel's files do, filter1, or as perf does, config1.
runs filters 0 "$pmon" -p skx show numa_reads_addressed_to_local_dram
expect filters 'config1=0x40432' out
expect filters 'config1=0x40431' out
# Privilege levels are spelled as perf's modifiers.
runs levels 0 "$pmon" -p icx show INST_RETIRED.ANY:k core/L1D.REPLACEMENT,exclude_kernel=1,cmask=2/ kernel_share
expect levels 'cpu/event=0xc0/k' out
expect levels 'cpu/event=0x51,umask=0x1,cmask=0x2/u' out
expect levels 'core/INST_RETIRED.ANY{exclude_user=0x1}' out
# Fractions of slots, which event files lack, are the kernel's own events; only those that metrics use are imported.
runs topdown 0 "$pmon" -p icx show retiring perf_back_end PERF_METRICS.RETIRING TOPDOWN.SLOTS
expect topdown 'core/PERF_METRICS_RETIRING / core/TOPDOWN.SLOTS' out
expect topdown 'perf=topdown-retiring' out
expect topdown 'cpu/event=0x0,umask=0x4/' out
runs topdown 0 "$pmon" -p icx list core PERF_METRICS
if [ "$(grep -c PERF_METRICS out)" != 3 ]; then
  failed=$((failed + 1))
  echo 'not the three fractions that the metrics name:'
  cat out
fi
# Latencies of retirement are Intel's means; a metric with an event that has none is omitted.
runs latency 0 "$pmon" -p icx show latency
expect latency 'core/L1D.REPLACEMENT * 4.25' out
expect latency 'no counter has them' out
expect latency 'metric latency_unknown: the files have no mean latency of retirement of INST_RETIRED.ANY; omitted' "$P/icx.omitted"
# A metric that is called after latencies, but is a share, is not in their group.
runs groups 0 "$pmon" -p icx metrics -g LATENCY
expect groups llc_demand_data_read_miss_latency out
if grep -q Fetch_Latency out; then
  failed=$((failed + 1))
  cat out
fi

# Energy, idle states and clocks of threads: other PMUs of Linux, under perf's names and those of built-in platforms.
runs power 0 "$pmon" -p icx show power/energy-pkg/ power/energy-ram/ cstate_pkg/c6-residency/ cstate_core/c6-residency/ \
  msr/aperf/ msr/smi/
for event in rapl/PKG_ENERGY/ rapl/DRAM_ENERGY/ cstate/PKG_C6_CYCLES/ cstate_core/CORE_C6_CYCLES/ msr/APERF/ msr/SMI_COUNT/; do
  expect power "$event" out
done
runs power 0 "$pmon" -p gnr metrics -g POWER
expect power 'PKG_POWER' out
runs power 0 "$pmon" -p srf metrics -g IDLE
expect power 'CORE_C6_RATIO' out
runs power 0 "$pmon" -p icx show Info_System_Power
expect power 'rapl/PKG_ENERGY / 4294967296 * 1000000 / 61' out
# The kernel's values of resctrl are the only ones that have addresses: the other units remain those of Linux perf.
runs resctrl 0 "$pmon" -p icx registers resctrl.free0
expect resctrl 'resctrl: resctrl 1' out
runs resctrl 3 "$pmon" stat -p icx --root . --backend resctrl -m L3_OCCUPANCY --duration 1
expect resctrl '--backend resctrl: the kernel has no resctrl (./sys/fs/resctrl)' out
runs resctrl 2 "$pmon" stat -p icx --root . --backend direct -m L3_OCCUPANCY --duration 1
expect resctrl 'the register addresses of this platform are not known; add --backend perf' out

# A formula that is too large is translated from its base formula, which names other metrics: percentages as shares, and
# also metrics that come later in the file.
cp -r "$sample" large && chmod -R u+w large
terms=$(yes '+ a' | head -n 950 | tr '\n' ' ')
cat >large/ICX/metrics/icelakex_metrics.json <<END
{"Metrics": [
{"MetricName": "Half", "UnitOfMeasure": "percent", "Events": [{"Name": "L1D.REPLACEMENT", "Alias": "a"}], "Formula": "a $terms", "BaseFormula": "tma_rest / 2"},
{"MetricName": "Rest", "UnitOfMeasure": "", "Events": [{"Name": "L1D.REPLACEMENT", "Alias": "a"}], "Formula": "a $terms", "BaseFormula": "100 - ( 100 * tma_part + l1d.replacement )"},
{"MetricName": "Part", "UnitOfMeasure": "percent", "Events": [{"Name": "L1D.REPLACEMENT", "Alias": "a"}, {"Name": "INST_RETIRED.ANY", "Alias": "b"}], "Formula": "100 * a / b", "BaseFormula": "l1d.replacement / inst_retired.any"},
{"MetricName": "Lost", "UnitOfMeasure": "", "Events": [{"Name": "L1D.REPLACEMENT", "Alias": "a"}], "Formula": "a $terms", "BaseFormula": "tma_nowhere"},
{"MetricName": "Alone", "UnitOfMeasure": "", "Events": [{"Name": "L1D.REPLACEMENT", "Alias": "a"}], "Formula": "a $terms"}
]}
END
runs large 0 "$pmon" import large --only ICX -o largest
runs large 0 "$pmon" -p largest/icx.platform show Half Rest Part
expect large 'equation    Rest / 2' out
expect large 'equation    100 - (100 * Part + core/L1D.REPLACEMENT)' out
expect large 'equation    (100 * core/L1D.REPLACEMENT / core/INST_RETIRED.ANY) / 100' out
expect large 'metric Lost: tma_nowhere in the formula is not an event of the files; omitted' largest/icx.omitted
expect large 'metric Alone: the formula has more than 900 terms; omitted' largest/icx.omitted
# An equation has up to 1024 operands and operators, fewer than two for each term of the formula.
terms=$(yes '+ a' | head -n 520 | tr '\n' ' ')
sed -i "s|\"Formula\": \"a + a[ +a]*\"|\"Formula\": \"a $terms\"|" large/ICX/metrics/icelakex_metrics.json
runs large 0 "$pmon" import large --only ICX -o largest
runs large 0 "$pmon" -p largest/icx.platform show Half
expect large 'equation    Rest / 2' out
expect large 'metric Alone: the equation has more than 1016 operands and operators; omitted' largest/icx.omitted
printf '{"Data": [' >large/ICX/metrics/icelakex_retire_latency.json
runs latency 1 "$pmon" import large --only ICX -o largest
expect latency 'icelakex_retire_latency.json:1:' out
printf '{}' >large/ICX/metrics/icelakex_retire_latency.json
runs latency 1 "$pmon" import large --only ICX -o largest
expect latency 'expected an object of latencies under "Data"' out
# Names of an older processor are imported too; short names belong to this processor.
runs show 0 "$pmon" -p skx show cha/TOR_INSERTS.IA_MISS,thresh=2/ cha/UNC_C_TOR_INSERTS.IRQ_MISS,thresh=2/
expect show 'All that misses.' out
expect show 'Deprecated: ' out
# perf's config words are kept as numbers: only the kernel knows the filters' bits.
runs words 0 "$pmon" -p skx show 'uncore_cha_3/event=0x35,umask=0x21,config1=0x40432/'
expect words 'cha3/TOR_INSERTS.IA_MISS,config1=0x40432/' out
runs words 0 "$pmon" -p bdx show 'uncore_cbox_0/event=0x35,umask=0x1,config1=0x19e0000000000000/'
expect words 'cbox0/TOR_INSERTS.OPCODE,config1=0x19e0000000000000/' out
runs words 0 "$pmon" -p bdx show 'uncore_qpi_1/event=0x38,config1=0x10,config2=0x20/'
expect words ',config1=0x10,config2=0x20/' out
if grep -q 'event 0x00' out; then
  failed=$((failed + 1))
  echo 'a raw code is shown as event 0'
fi
runs words 2 "$pmon" -p icx show 'uncore_imc_0/event=0x4,config1=0x19/'
expect words 'imc has no attribute "config1"' out
runs show 0 "$pmon" -p gnr show UNC_IIO_DATA_REQ_OF_CPU.PEER_WRITE.PART0
expect show 'uncore_iio/event=0x83,umask=0x2,ch_mask=0x1,fc_mask=0x7/' out
runs show 0 "$pmon" -p bdx show UNC_Q_TxL_FLITS_G1.DRS
expect show 'uncore_qpi/event=0x100,umask=0x18/' out
runs filter 2 "$pmon" -p bdx encode UNC_C_TOR_INSERTS.OPCODE
expect filter 'counts only with the filter filter_opc set' out
runs filter 0 "$pmon" -p bdx show UNC_C_TOR_INSERTS.OPCODE
expect filter 'a value of filter_opc: cbox/TOR_INSERTS.OPCODE,filter_opc=VALUE/' out
runs filter 2 "$pmon" -p bdx encode UNC_Q_MESSAGE.DRS.AnyResp
expect filter 'counts only with the filter' out
runs filter 0 "$pmon" -p bdx show 'UNC_Q_MESSAGE.DRS.AnyResp{match_mc=0xe,mask_mc=0xf}'
runs filter 0 "$pmon" -p bdx show 'cbox/TOR_INSERTS.OPCODE,filter_opc=0x19e/'

# Names that only the kernel lists in sysfs, of units and of free-running counters.
runs kernel 0 "$pmon" -p skx show uncore_imc_0/cas_count_read/ uncore_iio_free_running_1/util_out_port0/
expect kernel 'imc0/CAS_COUNT.RD/' out
expect kernel 'uncore_iio_free_running_1/event=0xff,umask=0x31/' out
runs kernel 0 "$pmon" -p icx show uncore_imc_free_running/ddrt_write/ uncore_iio_free_running_0/bw_in_port2/
expect kernel 'uncore_imc_free_running/event=0xff,umask=0x31/' out
expect kernel 'iio_free_running0/BANDWIDTH_IN.PART2_FREERUN/' out
runs kernel 0 "$pmon" -p gnr show uncore_imc_0/cas_count_read_sch0/ uncore_imc/cas_count_read_sch1/
expect kernel 'imc0/CAS_COUNT_SCH0.RD/' out
expect kernel 'imc/CAS_COUNT_SCH1.RD/' out
# A unit without free-running counters: their PMU's name does not denote the unit.
runs kernel 2 "$pmon" -p gnr show uncore_iio_free_running_0/event=0xff,umask=0x20/
expect kernel 'has no unit' out

# The meaning of one count, by itself and compared with a threshold.
runs count 0 "$pmon" -p icx explain UNC_CHA_TOR_OCCUPANCY.IA_MISS_DRD
expect count 'one count   one entry during one cycle; ' out
runs count 0 "$pmon" -p icx explain UNC_CHA_TOR_INSERTS.IA_MISS_DRD
expect count 'one count   one occurrence' out
runs count 0 "$pmon" -p icx explain UNC_CHA_CLOCKTICKS
expect count 'one count   one cycle' out
if grep -q 'in which the condition is true' out; then
  failed=$((failed + 1))
  cat out
fi
runs count 0 "$pmon" -p icx explain cha/TOR_INSERTS.IA_MISS_DRD,thresh=2/
expect count 'one count   one cycle in which the event adds 2 or more' out
expect count 'uncompared  one occurrence' out
runs count 0 "$pmon" -p icx explain cha/TOR_OCCUPANCY.IA_MISS_DRD,thresh=2,inv=1,edge=1/
expect count 'one count   the first cycle of a period in which the event adds less than 2, including 0' out
# A core's cmask also selects the event.
runs count 0 "$pmon" -p icx explain core/STALLS.MEM/
if grep -q 'one count' out; then
  failed=$((failed + 1))
  cat out
fi
# Events that count every cycle are marked: by their description, and by their name.
grep '^event' "$P/icx.evt" >out
expect states 'event TOR_OCCUPANCY 0x36 states ' out
expect states 'event TOR_INSERTS 0x35 counters ' out
grep 'PARTS\|FIRST\|SECOND' "$P/odd.evt" >out
expect states 'event PARTS 0x04 counters ' out
expect states 'umask FIRST 0x01 counters ' out
expect states 'umask SECOND 0x02 states ' out
# A metric without a unit is found without one.
runs search 0 "$pmon" -p odd search good
expect search 'metric good' out
if grep -q '()' out; then
  failed=$((failed + 1))
  cat out
fi

# Metrics: the first definition is used; both file formats are read.
runs metric 0 "$pmon" -p icx show cpi perf_ratio memory_bandwidth_read
expect metric 'core/CPU_CLK_UNHALTED.THREAD / core/INST_RETIRED.ANY' out
expect metric 'IF(THREADS_PER_CORE > 1, 1, 0)' out
runs groups 0 "$pmon" -p icx metrics --groups
expect groups 'memory_bandwidth_read' out
expect groups 'Mean latency of requests' out
runs groups 0 "$pmon" -p icx metrics -g DEFAULT
expect groups 'llc_demand_data_read_miss_latency' out
runs groups 0 "$pmon" -p gnr metrics -g FREQ
expect groups 'uncore_frequency' out
runs metric 0 "$pmon" -p gnr show uncore_frequency
expect metric 'INSTANCES(cha)' out

# The units have the upper bounds of a channel, a stack and a clock.
for platform in skx bdx icx; do
  tr '\n' ' ' <"$P/$platform.unit" | sed 's/ unit /\nunit /g' | sed "s/^unit /$platform /"
done >out
for bound in 'skx imc .*bytes/s 8 \* 2666000000' 'skx iio .*bytes/s 16000000000' 'skx cha .*GHz 4' \
  'bdx qpi .*bytes/s 24 \* LIMIT(link) / 9 .*bytes/s 24 \* 9600000000 / 9' 'icx core .*GHz LIMIT(core) / 1000000000 .*GHz 6.5'; do
  if grep -q "^$bound" out; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "no bound $bound"
  fi
done

# For a processor without known register addresses, none are made up.
runs encode 2 "$pmon" -p icx encode UNC_CHA_CLOCKTICKS
expect encode 'the register addresses of unit cha are not known for this processor' out
expect encode 'perf stat -a -e uncore_cha/event=0x0/' out
runs explain 0 "$pmon" -p icx explain UNC_CHA_CLOCKTICKS
expect explain 'their addresses are not known for this processor' out
expect explain 'event files UNC_CHA_CLOCKTICKS' out
expect explain 'perf        uncore_cha/event=0x0/' out
expect explain 'Linux perf chooses one of each uncore_cha PMU' out
runs direct 2 "$pmon" -p icx stat --backend direct -e UNC_CHA_CLOCKTICKS -- true
expect direct 'the register addresses of this platform are not known; add --backend perf' out
# Without an input the remedy is not an input, which this platform's machine could not use.
for command in stat 'stat --dry-run -e UNC_CHA_CLOCKTICKS' top exporter; do
  runs no-input 2 "$pmon" -p icx $command
  expect no-input 'counted through Linux perf on such a processor, which this host does not have' out
done
runs machine 2 "$pmon" -p icx stat --backend machine -e UNC_CHA_CLOCKTICKS -- true
expect machine 'its events are counted through Linux perf on such a processor' out

# The platform of the host's processor is found by CPUID: without -p, here in a tree of another host's files.
mkdir -p tree/proc tree/dev tree/sys/devices/system/cpu/cpu0/topology
printf 'processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 106\nstepping\t: 6\nflags\t\t: fpu\n\n' >tree/proc/cpuinfo
echo 0 >tree/sys/devices/system/cpu/online
echo 0 >tree/sys/devices/system/cpu/cpu0/topology/physical_package_id
runs host 3 "$pmon" doctor --root tree
expect host 'platform icx: its events are counted through Linux perf only' out
expect host 'the kernel has no uncore PMUs' out
runs host 3 env XDG_DATA_HOME="$T/nowhere" "$pmon" doctor --root tree
expect host '(GenuineIntel, family 6, model 106, stepping 6) is not supported' out

# --host: only the processor with this host's CPUID; files of other models are not read.
runs this 0 "$pmon" import "$sample" --host --root tree -o this
expect this 'icx                    16       16' out
if [ "$(ls this)" != "$(printf '%s\n' icx.evt icx.met icx.omitted icx.platform icx.reg icx.unit)" ]; then
  failed=$((failed + 1))
  echo 'not one platform:'
  ls this
fi
sed -i 's/: 106/: 1/' tree/proc/cpuinfo
runs this 2 "$pmon" import "$sample" --host --root tree -o this
expect this "no line for this host's processor" out

# With the registers of a discovery page: all files of the processor; events that the page does not cover are counted
# through perf.
runs page 0 "$pmon" discover --machine -o page.platform
runs page 0 "$pmon" import "$sample" --only ICX --as ./page.platform --name paged -o paged
expect page 'paged                  16       15        1' out
expect page 'unit type6 has no such fixed counter; omitted' paged/paged.omitted
runs page 0 "$pmon" -p paged/paged.platform encode UNC_CHA_TOR_INSERTS.IA_MISS_DRD
expect page 'msr 0x2002           = 0x00c817fe00000135' out
runs page 0 "$pmon" -p paged/paged.platform show INST_RETIRED.ANY UNC_IIO_BANDWIDTH_IN.PART2_FREERUN
expect page 'cpu/event=0xc0/' out
expect page 'uncore_iio_free_running/event=0xff,umask=0x22/' out
runs page 0 "$pmon" -p paged/paged.platform show memory_bandwidth_read
expect page 'type6/CAS_COUNT.RD' out

# Platforms for all users are next to an installed pmon.
mkdir -p installed/bin installed/share/pmon
cp "$pmon" installed/bin/pmon
mv this installed/share/pmon/platforms
runs installed 0 env XDG_DATA_HOME="$T/nowhere" installed/bin/pmon -p icx show UNC_CHA_CLOCKTICKS
expect installed 'cha/CLOCKTICKS/' out

# A single processor, under another name, in another folder; without the file its name is not found.
runs only 0 "$pmon" import "$sample" --only icx --name mine -o other/folder
runs only 0 "$pmon" -p other/folder/mine.platform show UNC_M_CAS_COUNT.RD
runs only 2 "$pmon" -p mine show UNC_M_CAS_COUNT.RD
runs client 0 "$pmon" import "$sample" --only PC -o other/folder
runs client 0 "$pmon" -p other/folder/pc.platform show UNC_ARB_REQUESTS

# The processor of the test's host, in a list of processors that contains it.
cpu=$(awk -F'[:\t ]+' '/^vendor_id/ { v = $2 } /^cpu family/ { f = $3 } /^model\t/ { m = $2 } END { if (m != "") printf "%s-%d-%X", v, f, m }' /proc/cpuinfo)
cp -r "$sample" hosted && chmod -R u+w hosted && sed -i "s/^GenuineIntel-6-6[AC][^,]*,/${cpu:-none},/" hosted/mapfile.csv
if [ -n "$cpu" ]; then
  runs hosted 0 "$pmon" import hosted --host -o hosts
  runs hosted 0 "$pmon" -p hosts/icx.platform show UNC_M_CAS_COUNT.RD
fi

# An event that shows a package's activity is the witness if all events are multiplexed.
cat >spare.json <<'EOF'
{"Header": {}, "Events": [
{"Unit": "iMC", "EventCode": "0x05", "UMask": "0xcf", "EventName": "UNC_M_CAS_COUNT.ALL", "BriefDescription": "Reads and writes.", "Counter": "0,1,2,3"},
{"Unit": "CHA", "EventCode": "0x35", "UMask": "0x01", "EventName": "UNC_CHA_ONE.A", "BriefDescription": "One.", "Counter": "0"},
{"Unit": "CHA", "EventCode": "0x36", "UMask": "0x01", "EventName": "UNC_CHA_OTHER.A", "BriefDescription": "Another.", "Counter": "0"}
]}
EOF
runs witness 0 "$pmon" import spare.json --as none --name spare -o spared/
expect witness '  witness CAS_COUNT.ALL' spared/spare.unit
if grep -A12 '^unit cha' spared/spare.unit | grep -q witness; then
  failed=$((failed + 1))
  echo 'a unit without such an event has a witness'
fi

# Wrong input: one message per error.
runs wrong 2 "$pmon" import "$sample" --only NOWHERE -o other
expect wrong 'mapfile.csv: no line with a folder NOWHERE' out
if grep -q '^platform ' out; then
  failed=$((failed + 1))
  echo 'a table without rows has a head'
fi
runs wrong 2 "$pmon" import "$T/other"
expect wrong 'mapfile.csv: No such file or directory' out
runs wrong 2 "$pmon" import "$sample" --as ./page.platform -o other
expect wrong "--as: for a directory, it requires --only or --host" out
runs wrong 2 "$pmon" import "$sample" --only SPR --as emr -o other
expect wrong "and a FILE.platform of pmon discover -o" out
runs wrong 2 "$pmon" import "$sample" --name x -o other
expect wrong "--name requires --only or --host" out
runs wrong 2 "$pmon" import "$sample/ICX/events/icelakex_core.json" --host
expect wrong "--host applies only to a directory with mapfile.csv" out
unset XDG_DATA_HOME
runs wrong 2 env -u HOME "$pmon" import "$sample"
expect wrong 'neither XDG_DATA_HOME nor HOME is set; add -o FOLDER' out

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
