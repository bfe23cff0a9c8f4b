/* SPDX-License-Identifier: MIT */
/*
 * Snoops of a core's caches (2.3.3.2, 2.5): by the other core, by devices and other processors, and by fc. A snoop
 * stays in the core's queue and in the arbiter's coalescing buffer until it is answered; a modified line takes longer,
 * and holds the bus. These times are the model's own.
 */
#include "machine/montecito/core/cycles.h"
#include "machine/montecito/events/umasks.h"
#include "machine/montecito/memory/occupancy.h"
#include "machine/montecito/memory/ozq.h"
#include "machine/montecito/memory/snoop.h"
#include "machine/montecito/monitors/counters.h"

enum { EV_L1I_SNOOP = 0x4a, EV_L2I_SNOOP = 0x7f, EV_OPS = 0xf0, L2_LINE = 128, SNOOP_CYCLES = 14 };

static void snoop_line(struct montecito_cache *cache, uint64_t address, bool invalidate)
{
  cache_set_state(cache, address, invalidate ? 0 : MESI_S);
}

/* fc: invalidates the line in all caches of the processor, and writes it to memory where it was modified. Each fc
 * snoops the L1I. */
void flush_line(struct montecito_core *c, uint64_t address)
{
  montecito_pulse(c, EV_L1I_SNOOP, UM_ANY, 1);
  montecito_pulse(c, EV_OPS, UM_X1X1, 1);
  for (unsigned i = 0; i < MONTECITO_CORES; i++) {
    struct montecito_core *core = &c->machine->cores[i];
    struct montecito_memory *m = &core->memory;
    const bool modified = cache_state(&m->l2d, address) == MESI_M || cache_state(&m->l3, address) == MESI_M;
    if (cache_state(&m->l2i, address) && core == c)
      montecito_pulse(c, EV_L2I_SNOOP, UM_ANY, 1);
    for (unsigned half = 0; half < 2; half++) {
      predict_drop_line(m, address ^ 64 * half);
      snoop_line(&m->l1d, address ^ 64 * half, true);
    }
    snoop_line(&m->l2i, address, true);
    snoop_line(&m->l2d, address, true);
    snoop_line(&m->l3, address, true);
    if (modified)
      bus_transaction(core, &(struct bus_request){.kind = BUS_WRITE_LINE, .thread = core->active, .address = address});
  }
}

/* Fills of the line that are in flight arrive invalid, or pending when the snoop was a read (Table 4-89). */
static void snoop_fills(struct montecito_core *c, uint64_t address, bool invalidate)
{
  if (!c->filling[address / L2_LINE % FILL_COUNTS])
    return;
  const struct montecito_requests r = queue_requests(c, QUEUE_FILL);
  for (struct montecito_queued *v = r.first; v < r.end; v++)
    if (!((v->line ^ address) / L2_LINE) && c->sharing.space[v->fill.thread] == c->sharing.space[c->active])
      v->fill.state = invalidate ? MESI_I : FILL_PENDING;
}

/* Snoops the core's caches for a read or invalidation by another agent. An instruction line is invalidated in both
 * cases (2.3.3.2). Returns 2: the line was modified; 1: it was present; 0: it was absent. */
static unsigned snoop_caches(struct montecito_core *c, uint64_t address, bool invalidate)
{
  struct montecito_memory *m = &c->memory;
  const uint8_t l2 = cache_state(&m->l2d, address), l3 = cache_state(&m->l3, address);
  const unsigned found = l2 == MESI_M || l3 == MESI_M ? 2 : l2 || l3;
  bus_snooped(c, address, found);
  queue_add(c, QUEUE_SNOOP, (struct montecito_queued){.at = c->cycle + SNOOP_CYCLES});
  snoop_fills(c, address, invalidate);
  if (c->ozq_selected)
    ozq_snoop(c, address);
  montecito_pulse(c, EV_L1I_SNOOP, UM_ANY, 1);
  if (cache_state(&m->l2i, address)) {
    montecito_pulse(c, EV_L2I_SNOOP, UM_ANY, 1);
    snoop_line(&m->l2i, address, true);
  }
  predict_drop_line(m, address);
  predict_drop_line(m, address ^ 64);
  if (invalidate) {
    snoop_line(&m->l1d, address, true);
    snoop_line(&m->l1d, address ^ 64, true);
  }
  snoop_line(&m->l2d, address, invalidate);
  snoop_line(&m->l3, address, invalidate);
  return found;
}

void snoop_record(struct montecito_core *c, const struct montecito_record *r)
{
  snoop_caches(c, r->address, r->a == SNOOP_INVALIDATE);
  montecito_pass_cycles(c, -1, 1);
}

void montecito_device_access(struct montecito_machine *m, unsigned thread, unsigned kind, uint64_t address)
{
  struct montecito_core *c = &m->cores[thread / 2];
  const bool invalidate = kind != BUS_READ_LINE && kind != BUS_READ_CURRENT && kind != BUS_READ_PARTIAL;
  const bool ports = kind == BUS_IO_READ || kind == BUS_IO_WRITE; /* ports are in no cache */
  unsigned found = ports ? 0 : snoop_caches(c, address, invalidate);
  const unsigned other = ports ? 0 : snoop_other_core(c, address, invalidate);
  found = other > found ? other : found;
  bus_transaction(c, &(struct bus_request){.kind = (uint8_t)kind,
                                           .agent = AGENT_IO,
                                           .thread = c->active,
                                           .data = true,
                                           .hit = found == 1,
                                           .hitm = found == 2,
                                           .address = address});
}

unsigned snoop_other_core(struct montecito_core *c, uint64_t address, bool invalidate)
{
  struct montecito_core *other = &c->machine->cores[!c->number];
  if (!c->machine->coherent)
    return 0;
  memory_set_space(&other->memory, c->sharing.space[c->active]);
  const unsigned found = snoop_caches(other, address, invalidate);
  memory_set_space(&other->memory, other->sharing.space[other->active]);
  return found;
}
