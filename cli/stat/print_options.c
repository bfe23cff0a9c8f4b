/* SPDX-License-Identifier: MIT */
/* The options that determine how values are printed: the same for `pmon stat` and `pmon report`. */
#include <string.h>
#include "cli/common/value.h"
#include "cli/stat/output.h"

int stat_output_take_format(struct stat_output *o, enum pmon_format format)
{
  if (o->format != PMON_FORMAT_TEXT && o->format != format)
    return cli_fail(o->cli, "--csv and --json cannot be combined; omit one of them");
  o->format = format;
  return CLI_DONE;
}

static int parse_order(struct stat_output *o, const char *text)
{
  static const char *const names[] = {
      [PMON_ORDER_GIVEN] = "given", [PMON_ORDER_VALUE] = "value", [PMON_ORDER_NAME] = "name"};
  const struct value_words words = {names, sizeof names / sizeof *names};
  uint32_t order = 0;
  int result = value_parse_word(o->cli, "--sort", text, &words, &order);
  if (result == CLI_DONE)
    o->order = (enum pmon_order)order;
  return result;
}

/* long: each value has a line; wide: each value has a column. */
static int take_csv(struct stat_output *o, const char *text)
{
  if (!text || !strcmp(text, "long"))
    return stat_output_take_format(o, PMON_FORMAT_CSV);
  return strcmp(text, "wide") ? cli_fail_word(o->cli, "--csv", text, "long wide")
                              : stat_output_take_format(o, PMON_FORMAT_CSV_WIDE);
}

int stat_output_take_option(struct stat_output *o, int code, const char *value)
{
  switch (code) {
  case CLI_OPTION_CSV: return take_csv(o, value);
  case 'x': return separator_take(o->cli, &o->separator, "-x", value);
  case CLI_OPTION_JSON: return stat_output_take_format(o, PMON_FORMAT_JSON);
  case CLI_OPTION_COLOR: return cli_take_color(o->cli, value);
  case CLI_OPTION_PER_UNIT: o->breakdown |= PMON_BY_INSTANCE; return CLI_DONE;
  case CLI_OPTION_PER_SOCKET: o->breakdown |= PMON_BY_PACKAGE; return CLI_DONE;
  case CLI_OPTION_BY:
    o->by_device = true;
    return strcmp(value, "device") ? cli_fail_word(o->cli, "--by", value, "device") : CLI_DONE;
  case CLI_OPTION_HISTOGRAM: o->histogram = true; return CLI_DONE;
  case CLI_OPTION_SORT: return parse_order(o, value);
  case CLI_OPTION_TOP: return value_parse_count(o->cli, "--top", value, UINT32_MAX, &o->top);
  default: return CLI_USAGE;
  }
}

int stat_output_check(struct stat_output *o)
{
  if (*o->separator.text && o->format == PMON_FORMAT_JSON)
    return cli_fail(o->cli, "-x separates the columns of CSV; omit -x or --json");
  if (*o->separator.text && o->format == PMON_FORMAT_TEXT)
    o->format = PMON_FORMAT_CSV;
  if (o->format == PMON_FORMAT_CSV_WIDE && (o->order != PMON_ORDER_GIVEN || o->top || o->by_device))
    return cli_fail(o->cli,
                    "--csv=wide prints a column for each value, in the order given; omit --sort, --top and --by");
  if (o->histogram && (o->format == PMON_FORMAT_CSV_WIDE || o->order != PMON_ORDER_GIVEN || o->top || o->by_device))
    return cli_fail(o->cli,
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

uint32_t stat_output_default_breakdown(const struct stat_output *o, bool intervals)
{
  return intervals && o->format == PMON_FORMAT_TEXT ? PMON_IN_TOTAL : PMON_BY_PACKAGE | PMON_IN_TOTAL;
}
