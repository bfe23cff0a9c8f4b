/* SPDX-License-Identifier: MIT */
#include "src/plan/equations.h"
#include <stdlib.h>
#include <string.h>
#include "src/base/array.h"
#include "src/platform/context.h"
#include "src/plan/plan.h"

enum { FIRST_BUCKETS = 16 };

static uint32_t *equation_bucket(const struct plan_equations *e, struct text name)
{
  return &e->buckets[text_hash(e->key, name.s, name.n) & (e->n_buckets - 1)];
}

/* Makes an equation the last one of its bucket. */
static void equation_link(struct plan_equations *e, uint32_t i)
{
  uint32_t *const bucket = equation_bucket(e, text_of(e->at[i].name));
  e->at[i].next = *bucket;
  *bucket = i;
}

/* Makes as many buckets as there will be equations. */
static int equations_grow(struct plan_equations *e)
{
  const uint32_t n = e->n_buckets ? 2 * e->n_buckets : FIRST_BUCKETS;
  if (e->n < e->n_buckets)
    return 0;
  uint32_t *grown = n > e->n_buckets ? realloc(e->buckets, n * sizeof *grown) : NULL;
  if (!grown)
    return PMON_E_MEMORY;
  if (!e->n_buckets)
    e->key = text_key_new();
  e->buckets = grown;
  e->n_buckets = n;
  memset(grown, 0xff, n * sizeof *grown);
  for (uint32_t i = 0; i < e->n; i++)
    equation_link(e, i);
  return 0;
}

const struct plan_equation *plan_find_equation(const struct pmon_plan *plan, struct text name, uint32_t *ret_n)
{
  const struct plan_equations *e = &plan->equations;
  uint32_t i = e->n ? *equation_bucket(e, name) : UINT32_MAX;
  while (i != UINT32_MAX && !text_is(name, e->at[i].name))
    i = e->at[i].next;
  *ret_n = i == UINT32_MAX ? 0 : e->at[i].different;
  return i == UINT32_MAX ? NULL : &e->at[i];
}

int plan_add_equation(struct pmon_plan *plan, struct text name, struct text text)
{
  struct plan_equations *e = &plan->equations;
  struct plan_equation own = {strndup(name.s, name.n), strndup(text.s, text.n), plan->defines_stored, 1, UINT32_MAX};
  if (!own.name || !own.text || equations_grow(e) || array_grow(&e->at, e->n, &e->cap, sizeof own)) {
    free(own.name);
    free(own.text);
    return context_fail(plan->context, PMON_E_MEMORY, 0, "no memory for a metric");
  }
  uint32_t different;
  const struct plan_equation *before = plan_find_equation(plan, name, &different);
  if (before && before->stored == own.stored) /* the stored ones come first, and the user's replace them */
    own.different = different + (strcmp(before->text, own.text) != 0);
  e->at[e->n] = own;
  equation_link(e, e->n++);
  return 0;
}

void plan_forget_equations(struct pmon_plan *plan, uint32_t n)
{
  struct plan_equations *e = &plan->equations;
  while (e->n > n) {
    const struct plan_equation *last = &e->at[e->n - 1];
    *equation_bucket(e, text_of(last->name)) = last->next;
    free(last->name);
    free(last->text);
    e->n--;
  }
  if (n)
    return;
  free(e->at);
  free(e->buckets);
  *e = (struct plan_equations){0};
}
