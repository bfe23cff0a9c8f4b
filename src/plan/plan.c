/* SPDX-License-Identifier: MIT */
#include "src/plan/plan.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "src/base/array.h"
#include "src/event/event.h"
#include "src/plan/metric.h"
#include "src/plan/witness.h"
#include "src/platform/context.h"
#include "src/platform/platform.h"

int pmon_plan_new(struct pmon_context *context, const struct pmon_platform *platform, struct pmon_plan **ret_plan)
{
  struct pmon_plan *p = calloc(1, sizeof *p);
  if (!p)
    return context_fail(context, PMON_E_MEMORY, 0, "no memory for a plan");
  p->context = context;
  p->platform = platform;
  *ret_plan = p;
  return 0;
}

void pmon_plan_free(struct pmon_plan *plan)
{
  if (!plan)
    return;
  plan_rewind(plan, &(struct plan_mark){0});
  plan_forget_equations(plan, 0);
  schedule_plan_fini(&plan->schedule);
  free(plan->events);
  free(plan->groups);
  free(plan->invariants);
  free(plan->metrics);
  free(plan->selected_metrics);
  free(plan);
}

int plan_add_group(struct pmon_plan *plan, const uint32_t *items, uint32_t n, bool strict)
{
  if (n < 2)
    return 0;
  uint32_t *copy = malloc(n * sizeof *copy);
  if (!copy || array_grow(&plan->groups, plan->n_groups, &plan->cap_groups, sizeof *plan->groups)) {
    free(copy);
    return context_fail(plan->context, PMON_E_MEMORY, 0, "no memory for a group of events");
  }
  memcpy(copy, items, n * sizeof *copy);
  plan->groups[plan->n_groups++] = (struct plan_group){.items = copy, .n = n, .strict = strict};
  return 0;
}

/* Returns the length of a `{...}` group including its braces; 0: the closing one is missing. */
static size_t group_length(const char *text)
{
  uint32_t depth = 0;
  for (size_t i = 0; text[i]; i++) {
    depth += text[i] == '{';
    depth -= text[i] == '}';
    if (!depth)
      return i + 1;
  }
  return 0;
}

/* Adds the events of text[0..length), and appends their numbers, each once, to items. */
static int add_list(struct pmon_plan *plan, const char *text, size_t length, uint32_t *items, uint32_t *n)
{
  size_t at = 0;
  while (at < length) {
    while (at < length && (text[at] == ' ' || text[at] == ','))
      at++;
    if (at >= length)
      break;
    size_t len = pmon_event_text_length(text + at);
    len = len > length - at ? length - at : len;
    char *one = strndup(text + at, len);
    uint32_t index = 0, k = 0;
    const uint32_t before = context_begin_part(plan->context, (uint32_t)at);
    int status = one ? plan_add_event(plan, one, true, &index) : PMON_E_MEMORY;
    context_end_part(plan->context, before);
    free(one);
    if (status)
      return status;
    while (k < *n && items[k] != index)
      k++;
    if (k == *n)
      items[(*n)++] = index;
    at += len;
  }
  return 0;
}

/* Reads perf's modifiers after a group that ends at list[at]: W, a weak group, whose events are counted together if
 * they can be. */
static int read_group_modifiers(struct pmon_plan *plan, const char *list, size_t *at, bool *ret_strict)
{
  const size_t begin = *at;
  *ret_strict = true;
  if (list[begin] != ':')
    return 0;
  const size_t n = strcspn(list + begin + 1, ", ");
  if (n != 1 || list[begin + 1] != 'W')
    return context_fail(plan->context, PMON_E_SYNTAX, (uint32_t)begin + 1,
                        "groups have no modifier \"%.*s\"; :W counts the events together only if that is possible",
                        (int)n, list + begin + 1);
  *ret_strict = false;
  *at += 1 + n;
  return 0;
}

/* Adds one element of a list: a group in braces, or an event. */
static int add_element(struct pmon_plan *plan, const char *list, size_t *at, uint32_t *items)
{
  const char *text = list + *at;
  uint32_t n = 0;
  size_t length;
  bool group = *text == '{';
  if (group) {
    length = group_length(text);
    if (!length)
      return context_fail(plan->context, PMON_E_SYNTAX, (uint32_t)*at + 1, "the group's closing brace is missing");
  } else {
    length = pmon_event_text_length(text);
  }
  const uint32_t before = context_begin_part(plan->context, (uint32_t)(*at + group));
  int status = add_list(plan, text + group, length - 2 * group, items, &n);
  context_end_part(plan->context, before);
  if (!status && !n)
    return context_fail(plan->context, PMON_E_SYNTAX, (uint32_t)*at + 1, "the group names no event");
  if (status)
    return status;
  *at += length;
  bool strict;
  if (!group)
    return 0;
  status = read_group_modifiers(plan, list, at, &strict);
  return status ? status : plan_add_group(plan, items, n, strict);
}

static int add_events(struct pmon_plan *plan, const char *list)
{
  if (plan->scheduled)
    return context_fail(plan->context, PMON_E_STATE, 0, "the plan is already scheduled");
  struct plan_mark mark = {plan->n_events, plan->n_groups, plan->n_metrics, plan->n_selected_metrics};
  uint32_t *items = calloc(strlen(list) + 1, sizeof *items);
  if (!items)
    return context_fail(plan->context, PMON_E_MEMORY, 0, "no memory for a list of events");
  int status = 0;
  for (uint32_t i = 0; i < mark.events; i++)
    plan->events[i].was_selected = plan->events[i].selected;
  for (size_t at = 0; !status && list[at];) {
    if (list[at] == ',' || list[at] == ' ')
      at++;
    else
      status = add_element(plan, list, &at, items);
  }
  if (!status && plan->n_events == mark.events && !list[strspn(list, ", ")])
    status = context_fail(plan->context, PMON_E_SYNTAX, 1, "the list names no event");
  if (status)
    plan_rewind(plan, &mark);
  for (uint32_t i = 0; status && i < mark.events; i++) /* the list may name events that metrics have added */
    plan->events[i].selected = plan->events[i].was_selected;
  free(items);
  return status;
}

static int expand_events(const struct pmon_plan *plan, const char *list, char *names, size_t size, size_t *ret_length)
{
  return pmon_event_expand(plan->platform, list, names, size, ret_length);
}

int pmon_plan_add_events(struct pmon_plan *plan, const char *list)
{
  static const struct plan_list events = {expand_events, pmon_event_text_length, add_events, "events"};
  return plan_add_expanded(plan, list, &events);
}

int pmon_plan_describe(const struct pmon_plan *plan, struct pmon_plan_info *info)
{
  struct pmon_plan_info full = {.events = plan_own_events(plan),
                                .witnesses = plan->n_witnesses,
                                .rounds = plan->schedule.rounds,
                                .lower_bound = plan->schedule.lower_bound,
                                .slots = plan_own_slots(plan),
                                .metrics = plan->n_selected_metrics};
  return CONTEXT_FILL(plan->context, info, full);
}

const struct pmon_event *pmon_plan_event(const struct pmon_plan *plan, uint32_t i)
{
  return i < plan_own_events(plan) ? plan->events[i].event : NULL;
}

bool pmon_plan_event_selected(const struct pmon_plan *plan, uint32_t i)
{
  return i < plan_own_events(plan) && plan->events[i].selected;
}

int pmon_plan_set_scale(struct pmon_plan *plan, uint32_t i, double scale, const char *unit)
{
  if (i >= plan_own_events(plan))
    return context_fail_range(plan->context, "event", i, plan_own_events(plan));
  if (!(scale > 0) || !isfinite(scale))
    return context_fail(plan->context, PMON_E_RANGE, 0, "scale %g: it must be a number above 0", scale);
  plan->events[i].scale = scale;
  snprintf(plan->events[i].unit, sizeof plan->events[i].unit, "%s", unit);
  return 0;
}

int pmon_plan_slot(const struct pmon_plan *plan, uint32_t i, struct pmon_plan_slot_info *slot)
{
  const uint32_t n = plan_own_slots(plan);
  if (i >= n)
    return context_fail_range(plan->context, "slot", i, n);
  const struct schedule_slot *s = &plan->schedule.slots[i];
  struct pmon_plan_slot_info full = {
      .round = s->round, .event = s->item, .counter = s->counter, .instances = s->instances};
  return CONTEXT_FILL(plan->context, slot, full);
}
