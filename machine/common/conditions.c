/* SPDX-License-Identifier: MIT */
/* External conditions of a machine: heat, power limits, damaged messages. Each begins and ends at its time, when the
 * first core or a counter read reaches that time. */
#include <stdlib.h>
#include <pmon/status.h>
#include "machine/common/conditions.h"

int traffic_condition_add(struct traffic *t, const struct traffic_condition *c)
{
  if (c->socket >= t->sockets || !t->uncore->condition || !t->uncore->condition(t, c, CONDITION_POSSIBLE, c->from))
    return PMON_E_UNSUPPORTED;
  struct pending_condition *list = realloc(t->condition, (t->n_conditions + 1) * sizeof *list);
  if (!list)
    return PMON_E_MEMORY;
  t->condition = list;
  list[t->n_conditions++] = (struct pending_condition){*c, false, false};
  if (c->from < t->next_condition)
    t->next_condition = c->from;
  cores_look(t);
  return PMON_OK;
}

/* Returns the condition with the earliest beginning or end, if that is by `until`; NULL: none. */
static struct pending_condition *condition_next(struct traffic *t, fs_t until, fs_t *ret_at)
{
  struct pending_condition *first = NULL;
  t->next_condition = UINT64_MAX;
  for (unsigned i = 0; i < t->n_conditions; i++) {
    struct pending_condition *p = &t->condition[i];
    const fs_t at = p->begun ? p->of.until : p->of.from;
    if (p->ended || at >= t->next_condition)
      continue;
    t->next_condition = at;
    first = p;
  }
  *ret_at = t->next_condition;
  return t->next_condition <= until ? first : NULL;
}

fs_t traffic_next_change(const struct traffic *t, fs_t after)
{
  fs_t next = UINT64_MAX;
  for (unsigned i = 0; i < t->n_conditions; i++) {
    const struct traffic_condition *c = &t->condition[i].of;
    next = c->from > after && c->from < next ? c->from : next;
    next = c->until > after && c->until < next ? c->until : next;
  }
  return next;
}

void conditions_run(struct traffic *t, fs_t until)
{
  fs_t at;
  for (struct pending_condition *p; (p = condition_next(t, until, &at)) != NULL;) {
    p->ended = p->begun;
    p->begun = true;
    t->uncore->condition(t, &p->of, p->ended ? CONDITION_ENDS : CONDITION_BEGINS, at);
  }
}
