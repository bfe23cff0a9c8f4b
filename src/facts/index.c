/* SPDX-License-Identifier: MIT */
#include "src/facts/index.h"
#include <stdlib.h>
#include <pmon/status.h>

/* A slot holds 0, or a row plus 1 with its kind in the top bits. Names of one kind and one owner (the events of a set,
 * the umasks of an event, the fields of a layout, the units of a platform) are a family, which is part of the hash. */
#define KIND_SHIFT 29
enum kind { KIND_EVENT, KIND_UMASK, KIND_FIELD, KIND_UNIT, KIND_PREFIX };

static uint32_t family_hash(uint32_t hash, enum kind kind, uint32_t owner)
{
  uint32_t h = hash ^ ((owner * 8 + (uint32_t)kind) * 0x9e3779b1u);
  return h ^ h >> 15;
}

/* Whether `t` is the name in another case, or an alias. */
__attribute__((noinline)) static bool named_otherwise(const struct db *db, db_str name, db_str alias, struct text t)
{
  return text_is(t, db_text(db, name)) || (alias && text_in_list(t, db_text(db, alias)));
}

static inline bool is_same(const struct db *db, db_str name, struct text t)
{
  return db->pool_size - name > t.n && !db->pool[name + t.n] && text_equal(db_text(db, name), t.s, t.n);
}

static inline bool named(const struct db *db, db_str name, db_str alias, struct text t)
{
  return is_same(db, name, t) || named_otherwise(db, name, alias, t);
}

/* Whether `t` is a unit's own name, or its name in Linux perf or libpfm4. */
static bool is_unit(const struct db *db, const struct db_unit *u, struct text t)
{
  return is_same(db, u->name, t) || is_same(db, u->pfm, t) || is_same(db, u->perf, t) ||
         named_otherwise(db, u->name, u->alias, t) || text_in_list(t, db_text(db, u->perf)) ||
         text_in_list(t, db_text(db, u->pfm));
}

static inline bool in_span(struct db_span span, uint32_t row)
{
  return row - span.first < span.n;
}

/* Whether `row` belongs to that family, and has the name `t`. */
static inline bool is_row(const struct db *db, enum kind kind, uint32_t owner, uint32_t row, struct text t)
{
  switch (kind) {
  case KIND_EVENT: return db->events[row].set == owner && named(db, db->events[row].name, db->events[row].alias, t);
  case KIND_UMASK:
    return in_span(db->events[owner].umasks, row) &&
           named(db, db->umasks[row].name, db_umask_extra(db, &db->umasks[row])->alias, t);
  case KIND_FIELD:
    return in_span(db->layouts[owner].fields, row) && named(db, db->fields[row].name, db->fields[row].alias, t);
  case KIND_UNIT: return in_span(db->platforms[owner].units, row) && is_unit(db, &db->units[row], t);
  case KIND_PREFIX: return in_span(db->platforms[owner].units, row) && named(db, db->units[row].prefix, 0, t);
  }
  return false;
}

static inline uint32_t index_find_row(const struct db *db, enum kind kind, uint32_t owner, const struct db_key *key)
{
  if (!db->index_size)
    return DB_NONE;
  uint32_t mask = db->index_size - 1, slot;
  for (uint32_t at = family_hash(key->hash, kind, owner) & mask; (slot = db->index[at]) != 0; at = (at + 1) & mask) {
    uint32_t row = (slot & ((1u << KIND_SHIFT) - 1)) - 1;
    if (slot >> KIND_SHIFT == (uint32_t)kind && is_row(db, kind, owner, row, key->text))
      return row;
  }
  return DB_NONE;
}

uint32_t db_find_event_key(const struct db *db, uint32_t set, const struct db_key *key)
{
  return set >= db->n_sets ? DB_NONE : index_find_row(db, KIND_EVENT, set, key);
}

uint32_t db_find_event(const struct db *db, uint32_t set, const char *name, size_t len)
{
  struct db_key key = db_key(db, (struct text){name, len});
  return db_find_event_key(db, set, &key);
}

uint32_t db_find_umask(const struct db *db, uint32_t event, const char *name, size_t len)
{
  struct db_key key = db_key(db, (struct text){name, len});
  return event >= db->n_events ? DB_NONE : index_find_row(db, KIND_UMASK, event, &key);
}

uint32_t db_find_field(const struct db *db, uint32_t layout, const char *name, size_t len)
{
  struct db_key key = db_key(db, (struct text){name, len});
  return layout >= db->n_layouts ? DB_NONE : index_find_row(db, KIND_FIELD, layout, &key);
}

uint32_t db_find_unit_called(const struct db *db, uint32_t platform, struct text name)
{
  struct db_key key = db_key(db, name);
  return index_find_row(db, KIND_UNIT, platform, &key);
}

static uint32_t db_find_unit_prefixed(const struct db *db, uint32_t platform, struct text prefix)
{
  struct db_key key = db_key(db, prefix);
  return index_find_row(db, KIND_PREFIX, platform, &key);
}

uint32_t db_find_unit_of_event(const struct db *db, uint32_t platform, struct text name)
{
  uint32_t best = DB_NONE;
  if (name.n <= 4 || !text_same(name.s, "UNC_", 4))
    return DB_NONE;
  for (size_t n = 5; n < name.n; n++) {
    uint32_t unit = name.s[n - 1] == '_' ? db_find_unit_prefixed(db, platform, (struct text){name.s, n}) : DB_NONE;
    best = unit == DB_NONE ? best : unit;
  }
  return best;
}

#define FIND_IN(function, member, alias_of)                                                                            \
  uint32_t function(const struct db *db, uint32_t platform, const char *name, size_t len)                              \
  {                                                                                                                    \
    struct db_span span = db->platforms[platform].member;                                                              \
    struct text t = {name, len};                                                                                       \
    for (uint32_t i = span.first; i < span.first + span.n; i++)                                                        \
      if (named(db, db->member[i].name, alias_of, t))                                                                  \
        return i;                                                                                                      \
    return DB_NONE;                                                                                                    \
  }
FIND_IN(db_find_unit, units, db->units[i].alias)
FIND_IN(db_find_set, sets, 0)
FIND_IN(db_find_layout, layouts, 0)
FIND_IN(db_find_values, values, 0)
FIND_IN(db_find_clock, clocks, 0)

uint32_t db_find_platform(const struct db *db, const char *name, size_t len)
{
  struct text t = {name, len};
  for (uint32_t i = 0; i < db->n_platforms; i++)
    if (named(db, db->platforms[i].name, 0, t))
      return i;
  return DB_NONE;
}

uint32_t db_find_metric(const struct db *db, uint32_t platform, uint32_t unit, const char *name, size_t len)
{
  struct db_span span = db->platforms[platform].metrics;
  struct text t = {name, len};
  for (uint32_t i = span.first; i < span.first + span.n; i++)
    if ((unit == DB_NONE || db->metrics[i].unit == unit) && named(db, db->metrics[i].name, 0, t))
      return i;
  return DB_NONE;
}

bool db_find_filter(const struct db *db, uint32_t unit, struct text name, uint32_t *ret_reg, uint32_t *ret_field)
{
  struct db_span regs = db->units[unit].registers;
  const char *dot = memchr(name.s, '.', name.n);
  for (uint32_t i = regs.first; dot && i < regs.first + regs.n; i++) {
    struct text reg = {name.s, (size_t)(dot - name.s)};
    if ((db->registers[i].role != PMON_ROLE_FILTER && db->registers[i].role != PMON_ROLE_FIXED_CTL) ||
        db->registers[i].layout == DB_NONE || !text_is_end(reg, db_text(db, db->registers[i].name)))
      continue;
    uint32_t field = db_find_field(db, db->registers[i].layout, dot + 1, name.n - reg.n - 1);
    if (field == DB_NONE)
      continue;
    *ret_reg = i;
    *ret_field = field;
    return true;
  }
  return false;
}

/* The slots of an index while it is made, and the family of the names being entered. */
struct making {
  const struct db *db;
  uint32_t *slots;
  enum kind kind;
  uint32_t owner;
};

static void index_enter_name(const struct making *m, struct text t, uint32_t row)
{
  uint32_t mask = m->db->index_size - 1,
           at = family_hash(text_hash(m->db->index_key, t.s, t.n), m->kind, m->owner) & mask;
  for (uint32_t slot; (slot = m->slots[at]) != 0; at = (at + 1) & mask)
    /* The family has this name already: it stays with its first row. */
    if (slot >> KIND_SHIFT == (uint32_t)m->kind &&
        is_row(m->db, m->kind, m->owner, (slot & ((1u << KIND_SHIFT) - 1)) - 1, t))
      return;
  m->slots[at] = (row + 1) | (uint32_t)m->kind << KIND_SHIFT;
}

static uint32_t count_names(const char *list)
{
  uint32_t n = *list != 0;
  for (; *list; list++)
    n += *list == ',';
  return n;
}

static void enter_list(const struct making *m, db_str names, uint32_t row)
{
  for (const char *list = db_text(m->db, names); *list;) {
    size_t n = strcspn(list, ",");
    index_enter_name(m, (struct text){list, n}, row);
    list += n + (list[n] == ',');
  }
}

static void enter_fields(const struct db *db, uint32_t *slots)
{
  for (uint32_t i = 0; i < db->n_layouts; i++) {
    const struct making m = {db, slots, KIND_FIELD, i};
    struct db_span fields = db->layouts[i].fields;
    for (uint32_t f = fields.first; f < fields.first + fields.n; f++) {
      if (db->fields[f].reserved)
        continue;
      index_enter_name(&m, text_of(db_text(db, db->fields[f].name)), f);
      enter_list(&m, db->fields[f].alias, f);
    }
  }
}

static void enter_units(const struct db *db, uint32_t *slots)
{
  for (uint32_t i = 0; i < db->n_platforms; i++) {
    const struct making names = {db, slots, KIND_UNIT, i}, prefixes = {db, slots, KIND_PREFIX, i};
    struct db_span units = db->platforms[i].units;
    for (uint32_t u = units.first; u < units.first + units.n; u++) {
      const struct db_unit *unit = &db->units[u];
      const db_str lists[] = {unit->name, unit->alias, unit->perf, unit->pfm};
      for (size_t l = 0; l < sizeof lists / sizeof *lists; l++)
        enter_list(&names, lists[l], u);
      if (unit->prefix)
        enter_list(&prefixes, unit->prefix, u);
    }
  }
}

static void enter_events(const struct db *db, uint32_t *slots)
{
  for (uint32_t i = 0; i < db->n_events; i++) {
    const struct db_event *e = &db->events[i];
    const struct making events = {db, slots, KIND_EVENT, e->set}, umasks = {db, slots, KIND_UMASK, i};
    index_enter_name(&events, text_of(db_text(db, e->name)), i);
    enter_list(&events, e->alias, i);
    for (uint32_t u = e->umasks.first; u < e->umasks.first + e->umasks.n; u++) {
      index_enter_name(&umasks, text_of(db_text(db, db->umasks[u].name)), u);
      enter_list(&umasks, db_umask_extra(db, &db->umasks[u])->alias, u);
    }
  }
}

/* Returns how many names are entered at most. */
static uint64_t count_all(const struct db *db)
{
  uint64_t names = 0;
  for (uint32_t i = 0; i < db->n_fields; i++)
    names += 1 + count_names(db_text(db, db->fields[i].alias));
  for (uint32_t i = 0; i < db->n_events; i++)
    names += 1 + count_names(db_text(db, db->events[i].alias));
  for (uint32_t i = 0; i < db->n_umasks; i++)
    names += 1 + count_names(db_text(db, db_umask_extra(db, &db->umasks[i])->alias));
  for (uint32_t i = 0; i < db->n_units; i++) {
    const struct db_unit *u = &db->units[i];
    names +=
        2 + count_names(db_text(db, u->alias)) + count_names(db_text(db, u->perf)) + count_names(db_text(db, u->pfm));
  }
  return names;
}

int index_build(struct db *db)
{
  uint64_t names = count_all(db);
  uint32_t size = 16;
  while (size < names * 2)
    size *= 2;
  uint32_t *slots = calloc(size, sizeof *slots);
  if (!slots)
    return PMON_E_MEMORY;
  db->index_size = size;
  db->index = slots;
  enter_events(db, slots);
  enter_fields(db, slots);
  enter_units(db, slots);
  return 0;
}
