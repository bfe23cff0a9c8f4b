/* SPDX-License-Identifier: MIT */
/* A report as a table for people. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "src/base/sized.h"
#include "src/output/report.h"
#include "src/output/text.h"

enum { MOST_COLUMNS = 5, MOST_NOTES = 32, CELL = PMON_REPORT_TEXT };
enum { LABEL = 256 };
enum { FEW = 100 }; /* a ratio of fewer events is uncertain by ten points or more, if they are independent */

/* Reasons and warnings, each printed once under the table and referred to by number. */
struct notes {
  const char *reason[MOST_NOTES];
  uint32_t n;
};

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
  if (flags & PMON_VALUE_IMPLAUSIBLE)
    return flags & PMON_VALUE_SCALED
               ? "more than the hardware can do, here or in a part of the sum: a burst occurred in the time slices of "
                 "its events (measure fewer events at once)"
               : "more than the hardware can do, here or in a part of the sum: a clock runs faster than the tables "
                 "say, or other software changed a counter";
  if (flags & PMON_VALUE_LOST)
    return "a counter may have wrapped unnoticed: this is a lower bound";
  if (flags & PMON_VALUE_PARTIAL)
    return "without units that cannot be read, although the processor has them by their numbers (--per-unit shows "
           "which)";
  if (flags & PMON_VALUE_SILENT)
    return "an instance counted nothing while its neighbours did: a channel without memory, a link without a partner, "
           "a unit that the firmware hides, or counters that do not work (--per-unit shows which)";
  if (flags & PMON_VALUE_UNCERTAIN)
    return "its uncertainty is unknown: measured in too few time slices";
  return NULL;
}

/* Returns the warning about a valid value; NULL: none. */
static const char *caution(const struct report_row *row)
{
  const char *warn = warning(row->value.flags);
  return warn || row->base <= 0 || row->base >= FEW ? warn : "a ratio of fewer than 100 counts: judge it by the counts";
}

/* A value, and what follows it: its uncertainty, the number of a note. */
struct cell {
  char value[CELL], after[CELL];
  enum text_style value_style, after_style;
};

/* Whether an estimate is only an upper bound: its interval contains 0 and is wider than the number. */
static bool is_bound(const struct pmon_value *v)
{
  return v->low <= 0 && v->number >= 0 && v->high > 0 && v->high - v->number > v->number;
}

/* Writes a valid value, and what follows it. */
static void format_value(const struct report_row *row, uint32_t runs, char *value, char *after)
{
  const struct pmon_value *v = &row->value;
  const bool count = row->count && runs <= 1;
  const bool known =
      runs > 1 ||
      !(v->flags & PMON_VALUE_UNCERTAIN); /* not shown by v->high: a ratio's interval ends at 100 % anyway */
  const bool estimate = (v->flags & PMON_VALUE_SCALED || runs > 1) && known && isfinite(v->high);
  *after = 0;
  if (estimate && is_bound(v)) {
    char most[CELL - 8];
    report_number(count ? ceil(v->high) : v->high, row->unit, most, sizeof most);
    snprintf(value, CELL, "unknown,");
    snprintf(after, CELL, "below %s", most);
  } else if (estimate) {
    report_estimate(row, count, runs > 1, value, after, CELL);
  } else {
    report_number(count ? round(v->number) : v->number, row->unit, value, CELL);
  }
}

static void write_cell(const struct pmon_report *r, const struct report_row *row, struct notes *notes,
                       struct cell *cell)
{
  const struct pmon_value *v = &row->value;
  const char *warn = caution(row);
  cell->after[0] = 0;
  cell->value_style = v->valid ? TEXT_PLAIN : TEXT_WARN;
  cell->after_style = v->valid && !warn ? TEXT_DIM : TEXT_WARN;
  if (!v->valid) {
    snprintf(cell->value, sizeof cell->value, v->flags & PMON_VALUE_UNKNOWN ? "unknown" : "no data");
    snprintf(cell->after, sizeof cell->after, "[%u]", note_number(notes, v->reason));
    return;
  }
  format_value(row, r->runs, cell->value, cell->after);
  const size_t n = strlen(cell->after);
  if (warn && n < sizeof cell->after)
    snprintf(cell->after + n, sizeof cell->after - n, "%s[%u]", n ? " " : "", note_number(notes, warn));
}

int pmon_report_row_text(const struct pmon_report_row *row, char text[PMON_REPORT_TEXT], char after[PMON_REPORT_TEXT])
{
  struct pmon_report_row full = {0};
  char value[CELL], behind[CELL] = "";
  const int status = sized_take(&full, sizeof full, row);
  if (status)
    return status;
  const struct report_row own = {.unit = (char *)(uintptr_t)(full.unit ? full.unit : ""),
                                 .value = full.value,
                                 .deviation = full.deviation,
                                 .count = full.count};
  if (full.value.valid)
    format_value(&own, full.deviation > 0 ? 2 : 1, value, behind);
  else
    snprintf(value, sizeof value, full.value.flags & PMON_VALUE_UNKNOWN ? "unknown" : "no data");
  snprintf(text, PMON_REPORT_TEXT, "%s", value);
  snprintf(after, PMON_REPORT_TEXT, "%s", behind);
  return PMON_OK;
}

static void add_left(struct buffer *b, const char *s, size_t width)
{
  size_t n = text_columns(s);
  buffer_add_text(b, s, strlen(s));
  buffer_fill(b, ' ', n < width ? width - n : 0);
}

/* Finds the scopes in order of appearance; false: there are too many for columns. */
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

/* Returns the name, followed by a ratio's base: "NAME of requests". */
static const char *row_label(const struct report_row *row, char label[LABEL])
{
  snprintf(label, LABEL, "%s%s%s", row->name, row->of ? " of " : "", row->of ? row->of : "");
  return label;
}

static size_t longest_name(const struct pmon_report *r)
{
  size_t longest = 4;
  char label[LABEL];
  for (uint32_t i = 0; i < r->n_rows; i++) {
    size_t n = text_columns(row_label(&r->rows[i], label));
    longest = n > longest ? n : longest;
  }
  return longest;
}

static size_t wider(size_t a, size_t b)
{
  return a > b ? a : b;
}

/* Widths of the parts of a column's cells. */
struct width {
  size_t value, after;
};

static void add_cell(const struct pmon_report *r, const struct cell *cell, const struct width *width, struct buffer *b)
{
  size_t value = text_columns(cell->value), after = text_columns(cell->after);
  buffer_fill(b, ' ', value < width->value ? width->value - value : 0);
  text_add_styled(r, cell->value_style, cell->value, b);
  buffer_fill(b, ' ', width->after > 0);
  text_add_styled(r, cell->after_style, cell->after, b);
  buffer_fill(b, ' ', after < width->after ? width->after - after : 0);
}

static void measure_columns(const struct pmon_report *r, const char *const *columns, uint32_t n, struct width *width)
{
  struct notes scratch = {.n = 0};
  struct cell cell;
  for (uint32_t i = 0; i < r->n_rows; i++) {
    write_cell(r, &r->rows[i], &scratch, &cell);
    for (uint32_t k = 0; k < n; k++) {
      if (columns && strcmp(columns[k], r->rows[i].where))
        continue;
      width[k].value = wider(width[k].value, wider(text_columns(cell.value), columns ? text_columns(columns[k]) : 0));
      width[k].after = wider(width[k].after, text_columns(cell.after));
    }
  }
}

/* Prints one line for each name, whose rows are consecutive. Its six parameters are the report, its measured layout
 * and its two outputs; the layout has no other user. */
static void add_table(const struct pmon_report *r, const char *const *columns, uint32_t n, const struct width *width,
                      struct notes *notes, struct buffer *b)
{
  struct cell cell;
  char label[LABEL];
  size_t name_width = longest_name(r);
  add_left(b, "", name_width);
  for (uint32_t k = 0; k < n; k++) {
    snprintf(cell.value, sizeof cell.value, "%s", columns[k]);
    cell.after[0] = 0;
    cell.value_style = TEXT_BOLD;
    buffer_add(b, "  ");
    add_cell(r, &cell, &width[k], b);
  }
  for (uint32_t i = 0, end = 0; i < r->n_rows; i = end) {
    const char *name = r->rows[i].name;
    buffer_end_line(b);
    add_left(b, row_label(&r->rows[i], label), name_width);
    while (end < r->n_rows && !strcmp(r->rows[end].name, name))
      end++;
    /* Sorted rows of this name may come in another order than the columns. */
    for (uint32_t k = 0; k < n; k++) {
      uint32_t row = i;
      while (row < end && strcmp(columns[k], r->rows[row].where))
        row++;
      if (row == end) {
        buffer_fill(b, ' ', 2 + width[k].value + width[k].after + (width[k].after > 0));
        continue;
      }
      write_cell(r, &r->rows[row], notes, &cell);
      buffer_add(b, "  ");
      add_cell(r, &cell, &width[k], b);
    }
  }
  buffer_end_line(b);
}

/* Whether values are listed by device, below the device's name. */
static bool by_device(const struct pmon_report *r)
{
  return r->n_rows && r->rows[0].device;
}

/* Prints a line for each value; if that would be too wide, each name is on a line above its values. */
static void add_list(const struct pmon_report *r, struct notes *notes, struct buffer *b)
{
  struct cell cell;
  char label[LABEL];
  struct width width = {0};
  const bool devices = by_device(r);
  size_t name_width = longest_name(r), where_width = 0;
  measure_columns(r, NULL, 1, &width);
  for (uint32_t i = 0; i < r->n_rows; i++)
    where_width = wider(where_width, text_columns(r->rows[i].where));
  bool apart = devices || (r->columns && name_width + where_width + width.value + width.after + 5 > r->columns);
  for (uint32_t i = 0; i < r->n_rows; i++) {
    const struct report_row *row = &r->rows[i], *last = i ? row - 1 : NULL;
    write_cell(r, row, notes, &cell);
    row_label(row, label);
    if (!apart)
      add_left(b, label, name_width);
    else if (!last || strcmp(devices ? last->where : last->name, devices ? row->where : row->name)) {
      text_add_styled(r, TEXT_BOLD, devices ? row->where : label, b);
      buffer_end_line(b);
    }
    buffer_add(b, "  ");
    add_left(b, devices ? label : row->where, (devices ? name_width : where_width) + 2);
    add_cell(r, &cell, &width, b);
    buffer_end_line(b);
  }
}

/* "[1] reason" */
static void add_note(const struct pmon_report *r, uint32_t number, const char *reason, struct buffer *b)
{
  char mark[16];
  size_t indent = (size_t)snprintf(mark, sizeof mark, "[%u] ", number);
  mark[indent - 1] = '\0';
  text_add_styled(r, TEXT_WARN, mark, b);
  buffer_add(b, " ");
  text_add_words(r, reason, indent, indent, b);
}

void report_format_text(const struct pmon_report *r, struct buffer *b)
{
  const char *columns[MOST_COLUMNS] = {NULL};
  struct width width[MOST_COLUMNS] = {{0}};
  struct notes notes = {.n = 0};
  uint32_t n = 0;
  size_t total = longest_name(r);
  text_add_head(r, b);
  bool fits = find_columns(r, columns, &n);
  if (fits)
    measure_columns(r, columns, n, width);
  for (uint32_t k = 0; k < n; k++)
    total += 2 + width[k].value + width[k].after + (width[k].after > 0);
  if (!by_device(r) && fits && (!r->columns || total <= r->columns))
    add_table(r, columns, n, width, &notes, b);
  else
    add_list(r, &notes, b);
  if (notes.n)
    buffer_add(b, "\n");
  for (uint32_t i = 0; i < notes.n; i++)
    add_note(r, i + 1, notes.reason[i], b);
}
