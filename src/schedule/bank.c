/* SPDX-License-Identifier: MIT */
#include "src/schedule/bank.h"

#include <stdlib.h>
#include <string.h>
#include <pmon/status.h>

static int compare_banks(const void *a, const void *b)
{
  const struct bank *x = a, *y = b;
  if (x->unit != y->unit)
    return x->unit < y->unit ? -1 : 1;
  int lx = __builtin_ctzll(x->instances), ly = __builtin_ctzll(y->instances);
  return (lx > ly) - (lx < ly);
}

/* Splits the banks of the item's unit at the item's instances. */
static int add_item(struct bank_list *list, uint32_t *cap, const struct schedule_item *item)
{
  uint64_t left = item->instances;
  uint32_t n = list->n;
  if (*cap < 2 * n + 1) {
    uint32_t grown_cap = 2 * (2 * n + 1);
    struct bank *grown = realloc(list->banks, grown_cap * sizeof *grown);
    if (!grown)
      return PMON_E_MEMORY;
    list->banks = grown;
    *cap = grown_cap;
  }
  for (uint32_t i = 0; i < n; i++) {
    struct bank *b = &list->banks[i];
    uint64_t both = b->instances & item->instances;
    if (b->unit != item->unit || !both)
      continue;
    if (both != b->instances) {
      list->banks[list->n++] = (struct bank){.unit = b->unit, .instances = b->instances & ~both};
      b->instances = both;
    }
    left &= ~both;
  }
  if (left)
    list->banks[list->n++] = (struct bank){.unit = item->unit, .instances = left};
  return 0;
}

int bank_list_init(struct bank_list *list, const struct schedule_item *items, uint32_t n_items)
{
  uint32_t cap = 0;
  *list = (struct bank_list){0};
  for (uint32_t i = 0; i < n_items; i++) {
    if (items[i].always || add_item(list, &cap, &items[i]) == 0)
      continue;
    bank_list_fini(list);
    return PMON_E_MEMORY;
  }
  if (list->n)
    qsort(list->banks, list->n, sizeof *list->banks, compare_banks);
  return 0;
}

void bank_list_fini(struct bank_list *list)
{
  free(list->banks);
  *list = (struct bank_list){0};
}

bool bank_conflict(const struct schedule_item *a, const struct schedule_item *b, uint32_t *ret_resource)
{
  for (uint32_t i = 0; i < a->n_needs; i++)
    for (uint32_t k = 0; k < b->n_needs; k++) {
      const struct schedule_need *x = &a->needs[i], *y = &b->needs[k];
      if (x->resource != y->resource || !((x->value ^ y->value) & x->mask & y->mask))
        continue;
      if (ret_resource)
        *ret_resource = x->resource;
      return true;
    }
  return false;
}

/* A matching by augmenting paths: `owner`, the place of `set` on each counter; `masks`, the counters that each place
 * may use. */
struct matching {
  uint32_t masks[SCHEDULE_COUNTERS];
  int16_t owner[SCHEDULE_COUNTERS];
};

static bool augment(struct matching *m, uint32_t place, uint32_t *tried)
{
  for (;;) {
    uint32_t open = m->masks[place] & ~*tried;
    if (!open)
      return false;
    uint32_t c = (uint32_t)__builtin_ctz(open);
    *tried |= 1u << c;
    if (m->owner[c] < 0 || augment(m, (uint32_t)m->owner[c], tried)) {
      m->owner[c] = (int16_t)place;
      return true;
    }
  }
}

static bool match(struct matching *m, uint32_t n, uint8_t *counters)
{
  memset(m->owner, -1, sizeof m->owner);
  for (uint32_t i = 0; i < n; i++) {
    uint32_t tried = 0;
    if (!augment(m, i, &tried))
      return false;
  }
  for (uint32_t c = 0; c < SCHEDULE_COUNTERS; c++)
    if (m->owner[c] >= 0)
      counters[m->owner[c]] = (uint8_t)c;
  return true;
}

/* The halves of a set's items, each with the place that leads it, n if none does. */
struct leading {
  const struct schedule_item *items;
  const uint32_t *set;
  uint32_t n, n_halves;
  struct schedule_half halves[SCHEDULE_COUNTERS];
  uint32_t leaders[SCHEDULE_COUNTERS];
};

static const struct schedule_item *item_at(const struct leading *l, uint32_t place)
{
  return &l->items[l->set[place]];
}

static bool has_half(const struct schedule_item *item, const struct schedule_half *half)
{
  for (uint32_t i = 0; i < item->n_halves; i++)
    if (item->halves[i].lead == half->lead && item->halves[i].counters == half->counters)
      return true;
  return false;
}

static void collect_halves(struct leading *l)
{
  for (uint32_t i = 0; i < l->n; i++)
    for (uint32_t h = 0; h < item_at(l, i)->n_halves; h++) {
      uint32_t k = 0;
      while (k < l->n_halves && !(l->halves[k].lead == item_at(l, i)->halves[h].lead &&
                                  l->halves[k].counters == item_at(l, i)->halves[h].counters))
        k++;
      if (k == l->n_halves && k < SCHEDULE_COUNTERS)
        l->halves[l->n_halves++] = item_at(l, i)->halves[h];
    }
}

/* Returns the counters that a place may use, once the leaders are chosen. */
static uint32_t led_counters(const struct leading *l, uint32_t place)
{
  const struct schedule_item *item = item_at(l, place);
  uint32_t counters = 0;
  if (!item->n_halves)
    return item->counters;
  for (uint32_t h = 0; h < l->n_halves; h++) {
    if (l->leaders[h] == place)
      return item->counters & 1u << l->halves[h].lead;
    if (l->leaders[h] < l->n && has_half(item, &l->halves[h]) && item_at(l, l->leaders[h])->choice == item->choice)
      counters |= l->halves[h].counters & ~(1u << l->halves[h].lead);
  }
  return item->counters & counters;
}

/* True if an earlier place can lead the half equally well: with the same counters and the same choice. */
static bool is_double(const struct leading *l, uint32_t half, uint32_t place)
{
  for (uint32_t i = 0; i < place; i++) {
    bool leads = false;
    for (uint32_t h = 0; h < half; h++)
      leads = leads || l->leaders[h] == i;
    if (!leads && has_half(item_at(l, i), &l->halves[half]) && item_at(l, i)->choice == item_at(l, place)->choice &&
        item_at(l, i)->counters == item_at(l, place)->counters)
      return true;
  }
  return false;
}

/* Tries each item as the leader of each half, and no leader. */
static bool match_led(struct leading *l, uint32_t half, uint8_t *counters)
{
  if (half == l->n_halves) {
    struct matching m;
    for (uint32_t i = 0; i < l->n; i++)
      m.masks[i] = led_counters(l, i);
    return match(&m, l->n, counters);
  }
  for (uint32_t i = 0; i <= l->n; i++) {
    bool free = i == l->n || (has_half(item_at(l, i), &l->halves[half]) && !is_double(l, half, i));
    for (uint32_t h = 0; h < half && i < l->n; h++)
      free = free && l->leaders[h] != i;
    l->leaders[half] = i;
    if (free && match_led(l, half + 1, counters))
      return true;
  }
  return false;
}

bool bank_match_alone(const struct schedule_item *items, const uint32_t *set, uint32_t n, uint8_t *counters)
{
  struct matching m;
  for (uint32_t i = 0; i < n && n <= SCHEDULE_COUNTERS; i++)
    m.masks[i] = items[set[i]].counters;
  return n <= SCHEDULE_COUNTERS && match(&m, n, counters);
}

bool bank_match(const struct schedule_item *items, const uint32_t *set, uint32_t n, uint8_t *counters)
{
  struct leading l = {.items = items, .set = set, .n = n};
  if (!bank_match_alone(items, set, n, counters))
    return false;
  collect_halves(&l);
  return !l.n_halves || match_led(&l, 0, counters);
}

enum { MASKS = 256 };

/* Lists the unions of the items' distinct masks: only these sets of counters can be limiting. */
static uint32_t join_masks(const struct schedule_item *items, const uint32_t *set, uint32_t n, uint32_t masks[MASKS])
{
  uint32_t n_masks = 0;
  for (uint32_t i = 0; i < n; i++) {
    uint32_t known = n_masks;
    for (uint32_t k = 0; k < known + 1 && n_masks < MASKS; k++) {
      uint32_t joined = items[set[i]].counters | (k < known ? masks[k] : 0), have = 0;
      while (have < n_masks && masks[have] != joined)
        have++;
      if (have == n_masks)
        masks[n_masks++] = joined;
    }
  }
  return n_masks;
}

uint32_t bank_overfull(const struct schedule_item *items, const uint32_t *set, uint32_t n, uint32_t *places)
{
  uint32_t masks[MASKS], n_masks = join_masks(items, set, n, masks), best = 0;
  for (uint32_t k = 0; k < n_masks; k++) {
    const uint32_t size = (uint32_t)__builtin_popcount(masks[k]) + 1;
    uint32_t inside[SCHEDULE_COUNTERS + 1], found = 0;
    for (uint32_t i = 0; i < n && found < size; i++)
      if (!(items[set[i]].counters & ~masks[k]))
        inside[found++] = i;
    if (found < size || (best && best < size))
      continue;
    uint32_t same = 0;
    while (best == size && same < size && inside[same] == places[same])
      same++;
    if (best == size && (same == size || inside[same] > places[same]))
      continue;
    best = size;
    memcpy(places, inside, size * sizeof *places);
  }
  return best;
}

uint32_t bank_lower_bound(const struct schedule_item *items, const uint32_t *set, uint32_t n)
{
  uint32_t masks[MASKS], n_masks = join_masks(items, set, n, masks), bound = n ? 1 : 0;
  for (uint32_t k = 0; k < n_masks; k++) {
    uint32_t inside = 0, size = (uint32_t)__builtin_popcount(masks[k]);
    for (uint32_t i = 0; i < n; i++)
      inside += !(items[set[i]].counters & ~masks[k]);
    if (size && (inside + size - 1) / size > bound)
      bound = (inside + size - 1) / size;
  }
  return bound;
}

/* A matching in which each counter takes up to `rounds` items. */
struct spread {
  const struct schedule_item *items;
  const uint32_t *set;
  uint32_t n, rounds;
  uint8_t *counters;
  uint32_t held[SCHEDULE_COUNTERS], placed;
};

static bool spread_augment(struct spread *s, uint32_t place, uint32_t *tried)
{
  for (;;) {
    uint32_t open = s->items[s->set[place]].counters & ~*tried;
    if (!open)
      return false;
    uint32_t c = (uint32_t)__builtin_ctz(open);
    *tried |= 1u << c;
    if (s->held[c] < s->rounds) {
      s->held[c]++;
      s->counters[place] = (uint8_t)c;
      return true;
    }
    for (uint32_t i = 0; i < s->placed; i++) {
      if (s->counters[i] != c || !spread_augment(s, i, tried))
        continue;
      s->counters[place] = (uint8_t)c;
      return true;
    }
  }
}

bool bank_spread(const struct schedule_item *items, const uint32_t *set, uint32_t n, uint32_t rounds, uint8_t *counters,
                 uint32_t *round_of)
{
  struct spread s = {.items = items, .set = set, .n = n, .rounds = rounds, .counters = counters};
  for (uint32_t i = 0; i < n; i++) {
    uint32_t tried = 0;
    s.placed = i;
    if (!spread_augment(&s, i, &tried))
      return false;
  }
  uint32_t next[SCHEDULE_COUNTERS] = {0};
  for (uint32_t i = 0; i < n; i++)
    round_of[i] = next[counters[i]]++;
  return true;
}
