/* SPDX-License-Identifier: MIT */
#include "machine/pmon/overlay.h"

#include <stdlib.h>

static int overlay_compare_address(const void *a, const void *b)
{
  const struct pmon_address *x = &((const struct overlay_word *)a)->address,
                            *y = &((const struct overlay_word *)b)->address;
  const uint64_t p[] = {x->package, x->space, x->device, x->offset}, q[] = {y->package, y->space, y->device, y->offset};
  for (size_t i = 0; i < 4; i++)
    if (p[i] != q[i])
      return p[i] < q[i] ? -1 : 1;
  return 0;
}

void overlay_set(struct overlay *o, struct overlay_word *words, size_t n)
{
  overlay_free(o);
  qsort(words, n, sizeof *words, overlay_compare_address);
  *o = (struct overlay){.at = words, .n = n};
  for (size_t i = 0; i < n; i++)
    o->only |= words[i].address.space == PMON_SPACE_PCI;
}

void overlay_free(struct overlay *o)
{
  free(o->at);
  *o = (struct overlay){0};
}

static const struct overlay_word *overlay_find_word(const struct overlay *o, const struct pmon_address *a,
                                                    uint64_t offset)
{
  const struct overlay_word key = {
      .address = {.package = a->package, .space = a->space, .device = a->device, .offset = offset}};
  return o->n ? bsearch(&key, o->at, o->n, sizeof *o->at, overlay_compare_address) : NULL;
}

bool overlay_read(const struct overlay *o, const struct pmon_address *a, bool *ret_there, uint64_t *ret_value)
{
  const struct overlay_word *w = overlay_find_word(o, a, a->offset);
  *ret_there = w != NULL;
  if (w)
    *ret_value = w->value;
  if (!w && a->space == PMON_SPACE_MMIO && a->device == PMON_BAR_DISCOVERY && overlay_find_word(o, a, 0)) {
    *ret_value = 0; /* after the words of a captured discovery page, the machine's own do not appear */
    return *ret_there = true;
  }
  if (w || a->space != PMON_SPACE_PCI || !o->only)
    return w != NULL;
  /* For a recorded function, the platform's code supplies the words that were not recorded. */
  return !overlay_find_word(o, a, 0);
}
