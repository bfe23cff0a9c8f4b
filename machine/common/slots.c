/* SPDX-License-Identifier: MIT */
#include "machine/common/slots.h"

/* Books, in the bucket that begins at `begin`, the part of a booking that extends beyond the bucket before. False: no
 * room. */
static bool slots_run_over(fs_t *b, fs_t begin, uint64_t over)
{
  const fs_t free = fs_later(*b, begin);
  if (free + over > begin + SLOTS_LENGTH)
    return false;
  *b = free + over;
  return true;
}

fs_t slots_book_slowly(struct slots_run *run, fs_t *bucket, size_t stride, fs_t at, uint32_t duration)
{
  fs_t begin = at & ~(fs_t)(SLOTS_LENGTH - 1);
  for (unsigned i = 0; i < SLOTS_BUCKETS; i++, begin += SLOTS_LENGTH) {
    const fs_t next = begin + SLOTS_LENGTH;
    fs_t *b = &bucket[(begin >> SLOTS_SHIFT) % SLOTS_BUCKETS * stride];
    if (*b > next) /* so long ago that a later bucket has replaced its own */
      return at;
    const fs_t free = fs_later(*b, begin), end = free + duration;
    if (end <= next)
      *b = end;
    else if (free < next && slots_run_over(&bucket[(next >> SLOTS_SHIFT) % SLOTS_BUCKETS * stride], next, end - next))
      *b = next;
    else
      continue;
    return slots_run_join(run, fs_later(free, at), duration);
  }
  return begin;
}
