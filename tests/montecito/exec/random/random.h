/* SPDX-License-Identifier: MIT */
/*
 * Random Itanium programs for the executor, and a second interpreter to compare it with. The interpreter follows the
 * architecture manual, volumes 1 and 3, one instruction at a time, without optimization: the register stack is one long
 * array, nothing is spilled, and advanced loads are loads. It shares no code with the executor.
 */
#ifndef TESTS_MONTECITO_EXEC_RANDOM_H
#define TESTS_MONTECITO_EXEC_RANDOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CODE_BASE UINT64_C(0x4000000000000000)
#define DATA_BASE UINT64_C(0x6000000000000000)
enum { DATA_BYTES = 1024, MOST_BUNDLES = 4000, MOST_STEPS = 20000, FUNCTIONS = 7, STACKED_ALL = 2048 };

struct insn;
struct sim;

/* The fields of an instruction, and their positions. The letters are those of the manual's formats. */
enum form {
  FORM_R3,       /* r1 = r2, r3 */
  FORM_COUNT,    /* r1 = r2, count 1 to 4, r3 */
  FORM_IMM8,     /* r1 = imm8, r3 */
  FORM_IMM14,    /* r1 = imm14, r3 */
  FORM_IMM22,    /* r1 = imm22, r3 of 0 to 3 */
  FORM_CMP,      /* p1, p2 = r2, r3 */
  FORM_CMP_ZERO, /* p1, p2 = r0, r3 */
  FORM_CMP_IMM,  /* p1, p2 = imm8, r3 */
  FORM_RIGHT,    /* r1 = r3, fixed count of 5 bits */
  FORM_LEFT,     /* r1 = r2, fixed count of 5 bits */
  FORM_R1_R3,    /* r1 = r3 */
  FORM_MUX1,
  FORM_MUX2,
  FORM_MULTIPLY, /* r1 = r2, r3, one of four counts */
  FORM_SHRP,
  FORM_EXTR,
  FORM_DEPZ,
  FORM_DEPZ_IMM,
  FORM_DEP_IMM,
  FORM_DEP,
  FORM_TBIT, /* p1, p2 = r3, pos */
  FORM_TNAT, /* p1, p2 = r3 */
  FORM_TO_BR,
  FORM_FROM_BR,
  FORM_TO_PR,
  FORM_PR_ROT,
  FORM_R1,     /* r1 = a value that the opcode names */
  FORM_TO_AR,  /* the application register is part of the bits */
  FORM_TO_EC,  /* imm8 */
  FORM_CHK_S,  /* r2, target */
  FORM_CHK_A,  /* r1, target */
  FORM_LD,     /* r1 = [r3] */
  FORM_LD_REG, /* r1 = [r3], r2 */
  FORM_LD_IMM, /* r1 = [r3], imm9 */
  FORM_ST,     /* [r3] = r2 */
  FORM_ST_IMM, /* [r3] = r2, imm9 */
  FORM_XCHG,   /* r1 = [r3], r2 */
  FORM_FETCHADD,
  FORM_ALLOC,
  FORM_BREAK,
  FORM_SETF,        /* f1 = r2 */
  FORM_GETF,        /* r1 = f2 */
  FORM_LDF,         /* f1 = [r3] */
  FORM_STF,         /* [r3] = f2 */
  FORM_F4,          /* f1 = f3, f4, f2 */
  FORM_F3,          /* f1 = f2, f3 */
  FORM_APPROXIMATE, /* f1, p2 = f2, f3; row.b: f1, p2 = f3 */
  FORM_BR,
  FORM_CALL,
  FORM_RET,
  FORM_MOVL,
  FORM_NOTHING
};

/* An instruction of the architecture: its unit (A: M or I), its bits without fields, and its implementation. `a` and
 * `b` are parameters of fn. */
struct row {
  const char *name;
  char unit;
  uint8_t form;
  uint64_t bits;
  void (*fn)(struct sim *s, const struct insn *v);
  int a, b;
};

/* An instruction with its fields. `r1` to `r4` are numbers of general, floating-point or branch registers, or unused,
 * as the form requires; `target` is the number of a bundle. */
struct insn {
  const struct row *row;
  uint8_t qp, r1, r2, r3, r4, p1, p2, pos, len;
  int64_t imm;
  unsigned target;
};

struct bundle {
  uint8_t template;
  struct insn slot[3]; /* in MLX, the second is the L slot, without a row */
};

struct program {
  struct bundle bundle[MOST_BUNDLES];
  unsigned n, function[FUNCTIONS];
  uint64_t most_steps; /* maximum of executed bundles */
  uint8_t data[DATA_BYTES];
};

/* Makes the program of a seed. */
void program_generate(struct program *p, uint64_t seed);
void bundle_encode(const struct bundle *b, unsigned number, uint64_t ret_bits[2]);

/* Return a random row that a slot of that unit ('M', 'I', 'F') can have anywhere, and a row by name. */
const struct row *row_random(char unit, uint64_t random);
const struct row *row_find(const char *name);
/* Returns a row that accesses memory, chosen by `random`. */
const struct row *row_random_access(uint64_t random);
size_t row_count(void);

enum sim_end { SIM_RUNS, SIM_BREAK, SIM_NAT, SIM_PAGE, SIM_STEPS };
struct value {
  uint64_t v;
  bool nat, undefined; /* undefined: of a frame that has just grown, or that a callee had */
};
struct float_value {
  uint64_t significand;
  uint32_t exponent;
  bool sign;
};
enum { FLOAT_INTEGER = 0x1003e, FLOAT_NATVAL = 0x1fffe, FLOAT_BIAS = 0xffff };

struct sim {
  struct value gr[32], stacked[STACKED_ALL];
  unsigned base, sof, sol, sor, rrb_gr, rrb_fr, rrb_pr;
  struct float_value fr[128];
  bool pr[64];
  uint64_t br[8], lc, ec, ccv, unat, pfs, frame_pfs;
  uint8_t data[DATA_BYTES];
  unsigned at, next; /* bundles */
  bool taken;
  enum sim_end end;
  unsigned slot; /* slot at which it ended */
  uint64_t steps, executed[256];
};

void sim_run(struct sim *s, const struct program *p);
struct value sim_gr(const struct sim *s, unsigned r);
struct float_value sim_fr(const struct sim *s, unsigned f);
unsigned sim_gr_place(const struct sim *s, unsigned r);

#endif
