/* SPDX-License-Identifier: MIT */
/* Banks: sets of instances of one unit with the same items, so that one matching applies to all of them. */
#ifndef PMON_SCHEDULE_BANK_H
#define PMON_SCHEDULE_BANK_H

#include "src/schedule/schedule.h"

struct bank {
  uint32_t unit;
  uint64_t instances;
};

struct bank_list {
  struct bank *banks;
  uint32_t n;
};

/* Splits the units' instances into banks, ordered by unit and lowest instance. PMON_E_MEMORY. */
int bank_list_init(struct bank_list *list, const struct schedule_item *items, uint32_t n_items);
void bank_list_fini(struct bank_list *list);

static inline bool bank_has(const struct bank *b, const struct schedule_item *item)
{
  return b->unit == item->unit && (b->instances & item->instances);
}

/* True if two items of one bank need different values of a shared register; *ret_resource (may be NULL) is the
 * register. */
bool bank_conflict(const struct schedule_item *a, const struct schedule_item *b, uint32_t *ret_resource);

/* Assigns each of `n` items (numbers into `items`) its own counter: counters[i] for set[i]; false: they do not fit.
 * Shared registers are not considered. bank_match_alone() does not consider halves and their leaders, either. */
bool bank_match_alone(const struct schedule_item *items, const uint32_t *set, uint32_t n, uint8_t *counters);
bool bank_match(const struct schedule_item *items, const uint32_t *set, uint32_t n, uint8_t *counters);

/* Finds the smallest set of items that has fewer counters than items, the first one of its size. Writes their places in
 * `set` (room for SCHEDULE_COUNTERS + 1) and returns their number; 0: there is none. */
uint32_t bank_overfull(const struct schedule_item *items, const uint32_t *set, uint32_t n, uint32_t *places);

/* Returns the minimum number of rounds that the counters of one bank allow for `n` items: the maximum, over sets of
 * counters, of the number of items that can only use the set divided by the size of the set. */
uint32_t bank_lower_bound(const struct schedule_item *items, const uint32_t *set, uint32_t n);

/* Distributes `n` items without shared registers and halves over `rounds` rounds: counters[i] and round_of[i]; false:
 * not possible. It is possible whenever rounds is not less than bank_lower_bound(). It has six parameters: the first
 * three are those of every function above; the round limit and a second result are added. */
bool bank_spread(const struct schedule_item *items, const uint32_t *set, uint32_t n, uint32_t rounds, uint8_t *counters,
                 uint32_t *round_of);

#endif
