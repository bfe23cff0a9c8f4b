/* SPDX-License-Identifier: MIT */
/* Rules about filter registers: set where an event needs them, and not shared by events that want different things. */
#include <string.h>
#include "machine/check/state.h"
#include "src/facts/field.h"

static void report(struct checker *c, enum rule_test test, struct seen *s, uint64_t bits)
{
  const struct rule *r = rule_find(c, test, s);
  if (r)
    finding_add(c, r, s, NULL, bits);
}

/* One filter that an event uses: the register as seen, and the field; thread: it is the one that tid_en switches on. */
struct used {
  struct seen *filter;
  uint64_t mask;
  bool must, thread;
};

static bool next_filter(struct checker *c, const struct block *b, const char **list, struct used *ret)
{
  size_t n = strcspn(*list, ",");
  struct text t = {*list, n};
  if (!n)
    return false;
  *list += n;
  *list += **list == ',';
  *ret = (struct used){.must = t.s[t.n - 1] == '!'};
  t.n -= ret->must;
  const char *dot = memchr(t.s, '.', t.n);
  struct db_span span = c->db->units[b->unit].registers;
  if (!dot)
    return true;
  const struct text field = {dot + 1, (size_t)(t.s + t.n - dot - 1)};
  ret->thread = text_is(field, "tid");
  for (uint32_t i = span.first; i < span.first + span.n; i++) {
    if (c->db->registers[i].role != DB_ROLE_FILTER ||
        !text_is_end((struct text){t.s, (size_t)(dot - t.s)}, db_text(c->db, c->db->registers[i].name)))
      continue;
    ret->filter = seen_register(c, b, i, 0);
    const struct db_field *f = ret->filter ? seen_field_text(c, ret->filter, field) : NULL;
    ret->mask = f ? field_mask(f) : 0;
  }
  return true;
}

static const char *filters_of(const struct checker *c, const struct selected *e)
{
  return db_text(c->db, e->umask && e->umask->filters ? e->umask->filters : e->event->filters);
}

/* The thread is compared only where the control says so. */
static bool thread_compared(const struct checker *c, const struct seen *control, const struct used *f)
{
  uint64_t on = 0;
  return f->thread && seen_get(c, control, "tid_en", &on) && on;
}

static bool in_use(const struct checker *c, const struct seen *control, const struct used *f)
{
  return f->filter && f->mask && (f->must || thread_compared(c, control, f));
}

void filters_judge(struct checker *c, const struct block *b, struct seen *control, const struct selected *e)
{
  const char *list = filters_of(c, e);
  struct used f;
  while (next_filter(c, b, &list, &f))
    if ((f.must && (!f.filter || ((f.filter->known & f.mask) == f.mask && !(f.filter->value & f.mask)))) ||
        (thread_compared(c, control, &f) && !f.filter))
      report(c, RULE_FILTER_MISSING, control, 0);
}

/* Both use a field that was changed after the first had been programmed, and before the second was. */
void filters_judge_sharing(struct checker *c, const struct block *b, struct seen *one, struct seen *two)
{
  struct selected a = control_event(c, one), e = control_event(c, two);
  struct used f, g;
  if (!a.event || !e.event)
    return;
  for (const char *list = filters_of(c, &a); next_filter(c, b, &list, &f);)
    for (const char *other = filters_of(c, &e); in_use(c, one, &f) && next_filter(c, b, &other, &g);)
      if (in_use(c, two, &g) && g.filter == f.filter && g.mask == f.mask && f.filter->filter_bits & f.mask &&
          one->programmed < f.filter->filter_at && f.filter->filter_at < two->programmed)
        report(c, RULE_FILTER_SHARED, one, f.filter->value & f.mask);
}
