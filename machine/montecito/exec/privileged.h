/* SPDX-License-Identifier: MIT */
/* The system level of the architecture (manual, volume 2): interruptions and translations. Private to
 * machine/montecito/exec/. */
#ifndef MACHINE_MONTECITO_EXEC_PRIVILEGED_H
#define MACHINE_MONTECITO_EXEC_PRIVILEGED_H

#include "machine/montecito/exec/cpu.h"

enum {
  PSR_DT_BIT = 17,
  PSR_RI_SHIFT = 41,
  PSR_BN_BIT = 44,
  VECTOR_VHPT = 0x0000,
  VECTOR_ITLB = 0x0400,
  VECTOR_DTLB = 0x0800,
  VECTOR_ALTERNATE_ITLB = 0x0c00,
  VECTOR_ALTERNATE_DTLB = 0x1000,
  VECTOR_KEY_MISS = 0x1c00,
  VECTOR_BREAK = 0x2c00,
  VECTOR_EXTERNAL = 0x3000,
  VECTOR_NOT_PRESENT = 0x5000,
  VECTOR_KEY = 0x5100,
  VECTOR_CODE_RIGHTS = 0x5200,
  VECTOR_DATA_RIGHTS = 0x5300,
  VECTOR_GENERAL = 0x5400,
  VECTOR_NAT = 0x5600,
  VECTOR_DEBUG = 0x5900,
  VECTOR_UNALIGNED = 0x5a00,
  VECTOR_ATTRIBUTE = 0x5b00,
  VECTOR_FP = 0x5c00
};
/* Physical addresses of the device that copies memory, and of the ports, above all addresses of memory. */
#define EXEC_DEVICE_BASE UINT64_C(0x3fffffb000000)
#define EXEC_PORTS_BASE UINT64_C(0x3fffffc000000)

/* interruption.c: sets PSR, which the machine gets after the bundle. */
void exec_set_psr(struct exec_cpu *c, uint64_t psr);
/* Delivers the fault to the program's handler, where *c then is. False: the program has no table of vectors, or PSR.ic
 * is 0; the fault remains. write: the access was a store. */
bool exec_deliver_fault(struct exec_cpu *c, bool write);
/* Delivers an interrupt of the monitors or the timer between two bundles. False: there is none to accept. */
bool exec_deliver_interrupt(struct exec_cpu *c);
/* True if the interval timer has reached cr.itm and cr.itv does not mask it. */
bool exec_timer_is_due(const struct exec_cpu *c);

/* translate.c: walks the VHPT for an address that no page maps; the result. */
enum exec_walk { WALK_FOUND, WALK_MISS, WALK_OFF, WALK_TABLE, WALK_ABSENT };
unsigned exec_walk(struct exec_cpu *c, uint64_t address);
bool exec_walk_is_on(const struct exec_cpu *c, uint64_t address);
/* guard.c: finds the key of a page that the program's translations map. False: none maps it. */
bool exec_key_of(const struct exec_cpu *c, uint64_t address, uint32_t *ret_key);
extern exec_fn *const exec_translate[EXEC_OPERATIONS];
extern exec_fn *const exec_privileged[EXEC_OPERATIONS];

/* Moves to and from PSR, and from indirect registers. */
void exec_psr_to(struct exec_cpu *c, const struct exec_instruction *v);
void exec_psr_from(struct exec_cpu *c, const struct exec_instruction *v);
void exec_indirect_from(struct exec_cpu *c, const struct exec_instruction *v);
/* firmware.c: performs the PAL call whose number is in r28. */
void exec_firmware_call(struct exec_cpu *c, struct montecito_slot *s);

/* True if the instruction may execute; else a fault is set. */
bool exec_is_privileged(struct exec_cpu *c);

#endif
