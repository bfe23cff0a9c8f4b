/* SPDX-License-Identifier: MIT */
/* A list of changes of an increment, in order of their cycles. Changes arrive nearly in order. A list in another
 * order can hold hundreds of thousands of changes, so it is sorted by radix, not by comparison. Changes of one cycle
 * are added up; their order has no effect. */
#include <stdlib.h>
#include <string.h>
#include "machine/pmon/state.h"

enum { DIGIT_BITS = 11, DIGITS = 1 << DIGIT_BITS, FEW = 64, NEAR = 32, LIST_ROOM = 64 };

static bool changes_grow(struct block *b, struct changes *list)
{
  size_t room = list->room ? 2 * list->room : LIST_ROOM;
  struct change *at = realloc(list->at, room * sizeof *at);
  if (!at) {
    b->machine->out_of_memory = true;
    return false;
  }
  list->at = at;
  list->room = room;
  return true;
}

/* Returns the position for a change of a cycle near the end of the list, as nearly all are. Any other change is
 * appended, and the list is sorted before its next use. */
static size_t changes_position(struct changes *list, uint64_t cycle)
{
  const size_t n = list->n, limit = n > NEAR ? n - NEAR : 0;
  const struct change *at = list->at;
  size_t i = n;
  while (!list->mixed && i > limit && at[i - 1].cycle > cycle)
    i--;
  if (i && at[i - 1].cycle > cycle) {
    list->mixed = true;
    return n;
  }
  return i;
}

void changes_push(struct block *b, struct changes *list, uint64_t cycle, int64_t delta)
{
  if (list->n == list->room && !changes_grow(b, list))
    return;
  const size_t i = changes_position(list, cycle);
  struct change *at = list->at;
  if (i && at[i - 1].cycle == cycle) {
    at[i - 1].delta += delta;
    return;
  }
  for (size_t k = list->n++; k > i; k--)
    at[k] = at[k - 1];
  at[i] = (struct change){cycle, delta};
}

void changes_pulse(struct block *b, struct changes *list, uint64_t cycle, int64_t n)
{
  if (list->n + 2 > list->room && !changes_grow(b, list))
    return;
  const size_t i = changes_position(list, cycle);
  struct change *at = list->at;
  if ((i && at[i - 1].cycle == cycle) || (i < list->n && at[i].cycle == cycle + 1)) {
    changes_push(b, list, cycle, n);
    changes_push(b, list, cycle + 1, -n);
    return;
  }
  for (size_t k = list->n; k > i; k--)
    at[k + 1] = at[k - 1];
  at[i] = (struct change){cycle, n};
  at[i + 1] = (struct change){cycle + 1, -n};
  list->n += 2;
}

static int change_compare_cycle(const void *pa, const void *pb)
{
  const struct change *a = pa, *b = pb;
  return (a->cycle > b->cycle) - (a->cycle < b->cycle);
}

/* One pass of the radix sort, from `from` to `to`; the key is one digit of the distance to cycle `first`. */
static void changes_sort_digit(const struct change *from, struct change *to, size_t n, uint64_t first, unsigned shift)
{
  size_t place[DIGITS] = {0}, sum = 0;
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
  if (!list->mixed)
    return;
  list->mixed = false;
  for (size_t i = 0; i < list->n; i++) {
    first = list->at[i].cycle < first ? list->at[i].cycle : first;
    last = list->at[i].cycle > last ? list->at[i].cycle : last;
  }
  struct change *other = list->n < FEW ? NULL : malloc(list->n * sizeof *other), *from = list->at, *to = other;
  if (!other) {
    qsort(list->at, list->n, sizeof *list->at, change_compare_cycle);
    return;
  }
  for (unsigned shift = 0; shift < 64 && (last - first) >> shift; shift += DIGIT_BITS) {
    changes_sort_digit(from, to, list->n, first, shift);
    struct change *swap = from;
    from = to;
    to = swap;
  }
  if (from != list->at)
    memcpy(list->at, from, list->n * sizeof *from);
  free(other);
}
