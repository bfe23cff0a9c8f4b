/* SPDX-License-Identifier: MIT */
/* A report as a table for people. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "report.h"

enum { MOST_COLUMNS = 4, MOST_NOTES = 32, CELL = 64 };

/* 1234567 -> 1,234,567, in front of any fraction. */
static void group_digits(const char *plain, char *text, size_t size)
{
  const char *digits = plain + (*plain == '-');
  size_t whole = strspn(digits, "0123456789"), n = 0;
  if (*plain == '-' && n + 1 < size)
    text[n++] = '-';
  for (size_t i = 0; digits[i] && n + 2 < size; i++) {
    if (i && i < whole && (whole - i) % 3 == 0)
      text[n++] = ',';
    text[n++] = digits[i];
  }
  text[n] = 0;
}

/* Four significant digits, or all of a whole number below a million millions. */
static void plain_number(double number, char *text, size_t size)
{
  char plain[64];
  double a = fabs(number);
  if (a >= 1e15)
    snprintf(plain, sizeof plain, "%.6e", number);
  else if (number == floor(number) || a >= 1000)
    snprintf(plain, sizeof plain, "%.0f", number);
  else if (a >= 0.001)
    snprintf(plain, sizeof plain, "%.*f", a >= 100 ? 1 : a >= 10 ? 2 : a >= 1 ? 3 : 4, number);
  else
    snprintf(plain, sizeof plain, "%.3e", number);
  group_digits(plain, text, size);
}

void report_number(double number, const char *unit, char *text, size_t size)
{
  static const char *const prefixes[] = {"", "k", "M", "G", "T", "P"};
  char plain[64];
  if (!strcmp(unit, "ratio")) {
    plain_number(number * 100, plain, sizeof plain);
    snprintf(text, size, "%s %%", plain);
  } else if (!strcmp(unit, "Hz") || (!strncmp(unit, "bytes", 5) && (!unit[5] || unit[5] == '/'))) {
    unsigned p = 0;
    for (; fabs(number) >= 1000 && p < 5; p++)
      number /= 1000;
    plain_number(number, plain, sizeof plain);
    snprintf(text, size, "%s %s%s%s", plain, prefixes[p], *unit == 'H' ? "Hz" : "B", *unit == 'H' ? "" : unit + 5);
  } else {
    plain_number(number, plain, sizeof plain);
    snprintf(text, size, "%s%s%s", plain, *unit ? " " : "", unit);
  }
}

/* Reasons and warnings, each told once under the table and referred to by number. */
struct notes { const char *reason[MOST_NOTES]; uint32_t n; };

static uint32_t note_number(struct notes *notes, const char *reason)
{
  for (uint32_t i = 0; i < notes->n; i++)
    if (!strcmp(notes->reason[i], reason))
      return i + 1;
  if (notes->n < MOST_NOTES)
    notes->reason[notes->n++] = reason;
  return notes->n;
}

static const char *warning(uint32_t flags)
{
  if (flags & PMON_VALUE_LOST)
    return "a counter may have passed its end unseen: this is a lower bound";
  if (flags & PMON_VALUE_UNCERTAIN)
    return "measured in one stretch of time only: how sure it is cannot be said";
  return NULL;
}

static void write_cell(const struct report_row *row, struct notes *notes, char *text, size_t size)
{
  const struct pmon_value *v = &row->value;
  if (!v->valid) {
    snprintf(text, size, "no data [%u]", note_number(notes, v->reason));
    return;
  }
  report_number(v->number, row->unit, text, size);
  size_t n = strlen(text);
  const char *warn = warning(v->flags);
  if (v->flags & PMON_VALUE_SCALED && !(v->flags & PMON_VALUE_UNCERTAIN) && v->number != 0)
    n += (size_t)snprintf(text + n, size - n, " ±%.2g%%", fabs(196 * v->sigma / v->number));
  if (warn && n < size)
    snprintf(text + n, size - n, " [%u]", note_number(notes, warn));
}

/* Bytes are not columns: continuation bytes of UTF-8 take none. */
static size_t columns_of(const char *s)
{
  size_t n = 0;
  for (; *s; s++)
    n += ((unsigned char)*s & 0xc0) != 0x80;
  return n;
}

static void add_left(struct buffer *b, const char *s, size_t width)
{
  size_t n = columns_of(s);
  buffer_add(b, "%s", s);
  buffer_fill(b, ' ', n < width ? width - n : 0);
}

static void add_right(struct buffer *b, const char *s, size_t width)
{
  size_t n = columns_of(s);
  buffer_fill(b, ' ', n < width ? width - n : 0);
  buffer_add(b, "%s", s);
}

/* The scopes in order of appearance; false when they are too many for columns. */
static bool find_columns(const struct pmon_report *r, const char *columns[MOST_COLUMNS], uint32_t *ret_n)
{
  uint32_t n = 0;
  for (uint32_t i = 0; i < r->n_rows; i++) {
    uint32_t k = 0;
    while (k < n && strcmp(columns[k], r->rows[i].where))
      k++;
    if (k == MOST_COLUMNS)
      return false;
    if (k == n)
      columns[n++] = r->rows[i].where;
  }
  *ret_n = n;
  return true;
}

static size_t longest_name(const struct pmon_report *r)
{
  size_t longest = 4;
  for (uint32_t i = 0; i < r->n_rows; i++) {
    size_t n = columns_of(r->rows[i].name);
    longest = n > longest ? n : longest;
  }
  return longest;
}

/* One line for each name: its rows stand one after the other. */
static void add_table(const struct pmon_report *r, const char *const *columns, uint32_t n, struct notes *notes,
                      struct buffer *b)
{
  char cell[CELL];
  size_t width[MOST_COLUMNS] = {0}, name_width = longest_name(r);
  for (uint32_t i = 0; i < r->n_rows; i++)
    for (uint32_t k = 0; k < n; k++) {
      struct notes scratch = *notes;
      if (strcmp(columns[k], r->rows[i].where))
        continue;
      write_cell(&r->rows[i], &scratch, cell, sizeof cell);
      size_t c = columns_of(cell), head = columns_of(columns[k]);
      c = c > head ? c : head;
      width[k] = c > width[k] ? c : width[k];
    }
  add_left(b, "", name_width);
  for (uint32_t k = 0; k < n; k++) {
    buffer_add(b, "  ");
    add_right(b, columns[k], width[k]);
  }
  for (uint32_t i = 0; i < r->n_rows;) {
    uint32_t k = 0;
    const char *name = r->rows[i].name;
    buffer_add(b, "\n");
    add_left(b, name, name_width);
    for (; i < r->n_rows && !strcmp(r->rows[i].name, name); i++, k++) {
      for (; k < n && strcmp(columns[k], r->rows[i].where); k++)
        buffer_fill(b, ' ', width[k] + 2);
      if (k == n)
        break;
      write_cell(&r->rows[i], notes, cell, sizeof cell);
      buffer_add(b, "  ");
      add_right(b, cell, width[k]);
    }
  }
  buffer_add(b, "\n");
}

static void add_list(const struct pmon_report *r, struct notes *notes, struct buffer *b)
{
  char cell[CELL];
  size_t name_width = longest_name(r), where_width = 0;
  for (uint32_t i = 0; i < r->n_rows; i++) {
    size_t n = columns_of(r->rows[i].where);
    where_width = n > where_width ? n : where_width;
  }
  for (uint32_t i = 0; i < r->n_rows; i++) {
    write_cell(&r->rows[i], notes, cell, sizeof cell);
    add_left(b, r->rows[i].name, name_width);
    buffer_add(b, "  ");
    add_left(b, r->rows[i].where, where_width);
    add_right(b, cell, 18);
    buffer_add(b, "\n");
  }
}

static void add_head(const struct pmon_report *r, struct buffer *b)
{
  char time[CELL];
  double s = r->seconds;
  const char *unit = s >= 1 ? "s" : s >= 1e-3 ? "ms" : s >= 1e-6 ? "us" : "ns";
  report_number(s * (s >= 1 ? 1 : s >= 1e-3 ? 1e3 : s >= 1e-6 ? 1e6 : 1e9), unit, time, sizeof time);
  if (r->command)
    buffer_add(b, "%s\n", r->command);
  buffer_add(b, "%s", r->platform ? r->platform : "");
  if (r->backend)
    buffer_add(b, " on %s", r->backend);
  if (r->packages)
    buffer_add(b, ", %u socket%s", r->packages, r->packages == 1 ? "" : "s");
  buffer_add(b, ": %s measured", time);
  if (r->rounds > 1)
    buffer_add(b, ", counters shared in %u rounds", r->rounds);
  buffer_add(b, "\n\n");
}

void report_format_text(const struct pmon_report *r, struct buffer *b)
{
  const char *columns[MOST_COLUMNS];
  struct notes notes = {.n = 0};
  uint32_t n = 0;
  add_head(r, b);
  if (find_columns(r, columns, &n))
    add_table(r, columns, n, &notes, b);
  else
    add_list(r, &notes, b);
  if (notes.n)
    buffer_add(b, "\n");
  for (uint32_t i = 0; i < notes.n; i++)
    buffer_add(b, "[%u] %s\n", i + 1, notes.reason[i]);
}
