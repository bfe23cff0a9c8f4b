/* SPDX-License-Identifier: MIT */
/* The monitors' interrupt (3.3.11): one line a thread, whichever counters ask for it. */
#include "machine/montecito/fields.h"
#include "machine/montecito/state.h"

bool core_interrupt_pending(const struct core_machine *m, unsigned thread)
{
  const struct core_thread *t = &m->threads[thread];
  for (unsigned i = CORE_FIRST_COUNTER; i < CORE_FIRST_COUNTER + CORE_COUNTERS; i++)
    if ((t->pmc[0] >> i & 1) && (t->pmc[i] & CTL_OI))
      return true;
  return false;
}

bool core_interrupt_deliverable(const struct core_machine *m, unsigned thread)
{
  const uint64_t *s = m->threads[thread].state;
  const unsigned class = s[CORE_PMV] >> 4 & 0xf, masked = s[CORE_TPR] >> 4 & 0xf;
  return core_interrupt_pending(m, thread) && !(s[CORE_PMV] & PMV_M) && (s[CORE_PSR] & PSR_I) &&
         (s[CORE_PSR] & PSR_IC) && !(s[CORE_TPR] & TPR_MMI) && masked < class;
}

void core_interrupt_check(struct core_core *c, unsigned thread, uint64_t passed)
{
  struct core_machine *m = c->machine;
  const unsigned number = c->number * 2u + thread;
  struct core_thread *t = &c->thread[thread];
  if (!core_interrupt_pending(m, number)) {
    t->interrupted = false;
    return;
  }
  if (t->interrupted || !core_interrupt_deliverable(m, number))
    return;
  t->interrupted = true;
  t->interrupts++;
  if (m->on_interrupt)
    m->on_interrupt(m->interrupt_arg, number, c->cycle - passed);
}

void core_machine_listen(struct core_machine *m, core_interrupt_fn fn, void *arg)
{
  m->on_interrupt = fn;
  m->interrupt_arg = arg;
}

uint64_t core_interrupts(const struct core_machine *m, unsigned thread)
{
  return m->threads[thread].interrupts;
}
