/* SPDX-License-Identifier: MIT */
/* Deferred rules: judged when simulated time passes, because they depend on the events that a block's counters are
 * programmed for at that time. */
#include <string.h>
#include "machine/check/state.h"

static void check_report_deferred(struct checker *c, enum rule_test test, struct seen *s, uint64_t bits)
{
  const struct rule *r = rule_find(c, test, s);
  if (r)
    finding_add(c, r, s, NULL, bits);
}

/* Another counter must count too: the leader of the event's set, or the counter that the event follows. */
static void judge_lead(struct checker *c, const struct block *b, struct seen *control, const struct selected *e)
{
  static const struct {
    const char *attr;
    enum rule_test test;
  } kinds[] = {{"lead", RULE_LEADER}, {"follows", RULE_FOLLOWS}};
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
    const char *text = event_attr(c, e->event, kinds[k].attr), *set = event_attr(c, e->event, "set"), *others;
    uint64_t number;
    if (!text || !text_number(text_of(text), &number) || number < c->db->units[b->unit].first_counter)
      continue;
    struct seen *lead = block_counter(c, b, PMON_ROLE_CTL, (uint32_t)number - c->db->units[b->unit].first_counter);
    struct selected there = lead && control_enabled(c, lead) ? control_event(c, lead) : (struct selected){0};
    bool good = there.event != NULL;
    if (good && set)
      good = (others = event_attr(c, there.event, "set")) && !strcmp(others, set);
    if (good &&
        kinds[k].test == RULE_FOLLOWS) /* an occupancy event is for the counter with the queue's occupancy only */
      good = there.event->counters == UINT32_C(1) << number;
    if (lead && lead->known && !good)
      check_report_deferred(c, kinds[k].test, control, 0);
  }
}

/* With `all`, a counter counts the events of both threads of a core, so both threads need the same filters. The
 * threads of a core are packages 2n and 2n + 1. */
static void judge_threads(struct checker *c, const struct block *b, struct seen *control)
{
  struct db_span span = c->db->units[b->unit].registers;
  const struct block *other = block_find(c, b->package ^ 1, b->unit, b->instance);
  uint64_t all;
  if (!other || !rule_find(c, RULE_OTHER_THREAD, control) || !seen_get(c, control, "all", &all) || !all)
    return;
  for (uint32_t i = span.first; i < span.first + span.n; i++) {
    const struct seen *own = seen_register(c, b, i, 0), *others = seen_register(c, other, i, 0);
    const bool both = c->db->registers[i].role == PMON_ROLE_FILTER && own && others;
    if (both && (own->value ^ others->value) & own->known & others->known)
      check_report_deferred(c, RULE_OTHER_THREAD, control, 0);
  }
}

/* Judges a control whose counter starts to count. */
static void judge_start(struct checker *c, const struct block *b, struct seen *control, const struct seen *counter)
{
  uint32_t role = seen_role(c, control), n = c->db->units[b->unit].counters;
  if (!counter || !counter->set)
    check_report_deferred(c, RULE_STALE_COUNTER, control, 0);
  if (counter && counter->counted && !counter->reset && control->counted_as == control->value)
    check_report_deferred(c, RULE_SWITCHED, control, 0);
  for (uint32_t i = 0; role == PMON_ROLE_CTL && i < n && i < CHECK_COUNTERS; i++) {
    struct seen *another = block_counter(c, b, role, i);
    if (another && !another->programmed && control_enabled(c, another))
      check_report_deferred(c, RULE_STALE_CONTROL, another, 0);
  }
  control->started = control->programmed;
  control->counted_as = control->value;
  asked_observe(c, b, control);
}

/* An enabled counter without an event, code 0, until software selects one: a UBox is started like this (E5-2600,
 * 2.1.1). */
static bool control_is_idle(const struct checker *c, const struct seen *control, const struct selected *e)
{
  uint64_t code;
  return e->code_known && !e->event && seen_get(c, control, "ev_sel", &code) && !code;
}

static void judge_deferred_counter(struct checker *c, struct block *b, uint32_t i, bool fixed)
{
  struct seen *control = block_counter(c, b, fixed ? PMON_ROLE_FIXED_CTL : PMON_ROLE_CTL, i);
  struct seen *counter = block_counter(c, b, fixed ? PMON_ROLE_FIXED_CTR : PMON_ROLE_CTR, i);
  if (!control || !control_enabled(c, control))
    return;
  const struct selected e = fixed ? (struct selected){0} : control_event(c, control);
  if (control_is_idle(c, control, &e))
    return;
  if (control->programmed > control->started)
    judge_start(c, b, control, counter);
  control->kept_frozen = false;
  if (counter) {
    counter->set = counter->reset = false;
    counter->counted = true;
  }
  system_judge(c, b, control);
  if (!e.event)
    return;
  filters_judge(c, b, control, &e);
  judge_lead(c, b, control, &e);
  judge_threads(c, b, control);
}

/* A block that counts must react to the next freeze. */
static void judge_freeze_enable(struct checker *c, const struct block *b)
{
  struct seen *box = block_counter(c, b, PMON_ROLE_UNIT_CTL, 0);
  const struct rule *r = box ? rule_find(c, RULE_FREEZE_DISABLED, box) : NULL;
  const uint32_t n = c->db->units[b->unit].counters;
  uint64_t enabled;
  bool counts = false;
  if (!r || !seen_get(c, box, "frz_en", &enabled) || enabled)
    return;
  for (uint32_t i = 0; i <= n && i < CHECK_COUNTERS && !counts; i++) {
    struct seen *control = block_counter(c, b, i < n ? PMON_ROLE_CTL : PMON_ROLE_FIXED_CTL, i < n ? i : 0);
    counts = control && control_enabled(c, control);
  }
  if (counts)
    finding_add(c, r, box, seen_field(c, box, "frz_en"), 0);
}

static void judge_deferred_block(struct checker *c, struct block *b)
{
  uint32_t n = c->db->units[b->unit].counters;
  if (block_frozen(c, b)) {
    unfrozen_passed(c, b);
    return;
  }
  b->counted_at = c->accesses;
  judge_freeze_enable(c, b);
  for (uint32_t i = 0; i < n && i < CHECK_COUNTERS; i++)
    judge_deferred_counter(c, b, i, false);
  judge_deferred_counter(c, b, 0, true);
  judge_combinations(c, b);
  for (uint32_t i = b->first; i; i = c->seen[i - 1].next)
    rules_conditions(&(struct look){c, &c->seen[i - 1], b, NULL, 0, 0}, true);
  b->dirty = false;
}

void judge_deferred(struct checker *c)
{
  for (uint32_t i = 0; i < c->n_blocks; i++)
    if (c->blocks[i].dirty)
      judge_deferred_block(c, &c->blocks[i]);
  system_passed(c);
}
