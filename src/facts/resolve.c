/* SPDX-License-Identifier: MIT */
/* Resolves names to rows, and orders rows into the runs that a platform's spans describe. */
#include "src/facts/parser.h"

static db_str row_name(const struct builder *b, enum rows kind, uint32_t i)
{
  /* In each of these kinds the name is the first member. */
  return *(const db_str *)vec_at(&b->rows[kind], i);
}

static bool enter_row(struct builder *b, enum rows kind, uint32_t row)
{
  uint32_t earlier;
  return !build_claim(b, names_family(kind, 0), row_name(b, kind, row), row, &earlier) &&
         (kind != ROWS_units || !build_claim_list(b, kind, 0, build_units(b, row)->alias, row));
}

uint32_t build_find(struct builder *b, enum rows kind, struct text name)
{
  /* Enters the rows added since the last search. */
  for (uint32_t *i = &b->entered[kind]; *i < build_count(b, kind); ++*i)
    if (!enter_row(b, kind, *i)) {
      b->no_memory = true;
      return DB_NONE;
    }
  return names_find(&b->names, b->pool.data, names_family(kind, 0), name);
}

int build_claim(struct builder *b, uint64_t family, db_str name, uint32_t row, uint32_t *ret_row)
{
  const struct names_entry entry = {family, name, (uint32_t)strlen(build_text(b, name)), row};
  return names_add(&b->names, b->pool.data, &entry, ret_row) ? 0 : PMON_E_MEMORY;
}

uint32_t build_claimed(struct builder *b, uint32_t claim, uint32_t owner, struct text name)
{
  return builder_step(b, 1) ? names_find(&b->names, b->pool.data, names_family(claim, owner), name) : DB_NONE;
}

int build_claim_list(struct builder *b, uint32_t claim, uint32_t owner, db_str list, uint32_t row)
{
  const char *pool = b->pool.data;
  uint32_t earlier;
  for (db_str at = list; pool[at]; at += pool[at] == ',') {
    const struct names_entry entry = {names_family(claim, owner), at, (uint32_t)strcspn(pool + at, ","), row};
    if (!names_add(&b->names, pool, &entry, &earlier))
      return PMON_E_MEMORY;
    at += entry.n;
  }
  return 0;
}

uint32_t build_find_field(struct builder *b, uint32_t layout, struct text name)
{
  struct db_span span = build_layouts(b, layout)->fields;
  if (!builder_step(b, span.n + 1))
    return DB_NONE;
  for (uint32_t i = span.first; i < span.first + span.n; i++) {
    const struct db_field *f = build_fields(b, i);
    if (!f->reserved && (text_is(name, build_text(b, f->name)) || text_in_list(name, build_text(b, f->alias))))
      return i;
  }
  return DB_NONE;
}

static int check_fail_name(struct builder *b, enum rows kind, uint32_t i, uint32_t earlier)
{
  const struct facts_pos at = build_pos(b, kind, earlier);
  return builder_fail(b, PMON_E_CONFLICT, build_pos(b, kind, i),
                      "a new name expected, '%s' is already defined at %s:%u", build_text(b, row_name(b, kind, i)),
                      build_text(b, at.file), at.line);
}

int check_row_name(struct builder *b, enum rows kind, struct db_span span)
{
  int status = 0;
  for (uint32_t i = span.first; !status && i < span.first + span.n; i++) {
    uint32_t earlier = i;
    status = build_claim(b, names_family(CLAIM_ROWS + kind, span.first), row_name(b, kind, i), i, &earlier);
    if (!status && earlier != i)
      status = check_fail_name(b, kind, i, earlier);
  }
  return status;
}

struct alias_claim {
  uint32_t row;
  db_str at;
  uint32_t n, alias; /* 0 or 1 */
  bool name_too;     /* an alias that equals the row's own name is refused, too */
  const char *what;
};

/* Claims a name for a row of a family: its own name, or an alias. */
static int claim_part(struct builder *b, enum rows kind, uint32_t first, const struct alias_claim *c)
{
  const struct names_entry entry = {names_family(CLAIM_ALIASES + kind, first), c->at, c->n, c->row * 2 + c->alias};
  uint32_t earlier;
  if (!names_add(&b->names, b->pool.data, &entry, &earlier))
    return PMON_E_MEMORY;
  const uint32_t other = earlier / 2, other_alias = earlier % 2;
  if ((other == c->row && (!c->name_too || other_alias == c->alias)) || (!c->alias && !other_alias))
    return 0;
  const uint32_t wrong = other_alias ? other : c->row, has = other_alias ? c->row : other;
  return builder_fail(b, PMON_E_CONFLICT, build_pos(b, kind, wrong),
                      "a different alias expected, '%.*s' already belongs to %s %s", (int)c->n, build_text(b, c->at),
                      c->what, build_text(b, row_name(b, kind, has)));
}

int check_row_aliases(struct builder *b, enum rows kind, struct db_span span)
{
  int status = 0;
  for (uint32_t i = span.first; !status && i < span.first + span.n; i++) {
    const char *pool = b->pool.data;
    const db_str name = row_name(b, kind, i);
    const db_str alias = kind == ROWS_units ? build_units(b, i)->alias : build_events(b, i)->alias;
    struct alias_claim c = {.row = i,
                            .at = name,
                            .n = (uint32_t)strlen(pool + name),
                            .name_too = kind == ROWS_events,
                            .what = kind == ROWS_events ? "event" : "unit"};
    status = claim_part(b, kind, span.first, &c);
    c.alias = 1;
    for (db_str at = alias; !status && pool[at]; at += pool[at] == ',') {
      c.at = at;
      c.n = (uint32_t)strcspn(pool + at, ",");
      at += c.n;
      status = claim_part(b, kind, span.first, &c);
    }
  }
  return status;
}
