/* SPDX-License-Identifier: MIT */
/* Event codes and attributes of I/O: IIO, IRP, M2PCIe. attr.h describes `attr`. */
#ifndef MACHINE_EMR_ATTR_IO_H
#define MACHINE_EMR_ATTR_IO_H

#include "machine/emr/attr_bits.h"

/* ---- IIO, Table 2-188 ---- */
enum emr_iio_event {
  IIO_IOMMU0 = 0x40,
  IIO_IOMMU1 = 0x41,
  IIO_PWT_OCCUPANCY = 0x42,
  IIO_IOMMU3 = 0x43,
  IIO_DATA_REQ_OF_CPU = 0x83,
  IIO_TXN_REQ_OF_CPU = 0x84,
  IIO_NUM_REQ_OF_CPU = 0x85,
  IIO_INBOUND_ARB_REQ = 0x86,
  IIO_INBOUND_ARB_WON = 0x87,
  IIO_NUM_OUTSTANDING_REQ_OF_CPU = 0x88,
  IIO_FASTPATH = 0x89,
  IIO_NUM_REQ_OF_CPU_BY_TGT = 0x8e,
  IIO_NUM_TGT_MATCHED = 0x8f,
  IIO_REQ_FROM_PCIE_PASS_CMPL = 0x90,
  IIO_REQ_FROM_PCIE_CL_CMPL = 0x91,
  IIO_REQ_FROM_PCIE_CMPL = 0x92,
  IIO_DATA_REQ_BY_CPU = 0xc0,
  IIO_TXN_REQ_BY_CPU = 0xc1,
  IIO_COMP_BUF_INSERTS = 0xc2,
  IIO_NUM_OUTSTANDING_REQ_FROM_CPU = 0xc5,
  IIO_COMP_BUF_OCCUPANCY = 0xd5,
  IIO_OUTBOUND_CL_REQS_ISSUED = 0xd0,
  IIO_OUTBOUND_TLP_REQS_ISSUED = 0xd1
};
#define IIO_PART(p) ((uint64_t)1 << (36 + (p))) /* channel mask 47:36: parts 0..7, IOMMU 8 and 9 */
#define IIO_FC_POSTED ((uint64_t)1 << 48)       /* flow class 50:48 (Table 2-184) */
#define IIO_FC_NONPOSTED ((uint64_t)1 << 49)
#define IIO_FC_CMPL ((uint64_t)1 << 50)
/* DATA_REQ_* and TXN_REQ_* (2-190, 2-204) */
#define IIO_MEM_WRITE EMR_UMASK(0x01)
#define IIO_PEER_WRITE EMR_UMASK(0x02)
#define IIO_MEM_READ EMR_UMASK(0x04)
#define IIO_PEER_READ EMR_UMASK(0x08)
#define IIO_ATOMIC EMR_UMASK(0x10)
#define IIO_MSG EMR_UMASK(0x40)
#define IIO_CMPD EMR_UMASK(0x80)
/* Free-running counters of a stack (2.4.2.1): index for block_freerunning_*(). */
enum emr_iio_free {
  IIO_FREERUNNING_IOCLK = 0,
  IIO_FREERUNNING_BW_IN = 1,
  IIO_FREERUNNING_BW_OUT = 9,
  IIO_FREERUNNING_N = 17
};

/* ---- IRP, Table 2-205 ---- */
enum emr_irp_event {
  IRP_CACHE_TOTAL_OCCUPANCY = 0x0f,
  IRP_TRANSACTIONS = 0x11,
  IRP_SNOOP_RESP = 0x12,
  IRP_FAF_TRANSACTIONS = 0x16,
  IRP_FAF_FULL = 0x17,
  IRP_FAF_INSERTS = 0x18,
  IRP_FAF_OCCUPANCY = 0x19,
  IRP_MISC0 = 0x1e,
  IRP_MISC1 = 0x1f,
  IRP_ALL = 0x20
};

/* ---- M2PCIe, Table 2-333 ---- */
enum emr_m2pcie_event {
  M2PCIE_RXC_CYCLES_NE = 0x10,
  M2PCIE_RXC_INSERTS = 0x11,
  M2PCIE_IIO_CREDITS_USED = 0x32,
  M2PCIE_IIO_CREDITS_ACQUIRED = 0x33,
  M2PCIE_IIO_CREDITS_REJECT = 0x34,
  M2PCIE_TXC_INSERTS_AD = 0x50,
  M2PCIE_TXC_INSERTS_AK = 0x51,
  M2PCIE_TXC_CREDITS = 0x2d,
  M2PCIE_TXC_INSERTS_BL = 0x52
};

#endif
