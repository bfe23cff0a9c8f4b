/* SPDX-License-Identifier: MIT */
/* Resolves the names of umasks in a spelling to rows of the facts, and checks that they can be combined. */
#include "src/base/words.h"
#include "src/base/writer.h"
#include "src/base/nearest.h"
#include "src/event/resolver.h"
#include "src/facts/index.h"

enum { UMASKS_LISTED = 12 };

void resolver_list_umasks(const struct resolver *r, char *text, size_t size)
{
  const struct db *db = r->db;
  const struct db_event *e = &db->events[r->row.event];
  struct writer w = {text, size, 0};
  const bool all = e->umasks.n <= UMASKS_LISTED;
  write_text(&w, "; expected ");
  for (uint32_t u = 0; u < e->umasks.n && (all || u < UMASKS_LISTED); u++) {
    const char *name = db_text(db, db->umasks[e->umasks.first + u].name);
    words_write(&w, u, all ? e->umasks.n : UINT32_MAX, name, strlen(name));
  }
  if (!all) {
    write_text(&w, " or others: `pmon list ");
    write_text(&w, db_text(db, db->units[r->row.unit].name));
    write_char(&w, '/');
    write_text(&w, db_text(db, e->name));
    write_text(&w, "` lists them");
  }
  write_end(&w);
}

static __attribute__((cold)) int fail_umask(struct resolver *r, struct text name, const char *why)
{
  const struct db *db = r->db;
  const struct db_event *e = &db->events[r->row.event];
  struct nearest near = {.name = name};
  struct hint hint = {.name = name};
  for (uint32_t u = e->umasks.first; u < e->umasks.first + e->umasks.n; u++)
    nearest_add(&near, text_of(db_text(db, db->umasks[u].name)), u, 0);
  char names[512];
  nearest_format(&near, names, sizeof names);
  if (!near.n && e->umasks.n) { /* no name is near: lists the umasks */
    resolver_list_umasks(r, names, sizeof names);
  }
  return resolver_fail_at(r, name.n ? PMON_E_UNKNOWN : PMON_E_AMBIGUOUS, name.s, "%s %s%s%.*s%s%s",
                          db_text(db, e->name), why, name.n ? " \"" : "", (int)name.n, name.s, name.n ? "\"" : "",
                          name.n && resolver_hint(r, r->row.unit, &hint) ? hint.text : names);
}

/* Whether each bit of the field lets something more through, so that several can be set. */
static bool is_mask_field(const struct db *db, const struct db_setting *s)
{
  const char *name = db_text(db, s->name);
  size_t n = strlen(name);
  return n > 5 && strcmp(name + n - 5, "_mask") == 0;
}

static const struct db_setting *same_setting(const struct db *db, struct db_span in, const struct db_setting *setting)
{
  for (uint32_t i = in.first; i < in.first + in.n; i++)
    if (db->settings[i].name == setting->name)
      return &db->settings[i];
  return NULL;
}

/* Bits of the umask add up, and so do bits of a mask field, but not bits of both at once: that would also count
 * combinations that neither umask selects. */
const char *resolver_not_together(const struct db *db, const struct db_event *e, uint32_t a, uint32_t b)
{
  const struct db_umask *x = &db->umasks[a], *y = &db->umasks[b];
  if (e->flags & DB_EXCLUSIVE)
    return "the guide forbids combining them";
  uint32_t differences = x->value != y->value;
  /* One selects in the umask field, the other one in another field: LLC_LOOKUP's states and kinds of requests. */
  if ((!x->settings.n && y->settings.n && !y->value) || (!y->settings.n && x->settings.n && !x->value))
    return NULL;
  if (x->settings.n != y->settings.n)
    return "they need different control fields";
  for (uint32_t i = x->settings.first; i < x->settings.first + x->settings.n; i++) {
    const struct db_setting *one = &db->settings[i], *other = same_setting(db, y->settings, one);
    if (!other)
      return "they need different control fields";
    if (one->value == other->value)
      continue;
    if (!is_mask_field(db, one))
      return "their extended selections differ, and a counter has only one";
    differences++;
  }
  return differences > 1 ? "they differ in several masks, so that combinations of the two would also be counted" : NULL;
}

int resolver_umasks(struct resolver *r, struct text names)
{
  const struct db *db = r->db;
  const struct db_event *e = &db->events[r->row.event];
  while (names.n) {
    struct text one = names;
    uint32_t umask = db_find_umask(db, r->row.event, one.s, one.n);
    const char *plus = umask == DB_NONE ? memchr(names.s, '+', names.n) : NULL;
    if (plus) {
      one.n = (size_t)(plus - names.s);
      umask = db_find_umask(db, r->row.event, one.s, one.n);
    }
    if (umask == DB_NONE && !r->row.n_umasks && resolver_find_whole_name(r, one))
      return PMON_OK;
    if (umask == DB_NONE)
      return fail_umask(r, one, e->umasks.n ? "has no umask" : "has no umasks, and therefore no");
    for (uint32_t i = 0; i < r->row.n_umasks; i++) {
      const char *why = resolver_not_together(db, e, r->row.umasks[i], umask);
      if (why)
        return resolver_fail_at(r, PMON_E_CONFLICT, one.s, "%s.%s and %s cannot be counted together: %s",
                                db_text(db, e->name), db_text(db, db->umasks[r->row.umasks[i]].name),
                                db_text(db, db->umasks[umask].name), why);
    }
    if (r->row.n_umasks == EVENT_UMASKS)
      return resolver_fail_at(r, PMON_E_CONFLICT, one.s, "at most %d umasks can be combined", EVENT_UMASKS);
    r->row.umasks[r->row.n_umasks++] = umask;
    r->named_umask = true;
    names.n -= one.n + (plus != NULL);
    names.s = plus ? plus + 1 : names.s;
  }
  return PMON_OK;
}

int resolver_default_umask(struct resolver *r)
{
  const struct db *db = r->db;
  if (r->row.event == DB_NONE || r->row.n_umasks || r->raw)
    return PMON_OK;
  const struct db_event *e = &db->events[r->row.event];
  for (uint32_t u = e->umasks.first; u < e->umasks.first + e->umasks.n; u++)
    if (db->umasks[u].flags & DB_DEFAULT) {
      r->row.umasks[r->row.n_umasks++] = u;
      return PMON_OK;
    }
  if (!e->umasks.n || (e->flags & DB_BARE))
    return PMON_OK;
  return fail_umask(r, (struct text){r->s->event.s + r->s->event.n, 0}, "needs a umask");
}
