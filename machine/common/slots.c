/* SPDX-License-Identifier: MIT */
#include "machine/common/slots.h"

/* Books, in bucket `number`, the part of a booking that extends beyond the bucket before. False: there is no room. */
static bool slots_run_over(uint64_t *b, uint64_t number, uint64_t over)
{
  if (*b >> SLOTS_USED > number)
    return false;
  if (*b >> SLOTS_USED < number)
    *b = number << SLOTS_USED;
  if ((*b & ((1u << SLOTS_USED) - 1)) + over > SLOTS_LENGTH)
    return false;
  *b += over;
  return true;
}

fs_t slots_book_slowly(struct slots_run *run, uint64_t *bucket, size_t stride, fs_t at, uint32_t duration)
{
  uint64_t number = at >> SLOTS_SHIFT;
  for (unsigned i = 0; i < SLOTS_BUCKETS; i++, number++) {
    uint64_t *b = &bucket[number % SLOTS_BUCKETS * stride];
    if (*b >> SLOTS_USED != number) {
      if (*b >> SLOTS_USED > number) /* so long ago that a later bucket has replaced its own */
        return at;
      *b = number << SLOTS_USED;
    }
    const uint64_t used = *b & ((1u << SLOTS_USED) - 1), end = used + duration;
    if (end <= SLOTS_LENGTH)
      *b += duration;
    else if (used < SLOTS_LENGTH &&
             slots_run_over(&bucket[(number + 1) % SLOTS_BUCKETS * stride], number + 1, end - SLOTS_LENGTH))
      *b += SLOTS_LENGTH - used;
    else
      continue;
    return slots_run_join(run, fs_later((number << SLOTS_SHIFT) + used, at), duration);
  }
  return number << SLOTS_SHIFT;
}
