/* SPDX-License-Identifier: MIT */
/* Combination rules: events that count at the same time on one block. */
#include <string.h>
#include "machine/check/state.h"

static void check_report_combination(struct checker *c, enum rule_test test, struct seen *s)
{
  const struct rule *r = rule_find(c, test, s);
  if (r)
    finding_add(c, r, s, NULL, 0);
}

/* True if both controls select events of one group (`attr one=GROUP.N`) and different members of it; the members of
 * GROUP.umask are the umasks of its events. */
static bool exclude_each_other(const struct checker *c, const struct seen *one, const struct seen *two)
{
  const struct db_event *x = control_event(c, one).event, *y = control_event(c, two).event;
  const char *a = event_attr(c, x, "one"), *b = event_attr(c, y, "one");
  const char *dot = a && b ? strrchr(a, '.') : NULL;
  uint64_t umasks[2] = {0, 0};
  if (!dot || strncmp(a, b, (size_t)(dot - a) + 1) != 0)
    return false;
  if (strcmp(dot, ".umask") != 0)
    return strcmp(a, b) != 0;
  return x != y ||
         (seen_get(c, one, "umask", &umasks[0]) && seen_get(c, two, "umask", &umasks[1]) && umasks[0] != umasks[1]);
}

static void judge_pair(struct checker *c, const struct block *b, struct seen *one, struct seen *two)
{
  struct selected a = control_event(c, one), e = control_event(c, two);
  if (!a.event || !e.event)
    return;
  filters_judge_sharing(c, b, one, two);
  filters_judge_sharing(c, b, two, one);
  if (exclude_each_other(c, one, two))
    check_report_combination(c, RULE_ONE_OF, two);
  if (a.event->set != e.event->set)
    check_report_combination(c, RULE_ONE_SET, two);
}

void judge_combinations(struct checker *c, const struct block *b)
{
  uint32_t n = c->db->units[b->unit].counters;
  for (uint32_t i = 0; i < n && i < CHECK_COUNTERS; i++) {
    struct seen *one = block_counter(c, b, PMON_ROLE_CTL, i);
    for (uint32_t k = i + 1; one && control_enabled(c, one) && k < n && k < CHECK_COUNTERS; k++) {
      struct seen *two = block_counter(c, b, PMON_ROLE_CTL, k);
      if (two && control_enabled(c, two))
        judge_pair(c, b, one, two);
    }
  }
}
