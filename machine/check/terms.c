/* SPDX-License-Identifier: MIT */
/* Evaluates rule conditions on the recorded state: fields, registers, and properties of events. */
#include <string.h>
#include "machine/check/state.h"
#include "src/facts/field.h"

enum { FIELD_NAME = 64 };

bool register_named(const struct db *db, uint32_t reg, struct text t, uint32_t *ret_index)
{
  const struct db_register *r = &db->registers[reg];
  const char *name = db_text(db, r->name);
  size_t n = strlen(name);
  uint64_t number;
  *ret_index = 0;
  if (text_is(t, name))
    return true;
  if (!r->count || t.n <= n || !text_same(t.s, name, n) || !text_number((struct text){t.s + n, t.n - n}, &number) ||
      number - r->index >= r->count)
    return false;
  *ret_index = (uint32_t)(number - r->index);
  return true;
}

static bool side_find_register(const struct checker *c, const struct db_rule *g, struct text t, struct side *ret)
{
  const struct db_platform *p = c->platform->row;
  for (uint32_t u = p->units.first; u < p->units.first + p->units.n; u++) {
    struct db_span span = c->db->units[u].registers;
    for (uint32_t i = span.first; (g->unit == DB_NONE || g->unit == u) && i < span.first + span.n; i++)
      if (register_named(c->db, i, t, &ret->index)) {
        ret->reg = i;
        return true;
      }
  }
  return false;
}

static void side_make(const struct checker *c, const struct db_rule *g, const struct rule_side *from, struct side *ret)
{
  *ret = (struct side){.reg = DB_NONE, .is = *from};
  if (from->reg.n)
    side_find_register(c, g, from->reg, ret);
  else if (!from->event)
    ret->whole = side_find_register(c, g, from->field, ret);
}

bool term_make(const struct checker *c, const struct db_rule *g, const struct rule_condition *from, struct term *ret)
{
  *ret = (struct term){.is = *from, .right.reg = DB_NONE};
  side_make(c, g, &from->left, &ret->left);
  if (from->refers)
    side_make(c, g, &from->right, &ret->right);
  return ret->left.reg != DB_NONE || ret->right.reg != DB_NONE;
}

static struct seen *side_register(struct checker *c, const struct side *side, const struct look *l)
{
  return side->reg == DB_NONE ? l->s : seen_register(c, l->b, side->reg, side->index);
}

static bool side_event(struct checker *c, const struct side *side, const struct look *l, struct selected *ret)
{
  struct seen *s = side_register(c, side, l);
  if (!s || (side->reg != DB_NONE && !s->known))
    return false;
  *ret = control_enabled(c, s) ? control_event(c, s) : (struct selected){0};
  return side->reg != DB_NONE || ret->event;
}

/* Reads a text property; "" when the other register selects no event. Returns false when it is unknown. */
static bool side_text(struct checker *c, const struct side *side, const struct look *l, const char **ret)
{
  char key[FIELD_NAME];
  struct selected e;
  if (side->is.field.n >= sizeof key || !side_event(c, side, l, &e))
    return false;
  memcpy(key, side->is.field.s, side->is.field.n);
  key[side->is.field.n] = 0;
  *ret = !e.event ? "" : !strcmp(key, "name") ? db_text(c->db, e.event->name) : event_attr(c, e.event, key);
  if (!*ret)
    *ret = "";
  return true;
}

static bool side_value(struct checker *c, const struct side *side, const struct look *l, uint64_t *ret,
                       const struct db_field **ret_field)
{
  struct seen *s = side_register(c, side, l);
  struct selected e;
  if (side->is.event) {
    if (!side_event(c, side, l, &e) || !e.event || e.gated)
      return false;
    const uint32_t own = e.umask ? db_umask_extra(c->db, e.umask)->max_inc : 0;
    *ret = own ? own : e.event->max_inc;
    return *ret != 0; /* 0: the guide does not state it */
  }
  if (!s)
    return false;
  if (side->whole) {
    *ret = s->value;
    return s->known == UINT64_MAX;
  }
  const struct db_field *f = seen_field_text(c, s, side->is.field);
  if (!f || (s->known & field_mask(f)) != field_mask(f))
    return false;
  *ret = field_get(f, s->value);
  *ret_field = f;
  return true;
}

static int text_holds(struct checker *c, const struct term *t, const struct look *l)
{
  const char *word, *other;
  if (!side_text(c, &t->left, l, &word))
    return -1;
  if (!t->is.refers)
    return rule_text_holds(&t->is, word);
  if (!side_text(c, &t->right, l, &other))
    return -1;
  return !strcmp(word, other) == (t->is.order == ORDER_EQUAL);
}

int term_holds(struct checker *c, const struct term *t, const struct look *l, const struct db_field **ret_field)
{
  const struct db_field *unused;
  uint64_t value, other;
  if (rule_is_text(&t->is.left))
    return text_holds(c, t, l);
  if (!side_value(c, &t->left, l, &value, ret_field))
    return -1;
  value &= t->is.mask;
  if (t->is.refers) {
    if (!side_value(c, &t->right, l, &other, &unused))
      return -1;
    return rule_compare(t->is.order, value, other & t->is.mask);
  }
  return rule_value_holds(&t->is, value);
}
