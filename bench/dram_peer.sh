#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs the same streams of requests to one memory channel on the emulated machine (dram_stream.c) and on Ramulator 2
# (CMU-SAFARI/ramulator2, version 2.1; not part of this project), with the machine's timings. Prints counts and mean
# read latencies, in clocks, side by side. Exit status 1: a count differs by more than 1 % of the requests or a latency
# by more than 10 %; 77: there is no simulator. The number of times that the bus turns to writes (drains) is a
# controller's choice, and only printed. docs/design/016-core-time.md explains the differences.
# Timings that only the simulator has (distance of activates and precharges, of bursts of other ranks) do not bind,
# unless JEDEC=yes selects the simulator's values.
# usage: [PYTHON=python3] [JEDEC=yes] [SETTINGS='NAME=VALUE...'] bench/dram_peer.sh DIRECTORY [emr|snbep [BENCH_DRAM_STREAM]]
#   SETTINGS    of the machine, and so of the simulator: 'dram.trefi=100000' has almost no refreshes
#   DIRECTORY   of the simulator's Python package "ramulator", built with its bindings
set -u
package=${1:?usage: dram_peer.sh DIRECTORY [emr|snbep [BENCH_DRAM_STREAM]]}
platform=${2-emr}
stream=$(realpath "${3-$(dirname "$0")/../build/bench/bench_dram_stream}")
python=${PYTHON:-python3}
PYTHONPATH=$package "$python" -c 'import ramulator._ramulator' 2>/dev/null || { echo "SKIPPED: no simulator in $package" >&2; exit 77; }
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
# Refreshes as in the simulator: of all banks, when they are due.
SETTINGS="dram.refresh=all-bank dram.postpone=0 ${SETTINGS-}"
# shellcheck disable=SC2086
"$stream" "$platform" $SETTINGS >"$dir/parameters" || exit 1

# The simulator's configuration, from the machine's parameters: peer.py TRACE PERIOD
cat >"$dir/peer.py" <<'PEER'
import os, sys
import ramulator as r

here, (trace, period) = os.path.dirname(sys.argv[0]), sys.argv[1:3]
m = dict(line.split()[:2] for line in open(here + '/parameters') if not line.startswith('stream'))
m = {name: int(value) for name, value in m.items()}
jedec = os.environ.get('JEDEC') == 'yes'
same = {name: m[name] for name in ('nBL', 'nCL', 'nRCD', 'nRP', 'nRAS', 'nRTP', 'nWR', 'nRFC', 'nFAW', 'nREFI')}
same.update(nRC=m['nRAS'] + m['nRP'], nCWL=m['nCL'], tCK_ps=m['clock_fs'] // 1000, rank=m['ranks'])
if m['banks'] == 32:
    own = {} if jedec else dict(nPPD=1, nRRDS=1, nRRDL=1, nCS=0, nCCDL=2 * m['nBL'], nCCDL_WR=2 * m['nBL'])
    dram = r.dram.DDR5(org_preset='DDR5_16Gb_x4', timing_preset='DDR5_5600AN', **same, **own, nCCDS=m['nBL'], nCCDS_WR=m['nBL'],
                       nWTRS=m['nWTRS'], nWTRL=m['nWTR'])
else:
    own = {} if jedec else dict(nRRD=1, nCS=0)
    dram = r.dram.DDR3(org_preset='DDR3_4Gb_x8', timing_preset='DDR3_1600K', **same, **own, nCCD=m['nBL'], nWTR=m['nWTR'])
requests = sum(1 for _ in open(trace))
controller = r.controller.GenericDDR(
    dram=dram, scheduler=r.scheduler.FRFCFSRowHit(), row_policy=r.row_policy.Open(), addr_mapper=r.addr_mapper.RoBaRaCoCh(),
    refresh_manager=r.refresh_manager.AllBank(scatter_interval=m['nREFI'] // m['ranks']),
    read_buffer_size=m['reads'], write_buffer_size=m['writes'],
    wr_high_watermark=(m['writes_high'] - 0.5) / m['writes'], wr_low_watermark=(m['writes_low'] + 0.5) / m['writes'],
    controller_plugins=[r.controller_plugin.CmdTraceRecorder(path=here + '/commands')])
memory = r.memory_system.GenericDRAM(clock_ratio=int(period), controllers=[controller],
                                     channel_mapper=r.channel_mapper.CacheLineInterleave())
s = r.Simulation(r.frontend.LoadStoreTrace(clock_ratio=1, path=trace), memory)
s.run()
stats = s.stats['memory_system']['controller']
s.finalize()
given = [line.split(',')[1] for line in open(here + '/commands.ch0')]
for ours, command in dict(reads='RD', writes='WR', activates='ACT', conflicts='PREpb', refreshes='REFab').items():
    print(ours, given.count(command))
bus = [command for command in given if command in ('RD', 'WR')]
print('drains', sum(now == 'WR' != before for before, now in zip(['RD'] + bus, bus)))
print('hits', stats['row_hits'])
print('latency', '%.3f' % stats['avg_read_latency'])
if stats['cycles'] > (requests + 1) * int(period):
    print('stream', os.path.basename(trace), 'took', stats['cycles'], 'clocks, not', requests * int(period), file=sys.stderr)
PEER

grep '^stream' "$dir/parameters" | {
  printf '%-12s %-10s %10s %10s %8s\n' stream what machine simulator differs
  status=0
  while read -r _ name period; do
    # shellcheck disable=SC2086
    "$stream" "$platform" $SETTINGS "$name" "$dir/trace" >"$dir/machine" || exit 1
    PYTHONPATH=$package "$python" "$dir/peer.py" "$dir/trace" "$period" >"$dir/out" 2>"$dir/err" || { cat "$dir/err"; exit 1; }
    grep took "$dir/err"
    grep -E '^[a-z]+ [0-9.]+$' "$dir/out" >"$dir/simulator"
    awk -v stream="$name" '
      NR == FNR { machine[$1] = $2; order[++n] = $1; next }
      { simulator[$1] = $2 }
      END {
        for (i = 1; i <= n; i++) {
          what = order[i]; a = machine[what]; b = simulator[what]
          # counts differ in percent of all requests; latency and refreshes in percent of themselves
          of = what == "latency" || what == "refreshes" ? b : simulator["reads"] + simulator["writes"]
          differs = of ? 100 * (a - b) / of : 100
          far = what == "latency" ? 10 : 1
          over = (differs > far || -differs > far) && what != "drains"
          if (what == "refreshes" && a - b <= 2 && b - a <= 2) over = 0
          printf "%-12s %-10s %10s %10s %6.1f %%%s\n", stream, what, a, b, differs, over ? "  OUTSIDE" : ""
          status = status || over
        }
        exit status
      }' "$dir/machine" "$dir/simulator" || status=1
  done
  exit $status
}
