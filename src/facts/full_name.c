/* SPDX-License-Identifier: MIT */
#include "src/facts/full_name.h"
#include <stdlib.h>
#include <pmon/status.h>
#include "src/facts/index.h"

/* An entry of the hash table: the upper bits of the name's hash, the row + 1, and a bit: the name is that of event
 * files; 0: empty. */
enum { PLACE_BITS = 21 }; /* of the row and the last bit */
#define ROWS_MOST ((1u << (PLACE_BITS - 1)) - 1)

static inline uint32_t place_make(uint32_t hash, uint32_t row, bool prefixed)
{
  return hash >> PLACE_BITS << PLACE_BITS | (row + 1) << 1 | prefixed;
}

static inline bool place_has_hash(uint32_t place, uint32_t hash)
{
  return !((place ^ hash) >> PLACE_BITS);
}

static inline uint32_t place_row(uint32_t place)
{
  return (place & ((1u << PLACE_BITS) - 1)) / 2 - 1;
}

static inline bool place_is_prefixed(uint32_t place)
{
  return place & 1;
}

static inline uint32_t full_hash(const struct db *db, struct text name, uint32_t platform)
{
  uint32_t h = text_hash(db->index_key, name.s, name.n) ^ platform * 0x9e3779b1u;
  return h ^ h >> 15;
}

static inline bool is_part(const struct db *db, db_str part, const char *at, size_t n)
{
  return text_equal(db_text(db, part), at, n);
}

static inline bool is_same_part(const struct db *db, db_str part, const char *at, size_t n)
{
  return is_part(db, part, at, n) || text_same_words(db_text(db, part), at, n);
}

/* Whether the rest of a name, after the event, is the row's umask, if it has one: exactly, or in any case. */
static inline bool is_umask(const struct db *db, const struct db_listed *l, const char *rest, bool any_case)
{
  if (l->umask == DB_LISTED_BARE)
    return true;
  const db_str name = db->umasks[db_listed_umask(db, l)].name;
  return *rest == '.' &&
         (any_case ? is_same_part(db, name, rest + 1, l->umask_length) : is_part(db, name, rest + 1, l->umask_length));
}

/* Whether `t` is the row's name in event files, PREFIXEVENT[.UMASK], in any case. */
static bool is_prefixed(const struct db *db, const struct db_listed *l, struct text t)
{
  const struct db_unit *u = &db->units[l->unit];
  size_t event = u->prefix_length, umask = event + l->event_length + 1u;
  size_t end = l->umask == DB_LISTED_BARE ? umask - 1 : umask + l->umask_length;
  return t.n == end && is_same_part(db, u->prefix, t.s, event) &&
         is_same_part(db, db->events[l->event].name, t.s + event, l->event_length) &&
         is_umask(db, l, t.s + umask - 1, true);
}

/* Whether `t` is the row's full name. Compares lengths first: no part is compared beyond the end. */
static inline bool is_named(const struct db *db, const struct db_listed *l, struct text t)
{
  size_t event = l->unit_length + 1u, umask = event + l->event_length + 1u;
  size_t end = l->umask == DB_LISTED_BARE ? umask - 1 : umask + l->umask_length;
  return t.n == end + 1 && t.s[event - 1] == '/' && t.s[end] == '/' &&
         is_part(db, db->units[l->unit].name, t.s, l->unit_length) &&
         is_part(db, db->events[l->event].name, t.s + event, l->event_length) &&
         is_umask(db, l, t.s + umask - 1, false);
}

const struct db_listed *db_find_listed(const struct db *db, uint32_t platform, struct text name, bool *ret_prefixed)
{
  if (!db->listed_size)
    return NULL;
  const uint32_t mask = db->listed_size - 1, hash = full_hash(db, name, platform);
  uint32_t place;
  for (uint32_t at = hash & mask; (place = db->listed_places[at]); at = (at + 1) & mask) {
    if (!place_has_hash(place, hash))
      continue;
    const struct db_listed *l = &db->listed[place_row(place)];
    if (l->unit - db->platforms[platform].units.first < db->platforms[platform].units.n &&
        (place_is_prefixed(place) ? is_prefixed(db, l, name) : is_named(db, l, name))) {
      *ret_prefixed = place_is_prefixed(place);
      return l;
    }
  }
  return NULL;
}

/* The rows of the other tables that make a name; umask DB_NONE: none. */
struct full_name {
  uint32_t unit, import, event, umask;
};

/* The table while it is filled; without rows it only counts. */
struct making {
  const struct db *db;
  struct db_listed *rows;
  uint32_t *places;
  uint32_t size, n, names, platform;
};

/* Adds one of the names of the last row. */
static void full_name_put(struct making *m, struct text name, bool prefixed)
{
  m->names++;
  if (!m->rows)
    return;
  const uint32_t hash = full_hash(m->db, name, m->platform);
  uint32_t at = hash & (m->size - 1);
  while (m->places[at])
    at = (at + 1) & (m->size - 1);
  m->places[at] = place_make(hash, m->n - 1, prefixed);
}

/* Writes the parts, each followed by its separator, into `text`, which has room. Returns the length. */
static size_t full_name_write(const struct text *parts, size_t n, const char *separators, char *text)
{
  size_t length = 0;
  for (size_t i = 0; i < n; i++) {
    memcpy(text + length, parts[i].s, parts[i].n);
    length += parts[i].n;
    text[length++] = separators[i];
  }
  return length;
}

/* Adds the name in event files, if it leads to that unit. */
static void full_name_enter_prefixed(struct making *m, const struct text parts[3], const struct full_name *l)
{
  const struct db *db = m->db;
  const struct text words[2] = {parts[1], parts[2]};
  char name[3 * UINT8_MAX + 3];
  const size_t prefix = db->units[l->unit].prefix_length;
  if (!prefix || prefix > UINT8_MAX || memchr(parts[1].s, '.', parts[1].n))
    return;
  memcpy(name, db_text(db, db->units[l->unit].prefix), prefix);
  size_t n = prefix + full_name_write(words, l->umask == DB_NONE ? 1 : 2, "..", name + prefix) - 1;
  if (db_find_unit_of_event(db, m->platform, (struct text){name, prefix + parts[1].n}) == l->unit)
    full_name_put(m, (struct text){name, n}, true);
}

static void full_name_enter(struct making *m, const struct full_name *l)
{
  const struct db *db = m->db;
  const bool bare = l->umask == DB_NONE;
  const uint32_t import = l->import - db->units[l->unit].imports.first;
  const uint32_t umask = bare ? DB_LISTED_BARE : l->umask - db->events[l->event].umasks.first;
  char name[3 * UINT8_MAX + 3];
  struct text parts[3] = {text_of(db_text(db, db->units[l->unit].name)),
                          text_of(db_text(db, db->events[l->event].name))};
  if (!bare)
    parts[2] = text_of(db_text(db, db->umasks[l->umask].name));
  if (parts[0].n > UINT8_MAX || parts[1].n > UINT8_MAX || parts[2].n > UINT8_MAX || !parts[1].n)
    return;
  if (l->unit > UINT16_MAX || import > UINT8_MAX || (umask >= DB_LISTED_BARE && !bare) || m->n == ROWS_MOST)
    return;
  if (m->rows)
    m->rows[m->n] = (struct db_listed){.event = l->event,
                                       .unit = (uint16_t)l->unit,
                                       .umask = (uint16_t)umask,
                                       .import = (uint8_t)import,
                                       .unit_length = (uint8_t)parts[0].n,
                                       .event_length = (uint8_t)parts[1].n,
                                       .umask_length = (uint8_t)parts[2].n};
  m->n++;
  full_name_put(m, (struct text){name, full_name_write(parts, bare ? 2 : 3, bare ? "//" : "/./", name)}, false);
  full_name_enter_prefixed(m, parts, l);
}

/* Whether the unit's own search for the event's name finds this row of this import. Prefixed names are left to it. */
static bool is_found(const struct db *db, const struct full_name *l)
{
  struct text name = text_of(db_text(db, db->events[l->event].name));
  struct text prefix = text_of(db_text(db, db->units[l->unit].prefix));
  if ((prefix.n && name.n >= prefix.n && text_same(name.s, prefix.s, prefix.n)) ||
      (name.n >= 4 && text_same(name.s, "UNC_", 4)))
    return false;
  for (uint32_t i = db->units[l->unit].imports.first; i <= l->import; i++) {
    uint32_t event = db_find_event(db, db->imports[i].set, name.s, name.n);
    if (event != DB_NONE)
      return i == l->import && event == l->event;
  }
  return false;
}

static void enter_event(struct making *m, struct full_name l)
{
  const struct db *db = m->db;
  const struct db_event *e = &db->events[l.event];
  bool bare = !e->umasks.n || (e->flags & DB_BARE);
  if ((e->flags & DB_FILTERED) || !is_found(db, &l))
    return;
  for (uint32_t u = e->umasks.first; u < e->umasks.first + e->umasks.n; u++) {
    const struct db_umask *umask = &db->umasks[u];
    const char *name = db_text(db, umask->name);
    bare = bare && !(umask->flags & DB_DEFAULT);
    l.umask = u;
    if (*name && !(umask->flags & DB_FILTERED) && db_find_umask(db, l.event, name, strlen(name)) == u)
      full_name_enter(m, &l);
  }
  l.umask = DB_NONE;
  if (bare)
    full_name_enter(m, &l);
}

static void enter_all(struct making *m)
{
  const struct db *db = m->db;
  m->n = m->names = 0;
  for (m->platform = 0; m->platform < db->n_platforms; m->platform++) {
    struct db_span units = db->platforms[m->platform].units;
    for (uint32_t u = units.first; u < units.first + units.n; u++) {
      struct db_span imports = db->units[u].imports;
      if (!db->units[u].registers.n ||
          db_find_unit_called(db, m->platform, text_of(db_text(db, db->units[u].name))) != u)
        continue;
      for (uint32_t i = imports.first; i < imports.first + imports.n; i++) {
        struct db_span events = db->sets[db->imports[i].set].events;
        for (uint32_t e = events.first; e < events.first + events.n; e++)
          enter_event(m, (struct full_name){.unit = u, .import = i, .event = e});
      }
    }
  }
}

int listed_build(struct db *db)
{
  struct making m = {.db = db, .size = 16};
  enter_all(&m);
  while (m.size / 3 * 2 < m.names) /* at most two of three places are used */
    m.size *= 2;
  m.rows = calloc(m.n + 1, sizeof *m.rows);
  m.places = calloc(m.size, sizeof *m.places);
  if (!m.rows || !m.places) {
    free(m.rows);
    free(m.places);
    return PMON_E_MEMORY;
  }
  enter_all(&m);
  db->listed = m.rows;
  db->listed_places = m.places;
  db->n_listed = m.n;
  db->listed_size = m.size;
  return 0;
}
