/* SPDX-License-Identifier: MIT */
#include "src/access/guard.h"

bool guard_read(struct guard *g, const volatile void *at, unsigned width_bits, uint64_t *ret_value)
{
  if (sigsetjmp(g->back, 0)) {
    g->armed = 0;
    return false;
  }
  g->armed = 1;
  *ret_value = width_bits == 64 ? *(const volatile uint64_t *)at : *(const volatile uint32_t *)at;
  g->armed = 0;
  return true;
}

bool guard_write(struct guard *g, volatile void *at, unsigned width_bits, uint64_t value)
{
  if (sigsetjmp(g->back, 0)) {
    g->armed = 0;
    return false;
  }
  g->armed = 1;
  if (width_bits == 64)
    *(volatile uint64_t *)at = value;
  else
    *(volatile uint32_t *)at = (uint32_t)value;
  g->armed = 0;
  return true;
}

bool guard_fault(struct guard *g)
{
  if (g->armed)
    siglongjmp(g->back, 1);
  return false;
}
