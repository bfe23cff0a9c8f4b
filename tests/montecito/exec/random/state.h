/* SPDX-License-Identifier: MIT */
/* The second interpreter's own functions: registers by their names in an instruction. */
#ifndef TESTS_MONTECITO_EXEC_RANDOM_STATE_H
#define TESTS_MONTECITO_EXEC_RANDOM_STATE_H

#include "tests/montecito/exec/random/random.h"

void sim_gr_set(struct sim *s, unsigned r, uint64_t v, bool nat);
void sim_fr_set(struct sim *s, unsigned f, struct float_value x);
unsigned sim_pr_place(const struct sim *s, unsigned p);
void sim_pr_set(struct sim *s, unsigned p, bool value);
/* Returns the value of a register that must not be NaT; if it is, the program ends. */
uint64_t sim_gr_consumed(struct sim *s, unsigned r);
void sim_stop(struct sim *s, enum sim_end how);
/* Sets p1 and p2 as a comparison or test does: `how` 0 normal, 1 unc, 2 and, 3 or, 4 or.andcm. */
void sim_predicates(struct sim *s, const struct insn *v, int how, bool result, bool nat);
void sim_jump(struct sim *s, unsigned bundle);
uint64_t sim_marker(const struct sim *s);
void sim_set_marker(struct sim *s, uint64_t pfm);

extern const struct row rows_integer[], rows_parallel[], rows_memory[], rows_control[], rows_floating[],
    rows_approximate[];
extern const size_t n_rows_integer, n_rows_parallel, n_rows_memory, n_rows_control, n_rows_floating, n_rows_approximate;

/* Bits of an opcode: major opcode, and one field. */
#define MAJOR(x) ((uint64_t)(x) << 37)
#define AT(x, bit) ((uint64_t)(x) << (bit))

#endif
