/* SPDX-License-Identifier: MIT */
/* Event codes and attributes of the UPI link layer and of M3UPI. attr.h describes `attr`. */
#ifndef MACHINE_EMR_ATTR_LINKS_H
#define MACHINE_EMR_ATTR_LINKS_H

#include "machine/emr/attr_bits.h"

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
/* RxL_INSERTS, _BYPASSED, _OCCUPANCY: one bit per slot, FLIT_SLOT(). */
/* BASIC_HDR_MATCH (2-229, 2-222): class and opcode of Tables 3-6, 3-7 */
enum emr_upi_class { UPI_REQ = 0, UPI_SNP = 1, UPI_RSP2 = 2, UPI_RSP4 = 4, UPI_WB = 5, UPI_NCB = 6, UPI_NCS = 7 };
#define HDR_CLASS(c) EMR_UMASK(0x08u | (c))
#define HDR_OPCODE(o) EMR_UMASK((uint64_t)((o)&0xfu) << 4)
#define HDR_MATCH_OPC EMR_EXT(0x01) /* in a control register: compare the opcode too */

/* ---- M3UPI, Table 2-367 ---- */
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
#define XPT_PFTCH_LOST_ARB EMR_UMASK(0x04 | 0x08) /* requests the arbiter and loses to the link's transmission */
#define XPT_PFTCH_FLITTED EMR_UMASK(0x10)
#define XPT_PFTCH_LOST_OLD EMR_UMASK(0x20)
#define XPT_PFTCH_LOST_FULL EMR_UMASK(0x40)

#endif
