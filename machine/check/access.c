/* SPDX-License-Identifier: MIT */
/* Judges one access: its effect on the known state of the hardware, and the programming rules about it. */
#include <pmon/access.h>
#include "machine/check/state.h"
#include "src/facts/field.h"

static void check_report_access(const struct look *l, enum rule_test test, const struct db_field *f, uint64_t bits)
{
  const struct rule *r = rule_find(l->c, test, l->s);
  if (r)
    finding_add(l->c, r, l->s, f, bits);
}

static void judge_field_access(const struct look *l)
{
  const struct db *db = l->c->db;
  uint32_t layout = db->registers[l->s->reg].layout;
  bool writable = false, ignored = false;
  if (layout == DB_NONE)
    return;
  struct db_span span = db->layouts[layout].fields;
  for (uint32_t i = span.first; i < span.first + span.n; i++) {
    const struct db_field *f = &db->fields[i];
    uint64_t mask = field_mask(f) & l->mask;
    writable |=
        f->access == DB_RW || f->access == DB_WO || f->access == DB_W1C || f->access == DB_W1S || f->access == DB_W0C;
    ignored |= f->access == DB_IGN && !f->reserved;
    if (f->access == DB_RSVD && l->s->value & mask)
      check_report_access(l, RULE_RESERVED, f, l->s->value & mask);
    else if (f->access == DB_RO && f->reserved && (l->s->value ^ field_set(f, 0, f->reset)) & mask)
      check_report_access(l, RULE_CONSTANT, f, (l->s->value ^ field_set(f, 0, f->reset)) & mask);
  }
  if (!writable && !ignored)
    check_report_access(l, RULE_READ_ONLY, NULL, l->mask);
}

/* Judges a write that the hardware refused: the register keeps its value. */
void judge_refused(const struct look *l)
{
  l->s->value = l->a->value;
  judge_field_access(l);
  l->s->value = l->old;
}

static bool block_can_freeze(const struct look *l)
{
  return block_counter(l->c, l->b, PMON_ROLE_UNIT_CTL, 0) ||
         platform_register(l->c->db, l->s->unit, PMON_ROLE_UNIT_CTL, 0) != DB_NONE;
}

static void judge_selection(const struct look *l)
{
  const struct db_unit *u = &l->c->db->units[l->s->unit];
  const struct db_field *code = seen_field(l->c, l->s, "ev_sel"), *umask = seen_field(l->c, l->s, "umask");
  if (!code || !(field_mask(code) & l->mask) || !control_enabled(l->c, l->s))
    return;
  struct selected e = control_event(l->c, l->s);
  if (e.code_known && !e.event) {
    if (field_get(code, l->s->value)) /* With event code 0 an enabled counter is idle until software selects an event
                                       * (E5-2600, 2.1.1). */
      check_report_access(l, RULE_NO_EVENT, code, field_mask(code));
    return;
  }
  if (!e.event)
    return;
  uint32_t counters = e.umask && e.umask->counters ? e.umask->counters : e.event->counters;
  bool given = counters || e.event->flags & DB_COUNTERS_GIVEN;
  if (given && !(counters >> (u->first_counter + l->s->index) & 1))
    check_report_access(l, RULE_WRONG_COUNTER, code, field_mask(code));
  if (!e.listed && e.event->flags & DB_EXCLUSIVE && umask)
    check_report_access(l, RULE_UMASK, umask, field_mask(umask));
  for (uint32_t i = 0; umask && i < e.event->groups.n; i++) {
    const uint64_t bits = l->c->db->masks[e.event->groups.first + i].bits;
    if (!(field_get(umask, l->s->value) & bits) && !(e.event->flags & DB_BARE))
      check_report_access(l, RULE_UMASK_GROUP, umask, bits << umask->lo);
  }
}

/* True if the control register makes an overflow freeze or interrupt, so that software notices it. */
static bool overflow_is_reported(const struct look *l, const struct seen *control)
{
  uint64_t reported = 0;
  return (seen_get(l->c, control, "frz_ovf", &reported) || seen_get(l->c, control, "oi", &reported)) && reported;
}

static void control_written(const struct look *l)
{
  struct seen before = *l->s, *counter;
  uint64_t rst = 0;
  before.value = l->old;
  if (overflow_is_reported(l, l->s) && l->b->package < 64)
    l->c->package_armed[l->b->package] = true;
  const bool was_on = before.known && control_enabled(l->c, &before), on = control_enabled(l->c, l->s);
  if (was_on && !on)
    unfrozen_judge(l->c, l->b, l->s);
  if (on && !was_on)
    l->s->kept_frozen = false;
  if (seen_get(l->c, l->s, "rst", &rst) && rst &&
      (counter = block_counter(l->c, l->b, seen_role(l->c, l->s) == PMON_ROLE_CTL ? PMON_ROLE_CTR : PMON_ROLE_FIXED_CTR,
                               l->s->index)))
    counter->set = counter->reset = true, counter->has_last = false;
  if (seen_role(l->c, l->s) == PMON_ROLE_CTL)
    judge_selection(l);
  if (block_can_freeze(l) && !block_frozen(l->c, l->b) && (on || was_on))
    check_report_access(l, RULE_PROGRAM_RUNNING, NULL, l->s->value & l->mask);
}

static void judge_overflow(const struct look *l, struct seen *status, bool global)
{
  const uint32_t role = seen_role(l->c, status);
  if (status->value && (role == PMON_ROLE_UNIT_STATUS || (global && role == PMON_ROLE_GLOBAL_STATUS)))
    check_report_access(&(struct look){l->c, status, l->b, l->a, 0, 0}, RULE_OVERFLOW_LEFT, NULL, status->value);
}

/* Reports overflow bits that software read and did not clear before counting continues. With `all`, the status
 * registers of the whole package are checked; otherwise those of the block. */
static void judge_overflows(const struct look *l, bool all)
{
  for (uint32_t i = 0; all && i < l->c->n_seen; i++)
    if (l->c->seen[i].address.package == l->s->address.package)
      judge_overflow(l, &l->c->seen[i], true);
  for (uint32_t i = l->b->first; !all && i; i = l->c->seen[i - 1].next)
    judge_overflow(l, &l->c->seen[i - 1], false);
}

/* Montecito's overflow bits share a register with the freeze bit, one bit per counter. A counter is marked as
 * overflowed until software writes it. */
static void remember_overflows(const struct look *l)
{
  const struct db_field *f = seen_field(l->c, l->s, "overflow");
  uint64_t bits;
  if (!f || !seen_get(l->c, l->s, "overflow", &bits))
    return;
  for (uint32_t i = 0; i < CHECK_COUNTERS && bits >> i; i++) {
    struct seen *counter = bits >> i & 1 ? block_counter(l->c, l->b, PMON_ROLE_CTR, i) : NULL;
    if (counter)
      counter->overflowed = true;
  }
}

/* Reports counters that still request an interrupt, and that software did not rewrite after they interrupted, when
 * monitoring continues. */
static void judge_repeated_interrupt(const struct look *l)
{
  for (uint32_t i = 0; i < l->c->db->units[l->b->unit].counters && i < CHECK_COUNTERS; i++) {
    struct seen *control = block_counter(l->c, l->b, PMON_ROLE_CTL, i),
                *counter = block_counter(l->c, l->b, PMON_ROLE_CTR, i);
    uint64_t requested;
    if (counter && counter->overflowed && control && control_enabled(l->c, control) &&
        seen_get(l->c, control, "oi", &requested) && requested)
      check_report_access(&(struct look){l->c, control, l->b, l->a, 0, 0}, RULE_INTERRUPTS_AGAIN,
                          seen_field(l->c, control, "oi"), 0);
  }
}

static void reset_all(const struct look *l, uint32_t role)
{
  struct db_span span = l->c->db->units[l->b->unit].registers;
  const struct block b = *l->b;
  struct checker *c = l->c;
  for (uint32_t r = span.first; r < span.first + span.n; r++)
    for (uint32_t i = 0; c->db->registers[r].role == role && (i < c->db->registers[r].count || !i); i++) {
      struct platform_place place = {b.unit, r, b.instance, i};
      struct pmon_address a;
      uint64_t shift;
      if (platform_address(c->db, &place, &a))
        continue;
      a.package = b.package;
      struct seen *s = seen_find_or_add(c, &a, &shift);
      if (!s)
        continue;
      if (role == PMON_ROLE_CTL && control_enabled(c, s))
        unfrozen_judge(c, &b, s);
      s->value = 0;
      s->known = UINT64_MAX;
      s->set = s->reset = true;
      s->has_last = false;
    }
}

static void unit_written(const struct look *l)
{
  uint64_t frz = 0, en = 1, resets = 0;
  bool was_frozen = l->b->frozen || !l->b->frozen_known;
  struct block *b = l->b;
  const struct look at = *l;
  if (seen_get(l->c, l->s, "frz", &frz)) {
    seen_get(l->c, l->s, "frz_en", &en);
    b->frozen = frz && en;
    b->frozen_known = true;
    if (was_frozen && !b->frozen) {
      judge_overflows(l, false);
      judge_repeated_interrupt(l);
    }
  }
  struct seen written = *l->s;
  if (seen_get(at.c, &written, "rst_ctrl", &resets) && resets)
    reset_all(&at, PMON_ROLE_CTL);
  if (seen_get(at.c, &written, "rst_ctrs", &resets) && resets)
    reset_all(&at, PMON_ROLE_CTR);
}

static void global_written(const struct look *l)
{
  uint64_t frz, package = l->s->address.package;
  if (package >= 64 || !seen_get(l->c, l->s, "frz_all", &frz))
    return;
  bool was_frozen = l->c->package_frozen[package] || !l->c->package_known[package];
  l->c->package_frozen[package] = frz != 0;
  l->c->package_known[package] = true;
  for (uint32_t i = 0; i < l->c->n_blocks; i++)
    l->c->blocks[i].dirty = true;
  if (was_frozen && !frz)
    judge_overflows(l, true);
}

void judge_write(const struct look *l)
{
  judge_field_access(l);
  rules_conditions(l, false);
  l->s->programmed = l->c->accesses;
  l->s->programmed_ns = l->a->time_ns;
  switch (seen_role(l->c, l->s)) {
  case PMON_ROLE_CTL:
  case PMON_ROLE_FIXED_CTL: control_written(l); break;
  case PMON_ROLE_UNIT_CTL:
    if (!l->b->set_up) {
      l->b->set_up = l->c->accesses;
      l->b->set_up_ns = l->a->time_ns;
    }
    unit_written(l);
    break;
  case PMON_ROLE_GLOBAL_CTL: global_written(l); break;
  case PMON_ROLE_CTR:
  case PMON_ROLE_FIXED_CTR:
    l->s->set = l->s->reset = true;
    l->s->has_last = l->s->overflowed = false;
    break;
  case PMON_ROLE_FILTER:
    if ((l->s->value ^ l->old) & l->mask) {
      l->s->filter_at = l->c->accesses;
      l->s->filter_bits = (l->s->value ^ l->old) & l->mask;
      if (block_can_freeze(l) && !block_frozen(l->c, l->b))
        filters_judge_change(l, l->s->filter_bits);
    }
    break;
  default: break;
  }
}

/* Reports a read if software has not read the overflow status of the package or of the block since a freeze-enabled
 * counter counted. */
static void judge_status(const struct look *l, const struct seen *control)
{
  uint64_t freezes;
  const struct seen *status = block_counter(l->c, l->b, PMON_ROLE_UNIT_STATUS, 0);
  const uint64_t global_at = l->b->package < 64 ? l->c->status_read_at[l->b->package] : 0;
  const uint64_t read_at = status && status->read_at > global_at ? status->read_at : global_at;
  if (seen_get(l->c, control, "frz_ovf", &freezes) && freezes && l->s->counted && !l->s->reset &&
      read_at <= l->b->counted_at)
    check_report_access(l, RULE_STATUS_UNREAD, NULL, 0);
}

static void counter_read(const struct look *l, uint32_t control_role)
{
  struct seen *control = block_counter(l->c, l->b, control_role, l->s->index);
  bool on = control && control_enabled(l->c, control);
  bool armed = l->b->package < 64 && l->c->package_armed[l->b->package];
  if (on && block_can_freeze(l) && !block_frozen(l->c, l->b) && !armed)
    check_report_access(l, RULE_READ_RUNNING, NULL, 0);
  if (on)
    judge_status(l, control);
  system_judge_read(l->c, l->b, control, l->s);
  if (control && !on && control->known && !l->s->counted && !control->kept_frozen && l->c->waits)
    check_report_access(l, RULE_READ_OFF, NULL, 0);
  if (control && !on && control->known && l->s->counted && !l->s->reset)
    check_report_access(l, RULE_VALUE_LOST, NULL, l->s->value);
  if (l->s->has_last && l->s->value < l->s->last_read && l->s->counted &&
      !(control && overflow_is_reported(l, control)))
    check_report_access(l, RULE_WRAPPED, NULL, l->s->value);
  l->s->set = l->s->has_last = true;
  l->s->last_read = l->s->value;
}

void judge_read(const struct look *l)
{
  const struct rule *r = rule_find(l->c, RULE_FROZEN_ONLY, l->s);
  l->s->read_at = l->c->accesses;
  uint64_t frz, en = 1;
  if (r && l->b->frozen_known && !block_frozen(l->c, l->b))
    finding_add(l->c, r, l->s, NULL, 0);
  switch (seen_role(l->c, l->s)) {
  case PMON_ROLE_GLOBAL_STATUS:
    if (l->b->package < 64)
      l->c->status_read_at[l->b->package] = l->c->accesses;
    break;
  case PMON_ROLE_CTR: counter_read(l, PMON_ROLE_CTL); break;
  case PMON_ROLE_FIXED_CTR: counter_read(l, PMON_ROLE_FIXED_CTL); break;
  case PMON_ROLE_UNIT_CTL: {
    const struct db_field *f = seen_field(l->c, l->s, "frz");
    if (f && f->access == DB_RW && seen_get(l->c, l->s, "frz", &frz)) {
      seen_get(l->c, l->s, "frz_en", &en);
      l->b->frozen = frz && en;
      l->b->frozen_known = true;
    }
    remember_overflows(l);
    break;
  }
  default: break;
  }
}
