/* SPDX-License-Identifier: MIT */
#include "src/facts/names.h"

struct name_slot {
  struct names_entry of; /* n 0: the slot is free */
  uint32_t hash;         /* all of it: distinguishes most other names */
};

void names_init(struct names *names)
{
  *names = (struct names){.key = text_key_new()};
  vec_init(&names->slots, sizeof(struct name_slot));
}

void names_fini(struct names *names)
{
  vec_fini(&names->slots);
}

void names_clear(struct names *names)
{
  if (names->n)
    memset(names->slots.data, 0, names->slots.n * sizeof(struct name_slot));
  names->n = 0;
}

static uint32_t names_hash(const struct names *names, uint64_t family, struct text name)
{
  const uint64_t h = text_fold(text_hash(names->key, name.s, name.n) ^ family << 16, names->key.factor);
  return (uint32_t)(h ^ h >> 32);
}

/* Returns the slot that has the name, or the free one for it; NULL: there are no slots. */
static struct name_slot *names_slot(const struct names *names, const char *pool, uint64_t family, struct text name,
                                    uint32_t hash)
{
  const uint32_t mask = names->slots.n - 1;
  if (!names->slots.n)
    return NULL;
  for (uint32_t i = hash & mask;; i = (i + 1) & mask) {
    struct name_slot *slot = vec_at(&names->slots, i);
    if (!slot->of.n || (slot->hash == hash && slot->of.family == family && slot->of.n == name.n &&
                        text_same(pool + slot->of.at, name.s, name.n)))
      return slot;
  }
}

static bool names_grow(struct names *names)
{
  struct vec bigger;
  const uint32_t size = names->slots.n ? names->slots.n * 2 : 256;
  vec_init(&bigger, sizeof(struct name_slot));
  if (!vec_append(&bigger, NULL, size))
    return false;
  for (uint32_t i = 0; i < names->slots.n; i++) {
    const struct name_slot *old = vec_at(&names->slots, i);
    uint32_t at = old->hash & (size - 1);
    while (old->of.n && ((struct name_slot *)vec_at(&bigger, at))->of.n)
      at = (at + 1) & (size - 1);
    if (old->of.n)
      *(struct name_slot *)vec_at(&bigger, at) = *old;
  }
  vec_fini(&names->slots);
  names->slots = bigger;
  return true;
}

uint32_t names_find(const struct names *names, const char *pool, uint64_t family, struct text name)
{
  const struct name_slot *slot = name.n ? names_slot(names, pool, family, name, names_hash(names, family, name)) : NULL;
  return slot && slot->of.n ? slot->of.row : DB_NONE;
}

bool names_add(struct names *names, const char *pool, const struct names_entry *entry, uint32_t *ret_row)
{
  const struct text name = {pool + entry->at, entry->n};
  const uint32_t hash = names_hash(names, entry->family, name);
  *ret_row = entry->row;
  if (!entry->n)
    return true;
  if (names->n * 2 >= names->slots.n && !names_grow(names))
    return false;
  struct name_slot *slot = names_slot(names, pool, entry->family, name, hash);
  if (slot->of.n) {
    *ret_row = slot->of.row;
    return true;
  }
  *slot = (struct name_slot){*entry, hash};
  names->n++;
  return true;
}
