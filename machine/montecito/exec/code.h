/* SPDX-License-Identifier: MIT */
/* Decoded code: each bundle's instructions with their functions, and the record that the pipeline gets of it. */
#ifndef MACHINE_MONTECITO_EXEC_CODE_H
#define MACHINE_MONTECITO_EXEC_CODE_H

#include "machine/montecito/exec/cpu.h"

enum { EXEC_PAGE_BUNDLES = EXEC_PAGE_BYTES / 16 };

struct exec_bundle {
  bool valid;
  uint8_t stops;     /* bit n: after slot n */
  uint8_t always;    /* bit n: slot n executes whatever its predicate is */
  uint8_t clears;    /* bit n: slot n clears its predicates when it is predicated off (.unc) */
  uint8_t moves;     /* bit n: the registers of slot n depend on the frame or on rotation */
  bool serial;       /* touches what the machine or the environment has: it is not executed ahead of its time */
  uint64_t ports[3]; /* of each slot: exec_ports_suffice() judges their sum */
  struct exec_instruction v[3];
  exec_fn *fn[3];
  struct montecito_bundle record;
};

struct exec_code {
  struct exec_bundle bundle[EXEC_PAGE_BUNDLES];
};

/* The bundle at an address; NULL with a fault: there is no code, or no memory for it. */
const struct exec_bundle *exec_code_at(struct exec_cpu *c, uint64_t ip);

/* Decodes a bundle of 16 bytes. */
void exec_bundle_decode(const uint64_t bits[2], struct exec_bundle *ret);

/* depend.c: issue ports by set (Tables 2-4 to 2-7); whether the ports suffice for instructions with this sum. */
uint64_t exec_ports_of(const struct exec_instruction *v, unsigned unit, const struct montecito_slot *s);
bool exec_ports_suffice(uint64_t ports);
/* The registers that an instruction reads and writes; whether their places move; their places in the registers' files
 * instead of their numbers. */
void exec_uses_of(const struct exec_instruction *v, struct montecito_dependences *ret);
bool exec_uses_move(const struct montecito_dependences *u);
void exec_uses_place(const struct exec_cpu *c, struct montecito_dependences *u);

/* The function of an operation. */
exec_fn *exec_function_of(unsigned operation);

#endif
