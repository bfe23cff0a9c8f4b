/* SPDX-License-Identifier: MIT */
#include "src/plan/equations.h"
#include <stdlib.h>
#include <string.h>
#include "src/base/array.h"
#include "src/platform/context.h"
#include "src/plan/plan.h"

const struct plan_equation *plan_find_equation(const struct pmon_plan *plan, struct text name, uint32_t *ret_n)
{
  const struct plan_equations *e = &plan->equations;
  uint32_t i = plan_names_last(&e->names, name);
  while (i != UINT32_MAX && !text_is(name, e->at[i].name))
    i = plan_names_before(&e->names, i);
  *ret_n = i == UINT32_MAX ? 0 : e->at[i].different;
  return i == UINT32_MAX ? NULL : &e->at[i];
}

int plan_add_equation(struct pmon_plan *plan, struct text name, struct text text)
{
  struct plan_equations *e = &plan->equations;
  struct plan_equation own = {strndup(name.s, name.n), strndup(text.s, text.n), plan->defines_stored, 1};
  uint32_t different;
  const struct plan_equation *before = plan_find_equation(plan, name, &different);
  if (own.text && before && before->stored == own.stored) /* the stored ones come first, and the user's replace them */
    own.different = different + (strcmp(before->text, own.text) != 0);
  if (!own.name || !own.text || array_grow(&e->at, e->n, &e->cap, sizeof own) || plan_names_add(&e->names, name)) {
    free(own.name);
    free(own.text);
    return context_fail(plan->context, PMON_E_MEMORY, 0, "no memory for a metric");
  }
  e->at[e->n++] = own;
  return 0;
}

void plan_forget_equations(struct pmon_plan *plan, uint32_t n)
{
  struct plan_equations *e = &plan->equations;
  plan_names_forget(&e->names, n);
  for (; e->n > n; e->n--) {
    free(e->at[e->n - 1].name);
    free(e->at[e->n - 1].text);
  }
  if (n)
    return;
  free(e->at);
  *e = (struct plan_equations){0};
}
