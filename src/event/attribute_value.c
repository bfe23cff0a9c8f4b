/* SPDX-License-Identifier: MIT */
/* Values of attributes: numbers, names, and names with numbers in them. */
#include <stdio.h>
#include <string.h>
#include "src/base/bits.h"
#include "src/base/nearest.h"
#include "src/base/words.h"
#include "src/event/respell.h"
#include "src/facts/field.h"
#include "src/facts/index.h"

/* `core3.1`: two numbers after a word, each in its own bits. */
static bool value_by_form(const struct db *db, const struct db_values *v, struct text t, uint64_t *ret_value)
{
  size_t n = strlen(db_text(db, v->form));
  const char *dot = t.n > n ? memchr(t.s + n, '.', t.n - n) : NULL;
  uint64_t first, second = 0;
  if (!(v->flags & DB_FORM) || t.n <= n || !text_same(t.s, db_text(db, v->form), n) ||
      !text_number((struct text){t.s + n, (dot ? (size_t)(dot - t.s) : t.n) - n}, &first) ||
      (dot && !text_number((struct text){dot + 1, t.n - (size_t)(dot + 1 - t.s)}, &second)))
    return false;
  if (first > bits_mask(v->form_hi[0] - v->form_lo[0], 0) || second > bits_mask(v->form_hi[1] - v->form_lo[1], 0))
    return false;
  *ret_value = bits_place(first, v->form_hi[0], v->form_lo[0]) | bits_place(second, v->form_hi[1], v->form_lo[1]);
  return true;
}

/* A value name that several queues have: looks up UMASK_NAME with the chosen umask. */
static bool value_by_umask(const struct resolver *r, const struct db_field *f, struct text t, uint64_t *ret_value)
{
  char name[96];
  for (uint32_t i = 0; f->values != DB_NONE && i < r->row.n_umasks; i++) {
    const struct db_values *v = &r->db->values[f->values];
    snprintf(name, sizeof name, "%s_%.*s", db_text(r->db, r->db->umasks[r->row.umasks[i]].name), (int)t.n, t.s);
    for (uint32_t k = v->rows.first; k < v->rows.first + v->rows.n; k++)
      if (text_is(text_of(name), db_text(r->db, r->db->value_rows[k].name))) {
        *ret_value = r->db->value_rows[k].value;
        return true;
      }
  }
  return false;
}

bool resolver_value_by_name(const struct db *db, const struct db_field *f, struct text t, uint64_t *ret_value)
{
  if (f->values == DB_NONE)
    return false;
  const struct db_values *v = &db->values[f->values];
  for (uint32_t i = v->rows.first; i < v->rows.first + v->rows.n; i++)
    if (text_is(t, db_text(db, db->value_rows[i].name))) {
      *ret_value = db->value_rows[i].value;
      return true;
    }
  return value_by_form(db, v, t, ret_value);
}

enum { VALUES_LISTED = 12 };

/* Writes "; expected A, B or C"; of many names only the first ones. */
static void format_values(const struct db *db, const struct db_values *v, char *text, size_t size)
{
  struct writer w = {text, size, 0};
  const uint32_t n = v->rows.n > VALUES_LISTED ? VALUES_LISTED : v->rows.n;
  for (uint32_t i = 0; i < n; i++) {
    const char *name = db_text(db, db->value_rows[v->rows.first + i].name);
    write_text(&w, i ? "" : "; expected ");
    words_write(&w, i, n < v->rows.n ? UINT32_MAX : n, name, strlen(name));
  }
  write_text(&w, n < v->rows.n ? ", or others" : "");
  write_end(&w);
}

/* Writes the names near to the unknown one, or else the names that the field has. */
static void format_names(const struct db *db, const struct db_field *f, struct text unknown, char *text, size_t size)
{
  struct nearest near = {.name = unknown};
  *text = 0;
  if (f->values == DB_NONE)
    return;
  const struct db_values *v = &db->values[f->values];
  for (uint32_t i = v->rows.first; i < v->rows.first + v->rows.n; i++)
    nearest_add(&near, text_of(db_text(db, db->value_rows[i].name)), i, 0);
  nearest_format(&near, text, size);
  if (!near.n)
    format_values(db, v, text, size);
}

/* umask=NAME: writes the text with the umask's name after the event's. */
static bool format_umask(const struct resolver *r, const struct spelling_attr *a, char *text, size_t size)
{
  const uint32_t umask = r->row.event == DB_NONE || !text_is(a->key, "umask")
                             ? DB_NONE
                             : db_find_umask(r->db, r->row.event, a->value.s, a->value.n);
  struct event_row row = r->row;
  const struct respelling to = {.row = &row, .umask = RESPELL_OTHER, .without = {a}};
  char use[200];
  row.umasks[0] = umask;
  row.n_umasks = 1;
  if (umask == DB_NONE || !r->context || r->tried || !row_bind(&row) || !row_complete(&row) ||
      !respell(r, &to, use, sizeof use))
    return false;
  snprintf(text, size, "; it is a umask: use %s", use);
  return true;
}

static __attribute__((cold)) int fail_value(struct resolver *r, const struct spelling_attr *a, const struct db_field *f)
{
  const struct db *db = r->db;
  const char *name = db_text(db, f->name);
  if (text_is_wide_number(a->value))
    return resolver_fail_at(r, PMON_E_RANGE, a->value.s, "%.*s does not fit into %s (largest: 0x%llx)", (int)a->value.n,
                            a->value.s, name, (unsigned long long)field_max(f));
  char names[256];
  if (!format_umask(r, a, names, sizeof names))
    format_names(db, f, a->value, names, sizeof names);
  return resolver_fail_at(r, PMON_E_UNKNOWN, a->value.s, "\"%.*s\" is not a value of %s%s", (int)a->value.n, a->value.s,
                          name, names);
}

/* Returns the field of the event's overlay that has the same bits and names their values: packet, for umask=WbMtoE.
 * DB_NONE: none. */
static uint32_t overlaid_field(const struct resolver *r, const struct event_setting *where)
{
  const struct db *db = r->db;
  const bool has = where->reg == r->row.ctl && r->row.event != DB_NONE && db->events[r->row.event].overlay != DB_NONE;
  const struct db_span fields = has ? db->layouts[db->events[r->row.event].overlay].fields : (struct db_span){0, 0};
  for (uint32_t i = fields.first; i < fields.first + fields.n; i++)
    if (field_mask(&db->fields[i]) == field_mask(&db->fields[where->field]) && db->fields[i].values != DB_NONE)
      return i;
  return DB_NONE;
}

int resolver_read_value(struct resolver *r, const struct spelling_attr *a, struct event_setting *where)
{
  const struct db *db = r->db;
  if (a->value.s && text_number(a->value, &where->value))
    return PMON_OK;
  const uint32_t overlaid = a->value.s ? overlaid_field(r, where) : DB_NONE;
  where->field = overlaid == DB_NONE ? where->field : overlaid;
  const struct db_field *f = &db->fields[where->field];
  if (!a->value.s) {
    if (f->hi != f->lo)
      return resolver_fail_at(r, PMON_E_SYNTAX, a->key.s + a->key.n, "%s needs a value (0 to 0x%llx)",
                              db_text(db, f->name), (unsigned long long)field_max(f));
    where->value = 1;
    return PMON_OK;
  }
  if (value_by_umask(r, f, a->value, &where->value) || resolver_value_by_name(db, f, a->value, &where->value))
    return PMON_OK;
  return fail_value(r, a, f);
}
