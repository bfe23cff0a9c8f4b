/* SPDX-License-Identifier: MIT */
#include "src/facts/derive.h"
#include "src/facts/field.h"
#include "src/facts/index.h"

/* A writable row of tables that are being made; they become constant afterwards. */
#define OWN_ROW(type, row) ((struct type *)(uintptr_t)(row))

/* Returns the first field of the layout that has one of the names. */
static uint32_t first_field(const struct db *db, uint32_t layout, const char *const *names)
{
  uint32_t field = DB_NONE;
  for (; field == DB_NONE && *names; names++)
    field = db_find_field(db, layout, *names, strlen(*names));
  return field;
}

/* The guides' names for the fields that select the event: x86 uncore, then Itanium. The enable bit must have `en` as
 * its name, not as an alias. */
static void derive_layout(const struct db *db, uint32_t i)
{
  static const char *const code[] = {"ev_sel", "event_select", "es", NULL}, *const umask[] = {"umask", NULL},
                           *const ext[] = {"umask_ext", NULL}, *const code_ext[] = {"ev_sel_ext", NULL};
  struct db_layout *layout = OWN_ROW(db_layout, &db->layouts[i]);
  layout->code = first_field(db, i, code);
  layout->umask = first_field(db, i, umask);
  layout->ext = first_field(db, i, ext);
  layout->code_ext = first_field(db, i, code_ext);
  layout->overlay = DB_NONE;
  layout->enable = db_find_field(db, i, "en", 2);
  if (layout->enable != DB_NONE && strcmp(db_text(db, db->fields[layout->enable].name), "en") != 0)
    layout->enable = DB_NONE;
  for (uint32_t f = layout->fields.first; f < layout->fields.first + layout->fields.n; f++) {
    if (db->fields[f].access == DB_RW || db->fields[f].access == DB_WO)
      layout->writable |= field_mask(&db->fields[f]);
    if (db->fields[f].preset)
      layout->flags |= DB_PRESET;
    if (db->fields[f].access == DB_VIRT)
      layout->flags |= DB_RESOLVED;
  }
}

/* Links the overlays of each layout, in the order of their rows. */
static void derive_overlays(const struct db *db)
{
  for (uint32_t i = db->n_layouts; i-- > 0;) {
    struct db_layout *layout = OWN_ROW(db_layout, &db->layouts[i]);
    if (!(layout->flags & DB_OVERLAY) || layout->base == DB_NONE)
      continue;
    struct db_layout *base = OWN_ROW(db_layout, &db->layouts[layout->base]);
    layout->overlay = base->overlay;
    base->overlay = i;
  }
}

static uint32_t first_register(const struct db *db, const struct db_unit *u, uint32_t role)
{
  for (uint32_t i = u->registers.first; i < u->registers.first + u->registers.n; i++)
    if (db->registers[i].role == role && db->registers[i].index == u->first_counter)
      return i;
  return DB_NONE;
}

static void derive_settings(const struct db *db, uint32_t unit, struct db_span settings)
{
  uint32_t layout = db->registers[db->units[unit].ctl].layout;
  for (uint32_t i = settings.first; i < settings.first + settings.n; i++) {
    struct db_setting *s = OWN_ROW(db_setting, &db->settings[i]);
    const char *name = db_text(db, s->name);
    if (s->field == DB_NONE)
      s->field = db_find_field(db, layout, name, strlen(name));
    if (s->field == DB_NONE)
      db_find_filter(db, unit, text_of(name), &s->filter, &s->field);
  }
}

/* Finds the fields that the settings of a unit's events name, in the layouts of its registers. */
static void derive_fields(const struct db *db, uint32_t unit)
{
  const struct db_unit *u = &db->units[unit];
  if (u->ctl == DB_NONE || db->registers[u->ctl].layout == DB_NONE)
    return;
  for (uint32_t i = u->registers.first; i < u->registers.first + u->registers.n; i++)
    derive_settings(db, unit, db->registers[i].with);
  for (uint32_t i = u->imports.first; i < u->imports.first + u->imports.n; i++) {
    derive_settings(db, unit, db->imports[i].settings);
    struct db_span events = db->sets[db->imports[i].set].events;
    for (uint32_t e = events.first; e < events.first + events.n; e++) {
      derive_settings(db, unit, db->events[e].settings);
      derive_settings(db, unit, db->events[e].with);
      struct db_span umasks = db->events[e].umasks;
      for (uint32_t k = umasks.first; k < umasks.first + umasks.n; k++)
        derive_settings(db, unit, db->umasks[k].settings);
    }
  }
}

static bool is_filtered(const struct db *db, db_str filters)
{
  return strchr(db_text(db, filters), '!') != NULL;
}

static void derive_event(const struct db *db, uint32_t row)
{
  struct db_event *e = OWN_ROW(db_event, &db->events[row]);
  e->flags |= is_filtered(db, e->filters) ? DB_FILTERED : 0;
  for (uint32_t i = e->umasks.first; i < e->umasks.first + e->umasks.n; i++) {
    struct db_umask *u = OWN_ROW(db_umask, &db->umasks[i]);
    u->flags |= is_filtered(db, db_umask_extra(db, u)->filters) ? DB_FILTERED : 0;
    u->flags |= e->flags & DB_STATES;
  }
}

void derive_columns(const struct db *db)
{
  for (uint32_t i = 0; i < db->n_layouts; i++)
    derive_layout(db, i);
  derive_overlays(db);
  for (uint32_t i = 0; i < db->n_settings; i++)
    OWN_ROW(db_setting, &db->settings[i])->field = OWN_ROW(db_setting, &db->settings[i])->filter = DB_NONE;
  for (uint32_t i = 0; i < db->n_registers; i++) {
    struct db_register *r = OWN_ROW(db_register, &db->registers[i]);
    r->access_bits = r->layout != DB_NONE && db->layouts[r->layout].width <= 32 ? 32 : 64;
  }
  for (uint32_t i = 0; i < db->n_units; i++) {
    struct db_unit *u = OWN_ROW(db_unit, &db->units[i]);
    u->ctl = first_register(db, u, PMON_ROLE_CTL);
    u->ctr = first_register(db, u, PMON_ROLE_CTR);
    u->pfm_length = (uint32_t)strlen(db_text(db, u->pfm));
    u->prefix_length = (uint32_t)strlen(db_text(db, u->prefix));
    derive_fields(db, i);
  }
  for (uint32_t i = 0; i < db->n_events; i++)
    derive_event(db, i);
}
