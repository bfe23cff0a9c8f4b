/* SPDX-License-Identifier: MIT */
/*
 * Rows of the instruction tables: the fixed bits of an encoding, its text, and its operation. One table a unit:
 * table_a.inc, table_i.inc, table_m.inc, table_b.inc, table_f.inc, table_x.inc.
 *
 * In the text, % begins an operand or a completer:
 *   1 2 3     general registers in bits 12:6, 19:13, 26:20      a b c d  floating-point: 12:6, 19:13, 26:20, 33:27
 *   p q       predicates in bits 11:6, 32:27                    j k      branch registers in bits 8:6, 15:13
 *   A C       application and control register in bits 26:20    R        p1 or p2 of a plain comparison
 *   i x       the immediate, decimal and hexadecimal            t g      target of a branch, tag of a prediction
 *   m l       position and length of a bit field                h        hint of loads, stores and lfetch
 *   s         status field                                      w P D    branch hints: whether, prefetch, deallocate
 *   I         importance of a prediction                   T        tag of a move to a branch register
 */
#ifndef MACHINE_MONTECITO_EXEC_ROW_H
#define MACHINE_MONTECITO_EXEC_ROW_H

#include <stdint.h>

enum exec_immediate {
  IMM_NONE,
  IMM_8,
  IMM_14,
  IMM_22,
  IMM_9_LOAD,  /* increment of a load */
  IMM_9_STORE, /* increment of a store */
  IMM_21,
  IMM_24,
  IMM_44,
  IMM_MASK17,
  IMM_COUNT2,  /* 28:27, plus one */
  IMM_SHIFT16, /* 31:30 of pmpyshr2: 0, 7, 15, 16 */
  IMM_POS6,    /* 19:14 */
  IMM_POS5_TF, /* 18:14, plus 32 */
  IMM_COUNT6,  /* 32:27 */
  IMM_COUNT5,  /* 18:14 */
  IMM_COUNT5C, /* 24:20, complemented */
  IMM_EXTR,    /* pos 19:14, len 32:27 */
  IMM_DEP_Z,   /* pos 25:20, complemented, len 32:27 */
  IMM_DEP_Z8,  /* the same and imm8 */
  IMM_DEP1,    /* pos 19:14 complemented, len 32:27, bit 36 */
  IMM_DEP,     /* pos 36:31 complemented, len 30:27 */
  IMM_MBTYPE,  /* 23:20 */
  IMM_MHTYPE,  /* 27:20 */
  IMM_INC3,    /* of fetchadd */
  IMM_PAIR,    /* increment of ldfp: 8 or 16 */
  IMM_2,       /* 14:13 */
  IMM_ALLOC,   /* sof 19:13, sol 26:20, sor 30:27 */
  IMM_BRANCH,  /* target 36, 32:13 */
  IMM_CHECK,   /* target 36, 32:20, 12:6 */
  IMM_BRP,     /* target 36, 32:13, tag 35, 12:6 */
  IMM_BRP_TAG, /* tag 35, 12:6 */
  IMM_MOV_BR,  /* tag 32:24 */
  IMM_FCHKF,   /* target 36, 25:6 */
  IMM_FCLASS,
  IMM_FSETC,
  IMM_62, /* break.x, nop.x */
  IMM_64, /* movl */
  IMM_60  /* brl */
};

/* Conditions of alternative texts. */
enum exec_condition { WHEN_ALWAYS, WHEN_SAME_23, WHEN_SHIFT_LEFT, WHEN_SHIFT_RIGHT };

struct exec_row {
  uint64_t value, mask;
  const char *text;
  uint8_t operation, sub, immediate, condition; /* the enums above and in operations.h */
};

#define BITS(high, low) (((UINT64_C(1) << ((high) - (low) + 1)) - 1) << (low))
#define AT(value, low) ((uint64_t)(value) << (low))
#define OPCODE(n) AT(n, 37)
#define OPCODE_MASK BITS(40, 37)

#endif
