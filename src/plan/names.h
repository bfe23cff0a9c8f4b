/* SPDX-License-Identifier: MIT */
/* The numbers of named things by their names, ignoring case: a hash table, because plans can have thousands of
 * equations and metrics. A table that is all zeros is empty. */
#ifndef PMON_PLAN_NAMES_H
#define PMON_PLAN_NAMES_H

#include "src/base/text.h"

/* The hash of a thing's name, and the thing before it in its bucket; UINT32_MAX: none. */
struct plan_name {
  uint32_t hash, before;
};

struct plan_names {
  struct plan_name *at; /* by number */
  uint32_t n, cap;
  uint32_t *buckets; /* the last thing of each, UINT32_MAX if there is none; their number is a power of two */
  uint32_t n_buckets;
  struct text_key key;
};

/* Adds the name of the thing that has the next number. PMON_E_MEMORY. */
int plan_names_add(struct plan_names *names, struct text name);

/* Return the last thing, and the one before thing i, whose name has the hash of `name`: the caller compares the names
 * themselves. UINT32_MAX: none. */
uint32_t plan_names_last(const struct plan_names *names, struct text name);
uint32_t plan_names_before(const struct plan_names *names, uint32_t i);

/* Removes all things but the first n; 0 also frees the table. */
void plan_names_forget(struct plan_names *names, uint32_t n);

#endif
