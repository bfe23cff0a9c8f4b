/* SPDX-License-Identifier: MIT */
#include "cli/page/plot.h"
#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <pmon/report.h>
#include "cli/page/data.h"
#include "cli/page/gnuplot.h"
#include "cli/page/save.h"
#include "src/base/real.h"

enum { PLOT_WIDTH = 800, PLOT_HEIGHT = 240, PLOT_HEAD = 70, PLOT_CHARTS = 32, PLOT_TITLE = 80 };
/* gnuplot has 8 colours; the curves beyond are dashed. The legend has as many names in a column, and so many columns.
 */
enum { PLOT_COLOURS = 8, PLOT_COLUMNS = 3, PLOT_COLUMN_WIDTH = 12 };

struct plot {
  const struct cli *cli;
  const json_t *run;
  enum plot_kind kind;
  uint32_t breakdown;
  double time_unit; /* in seconds */
  bool more;        /* there are more names than charts */
};

/* Writes a text so that gnuplot does not interpret it: in single quotes, with each quote doubled. */
static void plot_text(FILE *to, const char *s)
{
  fputc('\'', to);
  for (; s && *s; s++) {
    if (*s == '\'')
      fputc('\'', to);
    fputc((unsigned char)*s < ' ' ? ' ' : *s, to);
  }
  fputc('\'', to);
}

/* Returns the scope of a row: PMON_IN_TOTAL, ... */
static uint32_t plot_scope(const json_t *row)
{
  if (!json_is_null(json_object_get(row, "instance")))
    return PMON_BY_INSTANCE;
  return json_is_null(json_object_get(row, "package")) ? PMON_IN_TOTAL : PMON_BY_PACKAGE;
}

static bool is_plotted(const struct plot *p, const json_t *row, const char *name)
{
  const json_t *own = json_object_get(row, "name");
  return plot_scope(row) & p->breakdown && json_is_string(own) && !strcmp(json_string_value(own), name) &&
         json_array_size(json_object_get(row, "over"));
}

static const json_t *plot_middle(const json_t *value)
{
  return json_is_array(value) ? json_array_get(value, 1) : value;
}

static double plot_length(const struct plot *p, size_t i)
{
  return json_number_value(json_array_get(json_object_get(p->run, "lengths"), i));
}

/* Returns the factor of interval `i`: amounts become rates, as on the page. */
static double plot_factor(const struct plot *p, const json_t *row, size_t i)
{
  return json_object_get(row, "rate") && plot_length(p, i) > 0 ? 1 / plot_length(p, i) : 1;
}

/* Returns the largest value of a row; NAN if it has none. */
static double plot_most(const struct plot *p, const json_t *row)
{
  const json_t *value;
  double most = NAN;
  size_t i;
  json_array_foreach(json_object_get(row, "over"), i, value) if (json_is_number(plot_middle(value))) most =
      fmax(most, plot_factor(p, row, i) * json_number_value(json_is_array(value) ? json_array_get(value, 2) : value));
  return most;
}

static double plot_end(const struct plot *p, size_t i)
{
  return json_number_value(json_array_get(json_object_get(p->run, "ends"), i));
}

static void plot_number(FILE *to, double v)
{
  char text[40];
  real_print(text, sizeof text, "%.9g", v);
  fprintf(to, " %s", text);
}

/* Writes the points of a row: time, value, and the limits of its uncertainty. A value holds from the begin of its
 * interval to the end. A missing value becomes a gap, as does time without an interval, of at least a nanosecond. */
static void plot_points(const struct plot *p, FILE *to, const json_t *row, size_t number)
{
  const json_t *over = json_object_get(row, "over"), *v;
  size_t i;
  fprintf(to, "$d%zu << END\n", number);
  json_array_foreach(over, i, v)
  {
    const json_t *middle = plot_middle(v);
    if (!json_is_number(middle)) {
      fputs("\n", to);
      continue;
    }
    const double factor = plot_factor(p, row, i), begin = plot_end(p, i) - plot_length(p, i);
    fputs(i && begin - plot_end(p, i - 1) > 0.5e-9 ? "\n" : "", to);
    for (int end = 0; end < 2; end++) {
      plot_number(to, (end ? plot_end(p, i) : begin) / p->time_unit);
      plot_number(to, factor * json_number_value(middle));
      plot_number(to, factor * json_number_value(json_is_array(v) ? json_array_get(v, 0) : middle));
      plot_number(to, factor * json_number_value(json_is_array(v) ? json_array_get(v, 2) : middle));
      fputs("\n", to);
    }
  }
  fputs("END\n", to);
}

static void plot_curve(const struct plot *p, FILE *to, const json_t *row, size_t number, bool first)
{
  char title[128] = "";
  const char *package = json_string_value(json_object_get(p->run, "package"));
  const char *of = json_string_value(json_object_get(row, "of"));
  const int socket = (int)json_integer_value(json_object_get(row, "package"));
  if (plot_scope(row) == PMON_BY_PACKAGE)
    snprintf(title, sizeof title, "%s %d", package ? package : "socket", socket);
  else if (plot_scope(row) == PMON_BY_INSTANCE)
    snprintf(title, sizeof title, "%s %d.%d", of ? of : "", socket,
             (int)json_integer_value(json_object_get(row, "instance")));
  fprintf(to, "%s$d%zu using 1:3:4 with filledcurves notitle linecolor %zu fillstyle transparent solid 0.2 noborder, ",
          first ? "plot " : ", ", number, number + 1);
  fprintf(to, "$d%zu using 1:2 with lines linecolor %zu dashtype %zu linewidth 1.5 ", number, number + 1,
          number / PLOT_COLOURS % 5 + 1);
  if (*title) {
    fputs("title ", to);
    plot_text(to, title);
  } else {
    fputs("notitle", to);
  }
}

/* Writes the label of a tick, in which gnuplot formats the number: each % is doubled. */
static void plot_label(FILE *to, const char *s)
{
  char text[200];
  size_t n = 0;
  for (; *s && n + 3 < sizeof text; s++) {
    text[n++] = *s;
    if (*s == '%')
      text[n++] = '%';
  }
  text[n] = 0;
  plot_text(to, text);
}

static bool is_one_of(const char *unit, const char *const *list)
{
  while (*list && strcmp(unit, *list))
    list++;
  return *list;
}

/* Writes the ends of the vertical axis and its labels, about five, with a prefix and the unit: 20 GB/s, 20M cycles, but
 * 2000 ns. */
static void plot_axis(FILE *to, double most, const char *unit)
{
  static const char *const prefixes[] = {"", "k", "M", "G", "T", "P"};
  static const char *const symbols[] = {"Hz", "J", "W", NULL}, *const bare[] = {"ns", "MB", "degC", "x", "ratio", NULL};
  const bool ratio = !strcmp(unit, "ratio"), takes_prefix = !is_one_of(unit, bare);
  const double top = most > 0 ? most * 1.05 : 1, size = pow(10, floor(log10(top / 4))), rest = top / 4 / size;
  const double step = size * (rest <= 1 ? 1 : rest <= 2 ? 2 : rest <= 5 ? 5 : 10);
  double scale = ratio ? 0.01 : 1;
  size_t prefix = 0;
  while (takes_prefix && top / scale >= 1000 && prefix + 1 < sizeof prefixes / sizeof *prefixes) {
    scale *= 1000;
    prefix++;
  }
  const bool bytes = !strncmp(unit, "bytes", 5);
  const char *const word = ratio ? "%" : bytes ? unit + 5 : unit;
  const bool attached = bytes || is_one_of(unit, symbols); /* the prefix, to the unit */
  const char *const blank = bytes || (*word && *word != '/') ? " " : "";
  char number[40], label[96];
  fputs("set yrange [0:", to);
  plot_number(to, top);
  fputs("]\nset ytics (", to);
  for (int i = 0; i * step <= top; i++) {
    real_print(number, sizeof number, "%.6g", i * step / scale);
    snprintf(label, sizeof label, "%s%s%s%s%s%s", number, attached ? blank : "", prefixes[prefix],
             attached ? "" : blank, bytes ? "B" : "", word);
    fputs(i ? ", " : "", to);
    plot_label(to, label);
    plot_number(to, i * step);
  }
  fputs(") noenhanced\n", to);
}

/* Writes the chart of a name, with a curve for each row. */
static void plot_chart(const struct plot *p, FILE *to, const json_t *first)
{
  const char *name = json_string_value(json_object_get(first, "name"));
  const json_t *rate = json_object_get(first, "rate");
  const char *unit = json_string_value(rate ? rate : json_object_get(first, "unit"));
  const json_t *rows = json_object_get(p->run, "rows"), *row;
  size_t i, n = 0, drawn = 0;
  double most = 0;
  json_array_foreach(rows, i, row) if (is_plotted(p, row, name))
  {
    plot_points(p, to, row, n++);
    most = fmax(most, plot_most(p, row));
  }
  plot_axis(to, most, unit ? unit : "");
  fputs("set title ", to);
  plot_text(to, name);
  fputs(" noenhanced\n", to);
  n = 0;
  json_array_foreach(rows, i, row) if (is_plotted(p, row, name))
  {
    if (!isnan(plot_most(p, row)))
      plot_curve(p, to, row, n, !drawn++);
    n++;
  }
  fputs(drawn ? "\n" : "plot NaN title 'no data'\n", to);
}

/* Returns how many columns the names of a chart's curves need in the legend; 0: it has none. The total has no name, and
 * more names than fit are left out. */
static size_t plot_columns(const struct plot *p, const json_t *first)
{
  const char *name = json_string_value(json_object_get(first, "name"));
  const json_t *row;
  size_t i, n = 0;
  json_array_foreach(json_object_get(p->run, "rows"), i, row) n +=
      is_plotted(p, row, name) && !isnan(plot_most(p, row));
  const size_t columns = p->breakdown == PMON_IN_TOTAL ? 0 : (n + PLOT_COLOURS - 1) / PLOT_COLOURS;
  return columns <= PLOT_COLUMNS ? columns : 0;
}

/* Finds the names that have points, and the first row of each. Returns their number. */
static size_t plot_names(struct plot *p, const json_t *first[PLOT_CHARTS])
{
  const json_t *row;
  size_t i, n = 0;
  json_array_foreach(json_object_get(p->run, "rows"), i, row)
  {
    const char *name = json_string_value(json_object_get(row, "name"));
    bool fresh = name && is_plotted(p, row, name);
    for (size_t k = 0; fresh && k < n; k++)
      fresh = strcmp(json_string_value(json_object_get(first[k], "name")), name) != 0;
    if (fresh && n < PLOT_CHARTS)
      first[n++] = row;
    p->more |= fresh && first[n - 1] != row;
  }
  return n;
}

/* Writes what was measured, in two lines: the command, truncated if it is long, and the host; an emulated machine is
 * marked as such. The second line also has the number of recorded intervals that were added up. */
static void plot_headline(const struct plot *p, FILE *to)
{
  const char *const machine = json_string_value(json_object_get(p->run, "machine"));
  const char *const host = json_string_value(json_object_get(p->run, "host"));
  const char *const command = json_string_value(json_object_get(p->run, "command"));
  const char *const platform = json_string_value(json_object_get(p->run, "platform"));
  const json_int_t step = json_integer_value(json_object_get(p->run, "step"));
  char text[256], place[200];
  const bool cut = command && strlen(command) > PLOT_TITLE;
  snprintf(text, sizeof text, "%.*s%s", PLOT_TITLE, command ? command : "", cut ? "..." : "");
  plot_text(to, text);
  if (machine)
    snprintf(place, sizeof place, "EMULATED: %s on pmon's %s machine", platform ? platform : "", machine);
  else
    snprintf(place, sizeof place, "%s%s%s", platform ? platform : "", host ? " on " : "", host ? host : "");
  if (step > 1)
    snprintf(text, sizeof text, "%s; %" JSON_INTEGER_FORMAT " recorded intervals a step", place, step);
  else
    snprintf(text, sizeof text, "%s", place);
  fputs(command && *command ? ".\"\\n\"." : ".", to);
  plot_text(to, text);
}

/* Writes the script. Returns false if there is nothing to draw. */
static bool plot_script(struct plot *p, FILE *to)
{
  const json_t *first[PLOT_CHARTS];
  const size_t n = plot_names(p, first);
  const json_t *const ends = json_object_get(p->run, "ends");
  const double end = json_array_size(ends) ? json_number_value(json_array_get(ends, json_array_size(ends) - 1)) : 0;
  static const char *const terminals[] = {
      [PLOT_SVG] = "svg size %d,%zu dynamic font 'sans-serif,12'", [PLOT_PNG] = "pngcairo size %d,%zu font 'sans,12'"};
  char terminal[80];
  size_t columns = 0;
  if (!n)
    return false;
  for (size_t i = 0; i < n; i++) {
    const size_t own = plot_columns(p, first[i]);
    columns = own > columns ? own : columns;
  }
  p->time_unit = end < 1e-3 ? 1e-6 : end < 1 ? 1e-3 : 1;
  snprintf(terminal, sizeof terminal, terminals[p->kind], PLOT_WIDTH, (size_t)PLOT_HEAD + n * PLOT_HEIGHT);
  fprintf(to, "set encoding utf8\nset terminal %s\nset datafile missing\nset grid\n", terminal);
  fprintf(to, "set lmargin 12\nset rmargin %zu\nset xlabel '%s'\nset xrange [0:%g]\n",
          columns ? 2 + PLOT_COLUMN_WIDTH * columns : 4,
          end < 1e-3 ? "us"
          : end < 1  ? "ms"
                     : "s",
          end / p->time_unit);
  fprintf(to, "set multiplot layout %zu,1 title ", n);
  plot_headline(p, to);
  fputs(" noenhanced\n", to);
  for (size_t i = 0; i < n; i++) {
    fputs(plot_columns(p, first[i]) ? "set key outside right font ',9' samplen 2 maxrows 8\n" : "unset key\n", to);
    plot_chart(p, to, first[i]);
  }
  fputs("unset multiplot\n", to);
  return true;
}

static bool plot_draw(FILE *to, void *user)
{
  struct plot *p = user;
  const int fd = memfd_create("plot", MFD_CLOEXEC);
  FILE *const script = fd < 0 ? NULL : fdopen(fd, "w+");
  int wait = 0, error = script ? 0 : errno;
  if (!error && !plot_script(p, script)) {
    cli_fail(p->cli, "nothing to draw over time: the recording has no intervals; record it with -I");
    fclose(script);
    errno = 0;
    return false;
  }
  if (!error && (fflush(script) || lseek(fd, 0, SEEK_SET)))
    error = errno;
  if (!error)
    error = gnuplot_run(fd, to, &wait);
  if (script)
    fclose(script);
  if (error == ENOENT)
    cli_fail(p->cli, "gnuplot, which draws plots, is not installed: install gnuplot-nox, or use --html");
  else if (!error && wait)
    cli_fail(p->cli, "gnuplot ended with status %d", WIFEXITED(wait) ? WEXITSTATUS(wait) : 128 + WTERMSIG(wait));
  errno = error == ENOENT ? 0 : error;
  return !error && !wait;
}

int plot_write(struct cli *cli, const struct page_request *request, enum plot_kind kind, uint32_t breakdown,
               const char *path)
{
  int result = page_check_path(cli, request, path);
  json_t *const data = result == CLI_DONE ? page_data(cli, request, &result) : NULL;
  if (!data)
    return result;
  struct plot p = {cli, json_array_get(json_object_get(data, "runs"), 0), kind, breakdown, 1, false};
  out_flush(&cli->out);
  result = page_save(cli, path, plot_draw, &p);
  if (result == CLI_DONE && p.more)
    cli_warn(cli, "only the first %d values are drawn; select others with -m, -g or -e", PLOT_CHARTS);
  json_decref(data);
  return result;
}
