/* SPDX-License-Identifier: MIT */
/* Effects of a page's memory attribute on accesses (manual, volume 2, 4.4): uncacheable memory is not accessed
 * speculatively, and does not support semaphores. */
#include "machine/montecito/exec/privileged.h"

enum { UNCACHED = 4, COALESCING = 6, NAT_PAGE = 7 };

void exec_uncached_mark(struct exec_cpu *c, struct montecito_slot *s)
{
  const unsigned attribute = exec_memory_attribute(c->memory, s->address);
  const unsigned kind = (attribute & EXEC_ATTRIBUTE) >> EXEC_ATTRIBUTE_SHIFT;
  if (kind < UNCACHED)
    return;
  if (kind == NAT_PAGE && s->op < OP_BRANCH && s->op != OP_LOAD_SPECULATIVE && s->op != OP_LFETCH) {
    exec_set_fault(c, FAULT_NAT, s->address);
    return;
  }
  s->flags |= SLOT_UC;
  s->attribute = attribute & EXEC_PORTS ? MEMORY_PORTS : kind == COALESCING ? MEMORY_COALESCING : MEMORY_UNCACHED;
  if (s->op == OP_SEMAPHORE || (s->bytes == 16 && (s->op == OP_LOAD || s->op == OP_STORE)))
    exec_set_fault(c, FAULT_ATTRIBUTE, s->address);
}
