/* SPDX-License-Identifier: MIT */
/* Resolves the names of unit and event in a spelling to rows of the facts. */
#include "src/base/bits.h"
#include "src/base/words.h"
#include "src/base/writer.h"
#include "src/base/nearest.h"
#include "src/event/resolver.h"
#include "src/facts/index.h"

static __attribute__((cold)) int fail_unit(struct resolver *r)
{
  const struct db *db = r->db;
  struct nearest near = {.name = r->s->unit};
  for (uint32_t i = 0; i < r->platform->row->units.n; i++)
    nearest_add(&near, text_of(db_text(db, db->units[r->platform->row->units.first + i].name)), i, 0);
  char names[256];
  nearest_format(&near, names, sizeof names);
  if (!near.n)
    platform_format_units(r->platform, names, sizeof names);
  return resolver_fail_at(r, PMON_E_UNKNOWN, r->s->unit.s, "%s has no unit \"%.*s\"%s",
                          db_text(db, r->platform->row->name), (int)r->s->unit.n, r->s->unit.s, names);
}

static int resolver_take_unit(struct resolver *r)
{
  struct platform_unit_name found;
  if (!platform_find_unit(r->platform, r->s->unit, &found))
    return fail_unit(r);
  const struct db_unit *u = &r->db->units[found.unit];
  uint64_t all = bits_below(u->instances ? u->instances : 1);
  if (found.chosen && (found.beyond || (found.instances & ~all) || !found.instances)) {
    char text[128];
    platform_instances_format(r->platform, &found, text, sizeof text);
    return resolver_fail_at(r, PMON_E_RANGE, r->s->unit.s, "%s", text);
  }
  r->row.unit = found.unit;
  r->instances = found.instances & all;
  return PMON_OK;
}

/* The same for the name that was written, as it is or without a prefix: of UNC_C_X and UNC_CHA_X in one file, only one
 * is an event X. */
static bool find_in_unit(struct resolver *r, uint32_t unit, const struct db_key *name)
{
  const char *s = name->text.s, *prefix = db_text(r->db, r->db->units[unit].prefix);
  struct text bare = name->text;
  if (bare.n && (text_same(s, "U", 1) || text_same(s, prefix, 1))) /* most names have no prefix */
    bare = resolver_without_prefix(r->db, &r->db->units[unit], bare, r->s->unit.n > 0);
  if (bare.n == name->text.n)
    return resolver_find_row(r->db, unit, name, &r->row);
  struct db_key key = db_key(r->db, bare);
  return resolver_find_row(r->db, unit, name, &r->row) || resolver_find_row(r->db, unit, &key, &r->row);
}

static void near_events(struct resolver *r, struct nearest *near, uint32_t unit)
{
  const struct db *db = r->db;
  struct db_span imports = db->units[unit].imports;
  for (uint32_t i = imports.first; i < imports.first + imports.n; i++) {
    struct db_span events = db->sets[db->imports[i].set].events;
    for (uint32_t e = events.first; e < events.first + events.n; e++)
      nearest_add(near, text_of(db_text(db, db->events[e].name)), unit, e);
  }
}

/* Writes "; did you mean UNIT/EVENT/ or UNIT/EVENT/?". An event that several units share is written once. */
static __attribute__((cold)) void format_near_events(const struct resolver *r, const struct nearest *near, char *text,
                                                     size_t size)
{
  const struct db *db = r->db;
  struct writer w = {text, size, 0};
  uint32_t found[NEAREST_N], n = 0;
  for (uint32_t i = 0; i < near->n; i++) {
    uint32_t k = 0;
    while (k < n && near->best[found[k]].b != near->best[i].b)
      k++;
    if (k == n)
      found[n++] = i;
  }
  write_text(&w, n ? "; did you mean " : "; `pmon search WORD...` finds events");
  for (uint32_t k = 0; k < n; k++) {
    const struct nearest_name *name = &near->best[found[k]];
    const char *unit = db_text(db, db->units[name->a].name);
    words_write(&w, k, n, unit, strlen(unit));
    write_char(&w, '/');
    write_bytes(&w, name->name.s, name->name.n);
    write_char(&w, '/');
  }
  write_text(&w, n ? "?" : "");
  write_end(&w);
}

static __attribute__((cold)) int fail_event(struct resolver *r, uint32_t unit)
{
  const struct db *db = r->db;
  struct nearest near = {.name = r->s->event};
  struct hint hint = {.name = r->s->event};
  char names[512];
  if (!r->context)
    return PMON_E_UNKNOWN;
  if (unit != DB_NONE) {
    near.name = resolver_without_prefix(db, &db->units[unit], near.name, r->s->unit.n > 0);
    near_events(r, &near, unit);
    nearest_format(&near, names, sizeof names);
    struct hint bare = {.name = near.name};
    const char *remedy = resolver_hint_of_perf(r, &hint) ? hint.text
                         : resolver_hint(r, unit, &bare) ? bare.text
                         : near.n                        ? names
                                                         : "; `pmon search WORD...` finds events";
    return resolver_fail_at(r, PMON_E_UNKNOWN, r->s->event.s, "%s has no event \"%.*s\"%s",
                            db_text(db, db->units[unit].name), (int)r->s->event.n, r->s->event.s, remedy);
  }
  for (uint32_t i = 0; i < r->platform->row->units.n; i++)
    near_events(r, &near, r->platform->row->units.first + i);
  format_near_events(r, &near, names, sizeof names);
  return resolver_fail_at(r, PMON_E_UNKNOWN, r->s->event.s, "%s has no event \"%.*s\"%s",
                          db_text(db, r->platform->row->name), (int)r->s->event.n, r->s->event.s,
                          resolver_hint_of_perf(r, &hint) || resolver_hint(r, DB_NONE, &hint) ? hint.text : names);
}

/* Whether the unit can count; the unit of a shared set has no counters. */
static bool is_countable(const struct db *db, uint32_t unit)
{
  return db->units[unit].registers.n > 0;
}

static __attribute__((cold)) int fail_ambiguous(struct resolver *r, const char *units)
{
  return resolver_fail_at(r, PMON_E_AMBIGUOUS, r->s->event.s, "several units have %.*s: %s; write %.*s/%.*s%s%.*s/",
                          (int)r->s->event.n, r->s->event.s, units, (int)strcspn(units, ","), units, (int)r->s->event.n,
                          r->s->event.s, r->s->has_umask ? "." : "", (int)r->s->umask.n, r->s->umask.s);
}

static __attribute__((cold)) int fail_uncountable(struct resolver *r, uint32_t unit)
{
  const char *name = db_text(r->db, r->db->units[unit].name);
  return resolver_fail_at(r, PMON_E_UNSUPPORTED, r->s->event.s,
                          "%.*s cannot be counted: the register addresses of %s are not documented", (int)r->s->event.n,
                          r->s->event.s, name);
}

/* Finds the one unit that counts a name written without unit, or under a shared set's unit (`among`). */
static int find_among(struct resolver *r, uint32_t among)
{
  const struct db *db = r->db;
  const struct db_key name = db_key(r->db, r->s->event);
  char units[256];
  struct writer w = {units, sizeof units, 0};
  uint32_t n = 0, unit = DB_NONE, import = DB_NONE, event = DB_NONE;
  for (uint32_t i = r->platform->row->units.first, end = i + r->platform->row->units.n; i < end; i++) {
    if (!is_countable(db, i) || !find_in_unit(r, i, &name))
      continue;
    uint32_t by = r->row.import, found = r->row.event;
    if (among != DB_NONE && (!find_in_unit(r, among, &name) || db->events[r->row.event].set != db->events[found].set))
      continue;
    unit = i, import = by, event = found;
    write_text(&w, n++ ? ", " : "");
    write_text(&w, db_text(db, db->units[unit].name));
  }
  write_end(&w);
  if (n == 0)
    return among != DB_NONE && find_in_unit(r, among, &name) ? fail_uncountable(r, among) : fail_event(r, among);
  if (n > 1)
    return fail_ambiguous(r, units);
  r->row.unit = unit, r->row.import = import, r->row.event = event;
  r->instances = bits_below(db->units[unit].instances);
  return PMON_OK;
}

static int find_in_named_unit(struct resolver *r)
{
  int status = resolver_take_unit(r);
  if (status)
    return status;
  uint32_t unit = r->row.unit;
  const struct db_key name = db_key(r->db, r->s->event);
  if (!is_countable(r->db, unit))
    return r->s->event.n ? find_among(r, unit)
                         : resolver_fail_at(r, PMON_E_AMBIGUOUS, r->s->unit.s, "%s has no counters of its own",
                                            db_text(r->db, r->db->units[unit].name));
  return !r->s->event.n || find_in_unit(r, unit, &name) ? PMON_OK : fail_event(r, unit);
}

/* Finds another unit with that prefix that counts the event: event files give a unit's prefix to its free-running
 * counters. */
static bool find_by_prefix(struct resolver *r, const char *prefix, const struct db_key *name, uint32_t *ret_unit)
{
  const struct db *db = r->db;
  for (uint32_t i = r->platform->row->units.first, end = i + r->platform->row->units.n; i < end; i++)
    if (is_countable(db, i) && text_is(text_of(prefix), db_text(db, db->units[i].prefix)) && find_in_unit(r, i, name)) {
      *ret_unit = i;
      return true;
    }
  return false;
}

static int find_without_unit(struct resolver *r)
{
  uint32_t platform = (uint32_t)(r->platform->row - r->db->platforms);
  uint32_t unit = db_find_unit_of_event(r->db, platform, r->s->event);
  if (unit == DB_NONE)
    return find_among(r, DB_NONE);
  const struct db_key name = db_key(r->db, r->s->event);
  if (!find_in_unit(r, unit, &name) && !find_by_prefix(r, db_text(r->db, r->db->units[unit].prefix), &name, &unit))
    return fail_event(r, unit);
  if (!is_countable(r->db, unit))
    return fail_uncountable(r, unit);
  r->instances = bits_below(r->db->units[unit].instances ? r->db->units[unit].instances : 1);
  return PMON_OK;
}

static int resolver_find_event(struct resolver *r)
{
  row_clear(&r->row, r->db);
  return r->s->unit.n ? find_in_named_unit(r) : find_without_unit(r);
}

/* Whether the name with its dot is an event: event files name free-running counters so (BANDWIDTH_IN.PART0_FREERUN). */
static bool resolver_find_dotted(struct resolver *r)
{
  const struct spelling *const written = r->s;
  struct spelling whole = *written;
  whole.event.n = (size_t)(whole.umask.s + whole.umask.n - whole.event.s);
  whole.has_umask = false;
  r->s = &whole;
  const bool found = resolver_find_event(r) == PMON_OK;
  r->s = written;
  return found;
}

int resolver_names(struct resolver *r)
{
  int status = resolver_find_event(r);
  const bool dotted = r->s->event.n && r->s->has_umask;
  if (status == PMON_E_UNKNOWN && dotted)
    return resolver_find_dotted(r) ? PMON_OK : resolver_find_event(r);
  return status || !dotted ? status : resolver_umasks(r, r->s->umask);
}
