/* SPDX-License-Identifier: MIT */
/* Decodes bundles and instructions of the Itanium architecture, and formats them as objdump does. */
#ifndef MACHINE_MONTECITO_EXEC_DECODE_H
#define MACHINE_MONTECITO_EXEC_DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct exec_row; /* row.h */

enum exec_unit { UNIT_NONE, UNIT_M, UNIT_I, UNIT_F, UNIT_B, UNIT_L, UNIT_X, UNIT_N };

/* A bundle's template: the units of its slots, and the slots after which an instruction group ends. */
struct exec_template {
  uint8_t unit[3]; /* enum exec_unit; UNIT_NONE: the template is reserved */
  uint8_t stops;   /* bit n: after slot n */
};
extern const struct exec_template exec_templates[32];

struct exec_instruction {
  const struct exec_row *row;
  int64_t imm; /* the immediate; for branches and checks the displacement in bytes */
  uint8_t operation, sub, qp, r1, r2, r3, r4, p1, p2, pos, len;
};

/* Returns the 41 bits of slot n of a bundle. */
uint64_t exec_slot_bits(const uint64_t bundle[2], unsigned n);

/* Decodes an instruction. `long_bits` is the L slot of an X instruction, else 0. False: no instruction has this
 * encoding; *ret then is EXEC_ILLEGAL. */
bool exec_decode(unsigned unit, uint64_t bits, uint64_t long_bits, struct exec_instruction *ret);

/* Writes the instruction as text, with its predicate. `ip` is the address of its bundle, for branch targets. */
void exec_disassemble(const struct exec_instruction *v, uint64_t bits, uint64_t ip, char *text, size_t text_size);

/* Returns the rows of a unit, for tests. */
const struct exec_row *exec_rows(unsigned unit, size_t *ret_n);

#endif
