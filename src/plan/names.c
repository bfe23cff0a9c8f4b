/* SPDX-License-Identifier: MIT */
#include "src/plan/names.h"
#include <pmon/status.h>
#include <stdlib.h>
#include "src/base/array.h"

enum { FIRST_BUCKETS = 16 };

static uint32_t *names_bucket(const struct plan_names *names, uint32_t hash)
{
  return &names->buckets[hash & (names->n_buckets - 1)];
}

/* Makes a thing the last one of its bucket. */
static void names_link(struct plan_names *names, uint32_t i)
{
  uint32_t *const bucket = names_bucket(names, names->at[i].hash);
  names->at[i].before = *bucket;
  *bucket = i;
}

/* Makes as many buckets as there will be names. */
static int names_grow(struct plan_names *names)
{
  const uint32_t n = names->n_buckets ? 2 * names->n_buckets : FIRST_BUCKETS;
  if (names->n < names->n_buckets)
    return 0;
  uint32_t *grown = n > names->n_buckets ? realloc(names->buckets, n * sizeof *grown) : NULL;
  if (!grown)
    return PMON_E_MEMORY;
  if (!names->n_buckets)
    names->key = text_key_new();
  names->buckets = grown;
  names->n_buckets = n;
  memset(grown, 0xff, n * sizeof *grown);
  for (uint32_t i = 0; i < names->n; i++)
    names_link(names, i);
  return 0;
}

int plan_names_add(struct plan_names *names, struct text name)
{
  if (names_grow(names) || array_grow(&names->at, names->n, &names->cap, sizeof *names->at))
    return PMON_E_MEMORY;
  names->at[names->n].hash = text_hash(names->key, name.s, name.n);
  names_link(names, names->n++);
  return 0;
}

/* Returns thing i or, if its hash is another one, the next one before it that has this hash. */
static uint32_t names_with_hash(const struct plan_names *names, uint32_t i, uint32_t hash)
{
  while (i != UINT32_MAX && names->at[i].hash != hash)
    i = names->at[i].before;
  return i;
}

uint32_t plan_names_last(const struct plan_names *names, struct text name)
{
  if (!names->n)
    return UINT32_MAX;
  const uint32_t hash = text_hash(names->key, name.s, name.n);
  return names_with_hash(names, *names_bucket(names, hash), hash);
}

uint32_t plan_names_before(const struct plan_names *names, uint32_t i)
{
  return names_with_hash(names, names->at[i].before, names->at[i].hash);
}

void plan_names_forget(struct plan_names *names, uint32_t n)
{
  for (; names->n > n; names->n--) {
    const struct plan_name *last = &names->at[names->n - 1];
    *names_bucket(names, last->hash) = last->before;
  }
  if (n)
    return;
  free(names->at);
  free(names->buckets);
  *names = (struct plan_names){0};
}
