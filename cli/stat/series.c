/* SPDX-License-Identifier: MIT */
#include "cli/stat/series.h"
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include "src/base/escape.h"

enum {
  HEADER_LINES = 8,
  PART = 48,
  TIME = 9,
  GAP = 1,
  LEAST = 9,
  ROOMY = 11,
  WITH_INTERVAL = 18,
  NOTES = 32,
  MOST_BLOCKS = 3
};

struct column {
  char part[HEADER_LINES][PART]; /* of the name, one above the other */
  unsigned n, width;
};

struct series {
  struct column *columns;
  uint32_t n;
  uint32_t blocks, per_block; /* of columns, below each other: lines of an interval and of the header */
  unsigned height, lines;     /* lines of the terminal, and lines since the header */
  unsigned decimals;          /* decimals of times in milliseconds */
  double previous_seconds;    /* end of the interval above; negative: there is none */
  bool compact, color, begun, more_notes;
  char *begin, *notes[NOTES];
  uint32_t n_notes;
};

/* A line, or a part of one. */
struct line {
  char text[4096];
  size_t n;
};

static void line_add(struct line *l, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void line_add(struct line *l, const char *format, ...)
{
  va_list args;
  va_start(args, format);
  const int n = vsnprintf(l->text + l->n, sizeof l->text - l->n, format, args);
  va_end(args);
  if (n > 0)
    l->n = l->n + (size_t)n < sizeof l->text ? l->n + (size_t)n : sizeof l->text - 1;
}

/* The destination of lines. Names and commands may come from a recording: characters that a terminal would act on are
 * escaped. */
struct emitter {
  pmon_sink sink;
  void *user;
  int status;
};

static void emit_piece(void *user, const char *s, size_t n)
{
  struct emitter *e = user;
  e->status = e->status || !e->sink ? e->status : e->sink(e->user, s, n);
}

static int emit(const char *s, size_t n, pmon_sink sink, void *user)
{
  struct emitter e = {sink, user, 0};
  escape_write(s, n, LINES_PLAIN, emit_piece, &e);
  return e.status;
}

static unsigned columns_of(const char *s)
{
  unsigned n = 0;
  for (; *s; s++)
    n += ((unsigned char)*s & 0xc0) != 0x80;
  return n;
}

/* Splits a name at the ends of its words, so that the parts are at most as wide as the values below, if possible. */
static void split_name(struct column *c, const char *name)
{
  while (*name && c->n < HEADER_LINES) {
    size_t n = 0, word;
    while (name[n] && (word = strcspn(name + n, "_/.=,") + 1) && (!n || n + word <= c->width)) {
      n += word;
      if (n > strlen(name))
        n = strlen(name);
    }
    if (c->n == HEADER_LINES - 1)
      n = strlen(name);
    snprintf(c->part[c->n++], PART, "%.*s", (int)(n < PART ? n : PART - 1), name);
    name += n;
  }
  for (unsigned i = 0; i < c->n; i++)
    c->width = columns_of(c->part[i]) > c->width ? columns_of(c->part[i]) : c->width;
}

static void name_scope(struct column *c, const struct pmon_report_row *row, const char *package)
{
  if (row->package == PMON_ALL || c->n == HEADER_LINES)
    return;
  if (row->instance == PMON_ALL)
    snprintf(c->part[c->n++], PART, "%s %u", package, row->package);
  else
    snprintf(c->part[c->n++], PART, "%u.%u", row->package, row->instance);
  if (columns_of(c->part[c->n - 1]) > c->width)
    c->width = columns_of(c->part[c->n - 1]);
}

/* Returns two decimals of a millisecond, and as many more as distinguish the ends of such intervals. */
static unsigned decimals_for(double step_seconds)
{
  unsigned n = 2;
  for (double least = 1e-4; step_seconds < least && n < 6; least /= 10)
    n++;
  return n;
}

static unsigned time_width(const struct series *s)
{
  return TIME + s->decimals - 2;
}

/* Lays out the columns, in blocks below each other. Returns the width of all columns together. */
static unsigned lay_out(struct series *s, const struct pmon_report *r, const char *package, unsigned width)
{
  struct pmon_report_row row = {.size = sizeof row};
  unsigned total = time_width(s);
  s->per_block = (s->n + s->blocks - 1) / s->blocks;
  for (uint32_t i = 0; i < s->n && !pmon_report_get(r, i, &row); i++) {
    struct column *c = &s->columns[i];
    *c = (struct column){.width = width};
    split_name(c, row.name);
    name_scope(c, &row, package);
  }
  for (uint32_t first = 0; first < s->per_block; first++) {
    unsigned widest = 0;
    for (uint32_t i = first; i < s->n; i += s->per_block)
      widest = s->columns[i].width > widest ? s->columns[i].width : widest;
    for (uint32_t i = first; i < s->n; i += s->per_block)
      s->columns[i].width = widest;
    total += GAP + widest;
  }
  return total;
}

static bool has_scopes(const struct pmon_report *r)
{
  struct pmon_report_row row = {.size = sizeof row};
  bool scopes = false;
  for (uint32_t i = 0; !pmon_report_get(r, i, &row); i++)
    scopes |= row.package != PMON_ALL;
  return scopes;
}

/* Lays out the columns in as few blocks as possible, as wide as they fit. Values per socket or unit have tables, not
 * several blocks. False: no layout fits. */
static bool fit(struct series *s, const struct pmon_report *r, const struct series_layout *layout)
{
  const unsigned more = layout->estimates ? WITH_INTERVAL - ROOMY : 0;
  const uint32_t most = has_scopes(r) ? 1 : MOST_BLOCKS;
  for (s->blocks = 1; s->blocks <= most; s->blocks++)
    for (int compact = 0; compact < 2; compact++) {
      s->compact = compact;
      const unsigned total = lay_out(s, r, layout->package, (compact ? LEAST : ROOMY) + more);
      if ((!layout->width || total <= layout->width) && total < sizeof((struct line *)NULL)->text / 2)
        return true;
    }
  return false;
}

int series_new(const struct pmon_report *first, const struct series_layout *layout, struct series **ret_series)
{
  struct pmon_report_row row = {.size = sizeof row};
  struct series *s = calloc(1, sizeof *s);
  if (!s)
    return PMON_E_MEMORY;
  while (!pmon_report_get(first, s->n, &row))
    s->n++;
  s->decimals = decimals_for(layout->step_seconds);
  s->begin = strdup(layout->begin);
  s->columns = calloc(s->n + 1, sizeof *s->columns);
  if (!s->begin || !s->columns) {
    series_end(s, NULL, NULL);
    return PMON_E_MEMORY;
  }
  s->height = layout->height;
  s->color = layout->color;
  s->previous_seconds = -1;
  if (!fit(s, first, layout)) {
    series_end(s, NULL, NULL);
    s = NULL;
  }
  *ret_series = s;
  return PMON_OK;
}

static void add_right(struct line *l, const char *text, unsigned width)
{
  const unsigned n = columns_of(text);
  line_add(l, "%*s%s", (int)(GAP + (n < width ? width - n : 0)), "", text);
}

/* Prints the header of a block: columns first to end - 1. */
static int write_block_header(struct series *s, uint32_t first, uint32_t end, pmon_sink sink, void *user)
{
  unsigned header = 0;
  int status = 0;
  for (uint32_t i = first; i < end; i++)
    header = s->columns[i].n > header ? s->columns[i].n : header;
  for (unsigned k = 0; !status && k < header; k++) {
    struct line l = {.n = 0};
    line_add(&l, "%*s", (int)time_width(s), k + 1 == header && !first ? "time" : "");
    for (uint32_t i = first; i < end; i++) {
      const struct column *c = &s->columns[i];
      add_right(&l, k + c->n >= header ? c->part[k + c->n - header] : "", c->width);
    }
    status = s->color ? sink(user, "\033[1m", 4) : 0;
    status = status ? status : emit(l.text, l.n, sink, user);
    status = status ? status : sink(user, s->color ? "\033[0m\n" : "\n", s->color ? 5 : 1);
  }
  s->lines += header;
  return status;
}

static uint32_t block_end(const struct series *s, uint32_t first)
{
  return s->n - first < s->per_block ? s->n : first + s->per_block;
}

static int write_header(struct series *s, pmon_sink sink, void *user)
{
  int status = s->begun ? 0 : emit(s->begin, strlen(s->begin), sink, user);
  s->begun = true;
  s->lines = 0;
  for (uint32_t first = 0, end; !status && first < s->n; first = end) {
    end = block_end(s, first);
    status = write_block_header(s, first, end, sink, user);
  }
  return status;
}

/* Returns the number of a footnote; 0: there are too many. */
static uint32_t note_of(struct series *s, const char *reason)
{
  for (uint32_t i = 0; i < s->n_notes; i++)
    if (!strcmp(s->notes[i], reason))
      return i + 1;
  if (s->n_notes < NOTES && (s->notes[s->n_notes] = strdup(reason)))
    return ++s->n_notes;
  s->more_notes = true;
  return 0;
}

static void remove_blanks(char *text)
{
  char *to = text;
  for (; *text; text++)
    if (*text != ' ')
      *to++ = *text;
  *to = 0;
}

static void format_valid(const struct series *s, const struct pmon_report_row *row, char *cell, size_t size)
{
  char text[PMON_REPORT_TEXT], after[PMON_REPORT_TEXT];
  pmon_report_row_text(row, text, after);
  if (!strcmp(text, "unknown,")) /* only the bound fits a column */
    *text = 0;
  if (s->compact) {
    remove_blanks(text);
    remove_blanks(after);
  }
  snprintf(cell, size, "%s%s%s", text, *text && *after && !s->compact ? " " : "", after);
}

/* Formats a value that is wider than its column: in thousands, millions, ... of its unit; if that is still too wide,
 * with the unit's time only ("740,510,000 requests/s" is 740.5 M/s). */
static void format_short(const struct series *s, const struct pmon_report_row *row, unsigned width, char *cell,
                         size_t size)
{
  static const char prefixes[] = " kMGT";
  const size_t length = strlen(row->unit);
  const bool rate = length >= 2 && !strcmp(row->unit + length - 2, "/s");
  struct pmon_report_row scaled = *row;
  char unit[PMON_REPORT_TEXT];
  double factor = 1;
  unsigned p = 0;
  for (const double most = fmax(fabs(row->value.number), fabs(row->value.high));
       most / factor >= 1000 && prefixes[p + 1]; p++)
    factor *= 1000;
  scaled.value.number /= factor;
  scaled.value.sigma /= factor;
  scaled.value.low /= factor;
  scaled.value.high /= factor;
  scaled.deviation /= factor;
  scaled.unit = unit;
  for (int whole = 1; whole >= 0; whole--) {
    snprintf(unit, sizeof unit, "%.*s%s", p > 0, &prefixes[p], whole ? row->unit : rate ? "/s" : "");
    format_valid(s, &scaled, cell, size);
    if (columns_of(cell) <= width)
      return;
  }
}

static void format_cell(struct series *s, const struct pmon_report_row *row, unsigned width, char *cell, size_t size)
{
  if (!row->value.valid) {
    const uint32_t note = note_of(s, row->value.reason);
    snprintf(cell, size, note ? "- [%u]" : "- [+]", note);
    return;
  }
  format_valid(s, row, cell, size);
  if (columns_of(cell) > width && strstr(cell, row->unit)) /* bytes, ratios and Hz are scaled already */
    format_short(s, row, width, cell, size);
}

static void print_time(double seconds, unsigned decimals, char *text, size_t size)
{
  if (seconds * 1e3 + 0.5 * pow(10, -(double)decimals) >= 1e3) /* rounded, it is a second */
    snprintf(text, size, "%.*f s", (int)decimals + (seconds < 100), seconds);
  else
    snprintf(text, size, "%.*f ms", (int)decimals, seconds * 1e3);
}

/* Formats the end of an interval, with more decimals where it has the text of the end before. The last interval is
 * often short. */
static void format_time(const struct series *s, double seconds, char *text, size_t size)
{
  enum { MOST_DECIMALS = 8 };
  char before[PMON_REPORT_TEXT];
  for (unsigned decimals = s->decimals; decimals <= MOST_DECIMALS; decimals++) {
    print_time(seconds, decimals, text, size);
    print_time(s->previous_seconds, decimals, before, sizeof before);
    if (strcmp(text, before))
      return;
  }
}

int series_add(struct series *s, const struct pmon_report *report, double end_seconds, pmon_sink sink, void *user)
{
  struct pmon_report_row row = {.size = sizeof row};
  char cell[2 * PMON_REPORT_TEXT + 2];
  int status = !s->begun || (s->height && s->lines + s->blocks >= s->height) ? write_header(s, sink, user) : 0;
  format_time(s, end_seconds, cell, sizeof cell);
  s->previous_seconds = end_seconds;
  for (uint32_t first = 0, end; !status && first < s->n; first = end) {
    struct line l = {.n = 0};
    end = block_end(s, first);
    line_add(&l, "%*s", (int)time_width(s), first ? "" : cell);
    unsigned excess = (unsigned)l.n - time_width(s); /* of a longer time: the next column's blanks compensate it */
    for (uint32_t i = first; i < end; i++, excess = 0) {
      const unsigned width = s->columns[i].width;
      if (pmon_report_get(report, i, &row))
        return PMON_E_INVALID;
      format_cell(s, &row, width, cell, sizeof cell);
      add_right(&l, cell, excess < width ? width - excess : 0);
    }
    line_add(&l, "\n");
    s->lines++;
    status = emit(l.text, l.n, sink, user);
  }
  return status;
}

int series_end(struct series *s, pmon_sink sink, void *user)
{
  int status = 0;
  if (!s)
    return 0;
  for (uint32_t i = 0; i < s->n_notes; i++) {
    struct line l = {.n = 0};
    line_add(&l, "%s[%u] %s\n", i ? "" : "\n", i + 1, s->notes[i]);
    status = status || !sink ? status : emit(l.text, l.n, sink, user);
    free(s->notes[i]);
  }
  static const char more[] = "[+] other reasons: --csv or --json prints each\n";
  status = status || !sink || !s->more_notes ? status : emit(more, sizeof more - 1, sink, user);
  free(s->begin);
  free(s->columns);
  free(s);
  return status;
}
