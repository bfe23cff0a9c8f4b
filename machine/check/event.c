/* SPDX-License-Identifier: MIT */
/* Finds the event row that a control's value selects. Independent of the library's decoder. */
#include "machine/check/state.h"
#include "src/facts/field.h"

/* True if all settings that name fields of this register hold. A field with a preset does not distinguish events. */
static bool settings_hold(const struct checker *c, const struct seen *s, struct db_span span)
{
  for (uint32_t i = span.first; i < span.first + span.n; i++) {
    const struct db_field *f = seen_field(c, s, db_text(c->db, c->db->settings[i].name));
    if (f && !(f->flags & DB_PRESET) && field_get(f, s->value) != c->db->settings[i].value)
      return false;
  }
  return true;
}

/* Some events have a second code (`attr code2`). */
static bool event_has_code(const struct checker *c, const struct db_event *e, uint64_t code)
{
  const char *second = e->code == code ? NULL : event_attr(c, e, "code2");
  uint64_t number;
  return e->code == code || (second && text_number(text_of(second), &number) && number == code);
}

static void find_umask(const struct checker *c, const struct seen *s, struct selected *e)
{
  uint64_t value = 0;
  uint32_t best = 0;
  e->listed = !e->event->umasks.n;
  seen_get(c, s, "umask", &value);
  for (uint32_t i = e->event->umasks.first; i < e->event->umasks.first + e->event->umasks.n; i++) {
    const struct db_umask *u = &c->db->umasks[i];
    if ((value ^ u->value) & ~db_umask_extra(c->db, u)->any || !settings_hold(c, s, u->settings) ||
        (e->umask && u->settings.n <= best))
      continue;
    e->umask = u;
    e->listed = true;
    best = u->settings.n;
  }
  if (e->event->flags & DB_BARE && !value)
    e->listed = true;
}

/* Returns the unit's event with that code; the member event is NULL if there is none. */
static struct selected unit_find_event(const struct checker *c, const struct seen *s, uint64_t code)
{
  const struct db_unit *u = &c->db->units[s->unit];
  struct selected found = {.code_known = true};
  uint64_t ext = 0;
  seen_get(c, s, "ev_sel_ext", &ext);
  for (uint32_t i = u->imports.first; i < u->imports.first + u->imports.n; i++) {
    struct db_span span = c->db->sets[c->db->imports[i].set].events;
    if (!settings_hold(c, s, c->db->imports[i].settings))
      continue;
    for (uint32_t k = span.first; k < span.first + span.n; k++) {
      const struct db_event *e = &c->db->events[k];
      struct selected one = {.event = e, .code_known = true};
      bool names_ext = false;
      if (e->fixed_role != PMON_ROLE_N || !event_has_code(c, e, code) || !settings_hold(c, s, e->settings))
        continue;
      for (uint32_t n = e->settings.first; n < e->settings.first + e->settings.n; n++)
        names_ext |= text_is(text_of("ev_sel_ext"), db_text(c->db, c->db->settings[n].name));
      if (ext && !names_ext)
        continue;
      find_umask(c, s, &one);
      if (!found.event || (one.listed && !found.listed) ||
          (one.listed && one.umask && found.umask && one.umask->settings.n > found.umask->settings.n))
        found = one;
    }
  }
  return found;
}

/* Returns the code bits by which an occupancy gates another event: that event counts while the occupancy passes its
 * comparison. */
static uint64_t unit_gate_bits(const struct checker *c, const struct db_unit *u)
{
  uint64_t gate = 0;
  for (uint32_t i = u->imports.first; i < u->imports.first + u->imports.n; i++) {
    struct db_span span = c->db->sets[c->db->imports[i].set].events;
    for (uint32_t k = span.first; k < span.first + span.n; k++) {
      const char *text = event_attr(c, &c->db->events[k], "gate");
      if (text && text_number(text_of(text), &gate))
        return gate;
    }
  }
  return 0;
}

static struct selected control_find_event(const struct checker *c, const struct seen *s)
{
  struct selected found = {0};
  uint64_t code, gate;
  if (!seen_get(c, s, "ev_sel", &code))
    return found;
  found = unit_find_event(c, s, code);
  if (!found.event && (gate = unit_gate_bits(c, &c->db->units[s->unit])) != 0 && (code & gate) == gate) {
    found = unit_find_event(c, s, code & ~gate);
    found.gated = true;
  }
  return found;
}

struct selected control_event(const struct checker *c, const struct seen *s)
{
  const uint64_t hash = (s->value ^ (uint64_t)s->reg << 40) * UINT64_C(0x9e3779b97f4a7c15);
  struct event_memo *m = &c->memo->events[hash >> 32 & (CHECK_MEMOS - 1)];
  if (!m->made || m->reg != s->reg || m->value != s->value || m->known != s->known)
    *m = (struct event_memo){s->reg, true, s->value, s->known, control_find_event(c, s)};
  return m->selected;
}

const char *event_attr(const struct checker *c, const struct db_event *e, const char *key)
{
  for (uint32_t i = e->attrs.first; i < e->attrs.first + e->attrs.n; i++)
    if (text_is(text_of(key), db_text(c->db, c->db->attrs[i].key)))
      return db_text(c->db, c->db->attrs[i].value);
  return NULL;
}
