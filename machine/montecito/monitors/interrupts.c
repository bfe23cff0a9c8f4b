/* SPDX-License-Identifier: MIT */
/* The monitors' interrupt (3.3.11): one line per thread, shared by all counters. */
#include "machine/montecito/core/threads.h"
#include "machine/montecito/monitors/fields.h"
#include "machine/montecito/monitors/monitors.h"

bool montecito_interrupt_pending(const struct montecito_machine *m, unsigned thread)
{
  const struct montecito_thread *t = &m->threads[thread];
  for (unsigned i = MONTECITO_FIRST_COUNTER; i < MONTECITO_FIRST_COUNTER + MONTECITO_COUNTERS; i++)
    if ((t->pmc[0] >> i & 1) && (t->pmc[i] & CTL_OI))
      return true;
  return false;
}

bool montecito_interrupt_deliverable(const struct montecito_machine *m, unsigned thread)
{
  const uint64_t *s = m->threads[thread].state;
  const unsigned class = s[MONTECITO_PMV] >> 4 & 0xf, masked = s[MONTECITO_TPR] >> 4 & 0xf;
  return montecito_interrupt_pending(m, thread) && !(s[MONTECITO_PMV] & PMV_M) && (s[MONTECITO_PSR] & PSR_I) &&
         (s[MONTECITO_PSR] & PSR_IC) && !(s[MONTECITO_TPR] & TPR_MMI) && masked < class;
}

void montecito_interrupt_check(struct montecito_core *c, unsigned thread, uint64_t passed)
{
  struct montecito_machine *m = c->machine;
  const unsigned number = c->number * 2u + thread;
  struct montecito_thread *t = &c->thread[thread];
  if (!montecito_interrupt_pending(m, number)) {
    t->interrupted = false;
    return;
  }
  urgency_interrupt(c, thread);
  if (t->interrupted || !montecito_interrupt_deliverable(m, number))
    return;
  t->interrupted = true;
  t->interrupts++;
  if (m->on_interrupt)
    m->on_interrupt(m->interrupt_arg, number, c->cycle - passed);
}

void montecito_machine_on_interrupt(struct montecito_machine *m, montecito_interrupt_fn fn, void *arg)
{
  m->on_interrupt = fn;
  m->interrupt_arg = arg;
}

uint64_t montecito_interrupts(const struct montecito_machine *m, unsigned thread)
{
  return m->threads[thread].interrupts;
}
