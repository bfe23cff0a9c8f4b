/* SPDX-License-Identifier: MIT */
#include "cli/machine/log.h"

#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "cli/common/findings.h"
#include "cli/target/target.h"
#include "machine/check/log.h"
#include "machine/montecito/machine.h"

enum { ERROR_SIZE = 512, SHOWN = 20, FS_PER_NS = 1000000 };

struct log_options {
  struct target_options target;
  bool json;
  int n;
  char **args;
};

static int log_read_file(struct cli *cli, const char *path, struct access_log *log)
{
  char error[ERROR_SIZE] = "";
  int status = log_load(path, error, sizeof error, log);
  if (!status)
    return CLI_DONE;
  cli_fail(cli, "%s", error);
  return cli_exit_code(status);
}

/* Fails if the log has no access: a check or a replay of it would succeed without having examined anything. */
static int log_need_access(struct cli *cli, const char *path, const struct access_log *log)
{
  for (size_t i = 0; i < log->n; i++)
    if (log->at[i].kind < LOG_WAIT)
      return CLI_DONE;
  return cli_fail(cli, "%s: the log has no register access", path);
}

/* Selects the platform of the log, unless -p names one; `target`, unless it is NULL, becomes a machine of that
 * platform. */
static int log_take_platform(struct cli *cli, const char *path, const struct access_log *log,
                             struct target_options *target)
{
  int result = *log->platform ? cli_platform_of_file(cli, path, log->platform) : CLI_DONE;
  if (result == CLI_DONE && target && cli->platform_name)
    result = target_platform(cli, target, cli->platform_name);
  return result;
}

/* Reports that further differences are not shown, but only counted. */
static void show_end(struct cli *cli, uint64_t differences)
{
  if (differences == SHOWN + 1)
    out_text(&cli->out, "further differences are counted, but not listed\n");
}

/* Reports that the number of logs is not `n`. */
static int log_fail_count(const struct cli *cli, const struct log_options *o, int n)
{
  return o->n < n ? cli_fail_missing(cli, "LOG") : cli_fail_unexpected(cli, o->args[n]);
}

/* ---- check ---- */

/* Whether a write to an MSR failed because of its value: the register exists. */
static bool is_refused_write(const struct log_entry *e)
{
  return e->status && e->kind == LOG_WRITE && e->address.space == PMON_SPACE_MSR;
}

static int log_fail_notes(const struct cli *cli, const char *path, int status, const char *error)
{
  const char *name = cli->platform_name;
  if (status == PMON_E_MEMORY)
    return cli_fail_memory(cli);
  if (status == PMON_E_INVALID)
    return cli_fail(cli, "%s: %s", path, error);
  return cli_fail(cli, "%s: %s; `pmon %s%s%sunits` lists them", path, error, name ? "-p " : "", name ? name : "",
                  name ? " " : "");
}

/* Loads the log's platform. A log of another platform than that of -p is refused: its accesses would be to registers
 * that this platform does not have, and violate none of its rules. */
static int log_load_platform(struct cli *cli, const char *path, const struct access_log *log)
{
  const struct pmon_platform *platform;
  if (log_take_platform(cli, path, log, NULL) != CLI_DONE || !cli_platform(cli))
    return CLI_USAGE;
  if (!*log->platform || (!pmon_platform_find(cli->context, log->platform, &platform) && platform == cli->platform))
    return CLI_DONE;
  return cli_fail(cli, "%s: the log is of platform %s; omit -p, or add -p %s", path, log->platform, log->platform);
}

static void check_entry(struct checker *c, const struct log_entry *e)
{
  const struct check_access a = {e->time_ns, e->kind == LOG_WRITE, e->address, e->value};
  if (e->kind == LOG_STATE)
    check_system(c, e->address.package, (enum check_register)e->address.offset, e->value);
  else if (e->kind >= LOG_WAIT)
    check_wait(c, e->time_ns);
  else if (is_refused_write(e))
    check_refused(c, &a);
  else if (e->status)
    check_failed(c, &a);
  else
    check_access(c, &a);
}

/* Judges the accesses of the log and writes the findings. CLI_FAILED: there are violations. */
static int log_judge(struct cli *cli, const struct log_options *o, const struct access_log *log, struct checker *c)
{
  char error[ERROR_SIZE];
  const int status = log_take_notes(log, c, error, sizeof error);
  const int result = status ? log_fail_notes(cli, o->args[0], status, error) : log_need_access(cli, o->args[0], log);
  if (result != CLI_DONE)
    return result;
  for (size_t i = 0; i < log->n; i++)
    check_entry(c, &log->at[i]);
  findings_write(&cli->out, c, o->json);
  return check_errors(c) || check_incomplete(c) ? CLI_FAILED : CLI_DONE;
}

static int log_check(struct cli *cli, struct log_options *o)
{
  struct access_log log;
  struct checker *c = NULL;
  if (o->n != 1)
    return log_fail_count(cli, o, 1);
  int result = log_read_file(cli, o->args[0], &log);
  if (result != CLI_DONE)
    return result;
  result = log_load_platform(cli, o->args[0], &log);
  if (result == CLI_DONE && check_new(cli->platform, &c))
    result = cli_fail_memory(cli);
  if (result == CLI_DONE)
    result = log_judge(cli, o, &log, c);
  check_free(c);
  log_fini(&log);
  return result;
}

/* ---- rules ---- */

static int log_rules(struct cli *cli, struct log_options *o)
{
  struct pmon_rule_info g = {.size = sizeof g};
  if (o->n)
    return cli_fail_unexpected(cli, o->args[0]);
  if (!cli_platform(cli))
    return CLI_USAGE;
  for (uint32_t i = 0; !pmon_rule_describe(cli->platform, i, &g); i++) {
    if (o->json) {
      json_open(&cli->out, NULL, '{');
      json_text(&cli->out, "name", g.name);
      json_text(&cli->out, "level", g.advice ? "advice" : "error");
      json_text(&cli->out, "unit", *g.unit ? g.unit : NULL);
      json_text(&cli->out, "brief", g.brief);
      json_text(&cli->out, "cite", g.cite);
      json_close(&cli->out, '}');
      json_end_line(&cli->out);
      continue;
    }
    out_style(&cli->out, OUT_NAME);
    out_padded(&cli->out, g.name, 27);
    out_style(&cli->out, OUT_PLAIN);
    out_padded(&cli->out, g.advice ? "advice" : "error", 8);
    out_wrapped_format(&cli->out, 35, cli_width(), "%s [%s]", g.brief, g.cite);
  }
  return CLI_DONE;
}

/* ---- diff ---- */

static void show_side(struct cli *cli, const char *mark, const struct log_entry *e)
{
  char text[160] = "(end)", line[200];
  if (e)
    log_format(e, text, sizeof text);
  snprintf(line, sizeof line, "%s %" PRIu32 ": %s\n", mark, e ? e->line : 0, text);
  out_text(&cli->out, line);
}

static int log_diff(struct cli *cli, struct log_options *o)
{
  struct access_log a, b;
  uint64_t differences = 0;
  char text[100];
  if (o->n != 2)
    return log_fail_count(cli, o, 2);
  int result = log_read_file(cli, o->args[0], &a);
  if (result != CLI_DONE)
    return result;
  result = log_read_file(cli, o->args[1], &b);
  if (result != CLI_DONE) {
    log_fini(&a);
    return result;
  }
  for (size_t i = 0; i < a.n || i < b.n; i++) {
    const struct log_entry *x = i < a.n ? &a.at[i] : NULL, *y = i < b.n ? &b.at[i] : NULL;
    if (x && y && log_same(x, y) && x->value == y->value &&
        (x->kind < LOG_WAIT || x->kind == LOG_STATE || x->time_ns == y->time_ns))
      continue;
    if (differences++ < SHOWN) {
      show_side(cli, "<", x);
      show_side(cli, ">", y);
    }
    show_end(cli, differences);
    if (!x || !y || !log_same(x, y)) { /* the logs differ from here on */
      out_text(&cli->out, "the logs diverge here\n");
      break;
    }
  }
  snprintf(text, sizeof text, "%" PRIu64 " difference%s\n", differences, differences == 1 ? "" : "s");
  out_text(&cli->out, text);
  log_fini(&a);
  log_fini(&b);
  return differences ? CLI_FAILED : CLI_DONE;
}

/* ---- replay ---- */

/* `fed`: the stream itself sets the registers of the threads. */
struct replayed {
  bool fed;
  uint64_t reads, writes, refused, apart;
};

/* Lets time pass to the entry's. A workload that had ended when the log was recorded also ends in the replay; its time
 * is rounded. Time passes even if no workload runs. */
static int replay_wait(struct cli *cli, struct pmon_backend *b, const struct log_entry *e)
{
  uint64_t time = UINT64_MAX, before;
  bool ended;
  int status;
  do {
    before = time;
    status = b->ops->wait(b, e->kind == LOG_END ? UINT64_MAX : e->time_ns, &time, &ended);
  } while (!status && !ended && time < e->time_ns && time != before); /* a freeze by an overflow ends a wait early */
  if (!status && time < e->time_ns)
    status = b->ops->wait(b, e->time_ns, &time, &ended);
  if (status)
    cli_fail(cli, "%s", b->error_text);
  return status ? cli_exit_code(status) : CLI_DONE;
}

/* Shows an access whose result, `status` and `value`, differs from the log's. */
static void show_difference(struct cli *cli, const struct pmon_backend *b, const struct log_entry *e, int status,
                            uint64_t value)
{
  struct log_entry now = *e;
  show_side(cli, "<", e);
  if (status) {
    out_text(&cli->out, "> refused: ");
    out_text(&cli->out, b->error_text ? b->error_text : "");
    out_text(&cli->out, "\n");
  } else {
    now.status = PMON_OK;
    now.value = value;
    show_side(cli, ">", &now);
  }
}

/* Makes one access of the log and compares the result. */
static void replay_access(struct cli *cli, struct target *t, const struct log_entry *e, struct replayed *r)
{
  struct pmon_backend *b = t->backend;
  uint64_t value = e->value;
  if (t->machine) /* an MSR that refused the write during recording refuses it again */
    machine_set_faults(t->machine, is_refused_write(e));
  const int status =
      e->kind == LOG_WRITE ? b->ops->write(b, &e->address, e->value) : b->ops->read(b, &e->address, &value);
  *(e->kind == LOG_WRITE ? &r->writes : &r->reads) += 1;
  if (!status == !e->status && (status || value == e->value))
    return;
  r->refused += status && !e->status;
  if (r->apart++ < SHOWN)
    show_difference(cli, b, e, status, value);
  show_end(cli, r->apart);
}

/* Replays one entry on the machine. */
static int replay_entry(struct cli *cli, struct target *t, const struct log_entry *e, struct replayed *r)
{
  switch (e->kind) {
  case LOG_WAIT:
  case LOG_END: return replay_wait(cli, t->backend, e);
  case LOG_STATE:
    if (t->core && !r->fed)
      montecito_thread_register_set(t->core, e->address.package, (unsigned)e->address.offset, e->value);
    return CLI_DONE;
  default: replay_access(cli, t, e, r); return CLI_DONE;
  }
}

static int log_replay(struct cli *cli, struct log_options *o)
{
  struct access_log log;
  struct target target;
  struct replayed r = {.fed = o->target.bundles || o->target.generate};
  char text[160];
  if (o->n != 1)
    return log_fail_count(cli, o, 1);
  int result = log_read_file(cli, o->args[0], &log);
  if (result != CLI_DONE)
    return result;
  result = log_need_access(cli, o->args[0], &log);
  if (result == CLI_DONE)
    result = log_take_platform(cli, o->args[0], &log, &o->target);
  if (result == CLI_DONE)
    result = target_open(cli, &o->target, &target);
  for (size_t i = 0; result == CLI_DONE && i < log.n; i++)
    result = replay_entry(cli, &target, &log.at[i], &r);
  if (result == CLI_DONE) {
    snprintf(text, sizeof text,
             "%" PRIu64 " write%s, %" PRIu64 " read%s; %" PRIu64 " answer%s, %" PRIu64 " access%s refused\n", r.writes,
             r.writes == 1 ? "" : "s", r.reads, r.reads == 1 ? "" : "s", r.apart,
             r.apart == 1 ? " differs" : "s differ", r.refused, r.refused == 1 ? " was" : "es were");
    out_text(&cli->out, text);
    result = r.apart ? CLI_FAILED : CLI_DONE;
    target_close(&target);
  }
  log_fini(&log);
  return result;
}

/* Returns CLI_DONE, -1 if the help was printed, or an exit code. */
static int log_read_options(struct cli *cli, int argc, char **argv, struct log_options *o)
{
  int c, result = CLI_DONE;
  const bool feeds = !strcmp(argv[0], "replay");
  optind = 0;
  while (result == CLI_DONE && (c = cli_getopt(cli, argc, argv)) != -1)
    switch (c) {
    case 'h': cli_help(cli); return -1;
    case CLI_OPTION_JSON: o->json = true; break;
    case 'p':
      cli->platform_name = optarg;
      result = feeds ? target_platform(cli, &o->target, optarg) : CLI_DONE;
      break;
    default: result = target_take(cli, &o->target, c, optarg); break;
    }
  o->n = argc - optind;
  o->args = argv + optind;
  return result;
}

int cli_machine_log(struct cli *cli, int argc, char **argv)
{
  static const struct {
    const char *name;
    int (*run)(struct cli *cli, struct log_options *o);
  } actions[] = {{"check", log_check}, {"rules", log_rules}, {"diff", log_diff}, {"replay", log_replay}};
  struct log_options o = {0};
  for (size_t i = 0; i < sizeof actions / sizeof *actions; i++) {
    if (strcmp(argv[0], actions[i].name))
      continue;
    target_options_init(&o.target);
    int result = log_read_options(cli, argc, argv, &o);
    if (result == CLI_DONE)
      result = actions[i].run(cli, &o);
    target_options_fini(&o.target);
    return result < 0 ? CLI_DONE : result;
  }
  return -1;
}
