#!/bin/sh
# SPDX-License-Identifier: MIT
# The first result of `pmon search`, for common questions and for names of other tools. Usage: search.sh PMON
set -u
pmon=$1
bad=0
first() {
  is=$("$pmon" -p emr search "$1" 2>&1 | head -n 1)
  case $is in
  "$2"*) ;;
  *) echo "search: \"$1\" finds \"$is\" first, not $2" >&2; bad=1 ;;
  esac
}
first "read bandwidth" "metric MEM_READ_BANDWIDTH"
first "memory read bandwidth" "metric MEM_READ_BANDWIDTH"
first "write bandwidth" "metric MEM_WRITE_BANDWIDTH"
first "upi bandwidth" "metric UPI_DATA_SENT_BANDWIDTH"
first "latency" "metric LLC_MISS_LATENCY_NS"
first "io_bandwidth_read_local" "metric IO_READ_LOCAL_BANDWIDTH"
first "numa_reads_addressed_to_remote_dram" "metric NUMA_READS_REMOTE_DRAM_RATIO"
first "cpu_cstate_c6" "metric CORES_IN_C6"
exit $bad
