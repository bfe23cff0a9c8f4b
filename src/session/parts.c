/* SPDX-License-Identifier: MIT */
/*
 * Operands of a metric over the same rounds. An event that several metrics use counts in several rounds; the other
 * operands of a metric count in some of these only. A ratio of counts from different times is wrong if the activity
 * changes. A metric therefore uses only the counts of an event from rounds in which all operands count. Metrics whose
 * operands never count together use all counts of each operand.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "src/base/array.h"
#include "src/plan/metric.h"
#include "src/session/counts.h"
#include "src/session/session.h"

struct session_metric_part {
  const struct metric *metric;
  uint32_t event, part;
};

void session_free_parts(struct pmon_session *s)
{
  for (uint32_t i = 0; i < s->n_parts; i++)
    free(s->parts[i].rounds);
  for (uint32_t i = 0; i < s->n_part_uses; i++)
    free(s->part_uses[i].operands);
  free(s->parts);
  free(s->first_part);
  free(s->part_uses);
  free(s->metric_parts);
}

/* Returns the rounds in which each event counts on all its instances: in[event * rounds + round]. */
static bool *parts_find_rounds(const struct pmon_session *s)
{
  const struct schedule_plan *schedule = s->schedule;
  bool *in = calloc((size_t)s->plan->n_events * s->rounds + 1, sizeof *in);
  uint64_t *instances = calloc((size_t)s->plan->n_events * s->rounds + 1, sizeof *instances);
  for (uint32_t i = 0; in && instances && i < schedule->n_slots; i++) {
    const struct schedule_slot *slot = &schedule->slots[i];
    const bool always = slot->round >= s->rounds;
    for (uint32_t r = always ? 0 : slot->round; r < (always ? s->rounds : slot->round + 1); r++) {
      const size_t at = (size_t)slot->item * s->rounds + r;
      instances[at] |= slot->instances;
      in[at] = !(s->plan->events[slot->item].instances & ~instances[at]);
    }
  }
  if (!instances) {
    free(in);
    in = NULL;
  }
  free(instances);
  return in;
}

/* Lists the metric's events in ascending order, as numbers (`events` has room for all of the plan's) and as a text. */
static uint32_t parts_find_operands(const struct pmon_session *s, const struct metric *m, uint32_t *events, char **ret)
{
  uint32_t n = 0;
  metric_collect_events(s->plan, m, events, &n);
  for (uint32_t i = 1; i < n; i++)
    for (uint32_t k = i; k && events[k - 1] > events[k]; k--) {
      const uint32_t swapped = events[k];
      events[k] = events[k - 1];
      events[k - 1] = swapped;
    }
  const size_t size = 12 * (size_t)n + 1;
  char *text = calloc(size, 1);
  for (uint32_t i = 0, at = 0; text && i < n; i++)
    at += (uint32_t)snprintf(text + at, size - at, "%s%u", i ? "," : "", events[i]);
  *ret = text;
  return n;
}

int session_add_part_use(struct pmon_session *s, const char *operands, uint32_t event, uint32_t part)
{
  char *own = strdup(operands);
  if (!own || array_grow(&s->part_uses, s->n_part_uses, &s->cap_part_uses, sizeof *s->part_uses)) {
    free(own);
    return PMON_E_MEMORY;
  }
  s->part_uses[s->n_part_uses++] = (struct session_part_use){.operands = own, .event = event, .part = part};
  return 0;
}

/* Finds the part of an event with these rounds, and adds it if there is none; UINT32_MAX: there are too many parts. */
static int parts_get(struct pmon_session *s, uint32_t event, const bool *rounds, uint32_t *ret_part)
{
  uint32_t i = 0;
  while (i < s->n_parts && (s->parts[i].event != event || memcmp(s->parts[i].rounds, rounds, s->rounds)))
    i++;
  *ret_part = i;
  if (i < s->n_parts)
    return 0;
  if (i >= PARTS_OF_AN_EVENT * s->plan->n_events) {
    *ret_part = UINT32_MAX;
    return 0;
  }
  bool *own = malloc(s->rounds * sizeof *own);
  if (!own || array_grow(&s->parts, s->n_parts, &s->cap_parts, sizeof *s->parts)) {
    free(own);
    return PMON_E_MEMORY;
  }
  memcpy(own, rounds, s->rounds * sizeof *own);
  s->parts[s->n_parts++] = (struct session_part){.event = event, .next = UINT32_MAX, .rounds = own};
  return 0;
}

/* Finds the parts that one metric uses; `common` has room for a bool of each round. */
static int parts_find_of_metric(struct pmon_session *s, const bool *in, const uint32_t *events, uint32_t n,
                                const char *operands, bool *common)
{
  bool any = false;
  for (uint32_t r = 0; r < s->rounds; r++) {
    common[r] = n > 1;
    for (uint32_t i = 0; i < n; i++)
      common[r] = common[r] && in[(size_t)events[i] * s->rounds + r];
    any = any || common[r];
  }
  for (uint32_t i = 0; any && i < n; i++) {
    const bool *own = &in[(size_t)events[i] * s->rounds];
    uint32_t part;
    if (!memcmp(own, common, s->rounds) ||
        pmon_event_get_kind(s->plan->events[events[i]].event) != PMON_EVENT_PROGRAMMED)
      continue;
    if (parts_get(s, events[i], common, &part) ||
        (part != UINT32_MAX && session_add_part_use(s, operands, events[i], part)))
      return PMON_E_MEMORY;
  }
  return 0;
}

static bool parts_have(const struct pmon_session *s, const char *operands)
{
  for (uint32_t i = 0; i < s->n_part_uses; i++)
    if (!strcmp(s->part_uses[i].operands, operands))
      return true;
  return false;
}

int session_find_parts(struct pmon_session *s)
{
  const struct metric *m;
  if (s->rounds < 2 || !s->schedule->n_slots)
    return 0;
  bool *in = parts_find_rounds(s), *common = calloc(s->rounds, sizeof *common);
  uint32_t *events = calloc(s->plan->n_events + 1, sizeof *events);
  int status = in && common && events ? 0 : PMON_E_MEMORY;
  for (uint32_t i = 0; !status && (m = metric_selected(s->plan, i)); i++) {
    char *operands;
    const uint32_t n = parts_find_operands(s, m, events, &operands);
    status = !operands                 ? PMON_E_MEMORY
             : parts_have(s, operands) ? 0
                                       : parts_find_of_metric(s, in, events, n, operands, common);
    free(operands);
  }
  free(in);
  free(common);
  free(events);
  return status;
}

/* Adds the uses of one metric. */
static int parts_use_in(struct pmon_session *s, const struct metric *m, const char *operands)
{
  for (uint32_t i = 0; i < s->n_part_uses; i++) {
    const struct session_part_use *use = &s->part_uses[i];
    if (strcmp(use->operands, operands))
      continue;
    if (array_grow(&s->metric_parts, s->n_metric_parts, &s->cap_metric_parts, sizeof *s->metric_parts))
      return PMON_E_MEMORY;
    s->metric_parts[s->n_metric_parts++] =
        (struct session_metric_part){.metric = m, .event = use->event, .part = use->part};
  }
  return 0;
}

int session_use_parts(struct pmon_session *s)
{
  if (!s->n_parts)
    return 0;
  uint32_t *events = calloc(s->plan->n_events + 1, sizeof *events);
  s->first_part = malloc((s->plan->n_events + 1) * sizeof *s->first_part);
  int status = events && s->first_part ? 0 : PMON_E_MEMORY;
  for (uint32_t i = 0; !status && i < s->plan->n_events; i++)
    s->first_part[i] = UINT32_MAX;
  for (uint32_t i = 0; !status && i < s->n_parts; i++) {
    s->parts[i].next = s->first_part[s->parts[i].event];
    s->first_part[s->parts[i].event] = i;
  }
  for (uint32_t i = 0; !status && i < s->plan->n_metrics; i++) {
    char *operands;
    parts_find_operands(s, s->plan->metrics[i], events, &operands);
    status = operands ? parts_use_in(s, s->plan->metrics[i], operands) : PMON_E_MEMORY;
    free(operands);
  }
  free(events);
  return status;
}

uint32_t session_item_of(const struct pmon_session *s, const struct metric *metric, uint32_t event)
{
  for (uint32_t i = 0; i < s->n_metric_parts; i++)
    if (s->metric_parts[i].metric == metric && s->metric_parts[i].event == event)
      return s->plan->n_events + s->metric_parts[i].part;
  return event;
}
