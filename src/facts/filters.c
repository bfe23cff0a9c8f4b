/* SPDX-License-Identifier: MIT */
/* `*.unit`: the events on which a filter register acts, and the fields that are set with it. */
#include <stdio.h>
#include <string.h>
#include <pmon/access.h>
#include "src/facts/field.h"
#include "src/facts/parser.h"
#include "src/facts/rule.h"

/* Finds the register of the preceding row, which must be a filter. */
static int filter_of_line(struct parser *p, struct db_register **ret)
{
  const uint32_t n = build_count(p->b, ROWS_registers);
  *ret = p->block == BLOCK_UNIT && build_units(p->b, p->row)->registers.n ? build_registers(p->b, n - 1) : NULL;
  return *ret && (*ret)->role == PMON_ROLE_FILTER
             ? 0
             : parse_fail(p, PMON_E_SYNTAX, "a register of role filter expected before this line");
}

int parse_use(struct parser *p)
{
  struct text key, value;
  struct db_setting setting = {.when = DB_SETTING_ALWAYS};
  uint32_t at;
  int status = parse_word(p, "REGISTER.FIELD=VALUE");
  if (status)
    return status;
  if (!parse_pair(&p->w, &key, &value) || !key.n || !text_number(value, &setting.value))
    return parse_fail(p, PMON_E_SYNTAX, "REGISTER.FIELD=VALUE expected, not '%.*s'", (int)p->w.t.n, p->w.t.s);
  if (key.s[key.n - 1] == '?' || key.s[key.n - 1] == '&') {
    key.n--;
    setting.when = key.s[key.n] == '?' ? DB_SETTING_ALONE : DB_SETTING_BESIDE;
  }
  setting.name = builder_intern(p->b, key);
  return parse_push(p, ROWS_settings, &setting, &at);
}

/* `with REGISTER.FIELD=VALUE ...` */
int unit_with(struct parser *p)
{
  struct db_register *r;
  const int failed = filter_of_line(p, &r);
  if (failed)
    return failed;
  if (r->with.n)
    return parse_fail(p, PMON_E_CONFLICT, "at most one `with` per register expected");
  const struct db_span with = {build_count(p->b, ROWS_settings), 0};
  uint32_t n = 0;
  do {
    int status = parse_use(p);
    if (status)
      return status;
    n++;
  } while (parse_more(p));
  r = build_registers(p->b, build_count(p->b, ROWS_registers) - 1);
  r->with = (struct db_span){with.first, n};
  return 0;
}

/* `narrows KEY=VALUE|VALUE...` */
int unit_narrows(struct parser *p)
{
  struct db_register *r;
  struct text key, value;
  const int failed = filter_of_line(p, &r);
  if (failed)
    return failed;
  int status = parse_word(p, "KEY=VALUE");
  if (status)
    return status;
  if (r->narrows_key || !parse_pair(&p->w, &key, &value))
    return parse_fail(p, PMON_E_SYNTAX, "one property KEY=VALUE of events expected, not '%.*s'", (int)p->w.t.n,
                      p->w.t.s);
  r->narrows_key = builder_intern(p->b, key);
  r->narrows_value = builder_intern(p->b, value);
  return 0;
}

/* Adds the rest of the line, FIELD,... when CONDITION ..., to *lines. */
static int add_condition(struct parser *p, db_str *lines)
{
  char all[512];
  db_str text;
  const size_t before = strlen(build_text(p->b, *lines)), line = p->rest.n;
  if (before + line + 2 > sizeof all)
    return parse_fail(p, PMON_E_RANGE, "fewer lines `acts` and `excludes` for one register expected");
  int status = parse_free_text(p, "FIELD when CONDITION", &text);
  if (status)
    return status;
  const int n =
      snprintf(all, sizeof all, "%s%s%s", build_text(p->b, *lines), before ? ";" : "", build_text(p->b, text));
  *lines = builder_intern(p->b, (struct text){all, (size_t)n});
  return p->b->no_memory ? PMON_E_MEMORY : 0;
}

/* Reads the line's next word if it is `word`. False: it is not. */
static bool take_word(struct parser *p, struct text word)
{
  if (!parse_more(p) || p->rest.n < word.n || !text_same(p->rest.s, word.s, word.n) ||
      (p->rest.n > word.n && p->rest.s[word.n] != ' '))
    return false;
  p->rest.s += word.n, p->rest.n -= word.n;
  return true;
}

/* `acts FIELD,... when CONDITION ...`, on several lines if fields act on different events, or `acts nothing REASON` */
int unit_acts(struct parser *p)
{
  struct db_register *r;
  const int failed = filter_of_line(p, &r);
  if (failed)
    return failed;
  const bool nothing = take_word(p, text_of("nothing"));
  if (r->idle || (nothing && r->acts))
    return parse_fail(p, PMON_E_CONFLICT, "either one `acts nothing`, or `acts FIELD when CONDITION` expected");
  return nothing ? parse_free_text(p, "the reason", &r->idle) : add_condition(p, &r->acts);
}

/* `excludes FIELD,... when CONDITION ...` */
int unit_excludes(struct parser *p)
{
  struct db_register *r;
  const int failed = filter_of_line(p, &r);
  if (failed)
    return failed;
  return add_condition(p, &r->excludes);
}

/* `mask REGISTER` */
int unit_mask(struct parser *p)
{
  struct db_register *r;
  const int failed = filter_of_line(p, &r);
  if (failed)
    return failed;
  if (r->mask)
    return parse_fail(p, PMON_E_CONFLICT, "at most one `mask` per register expected");
  return parse_name(p, "a register", &r->mask);
}

/* `latched` */
int unit_latched(struct parser *p)
{
  struct db_register *r;
  const int failed = filter_of_line(p, &r);
  if (failed)
    return failed;
  r->latched = true;
  return 0;
}

/* `exact` */
int unit_exact(struct parser *p)
{
  struct db_register *r;
  const int failed = filter_of_line(p, &r);
  if (failed)
    return failed;
  r->exact = true;
  return 0;
}

/* Whether some value of the field satisfies the condition: tries its smallest ones, its largest, and the numbers. */
static bool can_hold(const struct rule_condition *c, const struct db_field *f)
{
  const uint64_t most = field_max(f) & c->mask;
  bool can = rule_value_holds(c, most);
  uint64_t value = 0;
  for (uint32_t i = 0; i < c->n_values; i++) {
    can |= rule_value_holds(c, value) || rule_value_holds(c, c->values[i] & most);
    value = (value - most) & most; /* the next value under the mask */
  }
  return can;
}

/* Whether fields of the unit's controls can satisfy the conditions, each by itself. */
static bool check_when(struct builder *b, const struct db_unit *unit, struct text when)
{
  struct rule_condition c;
  bool known = when.n > 0;
  while (known && when.n) {
    known = rule_condition(&when, &c) && !c.refers && !c.left.event && !c.left.reg.n;
    bool found = false;
    for (uint32_t i = unit->registers.first; known && i < unit->registers.first + unit->registers.n; i++) {
      const struct db_register *r = build_registers(b, i);
      const uint32_t field = r->role == PMON_ROLE_CTL ? build_find_field(b, r->layout, c.left.field) : DB_NONE;
      found |= field != DB_NONE && can_hold(&c, build_fields(b, field));
    }
    known &= found;
  }
  return known;
}

/* Checks a register's lines of the keyword `acts` or `excludes`. */
static int check_acts(struct builder *b, const struct db_unit *unit, uint32_t reg, const char *keyword, db_str lines)
{
  const struct db_register *r = build_registers(b, reg);
  struct text rest = text_of(build_text(b, lines));
  struct rule_act act;
  while (rest.n) {
    const struct text line = rest;
    struct text field;
    bool known = rule_act(&rest, &act) && check_when(b, unit, act.when);
    while (known && rule_act_field(&act, &field))
      known = text_is(field, "*") || build_find_field(b, r->layout, field) != DB_NONE;
    if (!known)
      return builder_fail(b, PMON_E_UNKNOWN, build_pos(b, ROWS_registers, reg),
                          "lines `%s FIELD when CONDITION` with fields of the filter and of %s's controls expected, "
                          "not '%.*s'",
                          keyword, build_text(b, unit->name), (int)line.n, line.s);
  }
  return 0;
}

/* Whether each writable field of a register has a mask field of the same bits. */
static bool masks_all(struct builder *b, const struct db_register *r, const struct db_register *mask)
{
  const struct db_span fields = build_layouts(b, r->layout)->fields, others = build_layouts(b, mask->layout)->fields;
  bool all = true;
  for (uint32_t i = fields.first; i < fields.first + fields.n && builder_step(b, 1); i++) {
    const struct db_field *f = build_fields(b, i);
    bool found = f->reserved || f->access != DB_RW;
    for (uint32_t k = others.first; !found && k < others.first + others.n; k++)
      found = build_fields(b, k)->access == DB_RW && field_mask(build_fields(b, k)) == field_mask(f);
    all &= found;
  }
  return all;
}

static int check_mask(struct builder *b, const struct db_unit *unit, uint32_t reg)
{
  const struct db_register *r = build_registers(b, reg);
  bool found = !r->mask;
  for (uint32_t i = unit->registers.first; !found && i < unit->registers.first + unit->registers.n; i++) {
    const struct db_register *mask = build_registers(b, i);
    found = i != reg && mask->role == PMON_ROLE_FILTER && !strcmp(build_text(b, mask->name), build_text(b, r->mask)) &&
            masks_all(b, r, mask);
  }
  return found ? 0
               : builder_fail(b, PMON_E_UNKNOWN, build_pos(b, ROWS_registers, reg),
                              "another filter of unit %s with fields of the same bits as %s expected, not '%s'",
                              build_text(b, unit->name), build_text(b, r->name), build_text(b, r->mask));
}

/* Whether it is a breakpoint register: sessions leave these to the debugger, and do not set them for events that do not
 * ask for them. */
static bool is_breakpoint(struct builder *b, const struct db_register *r)
{
  const uint32_t space = r->own_place == DB_NONE ? PMON_SPACE_MSR : build_places(b, r->own_place)->space;
  return space == PMON_SPACE_IBR || space == PMON_SPACE_DBR;
}

/* Plans and sessions have room for a limited number of filters. */
static int check_number(struct builder *b, const struct db_unit *unit)
{
  uint32_t filters = 0, acting = 0;
  for (uint32_t i = unit->registers.first; i < unit->registers.first + unit->registers.n; i++) {
    const struct db_register *r = build_registers(b, i);
    if (!r->narrows_key && !r->acts && !r->excludes && !r->idle)
      continue;
    filters++;
    acting += !is_breakpoint(b, r);
    if (filters > DB_FILTERS || acting > DB_ACTING_FILTERS)
      return builder_fail(b, PMON_E_RANGE, build_pos(b, ROWS_registers, i),
                          "at most %d filters with `acts`, `excludes` or `narrows` expected, of them at most %d that "
                          "are not breakpoint registers",
                          DB_FILTERS, DB_ACTING_FILTERS);
  }
  return 0;
}

static const struct db_field *filter_field(struct builder *b, const struct db_unit *unit, struct text name)
{
  const char *dot = memchr(name.s, '.', name.n);
  if (!dot)
    return NULL;
  const struct text reg = {name.s, (size_t)(dot - name.s)}, field = {dot + 1, name.n - reg.n - 1};
  for (uint32_t i = unit->registers.first; i < unit->registers.first + unit->registers.n && builder_step(b, 1); i++) {
    const struct db_register *r = build_registers(b, i);
    const uint32_t found = r->role == PMON_ROLE_FILTER && text_is(reg, build_text(b, r->name))
                               ? build_find_field(b, r->layout, field)
                               : DB_NONE;
    if (found != DB_NONE)
      return build_fields(b, found);
  }
  return NULL;
}

static int check_use(struct builder *b, const struct db_unit *unit, struct db_span with)
{
  for (uint32_t k = with.first; k < with.first + with.n; k++) {
    const struct db_setting *s = build_settings(b, k);
    const struct db_field *f = filter_field(b, unit, text_of(build_text(b, s->name)));
    if (!f || f->access != DB_RW)
      return builder_fail(b, PMON_E_UNKNOWN, build_pos(b, ROWS_settings, k),
                          "writable REGISTER.FIELD of a filter of unit %s expected, not '%s'",
                          build_text(b, unit->name), build_text(b, s->name));
    if (f->hi - f->lo < 63 && s->value >> (f->hi - f->lo + 1u))
      return builder_fail(b, PMON_E_RANGE, build_pos(b, ROWS_settings, k), "a value of %u bit%s expected",
                          f->hi - f->lo + 1u, f->hi == f->lo ? "" : "s");
  }
  return 0;
}

int check_filter_settings(struct builder *b, const struct db_unit *unit)
{
  int status = check_number(b, unit);
  for (uint32_t i = unit->registers.first; !status && i < unit->registers.first + unit->registers.n; i++)
    if (!(status = check_use(b, unit, build_registers(b, i)->with)) &&
        !(status = check_acts(b, unit, i, "acts", build_registers(b, i)->acts)) &&
        !(status = check_acts(b, unit, i, "excludes", build_registers(b, i)->excludes)))
      status = check_mask(b, unit, i);
  for (uint32_t i = unit->imports.first; i < unit->imports.first + unit->imports.n; i++) {
    const struct db_span events = build_sets(b, build_imports(b, i)->set)->events;
    for (uint32_t k = events.first; !status && k < events.first + events.n; k++)
      status = check_use(b, unit, build_events(b, k)->with);
  }
  return status;
}
