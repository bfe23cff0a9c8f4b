/* SPDX-License-Identifier: MIT */
/* Decoded code: each bundle's instructions with their functions, and the record that the pipeline gets of it. */
#ifndef MACHINE_MONTECITO_EXEC_CODE_H
#define MACHINE_MONTECITO_EXEC_CODE_H

#include "machine/montecito/exec/cpu.h"

enum { EXEC_PAGE_BUNDLES = EXEC_PAGE_BYTES / 16 };

/* Issue ports that a bundle needs (Tables 2-4 to 2-7). */
struct exec_ports {
  uint8_t m, loads, stores, i, f, b, any; /* any: ALU instructions, for ports M and I */
};

struct exec_bundle {
  bool valid;
  uint8_t stops;  /* bit n: after slot n */
  uint8_t always; /* bit n: slot n executes whatever its predicate is */
  uint8_t clears; /* bit n: slot n clears its predicates when it is predicated off (.unc) */
  struct exec_ports ports;
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

/* The function of an operation. */
exec_fn *exec_function_of(unsigned operation);

#endif
