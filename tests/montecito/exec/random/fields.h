/* SPDX-License-Identifier: MIT */
/* Random fields of instructions, so that those of a bundle do not depend on each other. */
#ifndef TESTS_MONTECITO_EXEC_RANDOM_FIELDS_H
#define TESTS_MONTECITO_EXEC_RANDOM_FIELDS_H

#include "tests/montecito/exec/random/random.h"

/* Registers that structure the program; random instructions only read them. */
enum {
  REG_CHECKED = 6,    /* between an advanced load and its check */
  REG_CHECKED_AT = 8, /* its address */
  REG_POINTER = 9,    /* and 10, 11: addresses */
  REG_STACK = 12,
  REG_COUNT = 20,  /* counter of while loops */
  PRED_VALID = 14, /* a register is not NaT */
  PRED_WHILE = 15
};

/* Registers that a bundle's instructions read and write. */
struct uses {
  uint64_t gr_read[2], gr_written[2], fr_read[2], fr_written[2], pr_read, pr_written;
  unsigned other_read, other_written;
};

struct frame {
  unsigned sof, sol, sor;
};
/* Registers in which the frame's function saves ar.pfs and b0. */
static inline unsigned frame_pfs(const struct frame *f)
{
  return 32 + f->sor;
}
static inline unsigned frame_b0(const struct frame *f)
{
  return 33 + f->sor;
}

uint64_t next_random(uint64_t *state);
unsigned random_below(uint64_t *state, unsigned n);
unsigned random_source(uint64_t *state, const struct frame *f);
unsigned random_target(uint64_t *state, const struct frame *f);
/* Fills a row's fields at random. Immediates and positions are in their ranges, branches have no target. */
struct insn random_fields(uint64_t *state, const struct frame *f, const struct row *row);
int64_t random_word(uint64_t *state);

/* Adds the registers that an instruction uses; false: it depends on an earlier one. */
bool uses_add(struct uses *u, const struct insn *v);

#endif
