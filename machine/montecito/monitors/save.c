/* SPDX-License-Identifier: MIT */
/* The register state of the cores' threads as text (docs/logs.md). */
#include <stdio.h>
#include <stdlib.h>
#include <pmon/status.h>
#include "machine/montecito/core/state.h"
#include "machine/montecito/monitors/monitors.h"
#include "machine/pmon/state_text.h"

/* Parts of a thread's state without a register number. ACTIVE: the thread is the active one of its core; PINS:
 * overflows signalled on the pin; ETB: internal state of the trace buffer. */
enum kind { KIND_PMC, KIND_PMD, KIND_STATE, KIND_ACTIVE, KIND_PINS, KIND_ETB, KIND_ETB_TARGET };
struct entry {
  enum kind kind;
  unsigned number;
};

enum { ENTRIES_MAX = PMC_N + PMD_N + MONTECITO_THREAD_REGISTERS + 8 };
/* Value of ETB: the remaining delay in the upper half, the flags in the lower half. */
enum { ETB_TARGET_PENDING = 1, ETB_FLUSHED = 2, ETB_STOPPING = 4, ETB_STOPPED = 8, ETB_REMAINING_SHIFT = 32 };

static void state_list_add(struct state_register *r, struct entry *e, uint32_t *n, struct entry what, uint64_t bits)
{
  static const char *const states[] = {"PSR", "DCR", "PMV", "TPR"};
  static const char *const names[] = {"PMC", "PMD", "", "ACTIVE", "PINS", "ETB", "ETB_TARGET"};
  struct state_register *to = &r[*n];
  const unsigned id = what.number;
  *to = (struct state_register){.bits = bits};
  if (what.kind == KIND_PMC || what.kind == KIND_PMD)
    snprintf(to->name, sizeof to->name, "%s%u", names[what.kind], id);
  else if (what.kind != KIND_STATE)
    snprintf(to->name, sizeof to->name, "%s", names[what.kind]);
  else if (id < MONTECITO_IBR)
    snprintf(to->name, sizeof to->name, "%s", states[id]);
  else
    snprintf(to->name, sizeof to->name, "%s%u", id < MONTECITO_DBR ? "IBR" : "DBR",
             id - (id < MONTECITO_DBR ? MONTECITO_IBR : MONTECITO_DBR));
  e[(*n)++] = what;
}

/* Lists the registers of a thread in the order of the text; returns their number. */
static uint32_t state_list_registers(struct state_register *r, struct entry *e)
{
  uint32_t n = 0;
  uint64_t bits;
  for (unsigned i = 0; i < MONTECITO_THREAD_REGISTERS; i++)
    state_list_add(r, e, &n, (struct entry){KIND_STATE, i}, UINT64_MAX);
  for (unsigned i = 0; i < PMC_N; i++)
    if ((bits = pmc_bits(i)) != 0)
      state_list_add(r, e, &n, (struct entry){KIND_PMC, i}, bits);
  for (unsigned i = 0; i < PMD_N; i++)
    if ((bits = pmd_bits(i)) != 0)
      state_list_add(r, e, &n, (struct entry){KIND_PMD, i}, bits);
  state_list_add(r, e, &n, (struct entry){KIND_ACTIVE, 0}, 1);
  state_list_add(r, e, &n, (struct entry){KIND_PINS, 0}, UINT64_MAX);
  state_list_add(r, e, &n, (struct entry){KIND_ETB, 0}, UINT64_C(0xff) << ETB_REMAINING_SHIFT | 0xf);
  state_list_add(r, e, &n, (struct entry){KIND_ETB_TARGET, 0}, UINT64_MAX);
  return n;
}

static uint64_t state_entry_get(const struct montecito_machine *m, unsigned thread, const struct entry *e)
{
  const struct montecito_thread *t = &m->threads[thread];
  const struct montecito_etb *b = &t->etb;
  switch (e->kind) {
  case KIND_PMC: return t->pmc[e->number];
  case KIND_PMD: return t->pmd[e->number];
  case KIND_STATE: return t->state[e->number];
  case KIND_ACTIVE: return montecito_thread_active(m, thread);
  case KIND_PINS: return t->pins;
  case KIND_ETB_TARGET: return b->target;
  case KIND_ETB: break;
  }
  return (uint64_t)b->remaining << ETB_REMAINING_SHIFT | (b->target_pending ? ETB_TARGET_PENDING : 0u) |
         (b->flushed ? ETB_FLUSHED : 0u) | (b->stopping ? ETB_STOPPING : 0u) | (b->stopped ? ETB_STOPPED : 0u);
}

static void state_entry_set(struct montecito_machine *m, unsigned thread, const struct entry *e, uint64_t value)
{
  struct montecito_thread *t = &m->threads[thread];
  t->changed = true;
  switch (e->kind) {
  case KIND_PMC: t->pmc[e->number] = value; break;
  case KIND_PMD: t->pmd[e->number] = value; break;
  case KIND_STATE: t->state[e->number] = value; break;
  case KIND_PINS: t->pins = value; break;
  case KIND_ETB_TARGET: t->etb.target = value; break;
  case KIND_ACTIVE:
    if (value)
      m->cores[thread / 2].active = thread % 2;
    break;
  case KIND_ETB:
    t->etb.remaining = (uint32_t)(value >> ETB_REMAINING_SHIFT);
    t->etb.target_pending = value & ETB_TARGET_PENDING;
    t->etb.flushed = value & ETB_FLUSHED;
    t->etb.stopping = value & ETB_STOPPING;
    t->etb.stopped = value & ETB_STOPPED;
    break;
  }
}

int montecito_machine_state_save(struct montecito_machine *m, FILE *f)
{
  struct state_register registers[ENTRIES_MAX];
  struct entry entries[ENTRIES_MAX];
  const uint32_t n = state_list_registers(registers, entries);
  montecito_machine_close_cycles(m);
  state_write_head(f, "montecito");
  for (unsigned thread = 0; thread < MONTECITO_THREADS; thread++)
    for (uint32_t i = 0; i < n; i++)
      state_write(f, thread, registers[i].name,
                  &(struct state_value){.value = state_entry_get(m, thread, &entries[i])});
  state_write_end(f, MONTECITO_THREADS * n);
  return fflush(f) || ferror(f) ? PMON_E_IO : PMON_OK;
}

int montecito_machine_state_load(struct montecito_machine *m, const char *text, size_t n, char *error,
                                 size_t error_size)
{
  struct state_register registers[ENTRIES_MAX];
  struct entry entries[ENTRIES_MAX];
  const struct state_table table = {"montecito", "thread", MONTECITO_THREADS, state_list_registers(registers, entries),
                                    registers};
  struct state_value *values = calloc((size_t)MONTECITO_THREADS * table.n, sizeof *values);
  int status = PMON_E_MEMORY;
  snprintf(error, error_size, "no memory for the state");
  montecito_machine_close_cycles(m);
  if (values)
    status = state_read(&table, text, n, values, error, error_size);
  for (uint32_t i = 0; status == PMON_OK && i < MONTECITO_THREADS * table.n; i++)
    if (values[i].given)
      state_entry_set(m, i / table.n, &entries[i % table.n], values[i].value);
  free(values);
  return status;
}
