/* SPDX-License-Identifier: MIT */
/* Hints for a name that is neither an event nor a umask, but an attribute, an attribute's value or a metric. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include "src/event/resolver.h"
#include "src/facts/index.h"

/* Returns the umask whose name begins the value's: the table of opcodes names the opcodes of a queue so
 * (WBQ_WbMtoI). */
static const char *queue_of(const struct db *db, const struct db_event *e, struct text value)
{
  for (uint32_t u = e->umasks.first; u < e->umasks.first + e->umasks.n; u++) {
    const char *name = db_text(db, db->umasks[u].name);
    const size_t n = strlen(name);
    if (value.n > n + 1 && value.s[n] == '_' && text_same(value.s, name, n))
      return name;
  }
  return NULL;
}

/* "; it is a value of opc: cha/TOR_INSERTS.WBQ,opc=WbMtoI/" */
static void write_hint(const struct resolver *r, uint32_t unit, const struct db_event *e, const struct db_field *f,
                       struct hint *hint)
{
  const struct db *db = r->db;
  const char *queue = queue_of(db, e, hint->name), *field = db_text(db, f->name);
  const size_t skip = queue ? strlen(queue) + 1 : 0;
  const char *umask = queue ? queue : e->umasks.n ? "UMASK" : "";
  snprintf(hint->text, sizeof hint->text, "; it is a value of %s: %s/%s%s%s,%s=%.*s/", field,
           db_text(db, db->units[unit].name), db_text(db, e->name), *umask ? "." : "", umask, field,
           (int)(hint->name.n - skip), hint->name.s + skip);
}

/* Looks for the name among the values of the fields with which the event can be filtered. */
static bool hint_of_event(const struct resolver *r, uint32_t unit, uint32_t event, struct hint *hint)
{
  const struct db *db = r->db;
  const struct db_event *e = &db->events[event];
  const struct db_span fields = e->overlay == DB_NONE ? (struct db_span){0, 0} : db->layouts[e->overlay].fields;
  uint64_t value;
  for (uint32_t f = fields.first; f < fields.first + fields.n; f++)
    if (resolver_is_attribute(db, f) && resolver_value_by_name(db, &db->fields[f], hint->name, &value)) {
      write_hint(r, unit, e, &db->fields[f], hint);
      return true;
    }
  return false;
}

static bool hint_of_unit(const struct resolver *r, uint32_t unit, struct hint *hint)
{
  const struct db_span imports = r->db->units[unit].imports;
  for (uint32_t i = imports.first; i < imports.first + imports.n; i++) {
    const struct db_span events = r->db->sets[r->db->imports[i].set].events;
    for (uint32_t e = events.first; e < events.first + events.n; e++)
      if (hint_of_event(r, unit, e, hint))
        return true;
  }
  return false;
}

/* Returns the umask whose name is the text, if the umask's dots are written as `_`; DB_NONE: none. */
static uint32_t umask_without_dots(const struct db *db, uint32_t event, struct text t)
{
  const struct db_span umasks = db->events[event].umasks;
  const uint32_t whole = db_find_umask(db, event, t.s, t.n);
  for (uint32_t u = umasks.first; whole == DB_NONE && u < umasks.first + umasks.n; u++)
    if (spelling_is_joined(t, db_text(db, db->umasks[u].name)))
      return u;
  return whole;
}

/* "; it is a sample source: pmon sample --source dcache=CYCLES" for DATA_EAR_CACHE_LAT16: libpfm4 and pfmon have an
 * event for each filter of the event address registers. */
static bool hint_of_sample_source(struct hint *hint)
{
  static const char *const sources[][2] = {
      {"DATA_EAR_CACHE_", "dcache=CYCLES"}, {"DATA_EAR_TLB_", "dtlb=LEVELS"}, {"DATA_EAR_ALAT", "alat"},
      {"L1I_EAR_CACHE_", "icache=CYCLES"},  {"L1I_EAR_TLB_", "itlb=LEVELS"},  {"BRANCH_EVENT", "branches"}};
  for (size_t i = 0; i < sizeof sources / sizeof *sources; i++)
    if (hint->name.n >= strlen(sources[i][0]) && text_same(hint->name.s, sources[i][0], strlen(sources[i][0]))) {
      snprintf(hint->text, sizeof hint->text, "; it is a sample source: pmon sample --source %s", sources[i][1]);
      return true;
    }
  return false;
}

/* "; did you mean imc/CAS_COUNT.RD/?" for CAS_COUNT_RD: other tools separate event and umask by `_`. */
static bool hint_of_joined(const struct db *db, uint32_t unit, struct hint *hint)
{
  const struct db_span imports = db->units[unit].imports;
  for (uint32_t i = imports.first; i < imports.first + imports.n; i++) {
    const struct db_span events = db->sets[db->imports[i].set].events;
    for (uint32_t e = events.first; e < events.first + events.n; e++) {
      const char *event = db_text(db, db->events[e].name);
      const size_t n = strlen(event) + 1; /* the umask begins there */
      const struct text end = {hint->name.s + n, hint->name.n > n ? hint->name.n - n : 0};
      uint32_t umask;
      if (!end.n || hint->name.s[n - 1] != '_' || !text_same(hint->name.s, event, n - 1) ||
          (umask = umask_without_dots(db, e, end)) == DB_NONE)
        continue;
      snprintf(hint->text, sizeof hint->text, "; did you mean %s/%s.%s/?", db_text(db, db->units[unit].name), event,
               db_text(db, db->umasks[umask].name));
      return true;
    }
  }
  return false;
}

static bool hint_of_metric(const struct resolver *r, struct hint *hint)
{
  const struct db_span metrics = r->platform->row->metrics;
  for (uint32_t i = metrics.first; i < metrics.first + metrics.n; i++) {
    const char *name = db_text(r->db, r->db->metrics[i].name);
    if (!text_is(hint->name, name))
      continue;
    snprintf(hint->text, sizeof hint->text, "; it is a metric: pmon stat -m %s", name);
    return true;
  }
  return false;
}

static bool is_word(char c)
{
  return isalnum((unsigned char)c) || c == '_';
}

/* "; `pmon show OCCUPANCY_COUNTER0` explains why" for a name of a guide that the note of the unit discusses. */
static bool hint_of_note(const struct db *db, uint32_t unit, struct hint *hint)
{
  const char *note = db_text(db, db->units[unit].origin.note);
  const size_t n = memchr(hint->name.s, '_', hint->name.n) ? hint->name.n : 0;
  for (const char *at = note; n && *at; at++) {
    if (!text_same(at, hint->name.s, n) || is_word(at[n]) || (at > note && is_word(at[-1])))
      continue;
    snprintf(hint->text, sizeof hint->text, "; `pmon show %.*s` explains why", (int)n, hint->name.s);
    return true;
  }
  return false;
}

bool resolver_hint(const struct resolver *r, uint32_t unit, struct hint *hint)
{
  const struct db_span units = r->platform->row->units;
  if (hint->name.n && memchr(hint->name.s, '=', hint->name.n)) {
    snprintf(hint->text, sizeof hint->text, "; an attribute follows its event, within slashes: UNIT/EVENT,%.*s/",
             (int)hint->name.n, hint->name.s);
    return true;
  }
  if (r->row.event != DB_NONE)
    return hint_of_event(r, unit, r->row.event, hint);
  if (hint_of_metric(r, hint) || hint_of_sample_source(hint))
    return true;
  for (uint32_t u = units.first; unit == DB_NONE && u < units.first + units.n; u++)
    if (hint_of_unit(r, u, hint) || hint_of_joined(r->db, u, hint) || hint_of_note(r->db, u, hint))
      return true;
  return unit != DB_NONE &&
         (hint_of_unit(r, unit, hint) || hint_of_joined(r->db, unit, hint) || hint_of_note(r->db, unit, hint));
}
