/* SPDX-License-Identifier: MIT */
/* `*.unit`: units, their registers, and the places of their instances. */
#include <pmon/access.h>
#include "src/facts/parser.h"
#include "src/facts/vocabulary.h"

enum { MOST_INSTANCES = 4096 };

int parse_role(struct parser *p, struct text t, uint32_t *ret_role)
{
  if (vocabulary_find(VOCABULARY_ROLES, t, ret_role))
    return 0;
  return parse_fail(p, PMON_E_UNKNOWN, "a role such as ctl, ctr or fixed_ctr expected, not '%.*s'", (int)t.n, t.s);
}

static int need_unit(struct parser *p)
{
  return p->block == BLOCK_UNIT ? 0 : parse_fail(p, PMON_E_SYNTAX, "`unit` expected before this line");
}

static int unit_open(struct parser *p)
{
  struct db_unit unit = {.discovery = DB_NONE, .root_port = DB_NONE};
  int status = parse_new_name(p, "name of the unit", &unit.name);
  struct word name = p->w;
  if (status || (status = parse_close_block(p)) != 0)
    return status;
  p->w = name;
  unit.registers.first = build_count(p->b, ROWS_registers);
  unit.places.first = build_count(p->b, ROWS_places);
  unit.imports.first = build_count(p->b, ROWS_imports);
  unit.exceptions.first = build_count(p->b, ROWS_exceptions);
  if ((status = parse_push(p, ROWS_units, &unit, &p->row)) != 0)
    return status;
  p->block = BLOCK_UNIT;
  return 0;
}

static int unit_title(struct parser *p)
{
  int status = need_unit(p);
  return status ? status : parse_free_text(p, "title", &build_units(p->b, p->row)->title);
}

#define UNIT_NAME(member, expected)                                                                                    \
  static int unit_##member(struct parser *p)                                                                           \
  {                                                                                                                    \
    int status = need_unit(p);                                                                                         \
    return status ? status : parse_names(p, expected, &build_units(p->b, p->row)->member);                             \
  }
UNIT_NAME(prefix, "prefix of event names")
UNIT_NAME(perf, "name of the Linux PMU")
UNIT_NAME(pfm, "name of the libpfm4 PMU")

/* `alias NAME[,NAME] ...`: of the preceding register, or of the unit if it has none yet. */
static int unit_alias(struct parser *p)
{
  int status = need_unit(p);
  if (status)
    return status;
  struct db_unit *unit = build_units(p->b, p->row);
  db_str *alias =
      unit->registers.n ? &build_registers(p->b, unit->registers.first + unit->registers.n - 1)->alias : &unit->alias;
  return parse_names(p, "name, or names joined by commas", alias);
}

static int unit_clock(struct parser *p)
{
  int status = need_unit(p);
  if (status || (status = parse_name(p, "name of a clock", &build_units(p->b, p->row)->clock)) != 0)
    return status;
  return parse_refer(p, REF_UNIT_CLOCK, p->row, p->w.t);
}

static int unit_number(struct parser *p, const char *expected, uint64_t max, uint32_t *ret_number)
{
  uint64_t n;
  int status = need_unit(p);
  if (!status)
    status = parse_number(p, expected, max, &n);
  if (!status)
    *ret_number = (uint32_t)n;
  return status;
}

static int unit_instances(struct parser *p)
{
  uint32_t n;
  int status = unit_number(p, "number of instances", MOST_INSTANCES, &n);
  if (!status)
    build_units(p->b, p->row)->instances = n;
  return status;
}

static int unit_discovery(struct parser *p)
{
  uint32_t n;
  int status = unit_number(p, "unit type in the discovery page", 0xffff, &n);
  if (!status)
    build_units(p->b, p->row)->discovery = n;
  return status;
}

static int unit_root_port(struct parser *p)
{
  uint32_t n;
  int status = unit_number(p, "number of a PCI device", 31, &n);
  if (!status)
    build_units(p->b, p->row)->root_port = n;
  return status;
}

/* `counters N [from FIRST] width BITS` */
static int unit_counters(struct parser *p)
{
  uint32_t n, width, first = 0;
  int status = unit_number(p, "number of counters", 32, &n);
  if (status || (status = parse_word(p, "width")) != 0)
    return status;
  if (text_is(p->w.t, "from")) {
    if ((status = unit_number(p, "number of the first counter", 32 - n, &first)) != 0 ||
        (status = parse_word(p, "width")) != 0)
      return status;
  }
  if (!text_is(p->w.t, "width"))
    return parse_fail(p, PMON_E_SYNTAX, "`width` expected, not '%.*s'", (int)p->w.t.n, p->w.t.s);
  if ((status = unit_number(p, "width in bits", 64, &width)) != 0)
    return status;
  build_units(p->b, p->row)->counters = n;
  build_units(p->b, p->row)->first_counter = first;
  build_units(p->b, p->row)->width_bits = width;
  return 0;
}

/* `N`, or `N-N` */
static bool take_range(struct text t, uint32_t *ret_first, uint32_t *ret_last)
{
  const char *dash = memchr(t.s, '-', t.n);
  const struct text first = {t.s, dash ? (size_t)(dash - t.s) : t.n};
  uint64_t a, b;
  if (!text_number(first, &a))
    return false;
  b = a;
  if (dash && !text_number((struct text){dash + 1, t.n - first.n - 1}, &b))
    return false;
  *ret_first = (uint32_t)a;
  *ret_last = (uint32_t)b;
  return a <= b && b < MOST_INSTANCES;
}

/* Parses the next word of `except` and its number into the row's member of that name. */
static int except_part(struct parser *p, struct db_exception *e)
{
  const struct {
    const char *name;
    uint32_t *member;
    uint64_t least, most;
  } parts[] = {{"counters", &e->counters, 1, 32},
               {"width", &e->width_bits, 1, 64},
               {"unit_status", &e->status, 0, INT32_MAX},
               {"ctl", &e->ctl, 0, INT32_MAX},
               {"ctr", &e->ctr, 0, INT32_MAX}};
  static const char expected[] = "counters, width, unit_status, ctl or ctr";
  const size_t n_parts = sizeof parts / sizeof *parts;
  uint64_t number;
  size_t i = 0;
  int status = parse_word(p, expected);
  if (status)
    return status;
  while (i < n_parts && !text_is(p->w.t, parts[i].name))
    i++;
  if (i == n_parts)
    return parse_fail(p, PMON_E_SYNTAX, "%s expected, not '%.*s'", expected, (int)p->w.t.n, p->w.t.s);
  if ((status = parse_number(p, parts[i].name, parts[i].most, &number)) != 0)
    return status;
  if (number < parts[i].least)
    return parse_fail(p, PMON_E_RANGE, "%s of at least 1 expected", parts[i].name);
  *parts[i].member = (uint32_t)number;
  return 0;
}

/* `except N[-N] [counters N] [width BITS] [unit_status OFFSET] [ctl OFFSET] [ctr OFFSET]` */
static int unit_except(struct parser *p)
{
  struct db_exception e = {
      .counters = DB_NONE, .width_bits = DB_NONE, .status = DB_NONE, .ctl = DB_NONE, .ctr = DB_NONE};
  int status = need_unit(p);
  if (status || (status = parse_word(p, "numbers of instances")) != 0)
    return status;
  const struct word start = p->w;
  if (!take_range(p->w.t, &e.first, &e.last))
    return parse_fail(p, PMON_E_SYNTAX,
                      "an instance, or the first and last of several such as 2-3 expected, not '%.*s'", (int)p->w.t.n,
                      p->w.t.s);
  do
    status = except_part(p, &e);
  while (!status && parse_more(p));
  if (status)
    return status;
  uint32_t row;
  p->w = start;
  build_units(p->b, p->row)->exceptions.n++;
  return parse_push(p, ROWS_exceptions, &e, &row);
}

/* `events SET [field=value ...]` */
static int unit_events(struct parser *p)
{
  struct db_import import = {.set = DB_NONE, .settings.first = build_count(p->b, ROWS_settings)};
  int status = need_unit(p);
  if (status || (status = parse_word(p, "name of an event set")) != 0)
    return status;
  struct word name = p->w;
  while (parse_more(p)) {
    struct text key, value;
    struct db_setting setting = {.when = DB_SETTING_ALWAYS};
    uint32_t at;
    if ((status = parse_word(p, "field=value")) != 0)
      return status;
    if (!parse_pair(&p->w, &key, &value) || !text_number(value, &setting.value))
      return parse_fail(p, PMON_E_SYNTAX, "field=value expected, not '%.*s'", (int)p->w.t.n, p->w.t.s);
    setting.name = builder_intern(p->b, key);
    import.settings.n++;
    if ((status = parse_push(p, ROWS_settings, &setting, &at)) != 0)
      return status;
  }
  p->w = name;
  build_units(p->b, p->row)->imports.n++;
  if ((status = parse_push(p, ROWS_imports, &import, &p->import)) != 0)
    return status;
  return parse_refer(p, REF_IMPORT_SET, p->import, name.t);
}

/* step: added to the address, or enum place_step. */
static int push_places(struct parser *p, struct db_place place, int64_t step, uint64_t count)
{
  struct db_unit *unit = build_units(p->b, p->row);
  uint32_t at;
  int status = 0;
  for (uint64_t i = 0; !status && i < count; i++) {
    unit->places.n++;
    status = parse_push(p, ROWS_places, &place, &at);
    if (step == STEP_DEVICE)
      place.device += 1 << 3;
    else if (step == STEP_CPU)
      place.device++;
    else
      place.base += (uint64_t)step;
  }
  return status;
}

/* `at SPACE PLACE [step S|dev|cpu] [count N]` */
static int unit_at(struct parser *p)
{
  struct db_place place = {0};
  uint64_t count = 1;
  int64_t step = 0;
  int status = need_unit(p);
  struct word start = p->w;
  if (status || (status = parse_place(p, &place)) != 0)
    return status;
  while (parse_more(p)) {
    if ((status = parse_word(p, "step or count")) != 0)
      return status;
    if (text_is(p->w.t, "count")) {
      status = parse_number(p, "number of instances", MOST_INSTANCES, &count);
    } else if (text_is(p->w.t, "step")) {
      status = parse_step(p, &place, &step);
    } else {
      status = parse_fail(p, PMON_E_SYNTAX, "step, count or end of line expected, not '%.*s'", (int)p->w.t.n, p->w.t.s);
    }
    if (status)
      return status;
  }
  if (step == STEP_DEVICE && (place.device >> 3 & 31) + count > 32)
    return parse_fail(p, PMON_E_RANGE, "at most 32 PCI devices expected");
  p->w = start;
  return push_places(p, place, step, count);
}

/* `[count N] [step S] [width B] [index N]` */
static int register_options(struct parser *p, struct db_register *r)
{
  static const char *const names[] = {"count", "step", "width", "index"};
  uint32_t width = r->width, *const members[] = {&r->count, &r->step, &width, &r->index};
  while (parse_more(p)) {
    uint64_t n;
    size_t i = 0;
    int status = parse_word(p, "count, step, width or index");
    if (status)
      return status;
    while (i < 4 && !text_is(p->w.t, names[i]))
      i++;
    if (i == 4)
      return parse_fail(p, PMON_E_SYNTAX, "count, step, width, index or end of line expected, not '%.*s'",
                        (int)p->w.t.n, p->w.t.s);
    if ((status = parse_number(p, names[i], i == 2 ? 64 : UINT32_MAX, &n)) != 0)
      return status;
    if ((i == 0 && (!n || n > 4096)) || (i == 2 && !n))
      return parse_fail(p, PMON_E_RANGE, "a %s between 1 and %d expected", names[i], i ? 64 : 4096);
    *members[i] = (uint32_t)n;
    r->width = width & 0xff;
  }
  return 0;
}

/* `register ROLE NAME LAYOUT OFFSET|at PLACE [options]` */
static int unit_register(struct parser *p)
{
  struct db_register r = {.layout = DB_NONE, .count = 1, .step = 1, .own_place = DB_NONE};
  uint32_t at;
  int status = need_unit(p);
  if (status || (status = parse_word(p, "role")) != 0 || (status = parse_role(p, p->w.t, &r.role)) != 0 ||
      (status = parse_new_name(p, "name of the register", &r.name)) != 0)
    return status;
  struct word name = p->w;
  if ((status = parse_word(p, "name of a layout")) != 0)
    return status;
  struct word layout = p->w;
  struct text rest = p->rest;
  if ((status = parse_word(p, "offset, or `at`")) != 0)
    return status;
  bool own = text_is(p->w.t, "at");
  struct db_place place = {0};
  if (!own)
    p->rest = rest;
  status = own ? parse_place(p, &place) : parse_number(p, "offset, or `at`", UINT64_MAX, &r.offset);
  if (status || (status = register_options(p, &r)) != 0)
    return status;
  p->w = name;
  build_units(p->b, p->row)->registers.n++;
  if ((status = parse_push(p, ROWS_registers, &r, &at)) != 0)
    return status;
  p->w = layout;
  if ((status = parse_refer(p, REF_REGISTER_LAYOUT, at, layout.t)) != 0 || !own)
    return status;
  /* The places of a unit are consecutive rows, so a register's own places are added after the platform has been read
   * (resolve.c). */
  struct own_place wait = {at, place};
  return vec_append(&p->b->own_places, &wait, 1) ? 0 : PMON_E_MEMORY;
}

/* `also at PLACE`: another place of the preceding register, which has places of its own. */
static int unit_also(struct parser *p)
{
  struct own_place own = {.reg = build_count(p->b, ROWS_registers) - 1};
  const struct own_place *last = p->b->own_places.n ? vec_at(&p->b->own_places, p->b->own_places.n - 1) : NULL;
  int status = need_unit(p);
  if (status)
    return status;
  if (!last || last->reg != own.reg || !build_units(p->b, p->row)->registers.n)
    return parse_fail(p, PMON_E_SYNTAX, "a register with `at` expected before `also`");
  if ((status = parse_word(p, "at")) != 0)
    return status;
  if (!text_is(p->w.t, "at"))
    return parse_fail(p, PMON_E_SYNTAX, "`at` expected, not '%.*s'", (int)p->w.t.n, p->w.t.s);
  if ((status = parse_place(p, &own.place)) != 0)
    return status;
  return vec_append(&p->b->own_places, &own, 1) ? 0 : PMON_E_MEMORY;
}

const struct keyword units_keywords[] = {{"unit", unit_open},
                                         {"title", unit_title},
                                         {"prefix", unit_prefix},
                                         {"perf", unit_perf},
                                         {"pfm", unit_pfm},
                                         {"alias", unit_alias},
                                         {"kernel", unit_kernel},
                                         {"bound", unit_bound},
                                         {"interleaved", unit_interleaved},
                                         {"access", unit_access},
                                         {"instances", unit_instances},
                                         {"counters", unit_counters},
                                         {"discovery", unit_discovery},
                                         {"clock", unit_clock},
                                         {"events", unit_events},
                                         {"at", unit_at},
                                         {"register", unit_register},
                                         {"also", unit_also},
                                         {"with", unit_with},
                                         {"narrows", unit_narrows},
                                         {"acts", unit_acts},
                                         {"excludes", unit_excludes},
                                         {"mask", unit_mask},
                                         {"latched", unit_latched},
                                         {"exact", unit_exact},
                                         {"except", unit_except},
                                         {"root-port", unit_root_port},
                                         {"root-buses", unit_root_buses},
                                         {"witness", unit_witness},
                                         {"own-witness", unit_own_witness},
                                         {NULL, NULL}};
