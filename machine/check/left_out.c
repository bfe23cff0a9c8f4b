/* SPDX-License-Identifier: MIT */
/*
 * Units that software leaves out. Software that writes the unit controls of all units of most kinds, as a driver does
 * when it is loaded, intends to use every unit; if it leaves out a unit of a kind of which it sets up others, it did
 * not find that unit. Software that uses a few selected units causes no finding.
 */
#include "machine/check/state.h"

/* A kind of unit in a package: how many units there are, and how many are set up. */
struct kind {
  uint32_t row, control; /* rows of db.units and db.registers */
  uint32_t present, set_up;
};

static struct kind kind_look(const struct checker *c, uint32_t package, uint32_t unit)
{
  struct kind k = {.row = unit, .control = platform_register(c->db, unit, PMON_ROLE_UNIT_CTL, 0)};
  for (uint32_t i = 0; k.control != DB_NONE && i < c->db->units[unit].instances; i++) {
    const struct block *b = block_find(c, package, unit, i);
    const bool there = !unit_is_absent(c, package, unit, i);
    k.present += there;
    k.set_up += there && b && b->set_up;
  }
  return k;
}

/* Returns the block that was set up before the missing one would have been: the nearest number below it, or else above
 * it. */
static const struct block *sibling_of(const struct checker *c, uint32_t package, uint32_t unit, uint32_t instance)
{
  const struct block *b;
  for (uint32_t i = instance; i-- > 0;)
    if ((b = block_find(c, package, unit, i)) && b->set_up)
      return b;
  for (uint32_t i = instance + 1; i < c->db->units[unit].instances; i++)
    if ((b = block_find(c, package, unit, i)) && b->set_up)
      return b;
  return NULL;
}

/* Adds the finding at the unit's control, which was not written, at the access that set up its neighbour. */
static void left_out_report(struct checker *c, uint32_t package, const struct kind *k, uint32_t instance)
{
  const struct block *sibling = sibling_of(c, package, k->row, instance);
  const struct platform_place place = {k->row, k->control, instance, 0};
  struct pmon_address a;
  uint64_t shift;
  if (!sibling || platform_address(c->db, &place, &a))
    return;
  const uint64_t access = sibling->set_up, time_ns = sibling->set_up_ns;
  a.package = package;
  const struct seen *s = seen_find_or_add(c, &a, &shift);
  const struct rule *r = s ? rule_find(c, RULE_LEFT_OUT, s) : NULL;
  struct check_finding *f = r ? finding_add(c, r, s, NULL, 0) : NULL;
  if (!f)
    return;
  f->access = access;
  f->time_ns = time_ns;
}

static void package_judge_left_out(struct checker *c, uint32_t package)
{
  const struct db_span span = c->platform->row->units;
  uint32_t kinds = 0, whole = 0;
  for (uint32_t u = span.first; u < span.first + span.n; u++) {
    const struct kind k = kind_look(c, package, u);
    kinds += k.present > 0;
    whole += k.present && k.set_up == k.present;
  }
  for (uint32_t u = span.first; 2 * whole > kinds && u < span.first + span.n; u++) {
    const struct kind k = kind_look(c, package, u);
    for (uint32_t i = 0; k.set_up && k.set_up < k.present && i < c->db->units[u].instances; i++) {
      const struct block *b = block_find(c, package, u, i);
      if (!unit_is_absent(c, package, u, i) && !(b && b->set_up))
        left_out_report(c, package, &k, i);
    }
  }
}

void left_out_end(struct checker *c)
{
  for (uint32_t package = 0; package < 64; package++)
    if (c->units_known >> package & 1)
      package_judge_left_out(c, package);
}
