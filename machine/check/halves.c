/* SPDX-License-Identifier: MIT */
/*
 * Halves of 64-bit registers that are accessed as two dwords. An access to the upper half comes right before or after
 * one to the lower half; alone, it belongs to another register: the distance between registers is wrong.
 */
#include "machine/check/state.h"

static const uint64_t upper_mask = UINT64_MAX << 32;

/* Reports the last access to an upper half, which has none to the lower half next to it. */
static void halves_report(struct checker *c, struct block *b)
{
  const struct half *h = &b->upper;
  struct seen *s = &c->seen[h->index - 1];
  const struct rule *r = rule_find(c, h->write ? RULE_HALF_WRITTEN : RULE_HALF_READ, s);
  struct check_finding *f = r ? finding_add(c, r, s, NULL, upper_mask) : NULL;
  if (!f)
    return;
  f->access = h->access;
  f->time_ns = h->time_ns;
}

/* Reports counters whose lower half was read, but never the upper half: their bits above 31 are lost. */
static void halves_report_unread(struct checker *c, struct block *b)
{
  for (uint32_t i = b->first; i; i = c->seen[i - 1].next) {
    struct seen *s = &c->seen[i - 1];
    const struct rule *r = s->half_at && !s->upper_read ? rule_find(c, RULE_UPPER_UNREAD, s) : NULL;
    struct check_finding *f = r ? finding_add(c, r, s, NULL, upper_mask) : NULL;
    if (!f)
      continue;
    f->access = s->half_at;
    f->time_ns = s->half_ns;
  }
}

/* Notes which halves of a counter are read. */
static void halves_note_read(const struct look *l, bool dword, bool upper)
{
  const uint32_t role = seen_role(l->c, l->s);
  if (l->a->write || (role != PMON_ROLE_CTR && role != PMON_ROLE_FIXED_CTR))
    return;
  l->s->upper_read = l->s->upper_read || !dword || upper;
  if (!upper && !l->s->half_at) {
    l->s->half_at = l->c->accesses;
    l->s->half_ns = l->a->time_ns;
  }
}

static bool same_half(const struct half *h, uint32_t index, bool write)
{
  return h->index == index && h->write == write;
}

void halves_observe(const struct look *l, bool upper)
{
  const uint32_t layout = l->c->db->registers[l->s->reg].layout, index = (uint32_t)(l->s - l->c->seen) + 1;
  const bool dword = l->a->address.width_bits == 32 && layout != DB_NONE && l->c->db->layouts[layout].width > 32;
  const struct half now = {index, l->a->write, l->c->accesses, l->a->time_ns}, none = {0};
  struct block *b = l->b;
  halves_note_read(l, dword, upper);
  if (dword && upper && same_half(&b->upper, index, l->a->write)) /* software repeats each access: likwid does */
    return;
  if (b->upper.index && !(dword && !upper && same_half(&b->upper, index, l->a->write)))
    halves_report(l->c, b);
  b->upper = dword && upper && !same_half(&b->lower, index, l->a->write) ? now : none;
  b->lower = dword && !upper ? now : none;
}

void halves_end(struct checker *c, struct block *b)
{
  if (b->upper.index)
    halves_report(c, b);
  b->upper = (struct half){0};
  halves_report_unread(c, b);
}
