/* SPDX-License-Identifier: MIT */
/* Event codes and attributes of the CHA: TOR, look-ups, victims, snoops, requests. attr.h describes `attr`. */
#ifndef MACHINE_EMR_ATTR_CHA_H
#define MACHINE_EMR_ATTR_CHA_H

#include "machine/emr/attr_bits.h"

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
/* ... and the entry's properties (Table 2-73; loc and rem as in Table 2-124, the only decoding of their values that
 * is consistent). A report sets one of hit and miss, one of loc and rem, one target, and TOR_OPC(). */
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

/* Opcodes of TOR entries: IRQ (Table 3-1), IPQ (3-3), RRQ (3-4), WBQ (3-5). */
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
  OPC_RRQ_INVITOM = 0x50f,
  OPC_RRQ_RDINV = 0x50c,
  OPC_WBQ_WBMTOI = 0x400,
  OPC_WBQ_WBMTOS = 0x401,
  OPC_WBQ_WBMTOE = 0x402,
  OPC_WBQ_WBMTOIPTL = 0x404,
  OPC_WBQ_WBPUSHMTOI = 0x408,
  OPC_WBQ_EVCTCLN = 0x40c,
  OPC_WBQ_NONSNPRD = 0x40d
};

/* Thread IDs of sources that are not cores (2.2.2.2, Table 2-75). The guide does not list their core IDs: these are the
 * model's own, above all possible core IDs. */
enum { EMR_TID_STACK = 0x7e << 3, EMR_TID_LINK = 0x7f << 3 };

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
#define LLC_LOCAL EMR_EXT(1u << 6)           /* requested by this socket, prefetches included */
#define LLC_LLCPREF EMR_EXT(1u << 7)         /* ... namely by an LLC prefetch (set together with LOCAL) */
#define LLC_COREPREF EMR_EXT(1u << 8)        /* ... namely by a core's prefetcher (set together with LOCAL) */
#define LLC_REMOTE_NONSNOOP EMR_EXT(1u << 9) /* bits 41 and 42 as in Table 2-89, not 2-74 */
#define LLC_REMOTE_SNOOP EMR_EXT(1u << 10)
#define LLC_HOM_LOCAL EMR_EXT(1u << 11)
#define LLC_HOM_REMOTE EMR_EXT(1u << 12)
#define LLC_IIO_PORT(p) EMR_EXT(1u << (13 + (p))) /* 0..11 */

/* LLC_VICTIMS (Table 2-90): state, cause, home of the line. */
#define VICTIM_M EMR_UMASK(0x01)
#define VICTIM_E EMR_UMASK(0x02)
#define VICTIM_S EMR_UMASK(0x04)
#define VICTIM_F EMR_UMASK(0x08)
#define VICTIM_IO EMR_UMASK(0x10)
#define VICTIM_IA EMR_UMASK(0x20)
#define VICTIM_LOCAL EMR_EXT(0x20)
#define VICTIM_REMOTE EMR_EXT(0x80)
/* CORE_SNP: the cause of the CHA's snoop, and whether it snooped one core or several */
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

#endif
