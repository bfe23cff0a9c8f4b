/* SPDX-License-Identifier: MIT */
#include "src/event/respell.h"
#include <stdarg.h>
#include <stdio.h>
#include "src/base/writer.h"
#include "src/facts/field.h"
#include "src/facts/index.h"

enum { EDITS = 16, EDIT = 160 };

/* Replaces n bytes at `at`. */
struct edit {
  const char *at;
  size_t n;
  char text[EDIT];
};

struct editing {
  const struct resolver *r;
  const struct respelling *to;
  struct edit edits[EDITS];
  uint32_t n;
  bool full;
};

__attribute__((format(printf, 4, 5))) static void edit_add(struct editing *e, const char *at, size_t n,
                                                           const char *format, ...)
{
  if (e->n == EDITS) {
    e->full = true;
    return;
  }
  struct edit *edit = &e->edits[e->n++];
  *edit = (struct edit){.at = at, .n = n};
  va_list args;
  va_start(args, format);
  const int length = vsnprintf(edit->text, EDIT, format, args);
  va_end(args);
  e->full |= length < 0 || length >= EDIT;
}

static const char *attr_begin(const struct spelling_attr *a)
{
  return a->reg.n ? a->reg.s : a->key.s;
}

static const char *attr_end(const struct spelling_attr *a)
{
  return a->value.s ? a->value.s + a->value.n : a->key.s + a->key.n;
}

/* Returns the character that separates the attribute from the text before it. */
static char attr_separator(const struct spelling_attr *a)
{
  const char *at = attr_begin(a) - 1;
  while (*at == ' ' || *at == '\t')
    at--;
  return *at;
}

static void remove_attr(struct editing *e, const struct spelling_attr *a)
{
  const char *begin = attr_begin(a), *end = attr_end(a);
  if (attr_separator(a) == ',' || attr_separator(a) == ':')
    do
      begin--;
    while (*begin == ' ' || *begin == '\t');
  else if (*end == ',')
    end++;
  edit_add(e, begin, (size_t)(end - begin), "%s", "");
}

static bool is_number_of(const struct spelling_attr *a, const char *key)
{
  uint64_t value;
  return a->value.s && text_is(a->key, key) && text_number(a->value, &value);
}

static const struct spelling_attr *find_number(const struct resolver *r, const char *key)
{
  for (uint32_t i = 0; i < r->s->n_attrs; i++)
    if (is_number_of(&r->s->attrs[i], key))
      return &r->s->attrs[i];
  return NULL;
}

/* Whether the attribute is a umask written as libpfm4's `:UMASK`. */
static bool is_umask_part(const struct resolver *r, const struct spelling_attr *a)
{
  return a->part && !a->value.s && r->row.event != DB_NONE &&
         db_find_umask(r->db, r->row.event, a->key.s, a->key.n) != DB_NONE;
}

/* Returns a field of the control value as a number, with another field (DB_NONE: none) as its upper bits. */
static uint64_t wide_number(const struct db *db, const struct event_row *row, uint32_t field, uint32_t above)
{
  const uint64_t value = row_control(row)->value;
  const struct db_field *f = field == DB_NONE ? NULL : &db->fields[field];
  return (f ? field_get(f, value) : 0) |
         (f && above != DB_NONE ? field_get(&db->fields[above], value) << (f->hi - f->lo + 1u) : 0);
}

static uint64_t umask_number(const struct db *db, const struct event_row *row)
{
  const uint32_t layout = db->registers[row->ctl].layout;
  return wide_number(db, row, layout_umask(db, layout), layout_ext(db, layout));
}

/* Returns the character between an event and what follows it: '/' (UNIT/EVENT,ATTRIBUTE/), ':' (libpfm4), or 0
 * (braces). */
static char spelling_style(const struct spelling *s)
{
  bool parts = false;
  for (uint32_t i = 0; i < s->n_attrs; i++)
    parts |= s->attrs[i].part;
  return s->unit.n ? s->unit.s[s->unit.n] : parts ? ':' : 0;
}

/* Writes the umask as a number, in an attribute after the event. */
static void edit_umask_attr(struct editing *e, const char *at, size_t n)
{
  const char style = spelling_style(e->r->s);
  edit_add(e, at, n,
           style == '/'   ? ",umask=0x%llx"
           : style == ':' ? ":umask=0x%llx"
                          : "{umask=0x%llx}",
           (unsigned long long)umask_number(e->r->db, e->to->row));
}

/* Edits the value of perf's whole control register; bits that select neither event nor umask stay. */
static void edit_config(struct editing *e, const struct spelling_attr *a)
{
  const struct db *db = e->r->db;
  const struct event_register *control = row_control(e->to->row);
  const uint32_t layout = db->registers[e->to->row->ctl].layout;
  const uint32_t fields[] = {layout_code(db, layout), layout_umask(db, layout), layout_ext(db, layout),
                             layout_code_ext(db, layout)};
  uint64_t mask = control->mask, value = 0;
  for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
    mask |= fields[i] == DB_NONE ? 0 : field_mask(&db->fields[fields[i]]);
  if (layout_enable(db, layout) != DB_NONE)
    mask &= ~field_mask(&db->fields[layout_enable(db, layout)]);
  text_number(a->value, &value);
  edit_add(e, a->value.s, a->value.n, "0x%llx", (unsigned long long)((value & ~mask) | (control->value & mask)));
}

static void edit_event(struct editing *e)
{
  const struct resolver *r = e->r;
  const struct event_row *row = e->to->row;
  const struct spelling_attr *code = find_number(r, "event");
  const uint32_t layout = r->db->registers[row->ctl].layout;
  if (row->event == r->row.event)
    return;
  if (code)
    edit_add(e, code->value.s, code->value.n, "0x%llx",
             (unsigned long long)wide_number(r->db, row, layout_code(r->db, layout), layout_code_ext(r->db, layout)));
  if (r->s->event.n) {
    const struct text name = resolver_bare_event(r);
    edit_add(e, name.s, name.n, "%s", db_text(r->db, r->db->events[row->event].name));
  }
}

/* Writes the names of the row's umasks, or of the last one only. */
static void umask_names(const struct editing *e, char between, char *text, size_t size)
{
  const struct event_row *row = e->to->row;
  size_t at = 0;
  *text = 0;
  for (uint32_t i = e->to->umask == RESPELL_MORE ? row->n_umasks - 1 : 0; i < row->n_umasks && at < size; i++)
    at += (size_t)snprintf(text + at, size - at, "%.*s%s", at != 0, &between,
                           db_text(e->r->db, e->r->db->umasks[row->umasks[i]].name));
}

/* Edits the names of umasks in the text: after the event's dot, or libpfm4's parts. False: the text has none. */
static bool edit_umask_names(struct editing *e)
{
  const struct spelling *s = e->r->s;
  const struct spelling_attr *first = NULL, *last = NULL;
  char names[EDIT];
  for (uint32_t i = 0; i < s->n_attrs; i++) {
    last = is_umask_part(e->r, &s->attrs[i]) ? &s->attrs[i] : last;
    if (!is_umask_part(e->r, &s->attrs[i]) || e->to->umask == RESPELL_MORE)
      continue;
    if (first || !e->to->row->n_umasks)
      remove_attr(e, &s->attrs[i]);
    first = first ? first : &s->attrs[i];
  }
  const struct text place = s->has_umask ? s->umask : last ? last->key : (struct text){NULL, 0};
  umask_names(e, s->has_umask ? '+' : ':', names, sizeof names);
  if (!place.s)
    return false;
  if (e->to->umask == RESPELL_MORE)
    edit_add(e, place.s + place.n, 0, "%c%s", s->has_umask ? '+' : ':', names);
  else if (e->to->umask == RESPELL_NUMBER && s->has_umask)
    edit_umask_attr(e, place.s - 1, place.n + 1);
  else if (e->to->umask == RESPELL_NUMBER)
    edit_umask_attr(e, first->key.s - 1, first->key.n + 1);
  else if (s->has_umask)
    edit_add(e, place.s - !*names, place.n + !*names, "%s", names);
  else if (*names)
    edit_add(e, first->key.s, first->key.n, "%s", names);
  return true;
}

/* Inserts a umask after the event, if the text has none. */
static void insert_umask(struct editing *e)
{
  const struct spelling *s = e->r->s;
  const struct spelling_attr *code = find_number(e->r, "event");
  const char style = spelling_style(s) == ':' ? ':' : '.';
  char names[EDIT];
  umask_names(e, style == ':' ? ':' : '+', names, sizeof names);
  if (code && umask_number(e->r->db, e->to->row))
    edit_umask_attr(e, code->value.s + code->value.n, 0);
  else if (s->event.n && e->to->umask == RESPELL_NUMBER)
    edit_umask_attr(e, s->event.s + s->event.n, 0);
  else if (s->event.n && *names)
    edit_add(e, s->event.s + s->event.n, 0, "%c%s", style, names);
}

static void edit_umask(struct editing *e)
{
  const struct resolver *r = e->r;
  const struct spelling_attr *number = find_number(r, "umask");
  const bool named = edit_umask_names(e);
  if (number)
    edit_add(e, number->value.s, number->value.n, "0x%llx", (unsigned long long)umask_number(r->db, e->to->row));
  else if (!named)
    insert_umask(e);
}

static void edit_attrs(struct editing *e)
{
  const struct respelling *to = e->to;
  for (size_t i = 0; i < sizeof to->without / sizeof *to->without && to->without[i]; i++)
    remove_attr(e, to->without[i]);
  for (size_t i = 0; to->behind && i < sizeof to->zeros / sizeof *to->zeros && to->zeros[i]; i++)
    edit_add(e, attr_end(to->behind), 0, "%c%s=0", attr_separator(to->behind) == ':' ? ':' : ',', to->zeros[i]);
}

/* Sorts the edits by place; edits at one place keep their order. */
static void sort_edits(struct editing *e)
{
  for (uint32_t i = 1; i < e->n; i++)
    for (uint32_t k = i; k > 0 && e->edits[k - 1].at > e->edits[k].at; k--) {
      const struct edit swap = e->edits[k];
      e->edits[k] = e->edits[k - 1];
      e->edits[k - 1] = swap;
    }
}

static bool write_edited(struct editing *e, char *text, size_t size)
{
  const char *at = e->r->s->text;
  struct writer w = {text, size, 0};
  sort_edits(e);
  for (uint32_t i = 0; i < e->n; i++) {
    if (e->edits[i].at < at)
      return false;
    write_bytes(&w, at, (size_t)(e->edits[i].at - at));
    write_text(&w, e->edits[i].text);
    at = e->edits[i].at + e->edits[i].n;
  }
  write_text(&w, at);
  return write_end(&w) < size;
}

bool respell(const struct resolver *r, const struct respelling *to, char *text, size_t size)
{
  struct editing e = {.r = r, .to = to};
  const struct spelling_attr *config = find_number(r, "config");
  if (config) {
    edit_config(&e, config);
  } else {
    edit_event(&e);
    edit_umask(&e);
  }
  edit_attrs(&e);
  return !e.full && write_edited(&e, text, size) && r->tries(r, text, to->row->event);
}
