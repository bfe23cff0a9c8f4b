/* SPDX-License-Identifier: MIT */
/* Time passes: rules about what counters are programmed for together. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "machine/check/state.h"
#include "src/base/bits.h"

static void report(struct checker *c, enum guideline_test test, struct seen *s, uint64_t bits)
{
  const struct rule *r = rule_find(c, test, s);
  if (r)
    finding_add(c, r, s, NULL, bits);
}

/* One filter that an event uses: the register as seen, and the field. */
struct used { struct seen *filter; uint64_t mask; bool must; };

static bool next_filter(struct checker *c, const struct block *b, const char **list, struct used *ret)
{
  size_t n = strcspn(*list, ",");
  struct text t = { *list, n };
  if (!n)
    return false;
  *list += n;
  *list += **list == ',';
  *ret = (struct used){ .must = t.s[t.n - 1] == '!' };
  t.n -= ret->must;
  const char *dot = memchr(t.s, '.', t.n);
  struct db_span span = c->db->units[b->unit].registers;
  char field[48];
  if (!dot || (size_t)(t.s + t.n - dot) > sizeof field)
    return true;
  snprintf(field, sizeof field, "%.*s", (int)(t.s + t.n - dot - 1), dot + 1);
  for (uint32_t i = span.first; i < span.first + span.n; i++) {
    if (c->db->registers[i].role != DB_ROLE_FILTER ||
        !text_is_end((struct text){ t.s, (size_t)(dot - t.s) }, db_text(c->db, c->db->registers[i].name)))
      continue;
    ret->filter = seen_register(c, b, i, 0);
    const struct db_field *f = ret->filter ? seen_field(c, ret->filter, field) : NULL;
    ret->mask = f ? field_mask(f) : 0;
  }
  return true;
}

static const char *filters_of(const struct checker *c, const struct selected *e)
{
  return db_text(c->db, e->umask && e->umask->filters ? e->umask->filters : e->event->filters);
}

/* The thread is compared only where the control says so. */
static bool in_use(const struct checker *c, const struct seen *control, const struct used *f)
{
  uint64_t tid = 0;
  const struct db_field *field = f->filter ? seen_field(c, f->filter, "tid") : NULL;
  if (!f->filter || !f->mask)
    return false;
  return f->must || (field && field_mask(field) == f->mask && seen_get(c, control, "tid_en", &tid) && tid);
}

static void judge_filters(struct checker *c, const struct block *b, struct seen *control, const struct selected *e)
{
  const char *list = filters_of(c, e);
  struct used f;
  while (next_filter(c, b, &list, &f))
    if (f.must && (!f.filter || ((f.filter->known & f.mask) == f.mask && !(f.filter->value & f.mask))))
      report(c, GUIDELINE_FILTER_MISSING, control, 0);
}

/* Both use a field that was changed after the first had been programmed, and before the second was. */
static void judge_sharing(struct checker *c, const struct block *b, struct seen *one, struct seen *two)
{
  struct selected a = control_event(c, one), e = control_event(c, two);
  struct used f, g;
  if (!a.event || !e.event)
    return;
  for (const char *list = filters_of(c, &a); next_filter(c, b, &list, &f);)
    for (const char *other = filters_of(c, &e); in_use(c, one, &f) && next_filter(c, b, &other, &g);)
      if (in_use(c, two, &g) && g.filter == f.filter && g.mask == f.mask && f.filter->filter_bits & f.mask &&
          one->programmed < f.filter->filter_at && f.filter->filter_at < two->programmed)
        report(c, GUIDELINE_FILTER_SHARED, one, f.filter->value & f.mask);
}

/* What has to count elsewhere: a set's leader, or the counter that an event follows. */
static void judge_company(struct checker *c, const struct block *b, struct seen *control, const struct selected *e)
{
  static const struct { const char *attr; enum guideline_test test; } kinds[] = {
    { "lead", GUIDELINE_LEADER }, { "follows", GUIDELINE_FOLLOWS } };
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
    const char *text = event_attr(c, e->event, kinds[k].attr), *set = event_attr(c, e->event, "set"), *its;
    uint64_t number;
    if (!text || !text_number(text_of(text), &number) || number < c->db->units[b->unit].first_counter)
      continue;
    struct seen *lead = block_counter(c, b, DB_ROLE_CTL, (uint32_t)number - c->db->units[b->unit].first_counter);
    struct selected there = lead && control_enabled(c, lead) ? control_event(c, lead) : (struct selected){ 0 };
    bool good = there.event != NULL;
    if (good && set)
      good = (its = event_attr(c, there.event, "set")) && !strcmp(its, set);
    if (lead && lead->known && !good)
      report(c, kinds[k].test, control, 0);
  }
}

static void settle_counter(struct checker *c, struct block *b, uint32_t i, bool fixed)
{
  struct seen *control = block_counter(c, b, fixed ? DB_ROLE_FIXED_CTL : DB_ROLE_CTL, i);
  struct seen *counter = block_counter(c, b, fixed ? DB_ROLE_FIXED_CTR : DB_ROLE_CTR, i);
  if (!control || !control_enabled(c, control))
    return;
  if (control->programmed > control->started) {
    if (!counter || !counter->set)
      report(c, GUIDELINE_STALE_COUNTER, control, 0);
    control->started = control->programmed;
  }
  if (counter) {
    counter->set = false;
    counter->counted = true;
  }
  struct selected e = fixed ? (struct selected){ 0 } : control_event(c, control);
  if (!e.event)
    return;
  judge_filters(c, b, control, &e);
  judge_company(c, b, control, &e);
}

static void settle_block(struct checker *c, struct block *b)
{
  uint32_t n = c->db->units[b->unit].counters;
  if (block_frozen(c, b))
    return;
  for (uint32_t i = 0; i < n && i < CHECK_COUNTERS; i++)
    settle_counter(c, b, i, false);
  settle_counter(c, b, 0, true);
  for (uint32_t i = 0; i < n && i < CHECK_COUNTERS; i++)
    for (uint32_t k = 0; k < n && k < CHECK_COUNTERS; k++) {
      struct seen *one = block_counter(c, b, DB_ROLE_CTL, i), *two = block_counter(c, b, DB_ROLE_CTL, k);
      if (i != k && one && two && control_enabled(c, one) && control_enabled(c, two))
        judge_sharing(c, b, one, two);
    }
  for (uint32_t i = 0; i < c->n_seen; i++) {
    struct seen *s = &c->seen[i];
    struct look l = { c, s, b, NULL, 0, 0 };
    if (s->unit == b->unit && s->instance == b->instance && s->address.package == b->package)
      rules_conditions(&l, true);
  }
  b->dirty = false;
}

void settle(struct checker *c)
{
  for (uint32_t i = 0; i < c->n_blocks; i++)
    if (c->blocks[i].dirty)
      settle_block(c, &c->blocks[i]);
}
