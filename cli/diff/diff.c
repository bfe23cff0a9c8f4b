/* SPDX-License-Identifier: MIT */
/* `pmon diff`: differences between measurements, and whether they exceed the uncertainty. */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include "cli/common/value.h"
#include "cli/diff/diff.h"
#include "cli/page/page.h"

enum {
  CODE_CSV = CLI_OPTION_OWN,
  CODE_JSON,
  CODE_COLOR,
  CODE_PER_UNIT,
  CODE_PER_SOCKET,
  CODE_PER_SECOND,
  CODE_SORT,
  CODE_BACKEND,
  CODE_FAIL_IF,
  CODE_HTML
};
enum { SIDES = 16, BUDGETS = 32, RUNS = 5, MOST_RUNS = 10000 };

struct diff_run {
  struct cli *cli;
  struct diff_request request;
  struct pmon_comparison_options options;
  struct diff_side sides[SIDES];
  uint32_t n, runs;
  struct budget budgets[BUDGETS];
  uint32_t n_budgets;
  enum pmon_format format;
  const char *html;
  bool help;
};

static int take_sort(struct diff_run *d, const char *value)
{
  d->options.given_order = !strcmp(value, "given");
  return d->options.given_order || !strcmp(value, "change") ? CLI_DONE
                                                            : cli_fail_word(d->cli, "--sort", value, "change given");
}

/* Takes an option of the measurement: the same for all sides, each of which has its own machine. */
static int side_take_option(struct stat_run *s, int code, const char *value)
{
  switch (code) {
  case CODE_BACKEND: return stat_source_parse_access_method(s->cli, &s->source, value);
  case CLI_OPTION_RESCTRL_GROUP:
  case CLI_OPTION_RESCTRL_NEW: stat_source_take_group(&s->source, code, value); return CLI_DONE;
  default: return target_take(s->cli, &s->target, code, value);
  }
}

static int diff_take_option(struct diff_run *d, int code, const char *value)
{
  switch (code) {
  case 'h': d->help = true; return CLI_DONE;
  case 'p': d->cli->platform_name = value; return CLI_DONE;
  case 'e': return cli_take_list(d->cli, &d->request.lists.events, value);
  case 'm': return cli_take_list(d->cli, &d->request.lists.metrics, value);
  case 'g': return cli_take_list(d->cli, &d->request.lists.groups, value);
  case 'r': return value_parse_count(d->cli, "-r", value, MOST_RUNS, &d->runs);
  case CODE_CSV:
  case CODE_JSON:
    return stat_output_take_format(&d->sides[0].stat.output, code == CODE_CSV ? PMON_FORMAT_CSV : PMON_FORMAT_JSON);
  case CODE_COLOR: return cli_take_color(d->cli, value);
  case CODE_PER_UNIT: d->request.breakdown |= PMON_BY_INSTANCE; return CLI_DONE;
  case CODE_PER_SOCKET: d->request.breakdown |= PMON_BY_PACKAGE; return CLI_DONE;
  case CODE_PER_SECOND: d->options.per_second = true; return CLI_DONE;
  case CODE_HTML: d->html = value; return CLI_DONE;
  case CODE_SORT: return take_sort(d, value);
  case CODE_FAIL_IF:
    return d->n_budgets == BUDGETS ? cli_fail(d->cli, "--fail-if: at most %d limits", BUDGETS)
                                   : budget_parse(d->cli, value, &d->budgets[d->n_budgets++]);
  default: break;
  }
  int result = CLI_DONE;
  for (uint32_t i = 0; result == CLI_DONE && i < SIDES; i++)
    result = side_take_option(&d->sides[i].stat, code, value);
  return result;
}

static int select_platform(struct diff_run *d, int argc, char **argv)
{
  struct stat_run *const first = &d->sides[0].stat;
  int result = stat_source_read_platform(d->cli, &first->source, &first->target, argc, argv);
  for (uint32_t i = 1; result == CLI_DONE && i < SIDES; i++)
    result = target_platform(d->cli, &d->sides[i].stat.target, d->cli->platform_name);
  return result;
}

/* Takes commands, each after its own "--". */
static int take_commands(struct diff_run *d, char **words)
{
  struct stat_run *s = NULL;
  bool begins = true;
  for (; *words; words++) {
    if (!begins && !strcmp(*words, "--")) {
      *words = NULL; /* the end of the command before it */
      begins = true;
      continue;
    }
    if (begins && d->n == SIDES)
      return cli_fail(d->cli, "at most %d commands can be compared", SIDES);
    if (begins) {
      s = &d->sides[d->n++].stat;
      s->target.argv = words;
      s->repeats.runs = d->runs;
    }
    begins = false;
  }
  return d->n >= 2 ? CLI_DONE
                   : cli_fail(d->cli, "expected two commands: pmon diff -- OLD [ARGUMENT...] -- NEW "
                                      "[ARGUMENT...]");
}

static int diff_read_options(struct diff_run *d, int argc, char **argv)
{
  int c, result = select_platform(d, argc, argv);
  optind = 0;
  while (result == CLI_DONE && !d->help && (c = cli_getopt(d->cli, argc, argv)) != -1)
    result = diff_take_option(d, c, optarg);
  d->format = d->sides[0].stat.output.format;
  return result;
}

static int read_recordings(struct diff_run *d, char **paths, int n)
{
  if (n < 2)
    return cli_fail_missing(d->cli, n ? "the second FILE" : "FILE");
  if (n > SIDES)
    return cli_fail(d->cli, "at most %d recordings can be compared", SIDES);
  int result = CLI_DONE;
  for (d->n = 0; result == CLI_DONE && d->n < (uint32_t)n; d->n++)
    result = diff_load(&d->sides[d->n], paths[d->n], &d->request);
  return result;
}

static int diff_write(void *user, const char *bytes, size_t n)
{
  struct cli *cli = user;
  out_bytes(&cli->out, bytes, n);
  return 0;
}

/* Compares the first side with the i-th. */
static int print_one(struct diff_run *d, uint32_t i)
{
  const struct pmon_side a = diff_side_of(&d->sides[0]), b = diff_side_of(&d->sides[i]);
  struct pmon_comparison *c = NULL;
  int result = CLI_DONE, status = pmon_comparison_new(&a, &b, &d->options, &c);
  if (!status && d->format == PMON_FORMAT_CSV && i == 1)
    status = pmon_comparison_format(c, PMON_FORMAT_CSV_HEADER, diff_write, d->cli);
  if (!status && d->format == PMON_FORMAT_TEXT && i > 1)
    status = diff_write(d->cli, "\n", 1);
  if (!status)
    status = pmon_comparison_format(c, d->format, diff_write, d->cli);
  if (status)
    result = cli_fail(d->cli, "the comparison cannot be printed: %s", cli_status_text(status));
  out_flush(&d->cli->out);
  for (uint32_t k = 0; result != CLI_USAGE && k < d->n_budgets; k++) {
    const int one = budget_check(d->cli, &d->budgets[k], c);
    result = one ? one : result;
  }
  pmon_comparison_free(c);
  return result;
}

static int print_all(struct diff_run *d)
{
  int result = CLI_DONE;
  d->options.size = sizeof d->options;
  d->options.columns = cli_width();
  d->options.color = d->cli->out.color;
  for (uint32_t i = 1; result != CLI_USAGE && i < d->n; i++) {
    const int one = print_one(d, i);
    result = one ? one : result;
  }
  return result;
}

static int diff_all(struct diff_run *d, int argc, char **argv)
{
  const bool commands = optind > 1 && !strcmp(argv[optind - 1], "--");
  if (!d->request.breakdown)
    d->request.breakdown = PMON_IN_TOTAL;
  int result = CLI_DONE;
  if (commands && d->html)
    return cli_fail(d->cli, "--html needs recordings; give two files of pmon stat --record");
  if (commands) {
    result = cli_platform(d->cli) ? take_commands(d, argv + optind) : CLI_USAGE;
    if (result == CLI_DONE)
      result = diff_measure(d->sides, d->n, &d->request);
  } else if (d->runs != RUNS) {
    result = cli_fail(d->cli, "-r repeats commands and does not apply to recordings; omit it");
  } else if ((result = stat_source_refuse_group(d->cli, &d->sides[0].stat.source, "recordings")) == CLI_DONE) {
    result = read_recordings(d, argv + optind, argc - optind);
  }
  if (result == CLI_DONE && d->html) {
    const struct page_request page = {.paths = (const char *const *)(argv + optind),
                                      .n_paths = (uint32_t)(argc - optind),
                                      .events = d->request.lists.events,
                                      .metrics = d->request.lists.metrics,
                                      .groups = d->request.lists.groups};
    result = page_write(d->cli, &page, d->html);
  }
  return result == CLI_DONE ? print_all(d) : result;
}

static const struct cli_option diff_options[] = {
    {"event", 'e', "LIST", "events, separated by commas", CLI_EVENTS, NULL},
    {"metric", 'm', "LIST", "metrics by name, or NAME=EQUATION (default: those of the recordings, or the platform's)",
     CLI_METRICS, NULL},
    CLI_GROUP_OPTION,
    {"repeat", 'r', "N", "measure each command N times, alternately (default 5)", CLI_TEXT, NULL},
    CLI_FLAG("per-socket", CODE_PER_SOCKET, "compare each socket separately"),
    CLI_FLAG("per-unit", CODE_PER_UNIT, "compare each instance of the units separately: channels, slices, links"),
    CLI_FLAG("per-second", CODE_PER_SECOND, "compare counts per second of measured time"),
    {"sort", CODE_SORT, "KEY", "change (most significant first) or given", CLI_WORDS, "change given"},
    {"fail-if", CODE_FAIL_IF, "LIMIT",
     "exit with 1 if a value is certainly beyond LIMIT: 'NAME > +5%' (its change in percent), 'NAME < -2e9' (its "
     "change "
     "in its unit), or 'NAME > 1e9' (its value); may be repeated",
     CLI_TEXT, NULL},
    {"html", CODE_HTML, "FILE", "also write a page with the comparison and both recordings", CLI_FILE, NULL},
    CLI_FLAG("csv", CODE_CSV, "print one line for each value"),
    CLI_FLAG("json", CODE_JSON, "print one JSON object for each comparison"),
    {"color", CODE_COLOR, "WHEN", "auto (on terminals unless NO_COLOR is set), always or never", CLI_WORDS,
     "auto always never"},
    {"backend", CODE_BACKEND, "NAME", "access method for commands: perf, direct, machine, or auto", CLI_WORDS,
     "auto perf direct machine"},
    CLI_OPTION_END,
};

static int run_diff(struct cli *cli, int argc, char **argv)
{
  struct diff_run *d = calloc(1, sizeof *d);
  if (!d)
    return cli_fail_memory(cli);
  d->cli = cli;
  d->runs = RUNS;
  for (uint32_t i = 0; i < SIDES; i++) {
    stat_run_init(&d->sides[i].stat, cli);
  }
  int result = diff_read_options(d, argc, argv);
  if (result == CLI_DONE && d->help)
    cli_help(cli);
  else if (result == CLI_DONE)
    result = diff_all(d, argc, argv);
  for (uint32_t i = 0; i < SIDES; i++)
    diff_side_fini(&d->sides[i]);
  for (uint32_t i = 0; i < d->n_budgets; i++)
    free(d->budgets[i].name);
  free(d);
  return result;
}

const struct cli_command diff_command = {
    .name = "diff",
    .arguments = "FILE FILE... | -- OLD -- NEW",
    .brief = "compare recordings or commands: changes and their significance",
    .run = run_diff,
    .options = {{diff_options, NULL}, {stat_group_options, NULL}, {target_shape_options, NULL}, {NULL, NULL}},
    .notes = "Example: pmon diff -r 2 -- sort build/demo.txt -- sort -r build/demo.txt\n",
    .value = CLI_FILE,
};
