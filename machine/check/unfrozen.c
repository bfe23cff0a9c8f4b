/* SPDX-License-Identifier: MIT */
/*
 * Blocks that are never unfrozen: a control enables its counter, time passes, and the block is frozen throughout. The
 * missing access is the write that unfreezes, so the finding is at the register that froze. It is judged when the
 * control is disabled, and at the end of the run.
 */
#include "machine/check/state.h"

/* Returns the register that keeps the block frozen; NULL: it did not occur in the stream. */
static struct seen *block_find_freezer(struct checker *c, const struct block *b)
{
  if (b->frozen_known && b->frozen)
    return block_counter(c, b, PMON_ROLE_UNIT_CTL, 0);
  for (uint32_t i = 0; i < c->n_seen; i++)
    if (c->seen[i].address.package == b->package && seen_role(c, &c->seen[i]) == PMON_ROLE_GLOBAL_CTL)
      return &c->seen[i];
  return NULL;
}

void unfrozen_judge(struct checker *c, const struct block *b, struct seen *control)
{
  struct seen *freezer = control->kept_frozen && block_frozen(c, b) ? block_find_freezer(c, b) : NULL;
  const struct rule *r = freezer ? rule_find(c, RULE_NEVER_UNFROZEN, freezer) : NULL;
  if (!r)
    return;
  const struct db_field *field = seen_field(c, freezer, "frz");
  struct check_finding *f = finding_add(c, r, freezer, field ? field : seen_field(c, freezer, "frz_all"), 0);
  if (!f || !freezer->programmed)
    return;
  f->access = freezer->programmed; /* the write that froze: none has unfrozen since */
  f->time_ns = freezer->programmed_ns;
}

/* Calls `judge` for each enabled control of a block. */
static void block_enabled_controls(struct checker *c, const struct block *b,
                                   void (*judge)(struct checker *c, const struct block *b, struct seen *control))
{
  const uint32_t n = c->db->units[b->unit].counters;
  struct seen *control;
  for (uint32_t i = 0; i < n && i < CHECK_COUNTERS; i++)
    if ((control = block_counter(c, b, PMON_ROLE_CTL, i)) && control_enabled(c, control))
      judge(c, b, control);
  if ((control = block_counter(c, b, PMON_ROLE_FIXED_CTL, 0)) && control_enabled(c, control))
    judge(c, b, control);
}

static void control_keep_frozen(struct checker *c, const struct block *b, struct seen *control)
{
  (void)c;
  (void)b;
  control->kept_frozen |= control->programmed > control->started;
}

void unfrozen_passed(struct checker *c, struct block *b)
{
  block_enabled_controls(c, b, control_keep_frozen);
}

void unfrozen_end(struct checker *c, struct block *b)
{
  block_enabled_controls(c, b, unfrozen_judge);
}
