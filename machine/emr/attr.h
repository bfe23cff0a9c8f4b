/* SPDX-License-Identifier: MIT */
/*
 * What the events of Emerald Rapids are called on the way from a unit to its PMON block: event codes, and the bits
 * of `attr` that describe one occurrence. Typed from the guide (817509) on their own, not from the fact files: a slip
 * in either shows where the two meet.
 *
 * `attr` has the form of a control register: a report sets every bit that is true of what happened, and the matcher
 * of the unit (machine/emr/match.c) decides whether a counter that is programmed with other bits wants it.
 */
#ifndef MACHINE_EMR_ATTR_H
#define MACHINE_EMR_ATTR_H

#include <stdint.h>

#define EMR_UMASK(u) ((uint64_t)(u) << 8) /* umask, bits 15:8 (Table 1-5) */
#define EMR_EXT(e) ((uint64_t)(e) << 32)  /* extended umask, bits 63:32 */

/* The PMON event every unit has: its clock (the block makes it itself). Mesh stops: CMS_CLOCKTICKS. */
enum { EMR_CLOCKTICKS = 0x01, EMR_CMS_CLOCKTICKS = 0xc0 };

/* ---- CHA, Table 2-76 ---- */
enum emr_cha_event {
  CHA_RXC_OCCUPANCY = 0x11,
  CHA_RXC_INSERTS = 0x13,
  CHA_LLC_LOOKUP = 0x34,
  CHA_TOR_INSERTS = 0x35,
  CHA_TOR_OCCUPANCY = 0x36,
  CHA_LLC_VICTIMS = 0x37,
  CHA_MISC = 0x39,
  CHA_SF_EVICTION = 0x3d,
  CHA_CORE_SNP = 0x33,
  CHA_REQUESTS = 0x50,
  CHA_SNOOPS_SENT = 0x51,
  CHA_DIR_LOOKUP = 0x53,
  CHA_DIR_UPDATE = 0x54,
  CHA_OSB = 0x55,
  CHA_WB_PUSH_MTOI = 0x56,
  CHA_BYPASS_CHA_IMC = 0x57,
  CHA_READ_NO_CREDITS = 0x58,
  CHA_IMC_READS_COUNT = 0x59,
  CHA_WRITE_NO_CREDITS = 0x5a,
  CHA_IMC_WRITES_COUNT = 0x5b,
  CHA_SNOOP_RESP = 0x5c,
  CHA_SNOOP_RESP_LOCAL = 0x5d,
  CHA_HITME_LOOKUP = 0x5e,
  CHA_HITME_HIT = 0x5f,
  CHA_HITME_MISS = 0x60,
  CHA_HITME_UPDATE = 0x61,
  CHA_DIRECT_GO_OPC = 0x6d,
  CHA_DIRECT_GO = 0x6e,
  CHA_XPT_PREF = 0x6f
};

/* TOR_INSERTS, TOR_OCCUPANCY: the queue an entry came from (Table 2-124, umask) ... */
#define TOR_IRQ_IA EMR_UMASK(0x01)
#define TOR_EVICT EMR_UMASK(0x02)
#define TOR_PRQ_IOSF EMR_UMASK(0x04)
#define TOR_IPQ EMR_UMASK(0x08)
#define TOR_IRQ_NON_IA EMR_UMASK(0x10)
#define TOR_PRQ_NON_IOSF EMR_UMASK(0x20)
#define TOR_RRQ EMR_UMASK(0x40)
#define TOR_WBQ EMR_UMASK(0x80)
/* ... and what it is (Table 2-73; loc and rem as in Table 2-124, whose values decode only that way). A report sets
 * one of hit and miss, one of loc and rem, one target, and TOR_OPC(). */
#define TOR_HIT EMR_EXT(1u << 0)
#define TOR_MISS EMR_EXT(1u << 1)
#define TOR_DDR EMR_EXT(1u << 2)
#define TOR_PMM EMR_EXT(1u << 3)
#define TOR_HBM EMR_EXT(1u << 4)
#define TOR_MMCFG EMR_EXT(1u << 5)
#define TOR_MMIO EMR_EXT(1u << 6)
#define TOR_LOC EMR_EXT(1u << 7)
#define TOR_REM EMR_EXT(1u << 8)
#define TOR_MATCH_OPC EMR_EXT(1u << 9)
#define TOR_PREMORPH_OPC EMR_EXT(1u << 10)
#define TOR_OPC(opcode) EMR_EXT((uint64_t)((opcode)&0x7ffu) << 11)
#define TOR_NM EMR_EXT(1u << 22)
#define TOR_NOT_NM EMR_EXT(1u << 23)
#define TOR_NC EMR_EXT(1u << 24)
#define TOR_ISOC EMR_EXT(1u << 25)
#define TOR_L3HIT_RSD EMR_EXT(1u << 26)
#define TOR_NO_ADDR EMR_EXT(1u << 27)
#define TOR_IA_MEM_ACC EMR_EXT(1u << 28)
#define TOR_CXL_EXP_LOCAL EMR_EXT(1u << 29) /* not in the guide; Intel's event files use it */
#define TOR_CRABORT EMR_EXT(1u << 30)

/* Opcodes of what enters the TOR: IRQ (Table 3-1), IPQ (3-3), RRQ (3-4), WBQ (3-5). */
enum emr_opcode {
  OPC_RFO = 0x100,
  OPC_CRD = 0x101,
  OPC_DRD = 0x102,
  OPC_DRD_OPT = 0x104,
  OPC_CRD_UC = 0x105,
  OPC_DRDPTE = 0x106,
  OPC_PRD = 0x107,
  OPC_WCILF = 0x10c,
  OPC_WCIL = 0x10d,
  OPC_UCRDF = 0x10e,
  OPC_WIL = 0x10f,
  OPC_RFO_PREF = 0x110,
  OPC_CRD_PREF = 0x111,
  OPC_DRD_PREF = 0x112,
  OPC_DRD_OPT_PREF = 0x114,
  OPC_CLFLUSH = 0x118,
  OPC_CLFLUSHOPT = 0x11a,
  OPC_CLWB = 0x11c,
  OPC_PCIRDCUR = 0x11e,
  OPC_WBMTOI = 0x184,
  OPC_WBMTOE = 0x185,
  OPC_WBEFTOI = 0x186,
  OPC_WBEFTOE = 0x187,
  OPC_ITOM = 0x188,
  OPC_SPECITOM = 0x18a,
  OPC_WBSTOI = 0x18c,
  OPC_LLCPREFRFO = 0x198,
  OPC_LLCPREFCODE = 0x199,
  OPC_LLCPREFDATA = 0x19a,
  OPC_ITOMCACHENEAR = 0x1a8,
  OPC_SNP_CUR = 0x700,
  OPC_SNP_CODE = 0x701,
  OPC_SNP_DATA = 0x702,
  OPC_SNP_DATA_MIG = 0x703,
  OPC_SNP_INV_OWN = 0x704,
  OPC_SNP_INV_ITOE = 0x705,
  OPC_RRQ_RDCUR = 0x500,
  OPC_RRQ_RDCODE = 0x501,
  OPC_RRQ_RDDATA = 0x502,
  OPC_RRQ_RDDATAMIG = 0x503,
  OPC_RRQ_RDINVOWN = 0x504,
  OPC_RRQ_INVXTOI = 0x505,
  OPC_RRQ_INVITOE = 0x507,
  OPC_RRQ_RDINV = 0x50c,
  OPC_RRQ_INVITOM = 0x50f,
  OPC_WBQ_WBMTOI = 0x400,
  OPC_WBQ_WBMTOS = 0x401,
  OPC_WBQ_WBMTOE = 0x402,
  OPC_WBQ_NONSNPWR = 0x403,
  OPC_WBQ_EVCTCLN = 0x40c,
  OPC_WBQ_NONSNPRD = 0x40d
};

/* LLC_LOOKUP (Tables 2-74, 2-89): one state, then all of the operation, origin and home bits that are true. */
#define LLC_STATE_I EMR_UMASK(0x01)
#define LLC_STATE_SF_S EMR_UMASK(0x02)
#define LLC_STATE_SF_E EMR_UMASK(0x04)
#define LLC_STATE_SF_H EMR_UMASK(0x08)
#define LLC_STATE_S EMR_UMASK(0x10)
#define LLC_STATE_E EMR_UMASK(0x20)
#define LLC_STATE_M EMR_UMASK(0x40)
#define LLC_STATE_F EMR_UMASK(0x80)
#define LLC_DRD EMR_EXT(1u << 0)
#define LLC_WRITE EMR_EXT(1u << 1)
#define LLC_FLUSH_INV EMR_EXT(1u << 2)
#define LLC_RFO EMR_EXT(1u << 3)
#define LLC_CRD EMR_EXT(1u << 4)
#define LLC_ANY EMR_EXT(1u << 5)             /* true of every look-up: the matcher adds it */
#define LLC_LOCAL EMR_EXT(1u << 6)           /* asked by this socket, prefetches included */
#define LLC_LLCPREF EMR_EXT(1u << 7)         /* ... namely by an LLC prefetch (set beside LOCAL) */
#define LLC_COREPREF EMR_EXT(1u << 8)        /* ... namely by a core's prefetcher (set beside LOCAL) */
#define LLC_REMOTE_NONSNOOP EMR_EXT(1u << 9) /* bits 41 and 42 as in Table 2-89, not 2-74 */
#define LLC_REMOTE_SNOOP EMR_EXT(1u << 10)
#define LLC_HOM_LOCAL EMR_EXT(1u << 11)
#define LLC_HOM_REMOTE EMR_EXT(1u << 12)
#define LLC_IIO_PORT(p) EMR_EXT(1u << (13 + (p))) /* 0..11 */

/* LLC_VICTIMS (Table 2-90): state, who caused it, where the line is homed. */
#define VICTIM_M EMR_UMASK(0x01)
#define VICTIM_E EMR_UMASK(0x02)
#define VICTIM_S EMR_UMASK(0x04)
#define VICTIM_F EMR_UMASK(0x08)
#define VICTIM_IO EMR_UMASK(0x10)
#define VICTIM_IA EMR_UMASK(0x20)
#define VICTIM_LOCAL EMR_EXT(0x20)
#define VICTIM_REMOTE EMR_EXT(0x80)
/* CORE_SNP: who made the CHA ask its cores, and whether it asked one or several */
#define CORE_SNP_REMOTE EMR_UMASK(0x10)
#define CORE_SNP_EXTERNAL EMR_UMASK(0x20) /* devices, and snoops of another socket */
#define CORE_SNP_CORE EMR_UMASK(0x40)
#define CORE_SNP_EVICTION EMR_UMASK(0x80)
#define CORE_SNP_ONE EMR_UMASK(0x01)
#define CORE_SNP_SEVERAL EMR_UMASK(0x02)
/* SF_EVICTION (2-120) */
#define SF_EVICT_M EMR_UMASK(0x01)
#define SF_EVICT_E EMR_UMASK(0x02)
#define SF_EVICT_S EMR_UMASK(0x04)
/* REQUESTS (2-99) */
#define HA_READ_LOCAL EMR_UMASK(0x01)
#define HA_READ_REMOTE EMR_UMASK(0x02)
#define HA_WRITE_LOCAL EMR_UMASK(0x04)
#define HA_WRITE_REMOTE EMR_UMASK(0x08)
#define HA_INVITOE_LOCAL EMR_UMASK(0x10)
#define HA_INVITOE_REMOTE EMR_UMASK(0x20)
/* XPT_PREF (2-128): of port 0; port 1 is four bits higher */
enum { XPT_PREF_SENT = 0x01, XPT_PREF_DROP = 0x02, XPT_PREF_NO_CREDIT = 0x04, XPT_PREF_CONFLICT = 0x08 };
/* RxC_INSERTS (2-100), RxC_OCCUPANCY (2-109) */
#define RXC_IRQ EMR_UMASK(0x01)
#define RXC_IRQ_REJ EMR_UMASK(0x02)
#define RXC_IPQ EMR_UMASK(0x04)
#define RXC_PRQ EMR_UMASK(0x10)
#define RXC_PRQ_REJ EMR_UMASK(0x20)
#define RXC_RRQ EMR_UMASK(0x40)
#define RXC_WBQ EMR_UMASK(0x80)

/* ---- iMC channel, Table 2-134 ---- */
enum emr_imc_event {
  IMC_CLOCKTICKS = 0x01,
  IMC_ACT_COUNT = 0x02,
  IMC_PRE_COUNT = 0x03,
  IMC_CAS_MM = 0x04,
  IMC_CAS_COUNT = 0x05,
  IMC_CAS_ISSUED_REQ_LEN = 0x06,
  IMC_MAJOR_MODES = 0x07,
  IMC_PREEMPTION = 0x08,
  IMC_RPQ_INSERTS = 0x10,
  IMC_RPQ_CYCLES_NE = 0x11,
  IMC_RPQ_CYCLES_FULL_PCH0 = 0x12,
  IMC_RPQ_PRIO = 0x13,
  IMC_WPQ_PRIO = 0x14,
  IMC_RPQ_CYCLES_FULL_PCH1 = 0x15,
  IMC_WPQ_CYCLES_FULL_PCH1 = 0x16,
  IMC_RDB_INSERTS = 0x17,
  IMC_RDB_NE = 0x18,
  IMC_RDB_OCCUPANCY = 0x1a,
  IMC_WPQ_INSERTS = 0x20,
  IMC_WPQ_CYCLES_NE = 0x21,
  IMC_WPQ_CYCLES_FULL_PCH0 = 0x22,
  IMC_WPQ_READ_HIT = 0x23,
  IMC_WPQ_WRITE_HIT = 0x24,
  IMC_RD_CAS_PRIO = 0x26,
  IMC_WR_CAS_PRIO = 0x27,
  IMC_ACT_PRIO = 0x28,
  IMC_POWER_SELF_REFRESH = 0x43,
  IMC_DRAM_PRE_ALL = 0x44,
  IMC_DRAM_REFRESH = 0x45,
  IMC_POWER_THROTTLE_CYCLES = 0x46,
  IMC_POWER_CKE_CYCLES = 0x47,
  IMC_MAJOR_MODE_CHANGE_PCH0 = 0x50,
  IMC_MAJOR_MODE_CHANGE_PCH1 = 0x51,
  IMC_RPQ_OCCUPANCY_PCH0 = 0x80,
  IMC_RPQ_OCCUPANCY_PCH1 = 0x81,
  IMC_WPQ_OCCUPANCY_PCH0 = 0x82,
  IMC_WPQ_OCCUPANCY_PCH1 = 0x83,
  IMC_MAJOR_MODE_VOTE_MISMATCH = 0x52,
  IMC_PREEMPTION_AS = 0x1b,
  IMC_PREEMPTION_MM_SWITCH = 0x1c,
  IMC_CRIT_MINOR_CAS = 0x2b,
  IMC_PARITY_ERRORS = 0x2c,
  IMC_RDB_FULL = 0x19,
  IMC_ECC_CORRECTABLE_ERRORS = 0x09,
  IMC_POWER_CHANNEL_PPD = 0x85,
  IMC_POWER_CRIT_THROTTLE_CYCLES = 0x86,
  IMC_PCLS = 0xa0
};
/* CAS_COUNT (2-138), *_PRIO (2-137): one kind and one pseudo channel. */
#define CAS_PCH(p) EMR_UMASK(0x40u << (p))
#define CAS_RD_REG EMR_UMASK(0x01)
#define CAS_RD_PRE_REG EMR_UMASK(0x02) /* PRE: with auto precharge */
#define CAS_RD_UNDERFILL EMR_UMASK(0x04)
#define CAS_RD_PRE_UNDERFILL EMR_UMASK(0x08)
#define CAS_WR_NONPRE EMR_UMASK(0x10)
#define CAS_WR_PRE EMR_UMASK(0x20)
/* ACT_COUNT (2-136), PRE_COUNT (2-160): one bit for kind and pseudo channel together. */
#define ACT_RD(p) EMR_UMASK(0x01u << 4 * (p))
#define ACT_WR(p) EMR_UMASK(0x02u << 4 * (p))
#define ACT_UFILL(p) EMR_UMASK(0x04u << 4 * (p))
#define PRE_RD(p) EMR_UMASK(0x01u << 4 * (p))
#define PRE_WR(p) EMR_UMASK(0x02u << 4 * (p))
#define PRE_UFILL(p) EMR_UMASK(0x04u << 4 * (p))
#define PRE_PGT(p) EMR_UMASK(0x08u << 4 * (p)) /* closed by the page table, nobody waits for the bank */
/* RPQ and WPQ inserts, not-empty cycles, hits; RDB inserts; PRE_ALL: one bit a pseudo channel. Occupancies: no bit. */
#define IMC_PCH(p) EMR_UMASK(0x01u << (p))
/* DRAM_REFRESH (2-142; HIGH of channel 0 from the event files) */
#define REFRESH_PANIC(p) EMR_UMASK((p) ? 0x10 : 0x02)
#define REFRESH_HIGH(p) EMR_UMASK((p) ? 0x20 : 0x04)
/* CAS_MM (2-139): read major mode, write major mode */
#define MM_RD_RMM(p) EMR_UMASK(0x01u << 2 * (p))
#define MM_RD_WMM(p) EMR_UMASK(0x02u << 2 * (p))
#define MM_WR_RMM(p) EMR_UMASK(0x10u << 2 * (p))
#define MM_WR_WMM(p) EMR_UMASK(0x20u << 2 * (p))
/* Free-running counters of a controller (Table 1-12): index for block_free_*(). */
enum emr_imc_free { IMC_FREE_DCLK, IMC_FREE_RPQ_CYCLES, IMC_FREE_WPQ_CYCLES, IMC_FREE_N };

/* ---- M2M, Table 2-235 ---- */
enum emr_m2m_event {
  M2M_TXC_AK = 0x0a,
  M2M_TXC_BL = 0x0e,
  M2M_TXC_BL_CREDITS = 0x10,
  M2M_BYPASS_EGRESS = 0x15,
  M2M_WR_TRACKER_NE = 0x35,
  M2M_RXC_AD_INSERTS = 0x02,
  M2M_RXC_AD_OCCUPANCY = 0x03,
  M2M_DIRECT2CORE_NOT_TAKEN_DIRSTATE = 0x17,
  M2M_DIRECT2UPI_TAKEN = 0x19,
  M2M_DIRECT2UPI_NOT_TAKEN_DIRSTATE = 0x1a,
  M2M_DIRECTORY_HIT = 0x1d,
  M2M_DIRECTORY_MISS = 0x1e,
  M2M_TAG_HIT = 0x1f,
  M2M_DIRECTORY_LOOKUP = 0x20,
  M2M_DIRECTORY_UPDATE = 0x21,
  M2M_IMC_READS = 0x24,
  M2M_IMC_WRITES = 0x25,
  M2M_TRACKER_INSERTS = 0x32,
  M2M_TRACKER_OCCUPANCY = 0x33,
  M2M_WR_TRACKER_INSERTS = 0x40,
  M2M_WR_TRACKER_POSTED_OCCUPANCY = 0x47,
  M2M_WR_TRACKER_POSTED_INSERTS = 0x48,
  M2M_PREFCAM_OCCUPANCY = 0x54,
  M2M_PREFCAM_INSERTS = 0x56,
  M2M_PREFCAM_DEALLOCS = 0x57,
  M2M_PREFCAM_DEMAND_DROPS = 0x58,
  M2M_PREFCAM_DROP_REASONS_CH0 = 0x59,
  M2M_PREFCAM_DROP_REASONS_CH1 = 0x5a,
  M2M_PREFCAM_CIS_DROPS = 0x5c,
  M2M_PREFCAM_DEMAND_MERGE = 0x5d,
  M2M_PREFCAM_DEMAND_NO_MERGE = 0x5e,
  M2M_PREFCAM_RESP_MISS = 0x5f,
  M2M_PREFCAM_RXC_OCCUPANCY = 0x60,
  M2M_PREFCAM_RXC_DEALLOCS = 0x62,
  M2M_IGR_STARVE_WINNER = 0x44,
  M2M_WPQ_NO_REG_CRD = 0x37,
  M2M_WPQ_NO_SPEC_CRD = 0x38,
  M2M_TGR_AD_CREDITS = 0x2e,
  M2M_TGR_BL_CREDITS = 0x2f,
  M2M_DIRECT2UPI_NOT_TAKEN_CREDITS = 0x1b,
  M2M_WPQ_FLUSH = 0x42,
  M2M_WR_TRACKER_NONPOSTED_OCCUPANCY = 0x4c,
  M2M_WR_TRACKER_NONPOSTED_INSERTS = 0x4d
};
/* IMC_READS (2-268): channel, and every kind that holds (ALL always; NORMAL or ISOCH; where to) */
#define M2M_RD_CH(c) EMR_EXT(1u << (c))
#define M2M_RD_NORMAL EMR_UMASK(0x01)
#define M2M_RD_ISOCH EMR_UMASK(0x02)
#define M2M_RD_ALL EMR_UMASK(0x04)
#define M2M_RD_DDR_AS_MEM EMR_UMASK(0x08)
/* IMC_WRITES (2-269) */
#define M2M_WR_CH(c) EMR_EXT(0x08u << (c))
#define M2M_WR_FROM_TGR EMR_EXT(0x01)
#define M2M_WR_NI EMR_EXT(0x02)
#define M2M_WR_NI_MISS EMR_EXT(0x04)
#define M2M_WR_FULL EMR_UMASK(0x01)
#define M2M_WR_PARTIAL EMR_UMASK(0x02)
#define M2M_WR_ALL EMR_UMASK(0x10)
#define M2M_WR_DDR_AS_MEM EMR_UMASK(0x20)
/* DIRECTORY_LOOKUP (2-259): ANY always, and the state found */
#define M2M_DIR_ANY EMR_UMASK(0x01)
#define M2M_DIR_I EMR_UMASK(0x02)
#define M2M_DIR_S EMR_UMASK(0x04)
#define M2M_DIR_A EMR_UMASK(0x08)
/* DIRECTORY_UPDATE (2-261): ANY always, the change, and whether near memory hit (1LM: always a hit) */
#define M2M_DIRU_HIT EMR_EXT(0x01)
#define M2M_DIRU_MISS EMR_EXT(0x02)
#define M2M_DIRU_ANY EMR_UMASK(0x01)
#define M2M_DIRU_I_TO_S EMR_UMASK(0x02)
#define M2M_DIRU_I_TO_A EMR_UMASK(0x04)
#define M2M_DIRU_S_TO_I EMR_UMASK(0x08)
#define M2M_DIRU_S_TO_A EMR_UMASK(0x10)
#define M2M_DIRU_A_TO_I EMR_UMASK(0x20)
#define M2M_DIRU_A_TO_S EMR_UMASK(0x40)
/* PREFCAM_DEALLOCS (2-271): causes, beside them the channel in the extension. PREFCAM_DROP_REASONS (2-273, 2-274),
 * PREFCAM_DEMAND_NO_MERGE (event files), PREFCAM_RxC_DEALLOCS (2-276): one cause. */
enum {
  PREFCAM_PORT = 0x01,
  PREFCAM_MISS = 0x04,
  PREFCAM_NOT_ANSWERED = 0x08,
  PREFCAM_NOT_SENT = 0x10,
  PREFCAM_PENDING = 0x20
};
#define PREFCAM_RPQ EMR_EXT(0x01)
#define PREFCAM_XPT_THRESHOLD EMR_EXT(0x02)
#define PREFCAM_UPI_THRESHOLD EMR_EXT(0x04)
#define PREFCAM_HIT EMR_UMASK(0x04)
#define PREFCAM_BACK_TO_BACK EMR_UMASK(0x08)
#define PREFCAM_NO_INGRESS EMR_UMASK(0x20)
#define PREFCAM_FULL EMR_UMASK(0x40)
#define PREFCAM_WPQ EMR_UMASK(0x80)
#define PREFCAM_WR_SQUASHED EMR_UMASK(0x10)
#define PREFCAM_WR_MERGED EMR_UMASK(0x20)
#define PREFCAM_RD_MERGED EMR_UMASK(0x40)
#define PREFCAM_RXC_SQUASHED EMR_UMASK(0x01)
#define PREFCAM_RXC_POSTED EMR_UMASK(0x02)
#define M2M_MESH EMR_EXT(0x800000) /* mesh-stop events at the M2M carry bit 55 */

/* ---- UPI link layer, Table 2-215 ---- */
enum emr_upi_event {
  UPI_TXL_FLITS = 0x02,
  UPI_RXL_FLITS = 0x03,
  UPI_TXL_BASIC_HDR_MATCH = 0x04,
  UPI_RXL_BASIC_HDR_MATCH = 0x05,
  UPI_RXL_CRC_LLR_REQ_TRANSMIT = 0x08,
  UPI_RXL_CRC_ERRORS = 0x0b,
  UPI_DIRECT_ATTEMPTS = 0x12,
  UPI_PHY_INIT_CYCLES = 0x20,
  UPI_L1_POWER_CYCLES = 0x21,
  UPI_POWER_L1_REQ = 0x22,
  UPI_RXL0_POWER_CYCLES = 0x24,
  UPI_RXL0P_POWER_CYCLES = 0x25,
  UPI_TXL0_POWER_CYCLES = 0x26,
  UPI_TXL0P_POWER_CYCLES = 0x27,
  UPI_RXL_INSERTS = 0x30,
  UPI_RXL_BYPASSED = 0x31,
  UPI_RXL_OCCUPANCY = 0x32,
  UPI_RXL_CREDITS_CONSUMED_VNA = 0x38,
  UPI_RXL_CREDITS_CONSUMED_VN0 = 0x39,
  UPI_TXL_INSERTS = 0x40,
  UPI_TXL_BYPASSED = 0x41,
  UPI_TXL_OCCUPANCY = 0x42,
  UPI_POWER_L1_NACK = 0x23,
  UPI_TXL0P_LL_ENTER = 0x28,
  UPI_TXL0P_M3_EXIT = 0x29,
  UPI_TXL0P_CLK_ACTIVE = 0x2a,
  UPI_VNA_CREDIT_RETURN_OCCUPANCY = 0x44,
  UPI_TXL_ANY_FLITS = 0x4a,
  UPI_RXL_ANY_FLITS = 0x4b
};
/* TxL_FLITS, RxL_FLITS (2-230, 2-224): one type, and the slots it takes. A report of one whole data flit is
 * FLIT_DATA | FLIT_SLOTS with n = 1: the matcher multiplies by the slots that the counter wants. */
#define FLIT_SLOT(s) EMR_UMASK(0x01u << (s))
#define FLIT_SLOTS EMR_UMASK(0x07)
#define FLIT_DATA EMR_UMASK(0x08)
#define FLIT_LLCRD EMR_UMASK(0x10) /* slot 2 only */
#define FLIT_NULL EMR_UMASK(0x20)
#define FLIT_LLCTRL EMR_UMASK(0x40) /* slot 0 only: idle */
#define FLIT_PROTHDR EMR_UMASK(0x80)
/* RxL_INSERTS, _BYPASSED, _OCCUPANCY: one bit a slot, FLIT_SLOT(). */
/* BASIC_HDR_MATCH (2-229, 2-222): class and opcode of Tables 3-6, 3-7 */
enum emr_upi_class { UPI_REQ = 0, UPI_SNP = 1, UPI_RSP2 = 2, UPI_RSP4 = 4, UPI_WB = 5, UPI_NCB = 6, UPI_NCS = 7 };
#define HDR_CLASS(c) EMR_UMASK(0x08u | (c))
#define HDR_OPCODE(o) EMR_UMASK((uint64_t)((o)&0xfu) << 4)
#define HDR_MATCH_OPC EMR_EXT(0x01) /* in a control register: compare the opcode too */

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
/* Free-running counters of a stack (2.4.2.1): index for block_free_*(). */
enum emr_iio_free { IIO_FREE_IOCLK = 0, IIO_FREE_BW_IN = 1, IIO_FREE_BW_OUT = 9, IIO_FREE_N = 17 };

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

/* ---- M2PCIe, Table 2-333; M3UPI, Table 2-367 ---- */
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
enum emr_m3upi_event {
  M3UPI_TXC_AD_FLQ_INSERTS = 0x2d,
  M3UPI_TXC_BL_FLQ_INSERTS = 0x2e,
  M3UPI_RXC_INSERTS_VN0 = 0x41,
  M3UPI_TXC_AD_FLQ_OCCUPANCY = 0x1c,
  M3UPI_TXC_BL_FLQ_OCCUPANCY = 0x1d,
  M3UPI_RXC_HDR_FLITS_SENT = 0x54,
  M3UPI_XPT_PFTCH = 0x61,
  M3UPI_UPI_PREFETCH_SPAWN = 0x29
};
/* XPT_PFTCH (2-418) */
#define XPT_PFTCH_ARRIVED EMR_UMASK(0x01)
#define XPT_PFTCH_BYPASS EMR_UMASK(0x02)
#define XPT_PFTCH_ASKS EMR_UMASK(0x04 | 0x08) /* asks the arbiter, and loses to what the link sends */
#define XPT_PFTCH_FLITTED EMR_UMASK(0x10)
#define XPT_PFTCH_LOST_OLD EMR_UMASK(0x20)
#define XPT_PFTCH_LOST_FULL EMR_UMASK(0x40)

/* ---- PCU, Table 2-421: levels and pulses without umask ---- */
enum emr_pcu_event {
  PCU_FREQ_MAX_LIMIT_THERMAL_CYCLES = 0x04,
  PCU_FREQ_MAX_POWER_CYCLES = 0x05,
  PCU_PMAX_THROTTLED_CYCLES = 0x06,
  PCU_PROCHOT_INTERNAL_CYCLES = 0x09,
  PCU_PROCHOT_EXTERNAL_CYCLES = 0x0a,
  PCU_PKG_RESIDENCY_C0_CYCLES = 0x2a,
  PCU_PKG_RESIDENCY_C2E_CYCLES = 0x2b,
  PCU_PKG_RESIDENCY_C6_CYCLES = 0x2d,
  PCU_MEMORY_PHASE_SHEDDING_CYCLES = 0x2f,
  PCU_DEMOTIONS = 0x30,
  PCU_POWER_STATE_OCCUPANCY_CORES_C0 = 0x35,
  PCU_POWER_STATE_OCCUPANCY_CORES_C3 = 0x36,
  PCU_POWER_STATE_OCCUPANCY_CORES_C6 = 0x37,
  PCU_VR_HOT_CYCLES = 0x42,
  PCU_CORE_TRANSITION_CYCLES = 0x60,
  PCU_TOTAL_TRANSITION_CYCLES = 0x72,
  PCU_FREQ_MIN_IO_P_CYCLES = 0x73,
  PCU_FREQ_TRANS_CYCLES = 0x74,
  PCU_HOT_CORE = 0x1f,
  PCU_THERMTHROT_CORE = 0x19,
  PCU_FIVR_PS_PS0_CYCLES = 0x75,
  PCU_FIVR_PS_PS1_CYCLES = 0x76,
  PCU_FIVR_PS_PS2_CYCLES = 0x77,
  PCU_FIVR_PS_PS3_CYCLES = 0x78
};

#endif
