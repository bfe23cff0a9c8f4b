/* SPDX-License-Identifier: MIT */
/* `rule` blocks of `*.rule` files: the guides' programming rules. */
#include "src/facts/rule.h"
#include "src/facts/parser.h"

enum rule_test rule_test_find(struct text name)
{
  static const char *const names[] = {
#define RULE_NAME(id, name) name,
      RULE_TESTS(RULE_NAME)
#undef RULE_NAME
  };
  unsigned i = 0;
  while (i < RULE_N && !text_is(name, names[i]))
    i++;
  return (enum rule_test)i;
}

static bool split(struct text t, char at, struct text *ret_before, struct text *ret_behind)
{
  const char *c = t.n ? memchr(t.s, at, t.n) : NULL;
  if (!c)
    return false;
  *ret_before = (struct text){t.s, (size_t)(c - t.s)};
  *ret_behind = (struct text){c + 1, t.n - ret_before->n - 1};
  return true;
}

static bool parse_side(struct text t, struct rule_side *ret)
{
  struct text first, rest, key;
  *ret = (struct rule_side){.field = t};
  if (split(t, '.', &first, &rest)) {
    *ret = (struct rule_side){.reg = first, .field = rest};
    if (text_is(first, "event"))
      *ret = (struct rule_side){.field = rest, .event = true};
    else if (split(rest, '.', &first, &key) && text_is(first, "event"))
      ret->field = key, ret->event = true;
  }
  return ret->field.n && !memchr(ret->field.s, '.', ret->field.n) && (!ret->reg.s || ret->reg.n);
}

static bool parse_values(struct rule_condition *c)
{
  struct text rest = c->words, one, behind = {"", 0};
  const bool text = rule_is_text(&c->left);
  if (!rest.n)
    return false;
  if (text ? text_same(rest.s, "event.", rest.n < 6 ? rest.n : 6) && rest.n > 6 : rest.s[0] < '0' || rest.s[0] > '9') {
    c->refers = true;
    return parse_side(rest, &c->right) && rule_is_text(&c->right) == text;
  }
  for (bool more = true; more; rest = behind) {
    more = split(rest, '|', &one, &behind);
    if (!more)
      one = rest;
    if (!one.n || c->n_values == RULE_VALUES || (!text && !text_number(one, &c->values[c->n_values])))
      return false;
    c->n_values++;
  }
  return text ? c->order <= ORDER_NOT_EQUAL : c->n_values == 1 || c->order <= ORDER_NOT_EQUAL;
}

/* Returns the length of the sign that the text begins with; 0: none. */
static size_t rule_sign(struct text t, enum rule_order *ret)
{
  const char second = t.n > 1 ? t.s[1] : 0;
  switch (t.n ? *t.s : 0) {
  case '=': *ret = ORDER_EQUAL; return 1;
  case '!': *ret = ORDER_NOT_EQUAL; return second == '=' ? 2 : 0;
  case '<': *ret = second == '=' ? ORDER_LESS_EQUAL : second == '&' ? ORDER_WITHIN : ORDER_LESS; break;
  case '>': *ret = second == '=' ? ORDER_GREATER_EQUAL : ORDER_GREATER; break;
  default: return 0;
  }
  return *ret == ORDER_LESS || *ret == ORDER_GREATER ? 1 : 2;
}

bool rule_condition(struct text *text, struct rule_condition *ret)
{
  while (text->n && *text->s == ' ')
    text->s++, text->n--;
  const char *end = text->n ? memchr(text->s, ' ', text->n) : NULL;
  struct text word = {text->s, end ? (size_t)(end - text->s) : text->n}, left, mask;
  enum rule_order order = ORDER_EQUAL;
  size_t at = 0;
  while (at < word.n && !memchr("=<>!", word.s[at], 4))
    at++;
  const size_t sign = rule_sign((struct text){word.s + at, word.n - at}, &order);
  if (!sign || !at)
    return false;
  *ret = (struct rule_condition){.order = order, .mask = UINT64_MAX};
  left = (struct text){word.s, at};
  at += sign;
  ret->words = (struct text){word.s + at, word.n - at};
  if (split(left, '&', &left, &mask) && (!text_number(mask, &ret->mask) || !ret->mask))
    return false;
  text->s += word.n, text->n -= word.n;
  return parse_side(left, &ret->left) && parse_values(ret);
}

int rule_open(struct parser *p)
{
  struct db_rule g = {.unit = DB_NONE};
  int status = parse_new_name(p, "name of the rule", &g.name);
  struct word name = p->w;
  if (status || (status = parse_close_block(p)) != 0)
    return status;
  p->w = name;
  p->block = BLOCK_RULE;
  status = parse_push(p, ROWS_rules, &g, &p->row);
  if (status || !p->unit_name)
    return status;
  struct facts_ref ref = {REF_RULE_UNIT, p->row, p->unit_name, p->unit_pos};
  return vec_append(&p->b->refs, &ref, 1) ? 0 : PMON_E_MEMORY;
}

static int rules_require(struct parser *p)
{
  return p->block == BLOCK_RULE ? 0 : parse_fail(p, PMON_E_SYNTAX, "`rule` expected before this line");
}

#define RULE_TEXT(name, member, what)                                                                                  \
  int name(struct parser *p)                                                                                           \
  {                                                                                                                    \
    int status = rules_require(p);                                                                                     \
    return status ? status : parse_free_text(p, what, &build_rules(p->b, p->row)->member);                             \
  }
RULE_TEXT(rule_brief, brief, "brief")
RULE_TEXT(rule_on, on, "roles or registers")
RULE_TEXT(rule_when, when, "conditions")
RULE_TEXT(rule_needs, needs, "conditions")

int rule_level(struct parser *p)
{
  int status = rules_require(p);
  if (status || (status = parse_word(p, "error or advice")) != 0)
    return status;
  if (text_is(p->w.t, "advice"))
    build_rules(p->b, p->row)->flags |= DB_ADVICE;
  else if (!text_is(p->w.t, "error"))
    return parse_fail(p, PMON_E_SYNTAX, "error or advice expected, not '%.*s'", (int)p->w.t.n, p->w.t.s);
  return 0;
}

int rule_test(struct parser *p)
{
  int status = rules_require(p);
  if (status || (status = parse_name(p, "name of a test", &build_rules(p->b, p->row)->test)) != 0)
    return status;
  if (rule_test_find(p->w.t) == RULE_N)
    return parse_fail(p, PMON_E_UNKNOWN, "name of a test expected, not '%.*s'", (int)p->w.t.n, p->w.t.s);
  return 0;
}

static bool names_register(const struct builder *b, const struct db_register *r, struct text t)
{
  const char *name = build_text(b, r->name);
  size_t n = strlen(name);
  if (text_is(t, name))
    return true;
  uint64_t number;
  return r->count && t.n > n && text_same(t.s, name, n) && text_number((struct text){t.s + n, t.n - n}, &number) &&
         number - r->index < r->count;
}

/* Finds the register of that name in the rule's unit, or in any unit if it has none; DB_NONE: there is none. */
static uint32_t rule_find_register(struct builder *b, const struct db_rule *g, const struct db_platform *p,
                                   struct text t)
{
  for (uint32_t u = p->units.first; u < p->units.first + p->units.n && builder_step(b, 1); u++) {
    struct db_span span = build_units(b, u)->registers;
    if (g->unit != DB_NONE && g->unit != u)
      continue;
    for (uint32_t i = span.first; i < span.first + span.n && builder_step(b, 1); i++)
      if (names_register(b, build_registers(b, i), t))
        return i;
  }
  return DB_NONE;
}

/* Whether `key` is a property of some event. */
static bool known_key(struct builder *b, struct text key)
{
  if (text_is(key, "name") || text_is(key, "max"))
    return true;
  for (uint32_t i = 0; i < build_count(b, ROWS_attrs) && builder_step(b, 1); i++)
    if (text_is(key, build_text(b, build_attrs(b, i)->key)))
      return true;
  return false;
}

static bool known_side(struct builder *b, const struct db_rule *g, const struct db_platform *p,
                       const struct rule_side *s)
{
  uint32_t reg = s->reg.n ? rule_find_register(b, g, p, s->reg) : DB_NONE;
  if (s->reg.n && reg == DB_NONE)
    return false;
  if (s->event)
    return known_key(b, s->field);
  if (s->reg.n)
    return build_registers(b, reg)->layout != DB_NONE &&
           build_find_field(b, build_registers(b, reg)->layout, s->field) != DB_NONE;
  for (uint32_t i = p->layouts.first; i < p->layouts.first + p->layouts.n && builder_step(b, 1); i++)
    if (build_find_field(b, i, s->field) != DB_NONE)
      return true;
  return rule_find_register(b, g, p, s->field) != DB_NONE;
}

static int check_conditions(struct builder *b, const struct db_platform *p, uint32_t row, db_str text)
{
  const struct db_rule *g = build_rules(b, row);
  struct facts_pos pos = build_pos(b, ROWS_rules, row);
  struct text rest = text_of(build_text(b, text));
  struct rule_condition c;
  while (rest.n) {
    struct text before = rest;
    if (!rule_condition(&rest, &c))
      return builder_fail(b, PMON_E_SYNTAX, pos, "conditions such as REGISTER.FIELD=1 expected, not '%.*s'",
                          (int)before.n, before.s);
    for (const struct rule_side *side = &c.left; side; side = side == &c.left && c.refers ? &c.right : NULL)
      if (!known_side(b, g, p, side))
        return builder_fail(b, PMON_E_UNKNOWN, pos, "a field, register or property of events expected, not '%.*s'",
                            (int)side->field.n, side->field.s);
  }
  return 0;
}

/* Checks that each word of `on` is a role or a register. */
static int check_on(struct builder *b, const struct db_platform *p, uint32_t row)
{
  static const char roles[] =
      "unit_ctl,unit_status,ctl,ctr,filter,fixed_ctl,fixed_ctr,free,global_ctl,global_status,info";
  const struct db_rule *g = build_rules(b, row);
  const char *s = build_text(b, g->on);
  for (size_t n; *s; s += n, s += *s == ',') {
    struct text t = {s, n = strcspn(s, ",")};
    if (!text_in_list(t, roles) && rule_find_register(b, g, p, t) == DB_NONE)
      return builder_fail(b, PMON_E_UNKNOWN, build_pos(b, ROWS_rules, row), "a role or register expected, not '%.*s'",
                          (int)n, s);
  }
  return 0;
}

int check_rules(struct builder *b, const struct db_platform *p)
{
  int status = 0;
  for (uint32_t i = p->rules.first; !status && i < p->rules.first + p->rules.n; i++) {
    const struct db_rule *g = build_rules(b, i);
    struct facts_pos pos = build_pos(b, ROWS_rules, i);
    if (!g->brief)
      return builder_fail(b, PMON_E_SYNTAX, pos, "brief expected in this rule");
    if (!g->test == !(g->when || g->needs))
      return builder_fail(b, PMON_E_SYNTAX, pos, "either a test or conditions expected in this rule");
    status = check_conditions(b, p, i, g->when);
    if (!status)
      status = check_conditions(b, p, i, g->needs);
    if (!status)
      status = check_on(b, p, i);
  }
  return status;
}
