/* SPDX-License-Identifier: MIT */
/* Decoded code: each bundle's instructions with the functions that execute them, and the bundle's record for the
 * pipeline. */
#ifndef MACHINE_MONTECITO_EXEC_CODE_H
#define MACHINE_MONTECITO_EXEC_CODE_H

#include "machine/montecito/exec/cpu.h"

enum { EXEC_PAGE_BUNDLES = EXEC_PAGE_BYTES / 16 };

struct exec_bundle {
  bool valid;
  uint8_t stops;     /* bit n: after slot n */
  uint8_t always;    /* bit n: slot n executes regardless of its predicate */
  uint8_t clears;    /* bit n: slot n clears its predicates when it is predicated off (.unc) */
  uint8_t moves;     /* bit n: the registers of slot n depend on the frame or on rotation */
  bool serial;       /* accesses state of the machine or of the environment: never executed ahead of time */
  uint64_t ports[3]; /* of each slot; exec_ports_suffice() checks their sum */
  uint64_t all_ports, last_ports; /* sums: of all slots; of the bundle's last cycle, if the bundle begins a cycle */
  uint8_t splits;                 /* TIMING_SPLIT_0, TIMING_SPLIT_1: splits for lack of ports, if the bundle begins a
                                   * cycle */
  struct exec_instruction v[3];
  exec_fn *fn[3];
  struct montecito_bundle record;
};

struct exec_code {
  struct exec_bundle bundle[EXEC_PAGE_BUNDLES];
};

/* Returns the decoded bundle at an address. NULL, with a fault set: there is no code at the address, or no memory to
 * decode it. */
const struct exec_bundle *exec_code_load(struct exec_cpu *c, uint64_t ip); /* it is on another page, or not decoded */
static inline const struct exec_bundle *exec_code_at(struct exec_cpu *c, uint64_t ip)
{
  if (c->code_page && c->code_page->number == ip >> EXEC_PAGE_SHIFT) {
    const struct exec_bundle *b = &c->code_page->code->bundle[ip % EXEC_PAGE_BYTES / 16];
    if (b->valid)
      return b;
  }
  return exec_code_load(c, ip);
}

/* Sets of issue ports (Tables 2-4 to 2-7), four bits of a sum each: an instruction counts in each set that contains its
 * own ports. */
enum { P_M0, P_M2, P_M01, P_M23, P_M, P_I0, P_I, P_MI, P_F, P_B };
#define IN(set) (UINT64_C(1) << 4 * (set))
uint64_t exec_ports_of(const struct exec_instruction *v, unsigned unit, const struct montecito_slot *s); /* depend.c */

/* True if the ports suffice for instructions with this sum. */
static inline bool exec_ports_suffice(uint64_t ports)
{
  /* Added to the count of a set that is just full, the bias leaves the top bit of the set's four clear. */
  const uint64_t bias = 6 * IN(P_M0) + 6 * IN(P_M2) + 5 * IN(P_M01) + 5 * IN(P_M23) + 3 * IN(P_M) + 6 * IN(P_I0) +
                        5 * IN(P_I) + 1 * IN(P_MI) + 5 * IN(P_F) + 4 * IN(P_B);
  return !((ports + bias) & UINT64_C(0x8888888888));
}

/* depend.c */
/* exec_uses_of(): the registers that an instruction reads and writes. exec_uses_move(): true if the place of one
 * depends on the frame or on rotation. exec_uses_place(): replaces the registers' numbers by their places in the
 * register files. */
void exec_uses_of(const struct exec_instruction *v, struct montecito_dependences *ret);
bool exec_uses_move(const struct montecito_dependences *u);
void exec_uses_place(const struct exec_cpu *c, struct montecito_dependences *u);

/* Returns the function that executes an operation. */
exec_fn *exec_function_of(unsigned operation);

#endif
