/* SPDX-License-Identifier: MIT */
/* The reverse of resolving: the event and umask that a control register's value selects. */
#include "src/facts/field.h"
#include "src/event/row.h"

/* Returns the bits that users may set for any event: they do not identify the event. */
static uint64_t preset_bits(const struct db *db, uint32_t layout)
{
  struct db_span fields = db->layouts[layout].fields;
  uint64_t mask = 0;
  for (uint32_t i = fields.first; i < fields.first + fields.n; i++)
    if (db->fields[i].flags & DB_PRESET)
      mask |= field_mask(&db->fields[i]);
  return mask;
}

/* Returns the umask bits that the row's event ignores. */
static uint64_t open_bits(const struct event_row *row, uint32_t layout)
{
  uint32_t umask = layout_umask(row->db, layout);
  uint64_t any = 0;
  for (uint32_t i = 0; i < row->n_umasks; i++)
    any |= db_umask_extra(row->db, &row->db->umasks[row->umasks[i]])->any;
  return umask == DB_NONE ? 0 : field_set(&row->db->fields[umask], 0, any);
}

/* Returns the bits that distinguish events and umasks: code, umask, and the further fields that their rows set. */
static uint64_t selecting_bits(const struct event_row *row, uint32_t layout)
{
  const struct db *db = row->db;
  const uint32_t fields[] = {layout_code(db, layout), layout_umask(db, layout), layout_ext(db, layout),
                             layout_code_ext(db, layout)};
  uint64_t mask = 0;
  for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
    if (fields[i] != DB_NONE)
      mask |= field_mask(&db->fields[fields[i]]);
  return (mask | row_control(row)->mask) & ~preset_bits(db, layout) & ~open_bits(row, layout);
}

/* Whether the row's control value equals `value` in the bits that select events and umasks. */
static bool row_is_exact(const struct event_row *row, uint64_t value)
{
  uint32_t layout = row->db->registers[row->ctl].layout;
  return ((row_control(row)->value ^ value) & selecting_bits(row, layout)) == 0;
}

/* Whether the row sets more than its control register: another event may have the same value there. */
static bool has_filter_settings(const struct event_row *row)
{
  return row->n_registers > 1;
}

/* Whether `value` has the row's code and the settings that all its umasks have in common. */
static bool is_event(struct event_row *row, uint64_t value)
{
  const struct db *db = row->db;
  row->n_umasks = 0;
  if (!row_bind(row) || row->kind != PMON_EVENT_PROGRAMMED || !row_complete(row) || has_filter_settings(row))
    return false;
  uint32_t enable = layout_enable(db, db->registers[row->ctl].layout);
  uint64_t touched = row_control(row)->mask;
  if (enable != DB_NONE)
    touched &= ~field_mask(&db->fields[enable]);
  const uint32_t code[] = {layout_code(db, db->registers[row->ctl].layout),
                           layout_code_ext(db, db->registers[row->ctl].layout)};
  for (size_t i = 0; i < sizeof code / sizeof *code; i++)
    if (code[i] != DB_NONE)
      touched |= field_mask(&db->fields[code[i]]);
  touched &= ~preset_bits(db, db->registers[row->ctl].layout);
  return ((row_control(row)->value ^ value) & touched) == 0;
}

/* State of row_match_umask(): enough to rule out most umasks without completing their rows. */
struct umask_sieve {
  uint64_t value, own;    /* the value to match; the event's value without umask */
  uint64_t umask_value;   /* the umask in `value` */
  uint32_t layout, field; /* field: of the umask */
  db_str last_name;       /* the setting looked up last, */
  uint32_t last_field;    /* and its field */
};

static bool may_be(const struct db *db, const struct db_umask *u, struct umask_sieve *s)
{
  if (s->field != DB_NONE && ((u->value ^ s->umask_value) & ~db_umask_extra(db, u)->any))
    return false;
  for (uint32_t i = u->settings.first; i < u->settings.first + u->settings.n; i++) {
    const struct db_setting *set = &db->settings[i];
    if (set->name != s->last_name) {
      s->last_name = set->name;
      s->last_field = layout_field(db, s->layout, db_text(db, set->name));
    }
    if (s->last_field == DB_NONE)
      continue; /* an overlay's: checked by the full comparison */
    const struct db_field *f = &db->fields[s->last_field];
    if ((field_get(f, s->own) | set->value) != field_get(f, s->value))
      return false;
  }
  return true;
}

static bool same_settings(const struct db *db, struct db_span a, struct db_span b)
{
  for (uint32_t i = 0; a.n == b.n && i < a.n; i++)
    if (db->settings[a.first + i].name != db->settings[b.first + i].name ||
        db->settings[a.first + i].value != db->settings[b.first + i].value)
      return false;
  return a.n == b.n;
}

static unsigned count_bits(uint64_t bits)
{
  return (unsigned)__builtin_popcountll(bits);
}

/* Finds umasks whose bits together are `target`, that with most new bits first; their other settings must be equal. */
static bool add_up(struct event_row *row, uint64_t target)
{
  const struct db *db = row->db;
  struct db_span umasks = db->events[row->event].umasks;
  uint64_t have = 0;
  while (have != target && row->n_umasks < EVENT_UMASKS) {
    uint32_t best = DB_NONE;
    for (uint32_t u = umasks.first; u < umasks.first + umasks.n; u++) {
      uint64_t value = db->umasks[u].value;
      if ((value & ~target) || !(value & ~have) || db_umask_extra(db, &db->umasks[u])->any ||
          (row->n_umasks && !same_settings(db, db->umasks[u].settings, db->umasks[row->umasks[0]].settings)))
        continue;
      if (best == DB_NONE || count_bits(value & ~have) > count_bits(db->umasks[best].value & ~have))
        best = u;
    }
    if (best == DB_NONE)
      return false;
    row->umasks[row->n_umasks++] = best;
    have |= db->umasks[best].value;
  }
  for (uint32_t i = 1; i < row->n_umasks; i++) /* sorts them in the order of the facts */
    for (uint32_t k = i; k > 0 && row->umasks[k - 1] > row->umasks[k]; k--) {
      uint32_t swap = row->umasks[k];
      row->umasks[k] = row->umasks[k - 1];
      row->umasks[k - 1] = swap;
    }
  return have == target;
}

bool row_match_umask(struct event_row *row, uint64_t value)
{
  const struct db *db = row->db;
  const struct db_event *e = &db->events[row->event];
  row->n_umasks = 0;
  if (!row_bind(row) || !row_complete(row) || row->ctl == DB_NONE)
    return false;
  uint32_t layout = db->registers[row->ctl].layout;
  struct umask_sieve sieve = {.value = value, .layout = layout, .field = layout_umask(db, layout)};
  sieve.umask_value = sieve.field == DB_NONE ? 0 : field_get(&db->fields[sieve.field], value);
  sieve.own = row_control(row)->value;
  /* Umasks that fix every bit come first: RSPI (0x2a) is also matched by the umask of a response without data, any
   * opcode. */
  for (uint32_t i = 0; i < 2 * e->umasks.n; i++) {
    const uint32_t u = e->umasks.first + i % e->umasks.n;
    if ((db_umask_extra(db, &db->umasks[u])->any != 0) != (i >= e->umasks.n) || !may_be(db, &db->umasks[u], &sieve))
      continue;
    row->umasks[0] = u;
    row->n_umasks = 1;
    if (row_bind(row) && row_complete(row) && !has_filter_settings(row) && row_is_exact(row, value))
      return true;
  }
  row->n_umasks = 0;
  if (e->umasks.n && !(e->flags & DB_EXCLUSIVE) && sieve.field != DB_NONE &&
      add_up(row, field_get(&db->fields[sieve.field], value)) && row->n_umasks && row_bind(row) && row->counters &&
      row_complete(row) && row_is_exact(row, value))
    return true;
  row->n_umasks = 0;
  return row_bind(row) && row_complete(row) && (!e->umasks.n || (e->flags & DB_BARE)) && row_is_exact(row, value);
}

bool row_match(const struct db *db, uint32_t unit, uint64_t value, struct event_row *row)
{
  struct event_row raw = {.db = db, .unit = unit, .import = DB_NONE, .event = DB_NONE}, best = raw;
  if (!row_bind(&raw))
    return false;
  uint32_t code = layout_code(db, db->registers[raw.ctl].layout);
  struct db_span imports = db->units[unit].imports;
  uint32_t depth = 0; /* settings of `best`: the event with the most settings is the one meant */
  for (uint32_t i = imports.first; i < imports.first + imports.n; i++) {
    struct db_span events = db->sets[db->imports[i].set].events;
    for (uint32_t e = events.first; e < events.first + events.n; e++) {
      if (code != DB_NONE && db->events[e].code != field_get(&db->fields[code], value))
        continue;
      struct event_row try = {.db = db, .unit = unit, .import = i, .event = e};
      if (!is_event(&try, value))
        continue;
      uint32_t settings = try.n_settings;
      if (row_match_umask(&try, value)) {
        *row = try;
        return true;
      }
      if (settings > depth) {
        depth = settings;
        best = try;
      }
    }
  }
  *row = best;
  return row_bind(row) && row_complete(row);
}
