/* SPDX-License-Identifier: MIT */
/*
 * Event codes of the E5-2600, and the bits of `attr` that describe one occurrence when a box reports it to its PMON
 * block. Transcribed from the guide (327043-001) and, where its text is damaged, from other sources; independent of the
 * fact files.
 *
 * The low half of `attr` has the layout of a control register. Controls have 32 bits on this processor; the high half
 * holds the fields that the box's filter registers are compared with.
 */
#ifndef MACHINE_SNBEP_ATTR_H
#define MACHINE_SNBEP_ATTR_H

#include <stdint.h>

#define SNB_UMASK(u) ((uint64_t)(u) << 8)
#define SNB_EXT ((uint64_t)1 << 21) /* ev_sel_ext of QPI and PCU */
/* Clock events, by kind of box. */
enum { SNB_CLOCKTICKS = 0x00, SNB_RING_CLOCKTICKS = 0x01, SNB_QPI_CLOCKTICKS = 0x14 };

/* ---- CBo, Table 2-14 ---- */
enum snb_cbo_event {
  CBO_TXR_INSERTS = 0x02,
  CBO_TXR_STARVED = 0x03,
  CBO_TXR_ADS_USED = 0x04,
  CBO_RING_BOUNCES = 0x05,
  CBO_RING_SINK_STARVED = 0x06,
  CBO_RING_SRC_THRTL = 0x07,
  CBO_RXR_OCCUPANCY = 0x11,
  CBO_RXR_EXT_STARVED = 0x12,
  CBO_RXR_INT_STARVED = 0x14,
  CBO_RXR_INSERTS = 0x13,
  CBO_RING_AD_USED = 0x1b,
  CBO_RING_AK_USED = 0x1c,
  CBO_RING_BL_USED = 0x1d,
  CBO_RING_IV_USED = 0x1e,
  CBO_COUNTER0_OCCUPANCY = 0x1f,
  CBO_ISMQ_DRD_MISS_OCC = 0x21,
  CBO_RXR_IPQ_RETRY = 0x31,
  CBO_RXR_IRQ_RETRY = 0x32,
  CBO_RXR_ISMQ_RETRY = 0x33,
  CBO_LLC_LOOKUP = 0x34,
  CBO_TOR_INSERTS = 0x35,
  CBO_TOR_OCCUPANCY = 0x36,
  CBO_LLC_VICTIMS = 0x37,
  CBO_MISC = 0x39
};
/* Fields of the filter in a report (Table 2-12; positions of opc, nid and tid from Linux) */
#define CBO_OPC(o) ((uint64_t)((o)&0x1ff) << (32 + 23))
#define CBO_STATE(s) ((uint64_t)(s) << (32 + 18))
#define CBO_NID(node) ((uint64_t)1 << (32 + 10 + (node)))
enum { CBO_F = 0x10, CBO_M = 0x08, CBO_E = 0x04, CBO_S = 0x02, CBO_I = 0x01 };
/* LLC_LOOKUP (2-16): bit 0 in each row; the rows' own bits */
#define CBO_LOOKUP_ANY SNB_UMASK(0x01)
#define CBO_LOOKUP_READ SNB_UMASK(0x02)
#define CBO_LOOKUP_WRITE SNB_UMASK(0x04)
#define CBO_LOOKUP_SNOOP SNB_UMASK(0x08)
#define CBO_BY_NID SNB_UMASK(0x40)
/* LLC_VICTIMS (2-17) */
#define CBO_VICTIM_M SNB_UMASK(0x01)
#define CBO_VICTIM_E SNB_UMASK(0x02)
#define CBO_VICTIM_S SNB_UMASK(0x04)
#define CBO_VICTIM_MISS SNB_UMASK(0x08)
/* TOR_INSERTS, TOR_OCCUPANCY (2-30, 2-31): the bits that a counter selects. A report sets MISS, EVICTION and WB
 * where they apply, and CBO_OPC() for entries from the request queue. */
#define CBO_TOR_OPCODE SNB_UMASK(0x01)
#define CBO_TOR_MISS SNB_UMASK(0x02)
#define CBO_TOR_EVICTION SNB_UMASK(0x04)
#define CBO_TOR_ALL SNB_UMASK(0x08)
#define CBO_TOR_WB SNB_UMASK(0x10)
/* RxR_* (2-25, 2-29) and the retries (2-26 to 2-28) */
#define CBO_IRQ SNB_UMASK(0x01)
#define CBO_IRQ_REJECTED SNB_UMASK(0x02)
#define CBO_IPQ SNB_UMASK(0x04)
#define CBO_VFIFO SNB_UMASK(0x10)
#define CBO_RETRY_ANY SNB_UMASK(0x01)
#define CBO_RETRY_ADDR SNB_UMASK(0x04)
#define CBO_RETRY_FULL SNB_UMASK(0x02)
#define CBO_RETRY_RTID SNB_UMASK(0x08)
#define CBO_RETRY_QPI SNB_UMASK(0x10)
#define CBO_RETRY_IIO SNB_UMASK(0x20)
/* MISC (2-18) */
#define CBO_MISC_RSPI SNB_UMASK(0x01)
#define CBO_MISC_WC SNB_UMASK(0x02)
#define CBO_MISC_STARTED SNB_UMASK(0x04)
#define CBO_MISC_RFO_HIT_S SNB_UMASK(0x08)
/* RING_BOUNCES (2-22) */
enum { CBO_BOUNCE_AK = 0x02, CBO_BOUNCE_BL = 0x04, CBO_BOUNCE_IV = 0x08 };
/* TxR_INSERTS (2-32) */
enum {
  CBO_AD_CACHE = 0x01,
  CBO_AK_CACHE = 0x02,
  CBO_BL_CACHE = 0x04,
  CBO_IV_CACHE = 0x08,
  CBO_AD_CORE = 0x10,
  CBO_AK_CORE = 0x20,
  CBO_BL_CORE = 0x40
};
/* Opcodes of requests (2-13) */
enum snb_cbo_opcode {
  SNB_RFO = 0x180,
  SNB_CRD = 0x181,
  SNB_DRD = 0x182,
  SNB_PRD = 0x187,
  SNB_WCILF = 0x18c,
  SNB_WCIL = 0x18d,
  SNB_PREF_RFO = 0x190,
  SNB_PREF_CODE = 0x191,
  SNB_PREF_DATA = 0x192,
  SNB_PCIWILF = 0x194,
  SNB_PCIPRD = 0x195,
  SNB_PCIITOM = 0x19c,
  SNB_PCIRDCUR = 0x19e,
  SNB_WBMTOI = 0x1c4,
  SNB_WBMTOE = 0x1c5,
  SNB_ITOM = 0x1c8
};
/* Thread ID of requests from PCIe and of requests without a requester (2.3.3.3) */
enum { SNB_TID_PCIE = 0x1e };

/* ---- Ring stops: CBo (2-19 to 2-23) and, with the directions' own names, R2PCIe and R3QPI ---- */
enum snb_ring_way { RING_UP_EVEN = 0x01, RING_UP_ODD = 0x02, RING_DOWN_EVEN = 0x04, RING_DOWN_ODD = 0x08 };

/* ---- Home agent, Table 2-40 ---- */
enum snb_ha_event {
  HA_REQUESTS = 0x01,
  HA_TRACKER_INSERTS = 0x06,
  HA_CONFLICT_CYCLES = 0x0b,
  HA_DIRECTORY_LOOKUP = 0x0c,
  HA_DIRECTORY_UPDATE = 0x0d,
  HA_TXR_AK_NDR = 0x0e,
  HA_TXR_AD = 0x0f,
  HA_TXR_BL = 0x10,
  HA_DIRECT2CORE_COUNT = 0x11,
  HA_DIRECT2CORE_CYCLES_DISABLED = 0x12,
  HA_DIRECT2CORE_TXN_OVERRIDE = 0x13,
  HA_RPQ_NO_CREDITS = 0x15,
  HA_WPQ_NO_CREDITS = 0x18,
  HA_IMC_WRITES = 0x1a,
  HA_TAD_G0 = 0x1b,
  HA_TAD_G1 = 0x1c,
  HA_IMC_RETRY = 0x1e,
  HA_ADDR_OPC_MATCH = 0x20,
  HA_IGR_NO_CREDITS = 0x22,
  HA_AD_FULL = 0x2a,
  HA_AK_FULL = 0x32,
  HA_BL_FULL = 0x36,
  /* not in the table, but in Intel's event file: inserts, occupancy and not-empty cycles of each ring's egress; slots
   * used */
  HA_BYPASS_IMC = 0x14,
  HA_RPQ_NO_SPECIAL = 0x16,
  HA_WPQ_NO_SPECIAL = 0x19,
  HA_AD_INSERTS = 0x27,
  HA_AK_INSERTS = 0x2f,
  HA_BL_INSERTS = 0x33,
  HA_EGRESS_OCCUPANCY = 1, /* above INSERTS */
  HA_EGRESS_NE = 2,
  HA_RING_AD_USED = 0x3e,
  HA_RING_BL_USED = 0x40
};
#define HA_READS(remote) SNB_UMASK((remote) ? 0x02 : 0x01)  /* 0x03 both */
#define HA_WRITES(remote) SNB_UMASK((remote) ? 0x08 : 0x04) /* 0x0c both */
#define HA_TRACKER(remote) SNB_UMASK((remote) ? 0x02 : 0x01)
/* ADDR_OPC_MATCH: 63:30 the address from bit 12 on, 29:24 the opcode (class HOM0 0, HOM1 1 above its four bits) */
#define HA_MATCH_ADDRESS(address) ((uint64_t)(address) >> 12 << 30)
#define HA_MATCH_OPCODE(o) ((uint64_t)((o)&0x3f) << 24)
enum { HA_FILTER_OPCODE, HA_FILTER_ADDRESS1, HA_FILTER_ADDRESS0 };

/* ---- iMC, Table 2-64 ---- */
enum snb_imc_event {
  SNB_IMC_ACT_COUNT = 0x01,
  SNB_IMC_PRE_COUNT = 0x02,
  SNB_IMC_CAS_COUNT = 0x04,
  SNB_IMC_DRAM_REFRESH = 0x05,
  SNB_IMC_DRAM_PRE_ALL = 0x06,
  SNB_IMC_MAJOR_MODES = 0x07,
  SNB_IMC_PREEMPTION = 0x08,
  SNB_IMC_ECC_ERRORS = 0x09,
  SNB_IMC_RPQ_INSERTS = 0x10,
  SNB_IMC_RPQ_CYCLES_NE = 0x11,
  SNB_IMC_RPQ_CYCLES_FULL = 0x12,
  SNB_IMC_WPQ_INSERTS = 0x20,
  SNB_IMC_WPQ_CYCLES_NE = 0x21,
  SNB_IMC_WPQ_CYCLES_FULL = 0x22,
  SNB_IMC_WPQ_READ_HIT = 0x23,
  SNB_IMC_WPQ_WRITE_HIT = 0x24,
  SNB_IMC_POWER_THROTTLE = 0x41,
  SNB_IMC_POWER_SELF_REFRESH = 0x43,
  SNB_IMC_RPQ_OCCUPANCY = 0x80,
  SNB_IMC_WPQ_OCCUPANCY = 0x81,
  SNB_IMC_POWER_CKE = 0x83,
  SNB_IMC_POWER_DLLOFF = 0x84,
  SNB_IMC_POWER_PPD = 0x85,
  SNB_IMC_POWER_CRITICAL = 0x86
};

/* ---- PCU, Table 2-81 ---- */
enum snb_pcu_event {
  SNB_PCU_FREQ_TRANS = 0x00 /* with SNB_EXT */,
  SNB_PCU_VOLT_INCREASE = 0x01,
  SNB_PCU_VOLT_DECREASE = 0x02,
  SNB_PCU_VOLT_CHANGE = 0x03,
  SNB_PCU_CORE_TRANSITION = 0x03 /* with SNB_EXT, + core */,
  SNB_PCU_FREQ_MAX_THERMAL = 0x04,
  SNB_PCU_FREQ_MAX_POWER = 0x05,
  SNB_PCU_FREQ_MAX_OS = 0x06,
  SNB_PCU_FREQ_MAX_CURRENT = 0x07,
  SNB_PCU_PROCHOT_INTERNAL = 0x09,
  SNB_PCU_PROCHOT_EXTERNAL = 0x0a,
  SNB_PCU_FREQ_BAND0 = 0x0b,
  SNB_PCU_TOTAL_TRANSITION = 0x0b /* with SNB_EXT */,
  SNB_PCU_FREQ_MIN_IO = 0x01 /* with SNB_EXT */,
  SNB_PCU_FREQ_MIN_PERF = 0x02 /* with SNB_EXT */,
  SNB_PCU_DEMOTIONS = 0x1e /* + core */,
  SNB_PCU_MEMORY_PHASE_SHEDDING = 0x2f,
  SNB_PCU_VR_HOT = 0x32,
  SNB_PCU_POWER_STATE_OCCUPANCY = 0x80
};
#define SNB_OCC_SEL(s) ((uint64_t)(s) << 14)                       /* Table 2-75: 1 C0, 2 C3, 3 C6 */
#define SNB_FREQUENCY(hundred_mhz) ((uint64_t)(hundred_mhz) << 32) /* a level of FREQ_BANDn_CYCLES */
#define SNB_BAND(hundred_mhz) ((uint64_t)(hundred_mhz) << 40)      /* the filter's band when the level began */
enum snb_pcu_free { SNB_PCU_C3, SNB_PCU_C6, SNB_PCU_FREERUNNING_N };

/* ---- QPI link layer, Table 2-94 (sheet 2 after the event list); those marked x with SNB_EXT ---- */
enum snb_qpi_event {
  QPI_TXL_FLITS_G0 = 0x00,
  QPI_TXL_FLITS_G1 = 0x00 /* x */,
  QPI_RXL_FLITS_G0 = 0x01,
  QPI_TXL_FLITS_G2 = 0x01 /* x */,
  QPI_RXL_FLITS_G1 = 0x02 /* x */,
  QPI_RXL_FLITS_G2 = 0x03 /* x */,
  QPI_TXL_CRC_NO_CREDITS = 0x02,
  QPI_RXL_CRC_ERRORS = 0x03,
  QPI_RXL_STALLS = 0x35,
  QPI_TXL_INSERTS = 0x04,
  QPI_TXL_BYPASSED = 0x05,
  QPI_TXL_CYCLES_NE = 0x06,
  QPI_TXL_OCCUPANCY = 0x07,
  QPI_RXL_INSERTS = 0x08,
  QPI_RXL_BYPASSED = 0x09,
  QPI_RXL_INSERTS_DRS = 0x09 /* x; then NCB, NCS, HOM, SNP, NDR */,
  QPI_RXL_CYCLES_NE = 0x0a,
  QPI_RXL_OCCUPANCY = 0x0b,
  QPI_TXL0_POWER = 0x0c,
  QPI_TXL0P_POWER = 0x0d,
  QPI_RXL0_POWER = 0x0f,
  QPI_RXL0P_POWER = 0x10,
  QPI_L1_POWER = 0x12,
  QPI_DIRECT2CORE = 0x13,
  QPI_RXL_OCCUPANCY_DRS = 0x15 /* x; then NCB, NCS, HOM, SNP, NDR */,
  QPI_VNA_CREDIT_RETURN_OCCUPANCY = 0x1b /* x */,
  QPI_VNA_CREDIT_RETURNS = 0x1c /* x */,
  QPI_RXL_CREDITS_CONSUMED_VNA = 0x1d /* x */,
  QPI_RXL_CREDITS_CONSUMED_VN0 = 0x1e /* x */,
  QPI_CTO_COUNT = 0x38 /* x */
};
/* Flits: G0 (2-102, 2-110), G1, G2 */
enum {
  FLIT0_IDLE = 0x01,
  FLIT0_DATA = 0x02,
  FLIT0_NON_DATA = 0x04,
  FLIT1_SNP = 0x01,
  FLIT1_HOM_REQ = 0x02,
  FLIT1_HOM_NONREQ = 0x04,
  FLIT1_DRS_DATA = 0x08,
  FLIT1_DRS_NONDATA = 0x10,
  FLIT2_NDR_AD = 0x01,
  FLIT2_NDR_AK = 0x02,
  FLIT2_NCB_DATA = 0x04,
  FLIT2_NCB_NONDATA = 0x08,
  FLIT2_NCS = 0x10
};
/* A packet as MATCH0 and MASK0 compare it (2-89), in the high half; RDS and RNID of MATCH1 (2-88) in its free bits. */
enum { QPI_FILTER_MATCH0, QPI_FILTER_MATCH1, QPI_FILTER_MASK0, QPI_FILTER_MASK1 };
#define QPI_MATCH0_BITS UINT32_C(0x8003fff8)
#define QPI_PACKET(class, opcode) ((uint64_t)((class) << 9 | (opcode) << 5) << 32)
#define QPI_PACKET_DNID(n) ((uint64_t)(n) << (13 + 32))
#define QPI_PACKET_RDS(s) ((uint64_t)(s) << (18 + 32))
#define QPI_PACKET_RNID(n) ((uint64_t)((n)&0xf) << (22 + 32) | (uint64_t)((n) >> 4 & 1) << 63)
#define QPI_PACKET_VNA ((uint64_t)2 << (3 + 32))
enum snb_class {
  QPI_HOM0 = 0x0,
  QPI_HOM1 = 0x1,
  QPI_NDR = 0x2,
  QPI_SNP = 0x3,
  QPI_NCS = 0x4,
  QPI_NCB = 0xc,
  QPI_DRS = 0xe
};
enum { QPI_RDS_M = 8, QPI_RDS_E = 4, QPI_RDS_S = 2, QPI_RDS_F = 1, QPI_RDS_I = 0 };

/* ---- R2PCIe and R3QPI (their sections of the guide are lost; codes from other sources) ---- */
enum snb_ring_event {
  RING_AD_USED = 0x07,
  RING_AK_USED = 0x08,
  RING_BL_USED = 0x09,
  RING_IV_USED = 0x0a,
  RING_RXR_CYCLES_NE = 0x10,
  R3_RXR_INSERTS = 0x11,
  R2_RXR_AK_BOUNCES = 0x12,
  R3_RXR_BYPASSED = 0x12,
  R3_RXR_OCCUPANCY = 0x13,
  R3_IIO_CREDITS_ACQUIRED = 0x20,
  R3_IIO_CREDITS_REJECT = 0x21,
  R3_IIO_CREDITS_USED = 0x22,
  RING_TXR_CYCLES_NE = 0x23,
  RING_TXR_INSERTS = 0x24,
  RING_TXR_CYCLES_FULL = 0x25,
  R3_TXR_NACK = 0x26,
  R2_TXR_NACKS = 0x26,
  R2_IIO_CREDITS_USED = 0x32,
  R2_IIO_CREDITS_REJECT = 0x34,
  R3_VNA_CYCLES_OUT = 0x31,
  R3_VNA_CYCLES_USED = 0x32,
  R3_VNA_ACQUIRED = 0x33,
  R3_VNA_REJECT = 0x34,
  R3_VN0_USED = 0x36,
  R3_VN0_REJECT = 0x37
};
enum { RING_HOM = 0x01, RING_SNP = 0x02, RING_NDR = 0x04, RING_DRS = 0x08, RING_NCB = 0x10, RING_NCS = 0x20 };
enum { R2_AD = 0x01, R2_AK = 0x02, R2_BL = 0x04 };

/* ---- UBox (2-6, 2-7) ---- */
enum {
  UBOX_FILTER_MATCH = 0x41,
  UBOX_EVENT_MSG = 0x42,
  UBOX_U2C_EVENTS = 0x43,
  UBOX_LOCK_CYCLES = 0x44,
  UBOX_PHOLD_CYCLES = 0x45,
  UBOX_MSG_CHNL_SIZE = 0x47
};
/* EVENT_MSG: legacy wires, interrupts of devices and of cores, doorbells, changes of priority */
enum { UBOX_VLW = 0x01, UBOX_MSI = 0x02, UBOX_IPI = 0x04, UBOX_DOORBELL = 0x08, UBOX_INT_PRIO = 0x10 };

#endif
