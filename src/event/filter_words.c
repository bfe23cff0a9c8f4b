/* SPDX-License-Identifier: MIT */
/*
 * The message about a filter that does not act on its event: the names of the umasks or events on which it acts, and
 * the user's text with one of them. Only a text that resolves as an event is advised.
 */
#include <stdio.h>
#include "src/base/writer.h"
#include "src/event/filter_advice.h"
#include "src/facts/rule.h"

/* Returns the attribute as it was written; NULL: it is implied. */
static __attribute__((cold)) const struct spelling_attr *resolver_written(const struct resolver *r,
                                                                          const struct resolved_attr *attr)
{
  for (uint32_t i = 0; i < r->s->n_attrs; i++)
    if (r->s->attrs[i].value.s == attr->at || r->s->attrs[i].key.s == attr->at)
      return &r->s->attrs[i];
  return NULL;
}

/* Returns the field's name as the user wrote it, or as in the facts if a whole register was written (config1). */
static struct text name_field(const struct resolver *r, const struct resolved_attr *attr)
{
  const struct spelling_attr *a = resolver_written(r, attr);
  struct event_setting found;
  const bool by_name = a && resolver_attr_field(r, a, &found) && found.reg == attr->setting.reg;
  return by_name ? a->key : text_of(db_text(r->db, r->db->fields[attr->setting.field].name));
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

/* Whether the attribute sets the control's field, directly or as its companion. */
static bool sets_field_or_companion(const struct resolver *r, const struct resolved_attr *attr, struct text field)
{
  const char *name = db_text(r->db, r->db->fields[attr->setting.field].name), *instead;
  const char *companion = event_field_companion(name, &instead);
  return text_is(field, name) || (companion && text_is(field, companion));
}

/* Finds the attributes by which the control satisfies the condition, as they were written. Returns the first name. */
static struct text find_excluding(const struct resolver *r, struct text when, struct advice *a)
{
  const size_t most = sizeof a->without / sizeof *a->without - 1;
  struct text name = when, rest = when;
  struct rule_condition c;
  size_t n = 0;
  if (!rule_condition(&rest, &c))
    return name;
  for (uint32_t i = 0; i < r->n_attrs && n < most; i++) {
    const struct spelling_attr *written = r->attrs[i].at && sets_field_or_companion(r, &r->attrs[i], c.left.field)
                                              ? resolver_written(r, &r->attrs[i])
                                              : NULL;
    if (!written || (n && a->without[n - 1] == written))
      continue;
    a->without[n++] = written;
    name = n == 1 ? written->key : name;
  }
  return name;
}

/* Writes what to do instead of setting the attribute's field on this event. */
static void write_instead(const struct resolver *r, const struct resolved_attr *attr, uint64_t value, char *text,
                          size_t size)
{
  const struct db *db = r->db;
  const struct event_setting *s = &attr->setting;
  const struct event_control control = {r->row.ctl, r->row.event, value};
  const struct text excluded = resolver_excluded(db, s, control);
  struct advice a = {.r = r, .setting = *s, .attr = resolver_written(r, attr)};
  struct text beside = {"", 0};
  uint64_t needed;
  const char *with = resolver_acts_with(db, s, control, &needed);
  if (db->registers[s->reg].idle) {
    snprintf(text, size, ", nor on other events of %s: %s; use it with a raw code (event=CODE)",
             db_text(db, db->units[r->row.unit].name), db_text(db, db->registers[s->reg].idle));
    return;
  }
  if (with) {
    snprintf(text, size, " without %s=%llu", with, (unsigned long long)needed);
    return;
  }
  if (excluded.n)
    beside = find_excluding(r, excluded, &a);
  if (r->row.event != DB_NONE)
    advice_find_umasks(&a);
  const bool by_umask = a.names.n;
  if (!by_umask)
    advice_find_events(&a);
  if (a.names.n)
    snprintf(text, size, ", but %s %s%s%.*s%s%s",
             !by_umask       ? "on"
             : a.names.n > 1 ? "with the umasks"
                             : "with the umask",
             list_end(&a.names), beside.n ? ", not together with " : "", (int)beside.n, beside.s,
             *a.use ? "; use " : "", a.use);
}

int resolver_fail_filter(const struct resolver *r, const struct resolved_attr *attr, uint64_t control)
{
  const bool explains = r->context && !r->tried;
  const struct text field = explains ? name_field(r, attr) : text_of("a filter");
  char event[160], instead[1100] = "";
  if (explains)
    write_instead(r, attr, control, instead, sizeof instead);
  return resolver_fail_at(r, PMON_E_CONFLICT, attr->at, "%.*s does not act on %s%s", (int)field.n, field.s,
                          name_event(r, event, sizeof event), instead);
}

int resolver_fail_match(const struct resolver *r, const struct resolved_attr *attr, uint64_t own)
{
  const bool explains = r->context && !r->tried;
  const struct text field = explains ? name_field(r, attr) : text_of("a filter");
  struct advice a = {.r = r, .setting = attr->setting}; /* no text: it would lose the event's other matches */
  char event[160];
  if (explains)
    advice_find_events(&a);
  return resolver_fail_at(r, PMON_E_CONFLICT, attr->at, "%s matches %.*s=0x%llx, not 0x%llx%s%s",
                          name_event(r, event, sizeof event), (int)field.n, field.s, (unsigned long long)own,
                          (unsigned long long)attr->setting.value,
                          a.names.n ? "; other values can be matched with " : "", list_end(&a.names));
}

/* Adds the attributes in a list of filters, REGISTER.FIELD!,... */
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

db_str resolver_filters(const struct resolver *r)
{
  const struct db *db = r->db;
  db_str filters = r->row.event == DB_NONE ? 0 : db->events[r->row.event].filters;
  for (uint32_t i = 0; i < r->row.n_umasks; i++) {
    const db_str its = db_umask_extra(db, &db->umasks[r->row.umasks[i]])->filters;
    filters = its ? its : filters;
  }
  return filters;
}

int resolver_fail_unlisted(const struct resolver *r, const struct spelling_attr *a, const struct event_setting *where)
{
  const struct db *db = r->db;
  struct name_list own = {.n = 0};
  struct advice advice = {.r = r, .setting = *where, .attr = a};
  char event[160];
  name_filters(db_text(db, resolver_filters(r)), &own);
  advice.setting.value = 1;
  if (r->context && !r->tried && db->registers[where->reg].acts)
    advice_find_events(&advice);
  return resolver_fail_at(r, PMON_E_CONFLICT, a->key.s, "%s is not filtered by %.*s, but by %s%s%s%s%s",
                          name_event(r, event, sizeof event), (int)a->key.n, a->key.s, list_end(&own),
                          advice.names.n ? "; it acts on " : "", list_end(&advice.names), *advice.use ? ": use " : "",
                          advice.use);
}
