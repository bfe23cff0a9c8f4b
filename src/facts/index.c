/* SPDX-License-Identifier: MIT */
#include "src/facts/index.h"
#include <stdlib.h>
#include <pmon/status.h>
#include "src/base/text.h"

/* A slot holds 0, or the row plus 1 of an event, an umask or a field, with what it is in the top bits. */
#define SLOT_KIND 0xc0000000u
#define SLOT_EVENT 0x00000000u
#define SLOT_UMASK 0x80000000u
#define SLOT_FIELD 0x40000000u
#define UMASK_SEED 0x9e3779b9u /* keeps umasks of event n, and fields of layout n, apart from events of set n */
#define FIELD_SEED 0x7f4a7c15u

static bool named(const struct db *db, db_str name, db_str alias, struct text t)
{
  return text_is(t, db_text(db, name)) || (alias && text_in_list(t, db_text(db, alias)));
}

static bool in_span(struct db_span span, uint32_t row)
{
  return row - span.first < span.n;
}

uint32_t db_find_event(const struct db *db, uint32_t set, const char *name, size_t len)
{
  if (!db->index_size || set >= db->n_sets)
    return DB_NONE;
  struct text t = { name, len };
  uint32_t mask = db->index_size - 1, slot;
  for (uint32_t at = text_hash(name, len, set) & mask; (slot = db->index[at]) != 0; at = (at + 1) & mask) {
    if ((slot & SLOT_KIND) != SLOT_EVENT)
      continue;
    const struct db_event *e = &db->events[slot - 1];
    if (e->set == set && named(db, e->name, e->alias, t))
      return slot - 1;
  }
  return DB_NONE;
}

uint32_t db_find_umask(const struct db *db, uint32_t event, const char *name, size_t len)
{
  if (!db->index_size || event >= db->n_events)
    return DB_NONE;
  struct text t = { name, len };
  uint32_t mask = db->index_size - 1, slot;
  for (uint32_t at = text_hash(name, len, event ^ UMASK_SEED) & mask; (slot = db->index[at]) != 0;
       at = (at + 1) & mask) {
    uint32_t row = (slot & ~SLOT_KIND) - 1;
    if ((slot & SLOT_KIND) == SLOT_UMASK && in_span(db->events[event].umasks, row) &&
        named(db, db->umasks[row].name, db->umasks[row].alias, t))
      return row;
  }
  return DB_NONE;
}

#define FIND_IN(function, member, alias_of) \
  uint32_t function(const struct db *db, uint32_t platform, const char *name, size_t len) \
  { \
    struct db_span span = db->platforms[platform].member; \
    struct text t = { name, len }; \
    for (uint32_t i = span.first; i < span.first + span.n; i++) \
      if (named(db, db->member[i].name, alias_of, t)) \
        return i; \
    return DB_NONE; \
  }
FIND_IN(db_find_unit, units, db->units[i].alias)
FIND_IN(db_find_set, sets, 0)
FIND_IN(db_find_layout, layouts, 0)
FIND_IN(db_find_values, values, 0)
FIND_IN(db_find_clock, clocks, 0)

uint32_t db_find_platform(const struct db *db, const char *name, size_t len)
{
  struct text t = { name, len };
  for (uint32_t i = 0; i < db->n_platforms; i++)
    if (named(db, db->platforms[i].name, 0, t))
      return i;
  return DB_NONE;
}

uint32_t db_find_metric(const struct db *db, uint32_t platform, uint32_t unit, const char *name, size_t len)
{
  struct db_span span = db->platforms[platform].metrics;
  struct text t = { name, len };
  for (uint32_t i = span.first; i < span.first + span.n; i++)
    if ((unit == DB_NONE || db->metrics[i].unit == unit) && named(db, db->metrics[i].name, 0, t))
      return i;
  return DB_NONE;
}

uint32_t db_find_field(const struct db *db, uint32_t layout, const char *name, size_t len)
{
  if (!db->index_size || layout >= db->n_layouts)
    return DB_NONE;
  struct text t = { name, len };
  uint32_t mask = db->index_size - 1, slot;
  for (uint32_t at = text_hash(name, len, layout ^ FIELD_SEED) & mask; (slot = db->index[at]) != 0;
       at = (at + 1) & mask) {
    uint32_t row = (slot & ~SLOT_KIND) - 1;
    if ((slot & SLOT_KIND) == SLOT_FIELD && in_span(db->layouts[layout].fields, row) &&
        named(db, db->fields[row].name, db->fields[row].alias, t))
      return row;
  }
  return DB_NONE;
}

static void enter(struct db *db, uint32_t *slots, struct text t, uint32_t seed, uint32_t slot)
{
  uint32_t mask = db->index_size - 1, at = text_hash(t.s, t.n, seed) & mask;
  while (slots[at])
    at = (at + 1) & mask;
  slots[at] = slot;
}

static uint32_t count_names(const char *list)
{
  uint32_t n = *list != 0;
  for (; *list; list++)
    n += *list == ',';
  return n;
}

static void enter_list(struct db *db, uint32_t *slots, const char *list, uint32_t seed, uint32_t slot)
{
  while (*list) {
    size_t n = strcspn(list, ",");
    enter(db, slots, (struct text){ list, n }, seed, slot);
    list += n + (list[n] == ',');
  }
}

static void enter_fields(struct db *db, uint32_t *slots)
{
  for (uint32_t i = 0; i < db->n_layouts; i++) {
    struct db_span fields = db->layouts[i].fields;
    for (uint32_t f = fields.first; f < fields.first + fields.n; f++) {
      if (db->fields[f].reserved)
        continue;
      enter(db, slots, text_of(db_text(db, db->fields[f].name)), i ^ FIELD_SEED, (f + 1) | SLOT_FIELD);
      enter_list(db, slots, db_text(db, db->fields[f].alias), i ^ FIELD_SEED, (f + 1) | SLOT_FIELD);
    }
  }
}

/* The first of the names that the layout has a field of. */
static uint32_t first_field(const struct db *db, uint32_t layout, const char *const *names)
{
  uint32_t field = DB_NONE;
  for (; field == DB_NONE && *names; names++)
    field = db_find_field(db, layout, *names, strlen(*names));
  return field;
}

/* The guides' names for the fields that select the event: x86 uncore, then Itanium. */
static void find_selectors(const struct db *db)
{
  static const char *const code[] = { "ev_sel", "event_select", "es", NULL }, *const umask[] = { "umask", NULL },
                    *const ext[] = { "umask_ext", NULL }, *const code_ext[] = { "ev_sel_ext", NULL };
  for (uint32_t i = 0; i < db->n_layouts; i++) {
    struct db_layout *layout = (struct db_layout *)(uintptr_t)&db->layouts[i];   /* ours until they are given away */
    layout->code = first_field(db, i, code);
    layout->umask = first_field(db, i, umask);
    layout->ext = first_field(db, i, ext);
    layout->code_ext = first_field(db, i, code_ext);
  }
}

int index_build(struct db *db)
{
  uint64_t names = 0;
  for (uint32_t i = 0; i < db->n_fields; i++)
    names += 1 + count_names(db_text(db, db->fields[i].alias));
  for (uint32_t i = 0; i < db->n_events; i++)
    names += 1 + count_names(db_text(db, db->events[i].alias));
  for (uint32_t i = 0; i < db->n_umasks; i++)
    names += 1 + count_names(db_text(db, db->umasks[i].alias));
  uint32_t size = 16;
  while (size < names * 2)
    size *= 2;
  uint32_t *slots = calloc(size, sizeof *slots);
  if (!slots)
    return PMON_E_MEMORY;
  db->index_size = size;
  for (uint32_t i = 0; i < db->n_events; i++) {
    const struct db_event *e = &db->events[i];
    enter(db, slots, text_of(db_text(db, e->name)), e->set, i + 1);
    enter_list(db, slots, db_text(db, e->alias), e->set, i + 1);
    for (uint32_t u = e->umasks.first; u < e->umasks.first + e->umasks.n; u++) {
      enter(db, slots, text_of(db_text(db, db->umasks[u].name)), i ^ UMASK_SEED, (u + 1) | SLOT_UMASK);
      enter_list(db, slots, db_text(db, db->umasks[u].alias), i ^ UMASK_SEED, (u + 1) | SLOT_UMASK);
    }
  }
  enter_fields(db, slots);
  db->index = slots;
  find_selectors(db);
  return 0;
}
