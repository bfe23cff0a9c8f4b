/* SPDX-License-Identifier: MIT */
/* The monitors of a thread besides its counters: registers and their rules, tags, event address registers, the trace
 * buffer, interrupts. */
#ifndef MACHINE_MONTECITO_MONITORS_MONITORS_H
#define MACHINE_MONTECITO_MONITORS_MONITORS_H

#include "machine/montecito/core/state.h"

/* expect.c */
int montecito_check_expectation(struct montecito_machine *m, const struct montecito_record *r);

/* interrupts.c: to be called after an overflow and after a change of the interrupt masks; `passed`: cycles since
 * then. */
void montecito_interrupt_check(struct montecito_core *c, unsigned thread, uint64_t passed);

/* registers.c, rules.c */
void montecito_registers_reset(struct montecito_thread *t);
/* Of a PMC: bits that software must not change; its reset value; writable bits (0: no such register). Of a PMD:
 * writable bits. */
uint64_t pmc_fixed(unsigned n);
uint64_t pmc_reset(unsigned n);
uint64_t pmc_bits(unsigned n);
uint64_t pmd_bits(unsigned n);
void montecito_violation_add(struct montecito_machine *m, unsigned thread, struct machine_violation v);
void rules_check_write(struct montecito_machine *m, unsigned thread, const struct pmon_address *a, uint64_t value);
void rules_check_thread(struct montecito_core *c, unsigned thread);
void rules_check_banked(struct montecito_core *c, unsigned thread);
/* True if the set rules are satisfied; the effective umask, and the effective .all. */
bool counter_selected(const struct montecito_thread *t, unsigned counter);
unsigned counter_umask(const struct montecito_thread *t, unsigned counter);
bool counter_all(const struct montecito_thread *t, unsigned counter);

/* qualify.c: the tags of an instruction. The data address affects the tags of the memory pipeline. */
void filters_prepare(struct montecito_thread *t);
uint8_t tags_filtered(const struct montecito_thread *t, uint64_t ip);
/* The tags before dispersal: NEED_IAR, NEED_IAR1. */
static inline uint8_t tags_fetch(const struct montecito_thread *t, uint64_t ip)
{
  return t->filters.trivial ? TAGS_ALL : tags_filtered(t, ip);
}
/* The four tag channels (bit n); NEED_TAG depends on channel 0. */
uint8_t tags_channels(const struct montecito_thread *t, uint64_t ip, const struct montecito_slot *s);
uint8_t tags_slot(const struct montecito_thread *t, uint64_t ip, const struct montecito_slot *s, uint8_t channels);
/* Bit n: pair n matches the address; the r and w bits are not checked. */
unsigned dbr_matches(const struct montecito_thread *t, uint64_t address);
/* The tags of the VHPT walker's access for the instruction: it has another data address. */
uint8_t tags_walk(const struct montecito_thread *t, const struct montecito_instruction *v);

/* ear.c */
void dear_access(struct montecito_core *c, const struct montecito_instruction *v, const struct montecito_access *a);
void dear_alat(struct montecito_core *c, const struct montecito_instruction *v);
void dear_load_returns(struct montecito_core *c, const struct montecito_deferred *d);
void dear_rse_tlb(struct montecito_core *c, uint64_t address, unsigned served);
void iear_fetch(struct montecito_core *c, uint64_t ip, const struct montecito_access *a, bool rab);
void iear_returns(struct montecito_core *c, const struct montecito_deferred *d);

/* etb.c */
enum branch_kind { KIND_IPREL = 1, KIND_RETURN = 2, KIND_INDIRECT = 3 }; /* 0: not a branch */
struct etb_event {
  uint64_t ip;
  uint8_t slot, kind; /* enum branch_kind */
  bool taken, wrong_path, wrong_target, unknown, back_end, flushed, tagged;
};
/* A bundle begins to retire. */
void etb_retire(struct montecito_core *c, uint64_t ip);
void etb_capture(struct montecito_core *c, const struct etb_event *e);
/* At the end of each cycle in which bundles retire; for cycles without retirement, from cycle `from` on. */
void etb_cycle(struct montecito_core *c, unsigned thread, bool retired);
void etb_pass(struct montecito_core *c, unsigned thread, uint64_t from, uint64_t cycles);
/* PSR has changed, or the thread was switched out. */
void etb_disturbed(struct montecito_core *c, unsigned thread);
/* `passed`: cycles since the freeze. */
void etb_frozen(struct montecito_core *c, unsigned thread, uint64_t passed);

#endif
