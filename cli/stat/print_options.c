/* SPDX-License-Identifier: MIT */
/* The options that determine how values are printed: the same for `pmon stat` and `pmon report`. */
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "cli/stat/stat.h"

int stat_take_format(struct stat_run *s, enum pmon_format format)
{
  if (s->format != PMON_FORMAT_TEXT && s->format != format)
    return cli_fail(s->cli, "--csv and --json cannot be combined; omit one of them");
  s->format = format;
  return CLI_DONE;
}

int stat_read_count(struct stat_run *s, const char *option, uint32_t most, uint32_t *ret)
{
  const char *const text = optarg;
  char *end;
  unsigned long long v = strtoull(text, &end, 10);
  if (end == text || *end || *text == '-' || !v || v > most) {
    char expected[40];
    snprintf(expected, sizeof expected, "a number from 1 to %" PRIu32, most);
    return cli_fail_value(s->cli, option, text, expected);
  }
  *ret = (uint32_t)v;
  return CLI_DONE;
}

int stat_parse_word(struct stat_run *s, const char *option, const char *text, const char *const *words, uint32_t n,
                    uint32_t *ret)
{
  char list[160];
  for (uint32_t i = 0; i < n; i++)
    if (words[i] && !strcmp(text, words[i])) {
      *ret = i;
      return CLI_DONE;
    }
  return cli_fail_value(s->cli, option, text, cli_format_words(words, n, list, sizeof list));
}

static int parse_order(struct stat_run *s, const char *text)
{
  static const char *const names[] = {
      [PMON_ORDER_GIVEN] = "given", [PMON_ORDER_VALUE] = "value", [PMON_ORDER_NAME] = "name"};
  uint32_t order = 0;
  int result = stat_parse_word(s, "--sort", text, names, sizeof names / sizeof *names, &order);
  if (result == CLI_DONE)
    s->order = (enum pmon_order)order;
  return result;
}

/* long: each value has a line; wide: each value has a column. */
static int take_csv(struct stat_run *s, const char *text)
{
  if (!text || !strcmp(text, "long"))
    return stat_take_format(s, PMON_FORMAT_CSV);
  return strcmp(text, "wide") ? cli_fail_word(s->cli, "--csv", text, "long wide")
                              : stat_take_format(s, PMON_FORMAT_CSV_WIDE);
}

int stat_take_print_option(struct stat_run *s, int code, const char *value)
{
  switch (code) {
  case CLI_OPTION_CSV: return take_csv(s, value);
  case 'x': return separator_take(s->cli, &s->separator, "-x", value);
  case CLI_OPTION_JSON: return stat_take_format(s, PMON_FORMAT_JSON);
  case CLI_OPTION_COLOR: return cli_take_color(s->cli, value);
  case CLI_OPTION_PER_UNIT: s->breakdown |= PMON_BY_INSTANCE; return CLI_DONE;
  case CLI_OPTION_PER_SOCKET: s->breakdown |= PMON_BY_PACKAGE; return CLI_DONE;
  case CLI_OPTION_BY:
    s->by_device = true;
    return strcmp(value, "device") ? cli_fail_word(s->cli, "--by", value, "device") : CLI_DONE;
  case CLI_OPTION_HISTOGRAM: s->wants_histogram = true; return CLI_DONE;
  case CLI_OPTION_SORT: return parse_order(s, value);
  case CLI_OPTION_TOP: return stat_read_count(s, "--top", UINT32_MAX, &s->top);
  default: return CLI_USAGE;
  }
}

int stat_check_print_options(struct stat_run *s)
{
  if (*s->separator.text && s->format == PMON_FORMAT_JSON)
    return cli_fail(s->cli, "-x separates the columns of CSV; omit -x or --json");
  if (*s->separator.text && s->format == PMON_FORMAT_TEXT)
    s->format = PMON_FORMAT_CSV;
  if (s->format == PMON_FORMAT_CSV_WIDE && (s->order != PMON_ORDER_GIVEN || s->top || s->by_device))
    return cli_fail(s->cli,
                    "--csv=wide prints a column for each value, in the order given; omit --sort, --top and --by");
  if (s->wants_histogram &&
      (s->format == PMON_FORMAT_CSV_WIDE || s->order != PMON_ORDER_GIVEN || s->top || s->by_device))
    return cli_fail(s->cli,
                    "--histogram prints the distribution of each value; omit --csv=wide, --sort, --top and --by");
  return CLI_DONE;
}

const struct cli_option stat_print_options[] = {
    CLI_FLAG("per-socket", CLI_OPTION_PER_SOCKET, "report each socket separately"),
    CLI_FLAG("per-unit", CLI_OPTION_PER_UNIT, "report each instance of the units separately"),
    {"by", CLI_OPTION_BY, "device", "report I/O values by the devices behind the ports of I/O stacks", CLI_WORDS,
     "device"},
    {"sort", CLI_OPTION_SORT, "KEY", "value (largest first), name or given", CLI_WORDS, "value name given"},
    {"top", CLI_OPTION_TOP, "N", "only the first N instances of each name, or the first N names", CLI_TEXT, NULL},
    CLI_FLAG("histogram", CLI_OPTION_HISTOGRAM,
             "print how each value is distributed over the intervals, instead of each interval"),
    {"csv", CLI_OPTION_CSV, "[=FORM]", "print one line for each value (long, the default), or a column for each (wide)",
     CLI_WORDS, "long wide"},
    {"field-separator", 'x', "SEP", "print CSV with SEP between the columns instead of a comma: ';', '|', '\\t'",
     CLI_TEXT, NULL},
    CLI_FLAG("json", CLI_OPTION_JSON, "print one JSON object for each report"),
    {"color", CLI_OPTION_COLOR, "WHEN", "auto (on terminals unless NO_COLOR is set), always or never", CLI_WORDS,
     "auto always never"},
    CLI_OPTION_END,
};

uint32_t stat_default_breakdown(const struct stat_run *s, bool intervals)
{
  return intervals && s->format == PMON_FORMAT_TEXT ? PMON_IN_TOTAL : PMON_BY_PACKAGE | PMON_IN_TOTAL;
}
