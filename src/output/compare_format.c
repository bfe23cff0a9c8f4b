/* SPDX-License-Identifier: MIT */
/* A comparison as a table for people. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "src/base/real.h"
#include "src/output/compare.h"
#include "src/output/data.h"

enum { CELL = 64, TEXT_CELLS = 6, NOTES = 16 };
enum column { AT_A, AT_B, AT_CHANGE, AT_BY, AT_RATIO, AT_P };

struct line {
  char cell[TEXT_CELLS][CELL];
};

/* Writes the estimate `v` as in a report: the number, a blank, and its interval. */
static void format_estimate(const struct pmon_value *v, const char *unit, bool count, char *text, size_t size)
{
  char number[48], after[48] = "";
  const struct report_row row = {.unit = (char *)(uintptr_t)unit, .value = *v};
  if (v->high > v->low && isfinite(v->high))
    report_estimate(&row, count, false, number, after, sizeof number);
  else
    report_number(count ? round(v->number) : v->number, unit, number, sizeof number);
  real_print(text, size, "%s%s%s", number, *after ? " " : "", after);
}

static void format_side(const struct pmon_value *v, const struct pmon_comparison_row *row, char *text, size_t size)
{
  if (v->valid)
    report_number(row->count ? round(v->number) : v->number, row->unit, text, size);
  else
    snprintf(text, size, "%s", v->flags & PMON_VALUE_UNKNOWN ? "unknown" : "no data");
}

/* Writes a change with its sign; that of a ratio in percentage points. */
static void format_change(const struct pmon_comparison_row *row, const char *unit, double scale, char *text,
                          size_t size)
{
  char plain[CELL];
  const struct pmon_value v = {.number = row->change * scale,
                               .low = fmin(row->low * scale, row->high * scale),
                               .high = fmax(row->low * scale, row->high * scale)};
  format_estimate(&v, unit, row->count && !*unit, plain, sizeof plain);
  char *percent = strstr(plain, " %");
  if (percent && !strcmp(row->unit, "ratio") && scale == 1) {
    real_print(text, size, "%s%.*s%s points", v.number > 0 ? "+" : "", (int)(percent - plain), plain, percent + 2);
    return;
  }
  real_print(text, size, "%s%s", v.number > 0 ? "+" : "", plain);
}

static void format_p(const struct pmon_comparison_row *row, char *text, size_t size)
{
  if (row->low == row->high)
    snprintf(text, size, "exact");
  else if (row->adjusted < 0.001)
    snprintf(text, size, "<0.001");
  else
    real_print(text, size, "%.3f", row->adjusted);
}

static void format_line(const struct pmon_comparison_row *row, bool wide, struct line *line)
{
  *line = (struct line){{{0}}};
  format_side(&row->a, row, line->cell[AT_A], CELL);
  format_side(&row->b, row, line->cell[AT_B], CELL);
  if (row->method == PMON_NOT_COMPARED)
    return;
  format_change(row, row->unit, 1, line->cell[AT_CHANGE], CELL);
  if (strcmp(row->unit, "ratio") && row->a.number != 0)
    format_change(row, "ratio", 1 / row->a.number, line->cell[AT_BY], CELL);
  else if (!strcmp(row->unit, "ratio") && !wide)
    snprintf(line->cell[AT_BY], CELL, "%s", line->cell[AT_CHANGE]);
  if (isfinite(row->ratio))
    real_print(line->cell[AT_RATIO], CELL, fabs(row->ratio) < 1e4 ? "%.3f" : "%.3g", row->ratio);
  format_p(row, line->cell[AT_P], CELL);
}

static size_t shown(const char *s)
{
  size_t n = 0;
  for (; *s; s++)
    n += ((unsigned char)*s & 0xc0) != 0x80;
  return n;
}

static void add_right(struct buffer *b, const char *s, size_t width)
{
  const size_t n = shown(s);
  buffer_fill(b, ' ', 2 + (n < width ? width - n : 0));
  buffer_add_text(b, s, strlen(s));
}

/* Adds "A  before.pmon: EMULATED: emr, 9.618 ms of simulated time, mean of 5 runs", and the command below it. */
static void add_side(const struct pmon_comparison *c, const struct compared_side *side, const char *letter,
                     struct buffer *b)
{
  char time[PMON_REPORT_TEXT];
  pmon_report_time_text(side->seconds, time);
  buffer_add(b, "%s%s%s  ", c->color ? "\033[1m" : "", letter, c->color ? "\033[0m" : "");
  buffer_add_text(b, side->name, strlen(side->name));
  buffer_add(b, ": %s", side->machine ? "EMULATED: " : "");
  buffer_add_text(b, side->platform, strlen(side->platform));
  if (!side->machine && side->backend) {
    buffer_add(b, " on ");
    buffer_add_text(b, side->backend, strlen(side->backend));
  }
  buffer_add(b, ", %s%s", time, side->machine ? " of simulated time" : "");
  if (side->runs > 1)
    buffer_add(b, ", mean of %u runs", side->runs);
  if (side->intervals > 1)
    buffer_add(b, ", %u intervals", side->intervals);
  buffer_add(b, "\n");
  if (side->command && *side->command && strcmp(side->command, side->name)) {
    const size_t n = strlen(side->command), room = c->columns > 8 ? c->columns - 3 : n;
    buffer_add(b, "   ");
    buffer_add_text(b, side->command, n > room ? room - 3 : n);
    buffer_add(b, "%s\n", n > room ? "..." : "");
  }
}

static void format_name(const struct compared *r, char *text, size_t size)
{
  snprintf(text, size, "%s%s%s", r->name, strcmp(r->where, "total") ? " " : "",
           strcmp(r->where, "total") ? r->where : "");
}

/* Whether both sides have the same number exactly: such rows are counted, not listed. */
static bool is_equal(const struct pmon_comparison_row *r)
{
  return r->method != PMON_NOT_COMPARED && r->change == 0 && r->low == 0 && r->high == 0;
}

struct table {
  size_t name, width[TEXT_CELLS];
  bool wide;
  const char *notes[NOTES];
  uint32_t n_notes;
};

static const char *const headings[TEXT_CELLS] = {"A", "B", "change", "change %", "B / A", "p"};

static bool is_shown(const struct table *t, int column)
{
  return t->wide || (column != AT_CHANGE && column != AT_RATIO);
}

static size_t table_width(const struct table *t)
{
  size_t width = 2 + t->name;
  for (int k = 0; k < TEXT_CELLS; k++)
    width += is_shown(t, k) ? 2 + t->width[k] : 0;
  return width;
}

static void measure_table(const struct pmon_comparison *c, struct table *t)
{
  struct line line;
  char name[256];
  for (int k = 0; k < TEXT_CELLS; k++)
    t->width[k] = strlen(headings[k]);
  for (uint32_t i = 0; i < c->n; i++) {
    if (is_equal(&c->rows[i].row))
      continue;
    format_line(&c->rows[i].row, false, &line);
    format_name(&c->rows[i], name, sizeof name);
    t->name = shown(name) > t->name ? shown(name) : t->name;
    for (int k = 0; k < TEXT_CELLS; k++)
      t->width[k] = shown(line.cell[k]) > t->width[k] ? shown(line.cell[k]) : t->width[k];
  }
  t->wide = true;
  t->wide = !c->columns || table_width(t) <= c->columns;
}

static uint32_t note(struct table *t, const char *reason)
{
  uint32_t i = 0;
  while (i < t->n_notes && strcmp(t->notes[i], reason))
    i++;
  if (i == t->n_notes && i < NOTES)
    t->notes[t->n_notes++] = reason;
  return i + 1;
}

static void add_line(const struct pmon_comparison *c, struct table *t, const struct compared *r, struct buffer *b)
{
  struct line line;
  char name[256];
  format_line(&r->row, t->wide, &line);
  format_name(r, name, sizeof name);
  buffer_add(b, "%s%s ", c->color && r->row.significant ? "\033[1m" : "", r->row.significant ? "*" : " ");
  buffer_add_text(b, name, strlen(name));
  /* A name that leaves no room for the numbers gets a line of its own. */
  const bool apart = c->columns && table_width(t) > c->columns;
  if (apart)
    buffer_end_line(b);
  buffer_fill(b, ' ', apart ? 2 : t->name - (shown(name) < t->name ? shown(name) : t->name));
  for (int k = 0; k < TEXT_CELLS; k++)
    if (is_shown(t, k))
      add_right(b, line.cell[k], t->width[k]);
  if (r->row.method == PMON_NOT_COMPARED)
    buffer_add(b, "  [%u]", note(t, r->row.a.valid ? r->row.b.reason : r->row.a.reason));
  buffer_end_line(b);
  if (c->color && r->row.significant)
    buffer_add(b, "\033[0m");
}

static void add_heading(const struct pmon_comparison *c, const struct table *t, struct buffer *b)
{
  buffer_fill(b, ' ', c->columns && table_width(t) > c->columns ? 2 : 2 + t->name);
  for (int k = 0; k < TEXT_CELLS; k++)
    if (is_shown(t, k))
      add_right(b, headings[k], t->width[k]);
  buffer_end_line(b);
}

static const char *const explanations[] = {
    [PMON_COMPARED_BY_RUNS] = "p: Welch's t test over the runs",
    [PMON_COMPARED_BY_INTERVALS] = "p: Welch's t test over the intervals, their number reduced for autocorrelation",
    [PMON_COMPARED_BY_ERRORS] = ("p: from the uncertainty of one measurement each (exact: counted, not estimated); the "
                                 "variation between runs is not known (repeat runs: pmon diff -r 5 -- OLD -- NEW)"),
};

/* Adds words, in lines of the text's width. */
static void add_words(const struct pmon_comparison *c, const char *words, struct buffer *b)
{
  size_t at = 0;
  while (*words) {
    size_t n = strcspn(words, " ");
    if (c->columns && at && at + n > c->columns) {
      buffer_end_line(b);
      at = 0;
    }
    n += words[n] == ' ';
    buffer_add_text(b, words, n);
    at += n;
    words += n;
  }
  buffer_end_line(b);
}

static void add_explanations(const struct pmon_comparison *c, const struct table *t, uint32_t equal, struct buffer *b)
{
  uint32_t used = 0;
  char text[256];
  for (uint32_t i = 0; i < c->n; i++)
    used |= 1u << c->rows[i].row.method;
  buffer_add(b, "\n");
  if (equal) {
    snprintf(text, sizeof text, "%u value%s equal on both sides", equal, equal == 1 ? " is" : "s are");
    add_words(c, text, b);
  }
  for (uint32_t i = 0; i < t->n_notes; i++) {
    snprintf(text, sizeof text, "[%u] %s", i + 1, t->notes[i]);
    add_words(c, text, b);
  }
  for (size_t k = 0; k < sizeof explanations / sizeof *explanations; k++)
    if (used >> k & 1)
      add_words(c, explanations[k], b);
  add_words(c, "* significant: p, adjusted for the number of values, is below 0.05", b);
}

void comparison_format_text(const struct pmon_comparison *c, struct buffer *b)
{
  struct table t = {.name = 4};
  uint32_t equal = 0;
  add_side(c, &c->a, "A", b);
  add_side(c, &c->b, "B", b);
  for (uint32_t i = 0; i < c->n; i++)
    equal += is_equal(&c->rows[i].row);
  if (c->n && equal == c->n) {
    buffer_add(b, c->n == 1 ? "\nthe value is equal\n" : "\nall %u values are equal\n", c->n);
    return;
  }
  measure_table(c, &t);
  buffer_add(b, "\n");
  add_heading(c, &t, b);
  for (uint32_t i = 0; i < c->n; i++)
    if (!is_equal(&c->rows[i].row))
      add_line(c, &t, &c->rows[i], b);
  add_explanations(c, &t, equal, b);
}
