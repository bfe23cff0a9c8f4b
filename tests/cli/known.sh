#!/bin/sh
# SPDX-License-Identifier: MIT
# Metrics on scenarios with a known answer. Each metric is measured alone, so that nothing is multiplexed. Rates are
# compared as value times time. Usage: known.sh PMON
set -u
pmon=$1
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
bad=0

# known METRIC ANSWER [INSTANCE]: the total, or the value of one instance of socket 0, is ANSWER within 1 %
known() {
  "$pmon" -p "$platform" stat --csv ${3:+--per-unit} --scenario "$folder/scenario" -m "$1" >"$folder/csv" 2>"$folder/errors" ||
    { echo "known: $platform $1: $(cat "$folder/errors")" >&2; bad=1; return; }
  awk -F, -v name="$1" -v answer="$2" -v instance="${3:-}" '
    $4 != name || $7 != instance || $5 != (instance == "" ? "" : 0) { next }
    { seen++; is = $9 ~ /\/s$/ ? $8 * $3 : $8; reason = $15 }
    END {
      if (seen != 1 || (is - answer) ^ 2 > (0.01 * answer) ^ 2 || reason != "") {
        printf "known: %s is %s, not %s %s\n", name, is, answer, reason
        exit 1
      }
    }' "$folder/csv" >&2 || bad=1
}
scenario() {
  platform=$1
  cat >"$folder/scenario"
}

scenario emr <<'END'
set sockets=2
inject imc3 CAS_COUNT.RD_REG 3000
inject imc5 CAS_COUNT.RD_REG 1000
END
known MEM_CHANNEL_IMBALANCE 12
known MEM_CHANNEL_IMBALANCE 2 5
known MEM_READ_VOLUME 256000
known MEM_VOLUME 256000
scenario emr <<'END'
set sockets=2 cores=2 chas=4
dma write 1GB/s stack 1 port 2 for 100us
dma read 2GB/s stack 2 port 4 for 100us
dma read 1GB/s stack 2 port 5 node 1 for 100us
END
known IIO_BANDWIDTH_IN 100000
known IIO_BANDWIDTH_IN 100000 1
known IIO_BANDWIDTH_IN 0 2
known IIO_BANDWIDTH_OUT 300000
known IIO_MEM_READ_BANDWIDTH 300000
known IIO_MEM_READ_BANDWIDTH 300000 2
known IIO_MEM_WRITE_BANDWIDTH 100000
known IIO_PART2_MEM_WRITE_BANDWIDTH 100000
known IIO_PART3_MEM_WRITE_BANDWIDTH 0
known IIO_PART4_MEM_READ_BANDWIDTH 200000
known IIO_PORT2_BANDWIDTH_IN 100000
known IIO_PORT5_BANDWIDTH_OUT 100000
known IO_READ_BANDWIDTH 300000
known IO_WRITE_BANDWIDTH 100000
known IO_READ_LOCAL_BANDWIDTH 200000
known IO_READ_REMOTE_BANDWIDTH 100000
known IO_WRITE_LOCAL_BANDWIDTH 100000
known IO_WRITE_REMOTE_BANDWIDTH 0
known IO_READ_LLC_MISS_BANDWIDTH 300000
known IO_READ_LLC_MISS_RATIO 1
known UNCORE_FREQUENCY 2200000000

scenario emr <<'END'
set sockets=1 cores=2 chas=4
cxl read 4GB/s device 0 for 10us
cxl write 2GB/s device 1 for 10us
END
known CXL_MEM_WRITE_BANDWIDTH 20000 1
known CXL_MEM_READ_BANDWIDTH 40000 0
known CXL_MEM_READ_BANDWIDTH 20000 1

scenario emr <<'END'
set sockets=2 cores=2 chas=4
inject cha0 TOR_INSERTS.IA_MISS_DRD_LOCAL 30
inject cha0 TOR_INSERTS.IA_MISS_DRD_REMOTE 10
inject cha1 TOR_INSERTS.IA_MISS_DRD_PREF_LOCAL 15
inject cha1 TOR_INSERTS.IA_MISS_DRD_PREF_REMOTE 5
inject cha0 TOR_INSERTS.IA_MISS_CRD 11
inject cha0 TOR_INSERTS.IA_MISS_LLCPREFDATA 8
inject cha0 TOR_OCCUPANCY.IA_MISS_DRD_LOCAL 6600
inject cha0 TOR_OCCUPANCY.IA_MISS_DRD_REMOTE 4400
inject cha0 TOR_INSERTS.IA_SPECITOM 9
inject cha0 TOR_INSERTS.IO_HIT_ITOM 15
inject cha0 TOR_INSERTS.IO_MISS_ITOM 5
inject cha0 REQUESTS.READS_LOCAL 100
inject cha1 REQUESTS.READS_REMOTE 200
inject cha2 REQUESTS.WRITES_LOCAL 300
inject cha3 REQUESTS.WRITES_REMOTE 400
inject cha0 DIR_UPDATE.HA 5
inject cha1 DIR_UPDATE.TOR 3
inject m2m0 DIRECTORY_UPDATE.HIT_NON_PMM 2
inject cha0 LLC_VICTIMS.M_STATE 7
inject cha0 LLC_LOOKUP.DATA_READ_ALL 31
inject iio0 IOMMU0.FIRST_LOOKUPS 20
inject iio0 IOMMU0.MISSES 5
# Latencies need time: their clocks are measured.
hold cha 0x37 1 from 0us for 100us
END
known NUMA_READS_LOCAL_DRAM_RATIO 0.75
known NUMA_READS_REMOTE_DRAM_RATIO 0.25
known LLC_CODE_READ_MISSES 11
known LLC_DATA_READ_MISSES 68
known LLC_MISS_LOCAL_LATENCY_NS 100
known LLC_MISS_REMOTE_LATENCY_NS 200
known SPECI2M_BANDWIDTH 576
known LLC_MISS_LOCAL_MEMORY_READ_BANDWIDTH 6400
known LLC_MISS_REMOTE_MEMORY_READ_BANDWIDTH 12800
known LLC_MISS_LOCAL_MEMORY_WRITE_BANDWIDTH 19200
known LLC_MISS_REMOTE_MEMORY_WRITE_BANDWIDTH 25600
known DIRECTORY_UPDATE_WRITE_BANDWIDTH 640
known LLC_WRITEBACK_BANDWIDTH 448
known LLC_DATA_READ_BANDWIDTH 1984
known IO_FULL_WRITE_LLC_MISS_RATIO 0.25
known IOTLB_MISS_RATIO 0.25

# No thread runs: the cores of both sockets are in C6, and so are the packages.
scenario emr <<'END'
set sockets=2 cores=8 chas=4
hold cha 0x37 1 from 0us for 10us
END
known CORES_IN_C6 16
known CORES_IN_C6 8 0
known CORES_IN_C0 0
known PKG_C6_RESIDENCY 1
known PKG_C0_RESIDENCY 0

scenario snbep <<'END'
set sockets=2 cores=2
dma write 1GB/s for 100us
dma read 2GB/s for 100us
END
known IO_READ_BANDWIDTH 200000
known IO_WRITE_BANDWIDTH 100000
known UNCORE_FREQUENCY 2700000000
known CORES_IN_C0 0

scenario snbep <<'END'
set sockets=2 cores=2
inject cbo0 LLC_LOOKUP.DATA_READ,state=0x10 40
inject cbo1 LLC_VICTIMS.M_STATE 7
inject imc0 RPQ_OCCUPANCY 4000
inject imc0 RPQ_INSERTS 50
hold cbo 0x37 1 from 0us for 100us
END
known LLC_WRITEBACK_BANDWIDTH 448
known LLC_DATA_READ_BANDWIDTH 2560
known DRAM_READ_QUEUE_NS 100

# Each line takes four instructions, and misses the LLC.
scenario snbep <<'END'
set sockets=2 cores=1 prefetch=off
thread 0 on core 0: stream read 1M stride 64
END
known LLC_MPI 0.25
exit $bad
