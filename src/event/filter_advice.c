/* SPDX-License-Identifier: MIT */
#include "src/event/filter_advice.h"
#include <limits.h>
#include <stdio.h>
#include "src/facts/field.h"

enum { MOST_NAMES = 6 };

void list_add(struct name_list *list, const char *name)
{
  const size_t at = strlen(list->text);
  if (list->n && list->n <= MOST_NAMES)
    snprintf(list->text + at, sizeof list->text - at, "%s%s", at ? ", " : "", list->last);
  list->n++;
  snprintf(list->last, sizeof list->last, "%s", name);
}

const char *list_end(struct name_list *list)
{
  const size_t at = strlen(list->text);
  if (list->n > MOST_NAMES + 1)
    snprintf(list->text + at, sizeof list->text - at, " and %u more", (unsigned)(list->n - MOST_NAMES));
  else if (list->n)
    snprintf(list->text + at, sizeof list->text - at, "%s%s", at ? " and " : "", list->last);
  return list->text;
}

static bool acts_on(const struct event_setting *s, const struct event_row *row)
{
  return resolver_acts(row->db, s, (struct event_control){row->ctl, row->event, row_control(row)->value});
}

/* Completes the row of a candidate. False: it cannot be counted, or the filter does not act on it. */
static bool candidate_complete(const struct advice *a, struct event_row *row)
{
  return row_bind(row) && row->ctl != DB_NONE && row->counters && row_complete(row) && acts_on(&a->setting, row);
}

/* Makes a candidate: an event with one umask, or none (DB_NONE). False: as candidate_complete(). */
static bool candidate_make(const struct advice *a, uint32_t import, uint32_t event, uint32_t umask,
                           struct event_row *ret_row)
{
  row_clear(ret_row, a->r->db);
  ret_row->unit = a->r->row.unit;
  ret_row->import = import;
  ret_row->event = event;
  ret_row->n_umasks = umask != DB_NONE;
  ret_row->umasks[0] = umask == DB_NONE ? 0 : umask;
  return candidate_complete(a, ret_row);
}

/* Whether the row itself sets the setting's field. */
static bool sets_field(const struct event_row *row, const struct event_setting *s)
{
  uint64_t mask = 0;
  for (uint32_t i = 0; i < row->n_registers; i++)
    mask |= row->registers[i].reg == s->reg ? row->registers[i].mask : 0;
  return mask & field_mask(&row->db->fields[s->field]);
}

static bool is_written(const struct resolver *r, uint32_t reg)
{
  for (uint32_t i = 0; i < r->n_attrs; i++)
    if (r->attrs[i].at && r->attrs[i].setting.reg == reg)
      return true;
  return false;
}

/* Finds registers that compare exactly (`exact`), act on the row's event, and are not written: they would compare with
 * 0. Returns their number, and the names of up to `most` fields. */
static uint32_t find_unwritten(const struct advice *a, const struct event_row *row, const char **ret_fields,
                               uint32_t most)
{
  const struct db *db = row->db;
  const struct db_span regs = db->units[row->unit].registers;
  const struct event_control control = {row->ctl, row->event, row_control(row)->value};
  uint32_t n = 0;
  for (uint32_t i = regs.first; i < regs.first + regs.n; i++) {
    if (!db->registers[i].exact || i == a->setting.reg || is_written(a->r, i) || !event_filter_bits(db, control, i))
      continue;
    for (uint32_t f = db->layouts[db->registers[i].layout].fields.first; n < most; f++)
      if (db->fields[f].access == DB_RW && !db->fields[f].reserved) {
        ret_fields[n] = db_text(db, db->fields[f].name);
        break;
      }
    n++;
  }
  return n;
}

/* Whether every written filter acts on the row's event. */
static bool all_act(const struct advice *a, const struct event_row *row)
{
  const struct resolver *r = a->r;
  bool all = acts_on(&a->setting, row);
  for (uint32_t i = 0; i < r->n_attrs; i++)
    if (r->attrs[i].at && r->db->registers[r->attrs[i].setting.reg].acts)
      all &= acts_on(&r->attrs[i].setting, row);
  return all;
}

/* Clears umask bits that make unwritten registers act. True: there were such bits. */
static bool narrow_umask(const struct advice *a, struct event_row *row)
{
  const uint32_t layout = row->db->registers[row->ctl].layout, umask = layout_umask(row->db, layout);
  bool narrowed = false;
  uint32_t n = find_unwritten(a, row, NULL, 0);
  for (unsigned bit = 0; umask != DB_NONE && n && bit < 8; bit++) {
    const struct db_field *f = &row->db->fields[umask];
    const uint64_t before = row->registers[0].value, value = field_get(f, before) & ~(UINT64_C(1) << bit);
    row->registers[0].value = field_set(f, before, value);
    const uint32_t fewer = find_unwritten(a, row, NULL, 0);
    if (fewer < n && all_act(a, row)) {
      narrowed = true;
      n = fewer;
    } else {
      row->registers[0].value = before;
    }
  }
  return narrowed;
}

/* Advises the row if it costs less than the advice found before. */
static void advice_offer(struct advice *a, struct event_row *row, enum respell_umask umask, int cost)
{
  struct respelling to = {.row = row, .umask = umask, .behind = a->attr};
  char text[sizeof a->use];
  if (!a->attr || (*a->use && cost >= a->cost))
    return;
  memcpy(to.without, a->without, sizeof to.without);
  if (narrow_umask(a, row))
    to.umask = RESPELL_NUMBER;
  find_unwritten(a, row, to.zeros, sizeof to.zeros / sizeof *to.zeros);
  if (!respell(a->r, &to, text, sizeof text))
    return;
  memcpy(a->use, text, sizeof text);
  a->cost = cost;
}

/* Makes a candidate of the text's umasks and one more, if the hardware adds them up. */
static bool candidate_add(const struct advice *a, uint32_t umask, struct event_row *ret_row)
{
  const struct resolver *r = a->r;
  *ret_row = r->row;
  bool adds = r->row.n_umasks && r->row.n_umasks < EVENT_UMASKS;
  for (uint32_t i = 0; i < r->row.n_umasks; i++)
    adds &= !resolver_not_together(r->db, &r->db->events[r->row.event], r->row.umasks[i], umask);
  if (adds)
    ret_row->umasks[ret_row->n_umasks++] = umask;
  return adds && candidate_complete(a, ret_row);
}

void advice_find_umasks(struct advice *a)
{
  const struct db *db = a->r->db;
  const struct event_row *own = &a->r->row;
  const struct db_span umasks = db->events[own->event].umasks;
  uint64_t bits = 0;
  for (uint32_t i = 0; i < own->n_umasks; i++)
    bits |= db->umasks[own->umasks[i]].value;
  for (uint32_t i = umasks.first; i < umasks.first + umasks.n; i++) {
    struct event_row row;
    if (!candidate_make(a, own->import, own->event, i, &row))
      continue;
    list_add(&a->names, db_text(db, db->umasks[i].name));
    advice_offer(a, &row, RESPELL_OTHER, __builtin_popcountll(bits ^ db->umasks[i].value));
    if (candidate_add(a, i, &row))
      advice_offer(a, &row, RESPELL_MORE, __builtin_popcountll(~bits & db->umasks[i].value) - 64);
  }
}

void advice_find_events(struct advice *a)
{
  const struct db *db = a->r->db;
  const struct db_span imports = db->units[a->r->row.unit].imports;
  for (uint32_t i = imports.first; i < imports.first + imports.n; i++) {
    const struct db_span events = db->sets[db->imports[i].set].events;
    for (uint32_t e = events.first; e < events.first + events.n; e++) {
      const struct db_span umasks = db->events[e].umasks;
      bool acts = false;
      for (uint32_t k = 0; k < umasks.n + !umasks.n; k++) {
        struct event_row row;
        if (!candidate_make(a, i, e, umasks.n ? umasks.first + k : DB_NONE, &row) || sets_field(&row, &a->setting))
          continue;
        acts = true;
        advice_offer(a, &row, RESPELL_OTHER, 0);
      }
      if (acts)
        list_add(&a->names, db_text(db, db->events[e].name));
    }
  }
}
