/* SPDX-License-Identifier: MIT */
/*
 * A hash table from names to rows, used while a platform is read: the time to add or find a name does not grow with
 * their number. Each family, such as the layouts of a platform or the values of one list, has names of its own; case is
 * ignored.
 */
#ifndef PMON_FACTS_NAMES_H
#define PMON_FACTS_NAMES_H

#include "src/base/text.h"
#include "src/base/vec.h"
#include "src/facts/db.h"

struct names {
  struct text_key key;
  struct vec slots;
  uint32_t n;
};

/* The family of a kind and an owner: a row or a number. */
static inline uint64_t names_family(uint32_t kind, uint32_t owner)
{
  return (uint64_t)kind << 32 | owner;
}

void names_init(struct names *names);
void names_fini(struct names *names);
/* Removes all names. */
void names_clear(struct names *names);

/* Returns the row of that name; DB_NONE: the family has no such name. `pool`: where the added names are. */
uint32_t names_find(const struct names *names, const char *pool, uint64_t family, struct text name);

/* A name to add: `n` bytes at `at` in the pool, for a row of a family. */
struct names_entry {
  uint64_t family;
  db_str at;
  uint32_t n, row;
};

/* Adds a name, unless its family has it. *ret_row: the row that has it: the entry's if it is new. False: no memory. */
bool names_add(struct names *names, const char *pool, const struct names_entry *entry, uint32_t *ret_row);

#endif
