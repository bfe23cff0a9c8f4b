/* SPDX-License-Identifier: MIT */
/*
 * Wrong counts, explained by the reads that they were made of. A count is the difference of two reads of a counter, at
 * the counter's width, of the package that was asked for. Where such a difference is the right count, and another one
 * that a known mistake makes of the same reads is the count that software printed, the mistake and the reads are named.
 */
#include <pmon/status.h>
#include "machine/check/state.h"
#include "src/base/array.h"
#include "src/facts/field.h"

int check_count(struct checker *c, const struct check_count *count)
{
  if (count->printed == count->right)
    return PMON_OK;
  if (array_grow(&c->counts, c->n_counts, &c->room_counts, sizeof *c->counts))
    return PMON_E_MEMORY;
  c->counts[c->n_counts++] = *count;
  return PMON_OK;
}

static bool is_counter(const struct checker *c, const struct seen *s)
{
  return seen_role(c, s) == PMON_ROLE_CTR || seen_role(c, s) == PMON_ROLE_FIXED_CTR;
}

static uint32_t counter_width(const struct checker *c, const struct seen *s)
{
  const struct db_field *f = seen_field(c, s, "event_count");
  return f ? f->hi - f->lo + 1u : c->db->units[s->unit].width_bits;
}

/* Of a counter that is read in halves, the upper one comes last. */
void counted_observe(const struct look *l, bool upper)
{
  struct seen *s = l->s;
  struct checker *c = l->c;
  const bool whole = upper || l->a->address.width_bits == 64 || counter_width(c, s) <= 32;
  if (!c->n_counts || !whole || !is_counter(c, s))
    return;
  if (s->pair_waits && s->pair_waits <= c->waits) {
    if (array_grow(&c->pairs, c->n_pairs, &c->room_pairs, sizeof *c->pairs)) {
      c->out_of_memory = true;
      return;
    }
    c->pairs[c->n_pairs++] =
        (struct read_pair){(uint32_t)(s - c->seen), s->pair_from, s->value, c->accesses, l->a->time_ns};
  }
  s->pair_from = s->value;
  s->pair_waits = c->waits + 1;
}

static uint64_t difference(const struct read_pair *p, uint32_t width)
{
  return (p->to - p->from) & (width >= 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1);
}

/* Whether the printed count is that of another width: the difference wraps there, or software that shifts both reads to
 * the top of a word does not shift the difference back. */
static bool is_other_width(const struct read_pair *p, uint32_t width, uint64_t printed)
{
  static const uint32_t widths[] = {32, 36, 40, 44, 48, 52, 56, 64};
  for (size_t i = 0; i < sizeof widths / sizeof *widths; i++)
    if (difference(p, widths[i]) == printed)
      return true;
  return width < 64 && difference(p, width) && difference(p, width) << (64 - width) == printed;
}

/* The same counter of another package, which counted what was printed. */
static const struct read_pair *pair_elsewhere(const struct checker *c, const struct seen *s, uint64_t printed)
{
  for (uint32_t i = 0; i < c->n_pairs; i++) {
    const struct read_pair *p = &c->pairs[i];
    const struct seen *t = &c->seen[p->index];
    if (t->address.package != s->address.package && t->reg == s->reg && t->instance == s->instance &&
        t->index == s->index && difference(p, counter_width(c, t)) == printed)
      return p;
  }
  return NULL;
}

/* The finding is at the counter, with its second read. False: the guide has no such rule. */
static bool counted_report(struct checker *c, enum rule_test test, const struct read_pair *p)
{
  const struct seen *s = &c->seen[p->index];
  const struct rule *r = rule_find(c, test, s);
  struct check_finding *f = r ? finding_add(c, r, s, NULL, 0) : NULL;
  if (f) {
    f->access = p->access;
    f->time_ns = p->time_ns;
    f->value = p->to;
  }
  return r != NULL;
}

/* The mistake that explains a wrong count by a pair of reads; RULE_N: none. *ret_at is the pair to be named. */
static enum rule_test counted_mistake(const struct checker *c, const struct check_count *count,
                                      const struct read_pair *p, const struct read_pair **ret_at)
{
  const struct seen *s = &c->seen[p->index];
  const uint32_t width = counter_width(c, s);
  *ret_at = p;
  if (s->address.package != count->package || difference(p, width) != count->right)
    return RULE_N;
  if (is_other_width(p, width, count->printed))
    return RULE_COUNTED_WIDTH;
  if (p->to == count->printed)
    return RULE_COUNTED_DIFFERENCE;
  if (!count->right) /* any idle counter would do */
    return RULE_N;
  *ret_at = pair_elsewhere(c, s, count->printed);
  return *ret_at ? RULE_COUNTED_PACKAGE : RULE_N;
}

void counted_end(struct checker *c)
{
  for (uint32_t k = 0; k < c->n_counts; k++)
    for (uint32_t i = 0; i < c->n_pairs; i++) {
      const struct read_pair *at;
      const enum rule_test test = counted_mistake(c, &c->counts[k], &c->pairs[i], &at);
      if (test != RULE_N && counted_report(c, test, at))
        break;
    }
}
