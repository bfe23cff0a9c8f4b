/* SPDX-License-Identifier: MIT */
/* Rules about filter registers: an event's filter must be set, and two events that need different values must not
 * share it. */
#include <stdio.h>
#include <string.h>
#include "machine/check/state.h"
#include "src/facts/field.h"

static void check_report_filter(struct checker *c, enum rule_test test, struct seen *s, uint64_t bits)
{
  const struct rule *r = rule_find(c, test, s);
  if (r)
    finding_add(c, r, s, NULL, bits);
}

/* One filter that an event uses: the register's row, the register (NULL: it did not occur in the stream), the field's
 * name and mask. thread: the filter that tid_en enables. */
struct used_filter {
  uint32_t reg;
  struct seen *filter;
  struct text field;
  uint64_t mask;
  bool must, thread;
};

static bool used_filter_next(struct checker *c, const struct block *b, const char **list, struct used_filter *ret)
{
  size_t n = strcspn(*list, ",");
  struct text t = {*list, n};
  if (!n)
    return false;
  *list += n;
  *list += **list == ',';
  const bool marked = t.s[t.n - 1] == '!';
  *ret = (struct used_filter){.reg = DB_NONE, .must = marked && !memchr(t.s, '|', t.n)}; /* of several, one is enough */
  t.n -= marked;
  const char *dot = memchr(t.s, '.', t.n);
  struct db_span span = c->db->units[b->unit].registers;
  if (!dot)
    return true;
  const struct text field = {dot + 1, (size_t)(t.s + t.n - dot - 1)};
  ret->thread = text_is(field, "tid");
  ret->field = field;
  for (uint32_t i = span.first; i < span.first + span.n; i++) {
    if (c->db->registers[i].role != PMON_ROLE_FILTER ||
        !text_is_end((struct text){t.s, (size_t)(dot - t.s)}, db_text(c->db, c->db->registers[i].name)))
      continue;
    ret->reg = i;
    ret->filter = seen_register(c, b, i, 0);
    const struct db_field *f = ret->filter ? seen_field_text(c, ret->filter, field) : NULL;
    ret->mask = f ? field_mask(f) : 0;
  }
  return true;
}

/* Adds a finding at the control, which names the filter that the control lacks. */
static void check_report_missing(struct checker *c, struct seen *control, const struct used_filter *u)
{
  const struct rule *r = rule_find(c, RULE_FILTER_MISSING, control);
  struct check_finding *f = r ? finding_add(c, r, control, NULL, 0) : NULL;
  if (f && u->reg != DB_NONE)
    snprintf(f->missing, sizeof f->missing, "%s.%.*s", db_text(c->db, c->db->registers[u->reg].name), (int)u->field.n,
             u->field.s);
}

static const char *event_filter_list(const struct checker *c, const struct selected *e)
{
  const db_str own = e->umask ? db_umask_extra(c->db, e->umask)->filters : 0;
  return db_text(c->db, own ? own : e->event->filters);
}

/* The thread filter applies only where the control enables it. */
static bool thread_compared(const struct checker *c, const struct seen *control, const struct used_filter *f)
{
  uint64_t on = 0;
  return f->thread && seen_get(c, control, "tid_en", &on) && on;
}

static bool filter_is_used(const struct checker *c, const struct seen *control, const struct used_filter *f)
{
  return f->filter && f->mask && (f->must || thread_compared(c, control, f));
}

void filters_judge(struct checker *c, const struct block *b, struct seen *control, const struct selected *e)
{
  const char *list = event_filter_list(c, e);
  struct used_filter f;
  while (used_filter_next(c, b, &list, &f))
    if ((f.must && (!f.filter || ((f.filter->known & f.mask) == f.mask && !(f.filter->value & f.mask)))) ||
        (thread_compared(c, control, &f) && !f.filter))
      check_report_missing(c, control, &f);
}

/* Reports controls that share a field that changed after the first was programmed and before the second was. */
void filters_judge_sharing(struct checker *c, const struct block *b, struct seen *one, struct seen *two)
{
  struct selected a = control_event(c, one), e = control_event(c, two);
  struct used_filter f, g;
  if (!a.event || !e.event)
    return;
  for (const char *list = event_filter_list(c, &a); used_filter_next(c, b, &list, &f);)
    for (const char *other = event_filter_list(c, &e);
         filter_is_used(c, one, &f) && used_filter_next(c, b, &other, &g);)
      if (filter_is_used(c, two, &g) && g.filter == f.filter && g.mask == f.mask && f.filter->filter_bits & f.mask &&
          one->programmed < f.filter->filter_at && f.filter->filter_at < two->programmed)
        check_report_filter(c, RULE_FILTER_SHARED, one, f.filter->value & f.mask);
}

void filters_judge_change(const struct look *l, uint64_t bits)
{
  const struct rule *r = rule_find(l->c, RULE_PROGRAM_RUNNING, l->s);
  for (uint32_t i = 0; r && i < l->c->db->units[l->b->unit].counters && i < CHECK_COUNTERS; i++) {
    struct seen *control = block_counter(l->c, l->b, PMON_ROLE_CTL, i);
    const struct selected e =
        control && control_enabled(l->c, control) ? control_event(l->c, control) : (struct selected){0};
    struct used_filter f;
    for (const char *list = e.event ? event_filter_list(l->c, &e) : ""; used_filter_next(l->c, l->b, &list, &f);)
      if (f.filter == l->s && f.mask & bits && (!f.thread || thread_compared(l->c, control, &f))) {
        finding_add(l->c, r, l->s, NULL, bits);
        return;
      }
  }
}
