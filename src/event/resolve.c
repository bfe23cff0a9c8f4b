/* SPDX-License-Identifier: MIT */
/* Resolves a name to an event. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "src/facts/field.h"
#include "src/event/resolver.h"

/* Fills the row with the unit's event that a fixed or free-running counter counts. False: there is none. */
static bool take_own_counter(struct resolver *r, uint32_t role, uint32_t index)
{
  const struct db *db = r->db;
  struct db_span imports = db->units[r->row.unit].imports;
  for (uint32_t i = imports.first; i < imports.first + imports.n; i++) {
    struct db_span events = db->sets[db->imports[i].set].events;
    for (uint32_t e = events.first; e < events.first + events.n; e++) {
      struct event_row row = {.db = db, .unit = r->row.unit, .import = i, .event = e};
      if (db->events[e].fixed_role != role || (role == PMON_ROLE_FREERUNNING && db->events[e].fixed_index != index) ||
          !row_bind(&row) || !row_complete(&row))
        continue;
      r->row = row;
      r->raw = false;
      r->n_attrs = 0;
      return true;
    }
  }
  return false;
}

/* Linux perf numbers free-running counters by umask: 0x10 is the clock, 0x20 and 0x30 are groups of up to eight
 * ports. */
#define PERF_GROUP 8

/* Linux perf's codes for fixed and free-running counters: event 0xff alone is the unit's fixed counter; with umask 0x10
 * the free-running clock, with umasks from 0x20 the free-running counters after it. */
static bool resolve_fixed(struct resolver *r, uint32_t layout, uint64_t value)
{
  const struct db *db = r->db;
  uint32_t code = layout_code(db, layout), umask = layout_umask(db, layout);
  uint32_t enable = layout_enable(db, layout);
  if (enable != DB_NONE)
    value = field_set(&db->fields[enable], value, 0);
  if (code == DB_NONE || field_get(&db->fields[code], value) != 0xff)
    return false;
  value = field_set(&db->fields[code], value, 0);
  if (!value)
    return take_own_counter(r, PMON_ROLE_FIXED_CTR, 0);
  uint64_t part = umask == DB_NONE ? 0 : field_get(&db->fields[umask], value);
  uint32_t group = (uint32_t)part >> 4, index = (uint32_t)part & 15;
  if (!group || value != field_set(&db->fields[umask], 0, part) || index >= (group == 1 ? 1 : PERF_GROUP))
    return false;
  return take_own_counter(r, PMON_ROLE_FREERUNNING, group == 1 ? 0 : 1 + PERF_GROUP * (group - 2) + index);
}

/* Replaces an event given by number by the row that the number selects, if there is one. */
static int resolve_raw(struct resolver *r)
{
  const struct db *db = r->db;
  uint32_t layout = db->registers[r->row.ctl].layout;
  uint64_t value = r->config | row_control(&r->row)->value;
  for (uint32_t i = 0; i < r->n_attrs; i++)
    if (r->attrs[i].setting.reg == r->row.ctl)
      value = field_set(&db->fields[r->attrs[i].setting.field], value, r->attrs[i].setting.value);
  struct db_span fields = db->layouts[layout].fields;
  for (uint32_t i = fields.first; i < fields.first + fields.n; i++)
    if (db->fields[i].access != DB_RW && field_get(&db->fields[i], value))
      return resolver_fail(r, PMON_E_RANGE, r->s->text, "config sets bits %u:%u of %s, which must be 0 in events",
                           db->fields[i].hi, db->fields[i].lo, db_text(db, db->layouts[layout].name));
  r->config = value;
  if (r->row.event != DB_NONE) {
    if (!r->named_umask)
      row_match_umask(&r->row, value);
    return PMON_OK;
  }
  if (!row_match(db, r->row.unit, value, &r->row) || r->row.event == DB_NONE)
    resolve_fixed(r, layout, value);
  return PMON_OK;
}

/* Replaces umasks that were combined by name by the row that has all their bits, if there is one. */
static void resolve_combined(struct resolver *r)
{
  struct event_row combined = r->row;
  if (row_match_umask(&combined, row_control(&r->row)->value))
    r->row = combined;
}

static __attribute__((cold)) int fail_registers(struct resolver *r)
{
  const struct db *db = r->db;
  return resolver_fail(r, PMON_E_UNSUPPORTED, r->s->text, "%s has no documented register that can count %s",
                       db_text(db, db->units[r->row.unit].name),
                       r->row.event == DB_NONE ? "a raw code" : db_text(db, db->events[r->row.event].name));
}

static bool unit_has_register(const struct resolver *r, struct text name)
{
  const struct db_span regs = r->db->units[r->row.unit].registers;
  for (uint32_t i = regs.first; i < regs.first + regs.n; i++)
    if (text_is(name, db_text(r->db, r->db->registers[i].name)))
      return true;
  return false;
}

/* Whether the field has that name; a virtual field has the name of the field to which it resolves. */
static bool field_is_called(const struct db *db, const struct db_field *f, struct text name)
{
  struct text own = text_of(db_text(db, f->name));
  if (f->access == DB_VIRT)
    own.n -= sizeof DB_RELATIVE - 1;
  return own.n == name.n && text_same(own.s, name.s, own.n);
}

/* Whether `REGISTER.field` is among the attributes; lists may have a role instead of a register (`FILTER.tid`). */
static bool filter_is_set(const struct resolver *r, struct text name)
{
  const struct db *db = r->db;
  const char *dot = memchr(name.s, '.', name.n);
  const struct text reg = {name.s, dot ? (size_t)(dot - name.s) : 0};
  const struct text field = {dot ? dot + 1 : name.s, name.n - (dot ? reg.n + 1 : 0)};
  const bool by_name = reg.n && unit_has_register(r, reg);
  for (uint32_t i = 0; i < r->n_attrs; i++)
    if (r->attrs[i].at && field_is_called(db, &db->fields[r->attrs[i].setting.field], field) &&
        (!by_name || text_is(reg, db_text(db, db->registers[r->attrs[i].setting.reg].name))))
      return true;
  return false;
}

/* Whether perf's config1 or config2 is written: where only the kernel knows their bits, they may set any filter. */
static bool filter_word_is_set(const struct resolver *r)
{
  return (r->db->units[r->row.unit].flags & DB_PERF_ONLY) &&
         (filter_is_set(r, text_of("config1")) || filter_is_set(r, text_of("config2")));
}

/* Filters that an event needs and the attributes lack: their names, and what to add (",opc=VALUE"). */
struct lacking {
  char names[160], additions[200];
  uint32_t n;
  bool choice; /* one of several suffices */
};

static void lacking_add(struct lacking *l, struct text name, bool choice)
{
  const size_t at = strlen(l->names), end = strlen(l->additions);
  char addition[80];
  snprintf(addition, sizeof addition, ",%.*s=VALUE", (int)strcspn(name.s, "|!"), name.s);
  if (strstr(l->additions, addition))
    return;
  snprintf(l->names + at, sizeof l->names - at, "%s%.*s", at ? " and " : "", (int)name.n, name.s);
  snprintf(l->additions + end, sizeof l->additions - end, "%s", addition);
  l->choice |= choice;
  l->n++;
}

/* Checks that each required filter of a list (`REGISTER.field!`), or one of its alternatives (`A.x|B.y!`), is among the
 * attributes; adds the others to `lacking`. */
static void check_list(const struct resolver *r, const char *list, struct lacking *lacking)
{
  for (const char *s = list; *s;) {
    size_t n = strcspn(s, ",");
    if (s[n - 1] == '!') {
      bool set = filter_word_is_set(r), several = false;
      for (size_t k = 0, length; k < n - 1; k += length + 1) {
        length = strcspn(s + k, "|!");
        several |= s[k + length] == '|';
        set |= filter_is_set(r, (struct text){s + k, length});
      }
      const char *dot = several ? NULL : memchr(s, '.', n);
      const struct text name = {dot ? dot + 1 : s, n - 1 - (dot ? (size_t)(dot + 1 - s) : 0)};
      if (!set)
        lacking_add(lacking, name, several);
    }
    s += n + (s[n] == ',');
  }
}

/* Checks the lists of the chosen umasks, or else the event's. */
static int check_filters(struct resolver *r)
{
  const struct db *db = r->db;
  struct lacking l = {.n = 0};
  bool own = false;
  for (uint32_t i = 0; i < r->row.n_umasks; i++) {
    const struct db_umask *u = &db->umasks[r->row.umasks[i]];
    const db_str filters = db_umask_extra(db, u)->filters;
    own = own || filters;
    if (u->flags & DB_FILTERED)
      check_list(r, db_text(db, filters), &l);
  }
  if (!own && r->row.event != DB_NONE && db->events[r->row.event].flags & DB_FILTERED)
    check_list(r, db_text(db, db->events[r->row.event].filters), &l);
  if (!l.n)
    return PMON_OK;
  return resolver_fail_at(r, PMON_E_CONFLICT, r->s->event.s, "%s counts only with the filter%s %s set%s; add %s",
                          db_text(db, db->events[r->row.event].name), l.n > 1 ? "s" : "", l.names,
                          l.choice ? " (one of them)" : "", l.additions + 1);
}

static bool event_sets_filters(const struct resolver *r)
{
  return r->row.event != DB_NONE && r->db->events[r->row.event].with.n;
}

static int resolve_spelling(struct resolver *r)
{
  int status = resolver_names(r);
  if (status)
    return status;
  if (r->s->n_attrs || event_sets_filters(r)) {
    if (!row_bind(&r->row))
      return fail_registers(r);
    status = resolver_attrs(r);
  }
  if (!status)
    status = resolver_default_umask(r);
  if (status)
    return status;
  if (r->row.event == DB_NONE && !r->raw)
    return resolver_fail(r, PMON_E_SYNTAX, r->s->unit.s + r->s->unit.n,
                         "an event is expected: its name, event= or config=");
  if (!row_bind(&r->row) || !row_complete(&r->row))
    return fail_registers(r);
  if (r->row.n_umasks > 1)
    resolve_combined(r);
  if (r->raw && (status = resolve_raw(r)) != PMON_OK)
    return status;
  return check_filters(r);
}

/* Resolves a text that stands for the one that the caller wrote: columns in it mean nothing to the caller. */
static __attribute__((cold)) int resolve_rewritten(struct resolver *r, struct spelling *spelling, const char *text,
                                                   struct pmon_event **ret_event)
{
  struct pmon_context *context = r->context;
  const bool no_columns = context && context->no_columns;
  if (context)
    context->no_columns = true;
  int status = spelling_parse(context, spelling->text = text, spelling);
  status = status ? status : resolve_spelling(r);
  status = status ? status : resolver_build(r, ret_event);
  if (context)
    context->no_columns = no_columns;
  return status;
}

/* Resolves an event that is no row's whole name, piece by piece. A separate function, so that whole names do not pay
 * for the registers that it saves. */
static __attribute__((noinline)) int resolve_pieces(struct resolver *r, struct spelling *spelling,
                                                    struct pmon_event **ret_event)
{
  char terms[512];
  int status = spelling_parse(r->context, spelling->text, spelling);
  if (!status && spelling->n_attrs && !spelling->unit.n && resolver_likwid(r->platform, spelling, terms, sizeof terms))
    return resolve_rewritten(r, spelling, terms, ret_event);
  if (!status && resolver_kernel_event(r->platform, spelling, terms, sizeof terms))
    status = spelling_parse(r->context, spelling->text = terms, spelling);
  if (!status)
    status = resolve_spelling(r);
  if (status != PMON_E_UNKNOWN || spelling->text == terms)
    return status ? status : resolver_build(r, ret_event);
  if (resolver_with_colons(spelling, terms, sizeof terms) && !pmon_event_resolve(NULL, r->platform, terms, ret_event))
    return PMON_OK;
  if (resolver_kernel_event_else(r->platform, spelling, terms, sizeof terms) &&
      !spelling_parse(r->context, spelling->text = terms, spelling))
    status = resolve_spelling(r);
  return status ? status : resolver_build(r, ret_event);
}

/* How a text is to be resolved. */
struct reading {
  bool recorded, tried;
};

static int resolve_text(struct pmon_context *context, const struct pmon_platform *platform, const char *text,
                        struct reading reading, struct pmon_event **ret_event);

static bool tries(const struct resolver *r, const char *text, uint32_t event)
{
  struct pmon_event *found = NULL;
  const bool is = resolve_text(r->context, r->platform, text, (struct reading){.tried = true}, &found) == PMON_OK &&
                  found->event == event;
  pmon_event_free(found);
  return is;
}

static int resolve_text(struct pmon_context *context, const struct pmon_platform *platform, const char *text,
                        struct reading reading, struct pmon_event **ret_event)
{
  struct spelling spelling;
  struct resolver r;
  r.context = context;
  r.platform = platform;
  r.db = platform->db;
  r.s = &spelling;
  r.raw = r.named_umask = false;
  r.recorded = reading.recorded;
  r.tried = reading.tried;
  r.config = r.whole = 0;
  r.n_attrs = 0;
  r.tries = tries;
  spelling.text = text;
  int status;
  return resolver_listed(&r, text_of(text), ret_event, &status) ? status : resolve_pieces(&r, &spelling, ret_event);
}

int event_resolve(struct pmon_context *context, const struct pmon_platform *platform, const char *text, bool recorded,
                  struct pmon_event **ret_event)
{
  return resolve_text(context, platform, text, (struct reading){.recorded = recorded}, ret_event);
}

int pmon_event_resolve(struct pmon_context *context, const struct pmon_platform *platform, const char *text,
                       struct pmon_event **ret_event)
{
  return event_resolve(context, platform, text, false, ret_event);
}

void pmon_event_free(struct pmon_event *event)
{
  free(event);
}

/* Whether the text after a comma within slashes is another event, UNIT/EVENT, or a group, and not an attribute, as in
 * `imc/CAS_COUNT.RD,cha/CLOCKTICKS/`, whose first slash is not closed. A closing slash is followed by the end, a comma,
 * or perf's modifiers. */
static bool is_another_event(const char *text)
{
  if (text[strspn(text, " ")] == '{')
    return true;
  const size_t unit = strcspn(text, "/,={}");
  const char *behind = text + unit + 1;
  return unit && text[unit] == '/' && *behind && *behind != ',' && *behind != ':' && *behind != '}' &&
         !strchr(",:}", behind[strspn(behind, "ukhIGpPSDWeb")]);
}

size_t pmon_event_text_length(const char *list)
{
  bool slash = false;
  unsigned braces = 0;
  size_t i = 0;
  for (; list[i] && (list[i] != ',' || (slash && !is_another_event(list + i + 1)) || braces); i++) {
    if (list[i] == '/' && !braces)
      slash = !slash;
    else if (list[i] == '{')
      braces++;
    else if (list[i] == '}' && braces)
      braces--;
  }
  return i;
}

const char *pmon_event_name(const struct pmon_event *event)
{
  return event->name;
}

uint32_t pmon_event_unit(const struct pmon_event *event)
{
  return event->unit - event->platform->row->units.first;
}

uint64_t pmon_event_instances(const struct pmon_event *event)
{
  return event->instances;
}

uint32_t pmon_event_counters(const struct pmon_event *event)
{
  return event->counters;
}

enum pmon_event_kind pmon_event_get_kind(const struct pmon_event *event)
{
  return event->kind;
}
