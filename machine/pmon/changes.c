/* SPDX-License-Identifier: MIT */
/* Changes of an increment, in order of their cycles: a window has hundreds of thousands, so they are sorted by their
 * digits and not compared. What belongs to one cycle is added up: its order makes no difference. */
#include <stdlib.h>
#include <string.h>
#include "machine/pmon/state.h"

enum { DIGIT_BITS = 11, DIGITS = 1 << DIGIT_BITS, FEW = 64 };

static int by_cycle(const void *pa, const void *pb)
{
  const struct change *a = pa, *b = pb;
  return (a->cycle > b->cycle) - (a->cycle < b->cycle);
}

/* One digit of the cycles after `first`: from `from` to `to`. */
static void sort_digit(const struct change *from, struct change *to, size_t n, uint64_t first, unsigned shift)
{
  size_t place[DIGITS] = { 0 }, sum = 0;
  for (size_t i = 0; i < n; i++)
    place[(from[i].cycle - first) >> shift & (DIGITS - 1)]++;
  for (unsigned d = 0; d < DIGITS; d++) {
    size_t here = place[d];
    place[d] = sum;
    sum += here;
  }
  for (size_t i = 0; i < n; i++)
    to[place[(from[i].cycle - first) >> shift & (DIGITS - 1)]++] = from[i];
}

void changes_sort(struct changes *list)
{
  uint64_t first = UINT64_MAX, last = 0;
  bool sorted = true;
  for (size_t i = 0; i < list->n; i++) {
    sorted = sorted && list->at[i].cycle >= last;
    first = list->at[i].cycle < first ? list->at[i].cycle : first;
    last = list->at[i].cycle > last ? list->at[i].cycle : last;
  }
  if (sorted)
    return;
  struct change *other = list->n < FEW ? NULL : malloc(list->n * sizeof *other), *from = list->at, *to = other;
  if (!other) {
    qsort(list->at, list->n, sizeof *list->at, by_cycle);
    return;
  }
  for (unsigned shift = 0; shift < 64 && (last - first) >> shift; shift += DIGIT_BITS) {
    sort_digit(from, to, list->n, first, shift);
    struct change *swap = from;
    from = to;
    to = swap;
  }
  if (from != list->at)
    memcpy(list->at, from, list->n * sizeof *from);
  free(other);
}
