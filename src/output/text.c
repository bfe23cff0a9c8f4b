/* SPDX-License-Identifier: MIT */
/* A report as a table for people. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "report.h"
#include "src/base/sized.h"

enum { MOST_COLUMNS = 5, MOST_NOTES = 32, CELL = PMON_REPORT_TEXT };
enum { LABEL = 256 };
enum { FEW = 100 }; /* a share of fewer is uncertain by ten points or more, were each of them chance */

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
               ? "more than the hardware can do, here or in a part of the sum: a burst fell into the time slices of "
                 "its "
                 "events (measure fewer at once)"
               : "more than the hardware can do, here or in a part of the sum: a clock runs faster than the tables "
                 "say, or other software changed a counter";
  if (flags & PMON_VALUE_LOST)
    return "a counter may have passed its end unseen: this is a lower bound";
  if (flags & PMON_VALUE_UNCERTAIN)
    return "its uncertainty is unknown: measured in too few time slices";
  return NULL;
}

/* What to say of a valid value; NULL: nothing. */
static const char *caution(const struct report_row *row)
{
  const char *warn = warning(row->value.flags);
  return warn || row->base <= 0 || row->base >= FEW ? warn : "a ratio of fewer than 100: look at the counts";
}

/* On terminals: headings are bold, text around values is dim, doubtful values are coloured. */
enum style { PLAIN, BOLD, DIM, WARN };
static const char *const styles[] = {[PLAIN] = "\033[0m", [BOLD] = "\033[1m", [DIM] = "\033[2m", [WARN] = "\033[33m"};

static void begin_style(const struct pmon_report *r, enum style style, struct buffer *b)
{
  if (r->color)
    buffer_add(b, "%s", styles[style]);
}

/* A value, and what follows it: its uncertainty, the number of a note. */
struct cell {
  char value[CELL], after[CELL];
  enum style value_style, after_style;
};

/* Whether an estimate is only an upper bound: its interval contains 0 and is wider than the number. */
static bool is_bound(const struct pmon_value *v)
{
  return v->low <= 0 && v->number >= 0 && v->high > 0 && v->high - v->number > v->number;
}

/* A valid value, and what follows it. */
static void format_value(const struct report_row *row, uint32_t runs, char *value, char *after)
{
  const struct pmon_value *v = &row->value;
  const bool count = row->count && runs <= 1;
  const bool estimate = (v->flags & PMON_VALUE_SCALED || runs > 1) && isfinite(v->high);
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
  cell->value_style = v->valid ? PLAIN : WARN;
  cell->after_style = v->valid && !warn ? DIM : WARN;
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

/* Bytes are not columns: continuation bytes of UTF-8 take none. */
static size_t columns_of(const char *s)
{
  size_t n = 0;
  for (; *s; s++)
    n += ((unsigned char)*s & 0xc0) != 0x80;
  return n;
}

static void add_styled(const struct pmon_report *r, enum style style, const char *s, struct buffer *b)
{
  bool styled = r->color && style != PLAIN && *s;
  buffer_add(b, "%s", styled ? styles[style] : "");
  buffer_add_text(b, s, strlen(s));
  buffer_add(b, "%s", styled ? styles[PLAIN] : "");
}

static void add_left(struct buffer *b, const char *s, size_t width)
{
  size_t n = columns_of(s);
  buffer_add_text(b, s, strlen(s));
  buffer_fill(b, ' ', n < width ? width - n : 0);
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

/* The name, and for a ratio what it is of. */
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
    size_t n = columns_of(row_label(&r->rows[i], label));
    longest = n > longest ? n : longest;
  }
  return longest;
}

static size_t wider(size_t a, size_t b)
{
  return a > b ? a : b;
}

/* How wide the parts of a column's cells are. */
struct width {
  size_t value, after;
};

static void add_cell(const struct pmon_report *r, const struct cell *cell, const struct width *width, struct buffer *b)
{
  size_t value = columns_of(cell->value), after = columns_of(cell->after);
  buffer_fill(b, ' ', value < width->value ? width->value - value : 0);
  add_styled(r, cell->value_style, cell->value, b);
  buffer_fill(b, ' ', width->after > 0);
  add_styled(r, cell->after_style, cell->after, b);
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
      width[k].value = wider(width[k].value, wider(columns_of(cell.value), columns ? columns_of(columns[k]) : 0));
      width[k].after = wider(width[k].after, columns_of(cell.after));
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
    cell.value_style = BOLD;
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

/* Values by device are below the device's name. */
static bool by_device(const struct pmon_report *r)
{
  return r->n_rows && r->rows[0].device;
}

/* A line for each value; where that would be too wide, each name is on a line above its values. */
static void add_list(const struct pmon_report *r, struct notes *notes, struct buffer *b)
{
  struct cell cell;
  char label[LABEL];
  struct width width = {0};
  const bool devices = by_device(r);
  size_t name_width = longest_name(r), where_width = 0;
  measure_columns(r, NULL, 1, &width);
  for (uint32_t i = 0; i < r->n_rows; i++)
    where_width = wider(where_width, columns_of(r->rows[i].where));
  bool apart = devices || (r->columns && name_width + where_width + width.value + width.after + 5 > r->columns);
  for (uint32_t i = 0; i < r->n_rows; i++) {
    const struct report_row *row = &r->rows[i], *last = i ? row - 1 : NULL;
    write_cell(r, row, notes, &cell);
    row_label(row, label);
    if (!apart)
      add_left(b, label, name_width);
    else if (!last || strcmp(devices ? last->where : last->name, devices ? row->where : row->name)) {
      add_styled(r, BOLD, devices ? row->where : label, b);
      buffer_end_line(b);
    }
    buffer_add(b, "  ");
    add_left(b, devices ? label : row->where, (devices ? name_width : where_width) + 2);
    add_cell(r, &cell, &width, b);
    buffer_end_line(b);
  }
}

static void write_time(double s, char *text, size_t size)
{
  const char *unit = s >= 1 ? "s" : s >= 1e-3 ? "ms" : s >= 1e-6 ? "us" : "ns";
  report_number(s * (s >= 1 ? 1 : s >= 1e-3 ? 1e3 : s >= 1e-6 ? 1e6 : 1e9), unit, text, size);
}

/* How the counters were read: the freeze scope, and the time between the reads. */
static void add_reads(const struct pmon_report *r, struct buffer *b)
{
  static const char *const ways[] = {[PMON_FREEZE_GLOBAL] = "'s counters frozen at once",
                                     [PMON_FREEZE_BOX] = "counters frozen unit by unit",
                                     [PMON_FREEZE_NONE] = "counters not frozen",
                                     [PMON_FREEZE_BOUNDARIES] = "counters read as they ran"};
  char hold[CELL], skew[CELL];
  write_time(r->freeze_seconds, hold, sizeof hold);
  write_time(r->skew_seconds, skew, sizeof skew);
  if (r->freeze == PMON_FREEZE_GLOBAL) {
    buffer_add(b, "each ");
    buffer_add_text(b, r->package, strlen(r->package));
  }
  buffer_add(b, "%s", ways[r->freeze]);
  if (r->freeze_seconds > 0)
    buffer_add(b, " in %s", hold);
  buffer_add(b, ", read within %s\n", skew);
}

/* Words behind what fills the line up to column `at`, in lines of the report's columns, the next of them indented. */
static void add_words(const struct pmon_report *r, const char *words, size_t at, size_t indent, struct buffer *b)
{
  while (*words) {
    size_t n = strcspn(words, " ");
    if (r->columns && at > indent && at + n > r->columns) {
      buffer_end_line(b);
      buffer_fill(b, ' ', indent);
      at = indent;
    }
    n += words[n] == ' ';
    buffer_add_text(b, words, n);
    at += n;
    words += n;
  }
  buffer_end_line(b);
}

/* What was measured, where and how long. */
static void add_summary(const struct pmon_report *r, struct buffer *b)
{
  char time[CELL];
  struct buffer line = {0};
  buffer_add(&line, "%s%s", r->machine ? "EMULATED: " : "", r->platform ? r->platform : "");
  if (r->machine)
    buffer_add(&line, " on pmon's %s machine", r->machine);
  else if (r->backend)
    buffer_add(&line, " on %s", r->backend);
  if (r->packages)
    buffer_add(&line, ", %u %s%s", r->packages, r->package, r->packages == 1 ? "" : "s");
  write_time(r->seconds, time, sizeof time);
  if (!r->interval)
    buffer_add(&line, ": %s %s", time, r->machine ? "of simulated time" : "measured");
  if (r->runs > 1)
    buffer_add(&line, ", mean of %u runs", r->runs);
  if (r->rounds > 1)
    buffer_add(&line, ", counters shared in %u rounds", r->rounds);
  b->failed |= line.failed;
  add_words(r, line.data ? line.data : "", 0, 0, b);
  free(line.data);
}

static void add_region(const struct pmon_report *r, struct buffer *b)
{
  char time[CELL];
  write_time(r->seconds, time, sizeof time);
  begin_style(r, BOLD, b);
  buffer_add(b, "region ");
  buffer_add_text(b, r->region, strlen(r->region));
  if (r->thread == PMON_REGION_ALL_THREADS)
    buffer_add(b, ", all threads");
  else
    buffer_add(b, ", thread %" PRIu64, r->thread);
  buffer_add(b, ": %" PRIu64 " call%s, %s", r->calls, r->calls == 1 ? "" : "s", time);
  begin_style(r, PLAIN, b);
  buffer_add(b, "\n");
  if (r->missing_ends)
    buffer_add(b, "%" PRIu64 " without an end: counted until the thread or the measurement ended\n", r->missing_ends);
  if (r->missing_begins)
    buffer_add(b, "%" PRIu64 " ends without a begin: not counted\n", r->missing_begins);
}

static void add_head(const struct pmon_report *r, struct buffer *b)
{
  char time[CELL];
  if (r->region) {
    add_region(r, b);
    return;
  }
  if (r->interval <= 1) {
    const size_t n = r->command ? strlen(r->command) : 0;
    const bool cut = r->columns > 4 && n > r->columns;
    if (n) {
      buffer_add_text(b, r->command, cut ? r->columns - 3 : n);
      buffer_add(b, "%s\n", cut ? "..." : "");
    }
    begin_style(r, DIM, b);
    add_summary(r, b);
    if (*report_freeze_name(r->freeze))
      add_reads(r, b);
    begin_style(r, PLAIN, b);
    buffer_add(b, "\n");
  }
  if (!r->interval)
    return;
  begin_style(r, BOLD, b);
  buffer_add(b, "%.6f - %.6f ms", (r->end_seconds - r->seconds) * 1e3, r->end_seconds * 1e3);
  if (*report_freeze_name(r->freeze) && r->skew_seconds > 0) {
    write_time(r->skew_seconds, time, sizeof time);
    buffer_add(b, ", read within %s", time);
  }
  begin_style(r, PLAIN, b);
  buffer_add(b, "\n");
}

/* "[1] reason" */
static void add_note(const struct pmon_report *r, uint32_t number, const char *reason, struct buffer *b)
{
  char mark[16];
  size_t indent = (size_t)snprintf(mark, sizeof mark, "[%u] ", number);
  mark[indent - 1] = '\0';
  add_styled(r, WARN, mark, b);
  buffer_add(b, " ");
  add_words(r, reason, indent, indent, b);
}

void report_format_text(const struct pmon_report *r, struct buffer *b)
{
  const char *columns[MOST_COLUMNS] = {NULL};
  struct width width[MOST_COLUMNS] = {{0}};
  struct notes notes = {.n = 0};
  uint32_t n = 0;
  size_t total = longest_name(r);
  add_head(r, b);
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
