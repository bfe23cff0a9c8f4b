/* SPDX-License-Identifier: MIT */
/* Bits of the PMC and PMD registers (Tables 3-6 to 3-33). */
#ifndef MACHINE_MONTECITO_MONITORS_FIELDS_H
#define MACHINE_MONTECITO_MONITORS_FIELDS_H

#include <stdint.h>

enum { MONTECITO_FIRST_BANKED = 10 };

enum {
  CTL_PLM = 0xf,
  CTL_EV = 1 << 4,
  CTL_OI = 1 << 5,
  CTL_PM = 1 << 6,
  CTL_ES_SHIFT = 8,
  CTL_UMASK_SHIFT = 16,
  CTL_THRESHOLD_SHIFT = 20,
  CTL_ISM_SHIFT = 24,
  CTL_ALL = 1 << 26,
  CTL_MESI_SHIFT = 27,
  PMC0_FR = 1
};
#define COUNTER_OV (UINT64_C(1) << 47)

/* PMC32, and PMC34 except for the last two fields. */
#define OPCODE_BITS ((UINT64_C(1) << 41) - 1)
#define OPCODE_B (UINT64_C(1) << 48)
#define OPCODE_F (UINT64_C(1) << 49)
#define OPCODE_I (UINT64_C(1) << 50)
#define OPCODE_M (UINT64_C(1) << 51)
#define OPCODE_INV (UINT64_C(1) << 56)
#define OPCODE_IG_AD (UINT64_C(1) << 57)
/* PMC38: bit 3 * n + 1 ignores range n. */
#define IRANGE_IGNORE(n) (UINT64_C(1) << (3 * (n) + 1))
#define IRANGE_FINE (UINT64_C(1) << 13)
/* PMC41 */
enum { DRANGE_ENABLE_SHIFT = 45 };
#define DRANGE_CONFIG(pmc41, n) ((pmc41) >> (8 * (n) + 3) & 3)
#define DRANGE_ENABLED(pmc41, n) ((pmc41) >> (DRANGE_ENABLE_SHIFT + (n)) & 1)
enum { DTAG_ALL = 0, DTAG_CODE = 1, DTAG_DATA = 2, DTAG_NONE = 3 };

/* PMC37, PMC40, PMC39, PMC42 */
enum {
  IEAR_PM = 1 << 4,
  IEAR_UMASK_SHIFT = 5,
  IEAR_OFF = 1 << 12,
  IEAR_CACHE = 1 << 13,
  DEAR_MODE_SHIFT = 7,
  DEAR_UMASK_SHIFT = 16,
  ETB_DS = 1 << 7,
  ETB_TM_SHIFT = 8,
  ETB_PTM_SHIFT = 10,
  ETB_PPM_SHIFT = 12,
  ETB_BRT_SHIFT = 14,
  IPEAR_MODE_SHIFT = 8,
  IPEAR_DELAY_SHIFT = 11
};
/* PMD33, PMD35, PMD36, PMD38 */
enum {
  DEAR_STAT_SHIFT = 14,
  DEAR_OVERFLOW = 1 << 13,
  DEAR_LATENCY_MASK = 0x1fff,
  IEAR_OVERFLOW = 1 << 12,
  IEAR_LATENCY_MASK = 0xfff,
  DEAR_VL = 8,
  DEAR_BN = 4,
  ETB_FULL = 1 << 5,
  ETB_EBI = 0xf
};

#endif
