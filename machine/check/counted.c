/* SPDX-License-Identifier: MIT */
/*
 * Explains wrong counts by the reads from which software computed them. A count is the difference of two reads of a
 * counter, at the counter's width, of the requested package. If such a difference is the right count, and a known
 * mistake computes the printed count from the same reads, the mistake and the reads are reported. Reads of another
 * package belong to the same measurement if their intervals overlap.
 */
#include <pmon/status.h>
#include "machine/check/state.h"
#include "src/base/array.h"
#include "src/facts/field.h"

int check_count(struct checker *c, const struct check_count *count)
{
  if (count->printed == count->right)
    return PMON_OK;
  if (array_grow(&c->counts, c->n_counts, &c->cap_counts, sizeof *c->counts))
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

/* If a counter is read in halves, the upper half comes last. */
void counted_observe(const struct look *l, bool upper)
{
  struct seen *s = l->s;
  struct checker *c = l->c;
  const bool whole = upper || l->a->address.width_bits == 64 || counter_width(c, s) <= 32;
  if (!c->n_counts || !whole || !is_counter(c, s))
    return;
  if (s->pair_waits && s->pair_waits <= c->waits) {
    if (array_grow(&c->pairs, c->n_pairs, &c->cap_pairs, sizeof *c->pairs)) {
      c->out_of_memory = true;
      return;
    }
    c->pairs[c->n_pairs++] = (struct read_pair){.index = (uint32_t)(s - c->seen),
                                                .from = s->pair_from,
                                                .to = s->value,
                                                .access = c->accesses,
                                                .from_ns = s->pair_ns,
                                                .to_ns = l->a->time_ns};
    *(s->pair_last ? &c->pairs[s->pair_last - 1].next : &s->pair_first) = c->n_pairs;
    s->pair_last = c->n_pairs;
  }
  s->pair_from = s->value;
  s->pair_ns = l->a->time_ns;
  s->pair_waits = c->waits + 1;
}

static uint64_t difference(const struct read_pair *p, uint32_t width)
{
  return (p->to - p->from) & (width >= 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1);
}

/* True if the printed count results from another width: the difference wraps there, or software that shifts both reads
 * to the top of a word does not shift the difference back. */
static bool is_other_width(const struct read_pair *p, uint32_t width, uint64_t printed)
{
  static const uint32_t widths[] = {32, 36, 40, 44, 48, 52, 56, 64};
  for (size_t i = 0; i < sizeof widths / sizeof *widths; i++)
    if (difference(p, widths[i]) == printed)
      return true;
  return width < 64 && difference(p, width) && difference(p, width) << (64 - width) == printed;
}

/* Returns the pair of counter `t` that counted `printed` and overlaps `p`. The pairs of a counter follow one another in
 * time, and so do the `p` of successive calls: pairs that ended before a `p` are skipped for good. */
static const struct read_pair *pair_meanwhile(const struct checker *c, struct seen *t, const struct read_pair *p,
                                              uint64_t printed)
{
  while (t->pair_at && c->pairs[t->pair_at - 1].to_ns <= p->from_ns)
    t->pair_at = c->pairs[t->pair_at - 1].next;
  for (uint32_t i = t->pair_at; i && c->pairs[i - 1].from_ns < p->to_ns; i = c->pairs[i - 1].next)
    if (difference(&c->pairs[i - 1], counter_width(c, t)) == printed)
      return &c->pairs[i - 1];
  return NULL;
}

/* Returns the pair of the same counter of another package that counted `printed` in the same measurement. */
static const struct read_pair *pair_elsewhere(struct checker *c, const struct read_pair *p, uint64_t printed)
{
  struct pmon_address a = c->seen[p->index].address;
  const uint32_t own = a.package;
  const struct read_pair *found = NULL;
  for (a.package = 0; a.package < CHECK_PACKAGES && !found; a.package++) {
    struct seen *t = a.package == own ? NULL : seen_find(c, &a);
    found = t ? pair_meanwhile(c, t, p, printed) : NULL;
  }
  return found;
}

/* Adds the finding at the counter, with its second read. Returns false if the guide has no such rule. */
static bool counted_report(struct checker *c, enum rule_test test, const struct read_pair *p)
{
  const struct seen *s = &c->seen[p->index];
  const struct rule *r = rule_find(c, test, s);
  struct check_finding *f = r ? finding_add(c, r, s, NULL, 0) : NULL;
  if (f) {
    f->access = p->access;
    f->time_ns = p->to_ns;
    f->value = p->to;
  }
  return r != NULL;
}

/* Returns the mistake that explains a wrong count by a pair of reads; RULE_N: none. *ret_at becomes the pair to
 * report. */
static enum rule_test counted_mistake(struct checker *c, const struct check_count *count, const struct read_pair *p,
                                      const struct read_pair **ret_at)
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
  *ret_at = pair_elsewhere(c, p, count->printed);
  return *ret_at ? RULE_COUNTED_PACKAGE : RULE_N;
}

void counted_end(struct checker *c)
{
  for (uint32_t k = 0; k < c->n_counts; k++) {
    for (uint32_t i = 0; i < c->n_seen; i++)
      c->seen[i].pair_at = c->seen[i].pair_first;
    for (uint32_t i = 0; i < c->n_pairs; i++) {
      const struct read_pair *at;
      const enum rule_test test = counted_mistake(c, &c->counts[k], &c->pairs[i], &at);
      if (test != RULE_N && counted_report(c, test, at))
        break;
    }
  }
}
