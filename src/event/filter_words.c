/* SPDX-License-Identifier: MIT */
/*
 * What is said of a filter that does not act on the event that it was written with: which umasks or events it acts on,
 * by name, and one of them with the user's own words around it. Only what resolves as an event is advised.
 */
#include <stdio.h>
#include "src/base/bits.h"
#include "src/base/writer.h"
#include "src/event/resolver.h"
#include "src/facts/field.h"
#include "src/facts/index.h"

enum { MOST_NAMES = 6, TEXT = 512 };

/* The attribute as it was written; NULL: it follows from another one. */
static const struct spelling_attr *find_written(const struct resolver *r, const struct resolved_attr *attr)
{
  for (uint32_t i = 0; i < r->s->n_attrs; i++)
    if (r->s->attrs[i].value.s == attr->at || r->s->attrs[i].key.s == attr->at)
      return &r->s->attrs[i];
  return NULL;
}

/* The field as the user wrote it, or as the facts have it where a whole register was written (config1). */
static struct text name_field(const struct resolver *r, const struct resolved_attr *attr)
{
  const struct spelling_attr *a = find_written(r, attr);
  struct event_setting found;
  const bool by_name = a && a->value.s && resolver_field(r, a->reg, a->key, &found) && found.reg == attr->setting.reg;
  return by_name ? a->key : text_of(db_text(r->db, r->db->fields[attr->setting.field].name));
}

/* An event with one umask, or none (DB_NONE), on which the filter acts: false, if it does not, or cannot be counted. */
struct candidate {
  uint32_t import, event, umask;
};

static bool candidate_acts(const struct resolver *r, const struct event_setting *s, struct candidate c)
{
  struct event_row row;
  row_clear(&row, r->db);
  row.unit = r->row.unit;
  row.import = c.import;
  row.event = c.event;
  row.n_umasks = c.umask != DB_NONE;
  row.umasks[0] = c.umask == DB_NONE ? 0 : c.umask;
  return row_bind(&row) && row.ctl != DB_NONE && row_complete(&row) &&
         resolver_acts(r->db, s, (struct event_control){row.ctl, row.event, row_control(&row)->value});
}

/* "A, B and C": names one by one, of which the writer has all but the last. */
struct name_list {
  char text[256], last[96];
  uint32_t n;
};

static void list_add(struct name_list *list, const char *name)
{
  const size_t at = strlen(list->text);
  if (list->n && list->n <= MOST_NAMES)
    snprintf(list->text + at, sizeof list->text - at, "%s%s", at ? ", " : "", list->last);
  list->n++;
  snprintf(list->last, sizeof list->last, "%s", name);
}

static const char *list_end(struct name_list *list)
{
  const size_t at = strlen(list->text);
  if (list->n > MOST_NAMES + 1)
    snprintf(list->text + at, sizeof list->text - at, " and %u more", (unsigned)(list->n - MOST_NAMES));
  else if (list->n)
    snprintf(list->text + at, sizeof list->text - at, "%s%s", at ? " and " : "", list->last);
  return list->text;
}

/* Writes the user's text with another umask in its place: a name behind a dot or libpfm4's colon, or a number. False:
 * the text has none of these places. */
static bool respell(const struct resolver *r, const struct db_umask *umask, char *text, size_t size)
{
  const struct spelling *s = r->s;
  struct text place = s->has_umask ? s->umask : (struct text){s->event.s + s->event.n, 0};
  const char *before = s->has_umask ? "" : strstr(s->text, "::") ? ":" : ".";
  bool number = false, found = s->has_umask || s->event.n;
  for (uint32_t i = 0; i < s->n_attrs; i++) {
    const struct spelling_attr *a = &s->attrs[i];
    const bool named = a->part && !a->value.s && db_find_umask(r->db, r->row.event, a->key.s, a->key.n) != DB_NONE;
    if (!named && !(a->value.s && text_is(a->key, "umask")))
      continue;
    place = named ? a->key : a->value;
    number = !named;
    before = "";
    found = true;
  }
  struct writer w = {text, size, 0};
  if (!found)
    return false;
  write_bytes(&w, s->text, (size_t)(place.s - s->text));
  write_text(&w, before);
  if (number)
    write_hex(&w, umask->value);
  else
    write_text(&w, db_text(r->db, umask->name));
  write_text(&w, place.s + place.n);
  return write_end(&w) < size;
}

/* The umasks of the event on which the filter acts. *ret_use: the user's text with the one that has the fewest other
 * bits and can be counted, or "". */
static void find_umasks(const struct resolver *r, const struct event_setting *s, struct name_list *list, char *ret_use)
{
  const struct db *db = r->db;
  const struct db_span umasks = db->events[r->row.event].umasks;
  const uint64_t own = r->row.n_umasks ? db->umasks[r->row.umasks[0]].value : 0;
  int fewest = 65;
  for (uint32_t i = umasks.first; i < umasks.first + umasks.n; i++) {
    const struct candidate c = {r->row.import, r->row.event, i};
    const int bits = __builtin_popcountll(own ^ db->umasks[i].value);
    char text[TEXT];
    if (!candidate_acts(r, s, c))
      continue;
    list_add(list, db_text(db, db->umasks[i].name));
    if (bits >= fewest || !respell(r, &db->umasks[i], text, sizeof text) || !resolver_tries(r, text))
      continue;
    fewest = bits;
    memcpy(ret_use, text, sizeof text);
  }
}

/* The event of a candidate with the attribute as it was written; false: the text is too long, or no event. */
static bool write_candidate(const struct resolver *r, struct candidate c, const struct spelling_attr *a, char *text)
{
  const struct db *db = r->db;
  const int n = snprintf(text, TEXT, "%s/%s%s%s,%.*s%s%.*s/", db_text(db, db->units[r->row.unit].name),
                         db_text(db, db->events[c.event].name), c.umask == DB_NONE ? "" : ".",
                         c.umask == DB_NONE ? "" : db_text(db, db->umasks[c.umask].name), (int)a->key.n, a->key.s,
                         a->value.s ? "=" : "", a->value.s ? (int)a->value.n : 0, a->value.s ? a->value.s : "");
  return n > 0 && n < TEXT && resolver_tries(r, text);
}

/* The same of the unit's events. */
static void find_events(const struct resolver *r, const struct event_setting *s, const struct spelling_attr *a,
                        struct name_list *list, char *ret_use)
{
  const struct db *db = r->db;
  const struct db_span imports = db->units[r->row.unit].imports;
  for (uint32_t i = imports.first; i < imports.first + imports.n; i++) {
    const struct db_span events = db->sets[db->imports[i].set].events;
    for (uint32_t e = events.first; e < events.first + events.n; e++) {
      const struct db_span umasks = db->events[e].umasks;
      bool acts = false;
      char text[TEXT];
      for (uint32_t k = 0; k < umasks.n + !umasks.n; k++) {
        const struct candidate c = {i, e, umasks.n ? umasks.first + k : DB_NONE};
        if (!candidate_acts(r, s, c))
          continue;
        acts = true;
        if (a && !*ret_use && write_candidate(r, c, a, text))
          memcpy(ret_use, text, sizeof text);
      }
      if (acts)
        list_add(list, db_text(db, db->events[e].name));
    }
  }
}

static const char *name_event(const struct resolver *r, char *text, size_t size)
{
  const struct db *db = r->db;
  if (r->row.event == DB_NONE)
    return "this code";
  struct writer w = {text, size, 0};
  write_text(&w, db_text(db, db->events[r->row.event].name));
  for (uint32_t i = 0; i < r->row.n_umasks; i++) {
    write_char(&w, i ? '+' : '.');
    write_text(&w, db_text(db, db->umasks[r->row.umasks[i]].name));
  }
  write_end(&w);
  return text;
}

/* What else to do than to set the attribute's field on this event. */
static void write_instead(const struct resolver *r, const struct resolved_attr *attr, uint64_t value, char *text,
                          size_t size)
{
  const struct db *db = r->db;
  const struct event_setting *s = &attr->setting;
  const struct event_control control = {r->row.ctl, r->row.event, value};
  const struct text excluded = resolver_excluded(db, s, control);
  struct name_list list = {.n = 0};
  char use[TEXT] = "";
  uint64_t needed;
  const char *with = resolver_acts_with(db, s, control, &needed);
  const char *word = " with ";
  if (db->registers[s->reg].idle) {
    snprintf(text, size, ", nor on another event of %s: %s; raw codes (event=CODE) can have it",
             db_text(db, db->units[r->row.unit].name), db_text(db, db->registers[s->reg].idle));
    return;
  }
  if (with) {
    snprintf(text, size, " without %s=%llu", with, (unsigned long long)needed);
    return;
  }
  if (r->row.event != DB_NONE)
    find_umasks(r, s, &list, use);
  if (!list.n) {
    word = " on ";
    find_events(r, s, find_written(r, attr), &list, use);
  }
  if (excluded.n)
    snprintf(text, size, ", but%s%s, not beside %.*s", word, list_end(&list), (int)excluded.n, excluded.s);
  else if (list.n)
    snprintf(text, size, ", but%s%s%s%s", word, list_end(&list), *use ? "; use " : "", use);
}

int resolver_fail_filter(const struct resolver *r, const struct resolved_attr *attr, uint64_t control)
{
  const bool explains = r->context && !r->tried;
  const struct text field = explains ? name_field(r, attr) : text_of("a filter");
  char event[160], instead[800] = "";
  if (explains)
    write_instead(r, attr, control, instead, sizeof instead);
  return resolver_fail(r, PMON_E_CONFLICT, attr->at, "column %u: %.*s does not act on %s%s",
                       spelling_column(r->s, attr->at), (int)field.n, field.s, name_event(r, event, sizeof event),
                       instead);
}

/* A list of filters, REGISTER.FIELD!,..., as attributes. */
static void name_filters(const char *filters, struct name_list *list)
{
  for (const char *at = filters; *at; at += *at == ',') {
    const size_t n = strcspn(at, ",|!");
    const char *dot = memchr(at, '.', n), *name = dot ? dot + 1 : at;
    char text[64];
    snprintf(text, sizeof text, "%.*s", (int)(at + n - name), name);
    list_add(list, text);
    at += strcspn(at, ",");
  }
}

int resolver_fail_unlisted(const struct resolver *r, const struct spelling_attr *a, const struct event_setting *where)
{
  const struct db *db = r->db;
  uint32_t filters = db->events[r->row.event].filters; /* the umask's own, where it has some */
  for (uint32_t i = 0; i < r->row.n_umasks; i++) {
    const db_str its = db_umask_extra(db, &db->umasks[r->row.umasks[i]])->filters;
    filters = its ? its : filters;
  }
  struct name_list own = {.n = 0}, events = {.n = 0};
  struct event_setting s = *where;
  char event[160], use[TEXT] = "";
  name_filters(db_text(db, filters), &own);
  s.value = 1;
  if (r->context && !r->tried && db->registers[where->reg].acts)
    find_events(r, &s, a, &events, use);
  return resolver_fail(r, PMON_E_CONFLICT, a->key.s, "column %u: %s is not filtered by %.*s, but by %s%s%s%s%s",
                       spelling_column(r->s, a->key.s), name_event(r, event, sizeof event), (int)a->key.n, a->key.s,
                       list_end(&own), events.n ? "; it acts on " : "", list_end(&events), *use ? ": use " : "", use);
}
