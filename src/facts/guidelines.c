/* SPDX-License-Identifier: MIT */
/* `guideline` blocks of `*.rule` files: what the guides ask of software. */
#include "src/facts/guideline.h"
#include "src/facts/parser.h"

enum guideline_test guideline_test_find(struct text name)
{
  static const char *const names[] = {
#define GUIDELINE_NAME(id, name) name,
    GUIDELINE_TESTS(GUIDELINE_NAME)
#undef GUIDELINE_NAME
  };
  unsigned i = 0;
  while (i < GUIDELINE_N && !text_is(name, names[i]))
    i++;
  return (enum guideline_test)i;
}

bool guideline_condition(struct text *text, struct guideline_condition *ret)
{
  while (text->n && *text->s == ' ')
    text->s++, text->n--;
  const char *end = memchr(text->s, ' ', text->n);
  struct text word = { text->s, end ? (size_t)(end - text->s) : text->n };
  const char *equals = word.n ? memchr(word.s, '=', word.n) : NULL;
  if (!equals || equals == word.s)
    return false;
  *ret = (struct guideline_condition){ .not_equal = equals[-1] == '!' };
  ret->field = (struct text){ word.s, (size_t)(equals - word.s) - ret->not_equal };
  const char *dot = memchr(ret->field.s, '.', ret->field.n);
  if (dot) {
    ret->reg = (struct text){ ret->field.s, (size_t)(dot - ret->field.s) };
    ret->field = (struct text){ dot + 1, ret->field.n - ret->reg.n - 1 };
  }
  text->s += word.n, text->n -= word.n;
  return ret->field.n && text_number((struct text){ equals + 1, word.n - (size_t)(equals + 1 - word.s) }, &ret->value);
}

int guideline_open(struct parser *p)
{
  struct db_guideline g = { .unit = DB_NONE };
  int status = parse_name(p, "name of the guideline", &g.name);
  struct word name = p->w;
  if (status || (status = parse_close_block(p)) != 0)
    return status;
  p->w = name;
  p->block = BLOCK_GUIDELINE;
  status = parse_push(p, ROWS_guidelines, &g, &p->row);
  if (status || !p->unit_name)
    return status;
  struct facts_ref ref = { REF_GUIDELINE_UNIT, p->row, p->unit_name, p->unit_pos };
  return vec_append(&p->b->refs, &ref, 1) ? 0 : PMON_E_MEMORY;
}

static int need(struct parser *p)
{
  return p->block == BLOCK_GUIDELINE ? 0 : parse_fail(p, PMON_E_SYNTAX, "`guideline` expected before this line");
}

#define GUIDELINE_TEXT(member, what) \
  int guideline_##member(struct parser *p) \
  { \
    int status = need(p); \
    return status ? status : parse_free_text(p, what, &build_guidelines(p->b, p->row)->member); \
  }
GUIDELINE_TEXT(brief, "brief")
GUIDELINE_TEXT(on, "roles or registers")
GUIDELINE_TEXT(when, "conditions")
GUIDELINE_TEXT(needs, "conditions")

int guideline_level(struct parser *p)
{
  int status = need(p);
  if (status || (status = parse_word(p, "error or advice")) != 0)
    return status;
  if (text_is(p->w.t, "advice"))
    build_guidelines(p->b, p->row)->flags |= DB_ADVICE;
  else if (!text_is(p->w.t, "error"))
    return parse_fail(p, PMON_E_SYNTAX, "error or advice expected, not '%.*s'", (int)p->w.t.n, p->w.t.s);
  return 0;
}

int guideline_test(struct parser *p)
{
  int status = need(p);
  if (status || (status = parse_name(p, "name of a test", &build_guidelines(p->b, p->row)->test)) != 0)
    return status;
  if (guideline_test_find(p->w.t) == GUIDELINE_N)
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
  return r->count && t.n > n && text_same(t.s, name, n) &&
         text_number((struct text){ t.s + n, t.n - n }, &number) && number - r->index < r->count;
}

/* A unit's register of that name; DB_NONE in any unit when `unit` is DB_NONE. */
static uint32_t find_register(const struct builder *b, const struct db_guideline *g, const struct db_platform *p,
                              struct text t)
{
  for (uint32_t u = p->units.first; u < p->units.first + p->units.n; u++) {
    struct db_span span = build_units(b, u)->registers;
    if (g->unit != DB_NONE && g->unit != u)
      continue;
    for (uint32_t i = span.first; i < span.first + span.n; i++)
      if (names_register(b, build_registers(b, i), t))
        return i;
  }
  return DB_NONE;
}

static bool known_term(const struct builder *b, const struct db_guideline *g, const struct db_platform *p,
                       const struct guideline_condition *c)
{
  uint32_t reg = c->reg.n ? find_register(b, g, p, c->reg) : DB_NONE;
  if (c->reg.n)
    return reg != DB_NONE && build_registers(b, reg)->layout != DB_NONE &&
           build_find_field(b, build_registers(b, reg)->layout, c->field) != DB_NONE;
  for (uint32_t i = p->layouts.first; i < p->layouts.first + p->layouts.n; i++)
    if (build_find_field(b, i, c->field) != DB_NONE)
      return true;
  return find_register(b, g, p, c->field) != DB_NONE;
}

static int check_conditions(struct builder *b, const struct db_platform *p, uint32_t row, db_str text)
{
  const struct db_guideline *g = build_guidelines(b, row);
  struct facts_pos pos = build_pos(b, ROWS_guidelines, row);
  struct text rest = text_of(build_text(b, text));
  struct guideline_condition c;
  while (rest.n) {
    struct text before = rest;
    if (!guideline_condition(&rest, &c))
      return builder_fail(b, PMON_E_SYNTAX, pos, "conditions such as REGISTER.FIELD=1 expected, not '%.*s'",
                          (int)before.n, before.s);
    if (!known_term(b, g, p, &c))
      return builder_fail(b, PMON_E_UNKNOWN, pos, "a field or register expected, not '%.*s'", (int)c.field.n,
                          c.field.s);
  }
  return 0;
}

/* Whether each word of `on` is a role or a register. */
static int check_on(struct builder *b, const struct db_platform *p, uint32_t row)
{
  static const char roles[] = "unit_ctl,unit_status,ctl,ctr,filter,fixed_ctl,fixed_ctr,free,global_ctl,global_status,info";
  const struct db_guideline *g = build_guidelines(b, row);
  const char *s = build_text(b, g->on);
  for (size_t n; *s; s += n, s += *s == ',') {
    struct text t = { s, n = strcspn(s, ",") };
    if (!text_in_list(t, roles) && find_register(b, g, p, t) == DB_NONE)
      return builder_fail(b, PMON_E_UNKNOWN, build_pos(b, ROWS_guidelines, row),
                          "a role or register expected, not '%.*s'", (int)n, s);
  }
  return 0;
}

int check_guidelines(struct builder *b, const struct db_platform *p)
{
  int status = 0;
  for (uint32_t i = p->guidelines.first; !status && i < p->guidelines.first + p->guidelines.n; i++) {
    const struct db_guideline *g = build_guidelines(b, i);
    struct facts_pos pos = build_pos(b, ROWS_guidelines, i);
    if (!g->brief)
      return builder_fail(b, PMON_E_SYNTAX, pos, "brief expected in this guideline");
    if (!g->test == !(g->when || g->needs))
      return builder_fail(b, PMON_E_SYNTAX, pos, "either a test or conditions expected in this guideline");
    status = check_conditions(b, p, i, g->when);
    if (!status)
      status = check_conditions(b, p, i, g->needs);
    if (!status)
      status = check_on(b, p, i);
  }
  return status;
}
