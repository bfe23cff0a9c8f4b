/* SPDX-License-Identifier: MIT */
/* `pmon sample`: shows where events happen, from the processor's sample buffers, which it reads at every N-th count of
 * an event. */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "cli/common/value.h"
#include "cli/sample/code.h"
#include "cli/sample/sample.h"
#include "cli/stat/measure.h"
#include "cli/target/stream.h"
#include "machine/model.h"

enum { CODE_CSV = CLI_OPTION_OWN, CODE_JSON, CODE_TOP, CODE_SOURCE, CODE_CHECK, CODE_JOURNAL, CODE_LOG, CODE_ANNOTATE };
static const uint64_t POLL_NS = 100000; /* time after which threads are checked if no overflow ends a wait */

static int sample_take_option(struct sample_run *r, int code, const char *value)
{
  struct stat_run *s = &r->stat;
  switch (code) {
  case 'p': s->cli->platform_name = value; return CLI_DONE;
  case 'e': r->event = value; return CLI_DONE;
  case 'c': return value_parse_count(s->cli, "-c", value, UINT32_MAX, &r->count);
  case 'o': s->output.path = strcmp(value, "-") ? value : NULL; return CLI_DONE;
  case CODE_SOURCE: r->source_text = value; return CLI_DONE;
  case CODE_CSV:
  case CODE_JSON: return stat_output_take_format(&s->output, code == CODE_CSV ? PMON_FORMAT_CSV : PMON_FORMAT_JSON);
  case CODE_TOP: return value_parse_count(s->cli, "--top", value, UINT32_MAX, &r->top);
  case CODE_CHECK: s->checks.given = true; return CLI_DONE;
  case CODE_JOURNAL: return stat_files_parse_journal(s->cli, &s->files, value);
  case CODE_LOG: s->files.log_path = value; return CLI_DONE;
  case CODE_ANNOTATE: r->annotate = true; return CLI_DONE;
  default:
    return code == TARGET_BUNDLES || code == TARGET_GENERATE || code == TARGET_SET
               ? target_take(s->cli, &s->target, code, value)
               : CLI_USAGE;
  }
}

static int sample_read_options(struct sample_run *r, int argc, char **argv, bool *ret_help)
{
  struct cli *cli = r->stat.cli;
  int c, result = CLI_DONE;
  optind = 0;
  while (result == CLI_DONE && (c = cli_getopt(cli, argc, argv)) != -1) {
    if (c == 'h') {
      cli_help(cli);
      *ret_help = true;
      return CLI_DONE;
    }
    result = sample_take_option(r, c, optarg);
  }
  struct target_options *target = &r->stat.target;
  if (result == CLI_DONE && optind < argc)
    target->argv = argv + optind;
  if (result == CLI_DONE && target->argv && !stream_is_wanted(target, target_model(cli)))
    return cli_fail(cli,
                    "%s: commands cannot be sampled on this platform; use -p %s, with a program for that processor",
                    argv[optind], model_for_input(MODEL_CODE)->name);
  if (result == CLI_DONE && (target->argv != NULL) + (target->bundles != NULL) + (target->generate != NULL) != 1)
    return cli_fail(cli, "expected exactly one input; give -- PROGRAM, --bundles FILE or --generate NAME");
  if (result == CLI_DONE && r->annotate && !target->argv)
    return cli_fail(cli, "--annotate: no code to print; give -- PROGRAM");
  return result == CLI_DONE && !cli_platform(cli) ? CLI_USAGE : result;
}

/* Saves a sample for the tables, or prints it. */
static void sample_on_record(void *user, const struct pmon_sample *sample)
{
  struct sample_run *r = user;
  if (r->stat.output.format != PMON_FORMAT_TEXT) {
    sample_print_record(r, sample);
    return;
  }
  if (r->n == r->cap) {
    const size_t cap = r->cap ? 2 * r->cap : 1024;
    struct pmon_sample *grown = realloc(r->samples, cap * sizeof *grown);
    r->failed |= !grown;
    if (!grown)
      return;
    r->samples = grown;
    r->cap = cap;
  }
  r->samples[r->n++] = *sample;
}

static void sample_print_text(struct sample_run *r)
{
  sample_print_tables(r);
  if (r->annotate)
    sample_code_annotate(r);
}

static void sample_print_all(struct stat_run *s)
{
  char loss[512];
  if (s->output.format == PMON_FORMAT_TEXT) {
    sample_print_text(s->samples.user);
    return;
  }
  sample_print_header(s->samples.user);
  if (sample_describe_loss(s->samples.user, loss, sizeof loss))
    cli_note(s->cli, "%s", loss);
}

/* Fails because the platform lacks the source, and names a model that has it. */
static int sample_fail_unsupported(struct cli *cli, const char *text)
{
  const size_t n = strcspn(text, "=");
  uint32_t kind = PMON_SOURCE_NOTHING + 1;
  while (kind < PMON_SOURCE_N &&
         (strlen(pmon_sample_source_name(kind)) != n || strncasecmp(pmon_sample_source_name(kind), text, n)))
    kind++;
  const struct processor_model *model = model_for_source(kind);
  if (!model)
    return cli_fail_context(cli, NULL);
  return cli_fail(cli, "%s; %s supports it: -p %s", pmon_context_error(cli->context), model->name, model->name);
}

/* The plan contains only the sampled event. */
static int plan_sampling(struct sample_run *r)
{
  struct stat_run *s = &r->stat;
  char every[400];
  r->wanted.size = sizeof r->wanted;
  const int status = pmon_sample_source_parse(s->cli->context, s->cli->platform, r->source_text, &r->wanted);
  if (status)
    return status == PMON_E_UNSUPPORTED ? sample_fail_unsupported(s->cli, r->source_text)
                                        : cli_fail_context(s->cli, NULL);
  if (!r->event)
    r->event = pmon_sample_source_event(r->wanted.kind);
  if ((size_t)snprintf(every, sizeof every, "%u,%s", r->count, r->event) >= sizeof every)
    return cli_fail(s->cli, "-e: the event's name is too long");
  int result = stat_times_parse_every(s->cli, &s->source.hardware, &s->wanted, &s->times, every);
  if (result == CLI_DONE && pmon_plan_schedule(s->wanted.plan))
    result = cli_fail_context(s->cli, NULL);
  return result;
}

static const struct cli_option sample_options[] = {
    {"source", CODE_SOURCE, "KIND[=FILTER]",
     "sample source (default: dcache): dcache[=CYCLES], dtlb[=LEVELS], alat, icache[=CYCLES], itlb[=LEVELS], "
     "branches[=KINDS], addresses[=CYCLES]",
     CLI_SOURCE, NULL},
    {"event", 'e', "EVENT", "sample at overflows of EVENT (default: the event of the sample source)", CLI_EVENT, NULL},
    {"count", 'c', "N", "counts between two samples (default 100)", CLI_TEXT, NULL},
    {"top", CODE_TOP, "N", "lines of a table (default 10)", CLI_TEXT, NULL},
    CLI_FLAG("csv", CODE_CSV, "print the sample records, one per line"),
    CLI_FLAG("json", CODE_JSON, "print the sample records as JSON objects"),
    {"output", 'o', "FILE", "write to FILE instead of standard output", CLI_FILE, NULL},
    CLI_FLAG("annotate", CODE_ANNOTATE, "print the code of sampled functions, with the samples of each bundle"),
    CLI_FLAG("check", CODE_CHECK, "check every access against the programming rules"),
    {"journal", CODE_JOURNAL, "[=FILE]", "save register contents for pmon restore (default: in $XDG_RUNTIME_DIR)",
     CLI_FILE, NULL},
    {"log", CODE_LOG, "FILE", "write every register access to FILE", CLI_NEW_FILE, NULL},
    CLI_OPTION_END,
};

static int run_sample(struct cli *cli, int argc, char **argv)
{
  struct sample_run r = {.source_text = "dcache", .count = SAMPLE_COUNT, .top = SAMPLE_TOP};
  bool help = false;
  stat_run_init(&r.stat, cli);
  int result = sample_read_options(&r, argc, argv, &help);
  if (result == CLI_DONE && !help)
    result = plan_sampling(&r);
  if (result == CLI_DONE && !help) {
    stat_names_describe_command(&r.stat.names, &r.stat.target);
    r.stat.samples = (struct stat_samples){
        .source = &r.wanted, .poll_ns = POLL_NS, .add = sample_on_record, .user = &r, .print = sample_print_all};
    sample_code_open(&r);
    result = stat_measure(&r.stat);
    sample_code_close(&r);
  }
  if (r.failed) {
    cli_fail(cli, "no memory: only the first %zu samples are reported", r.n);
    result = CLI_FAILED;
  }
  free(r.samples);
  stat_run_fini(&r.stat);
  return result;
}

const struct cli_command sample_command = {
    .name = "sample",
    .arguments = "-- PROGRAM [ARGUMENT...]",
    .brief = "sample misses and branches: addresses and latencies",
    .run = run_sample,
    .options = {{sample_options, NULL}, {target_stream_options, NULL}, {target_set_options, NULL}, {NULL, NULL}},
    .notes = "Example: pmon -p montecito sample --source dcache=16 --generate chase:20000\n",
};
