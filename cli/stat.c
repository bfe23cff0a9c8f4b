/* SPDX-License-Identifier: MIT */
/* `pmon stat`: measures a command, through the registers of a backend. */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "cli/target.h"

/* What a newcomer asks first; those of them that the platform has. */
static const char *const usual_metrics[] = {
  "MEM_READ_BANDWIDTH", "MEM_WRITE_BANDWIDTH", "LLC_DRD_MISS_RATIO", "LLC_MISS_LATENCY_NS", "UPI_DATA_SENT_BANDWIDTH",
  "UPI_DATA_RECEIVED_BANDWIDTH", "DRAM_PAGE_HIT_RATIO"};

enum { CODE_CSV = 256, CODE_JSON, CODE_PER_UNIT, CODE_PER_SOCKET, CODE_BACKEND,
       CODE_LOG, CODE_SLICE };

struct stat_run {
  struct cli *cli;
  struct target_options target;
  struct pmon_plan *plan;
  bool wanted;                     /* an event or metric was named */
  uint64_t interval_ns, slice_ns;
  uint32_t breakdown;
  enum pmon_format format;
  const char *out_path, *log_path, *command;
  int out_fd;
  FILE *log;
  bool header_written, out_failed;
  char command_text[256];
  struct timespec started, shown;
};

static volatile sig_atomic_t stopped;

static void on_signal(int number)
{
  stopped = number;
}

static bool read_milliseconds(const char *text, uint64_t *ret_ns)
{
  char *end;
  double v = strtod(text, &end);
  if (end == text || *end || !(v >= 1e-6) || v > 1e9)
    return false;
  *ret_ns = (uint64_t)(v * 1e6);
  return true;
}

static int add_wanted(struct stat_run *s, const char *list, bool metrics)
{
  if (!cli_platform(s->cli))
    return CLI_USAGE;
  if (!s->plan && pmon_plan_new(s->cli->context, s->cli->platform, &s->plan))
    return cli_fail_context(s->cli, NULL);
  s->wanted = true;
  int status = metrics ? pmon_plan_add_metrics(s->plan, list) : pmon_plan_add_events(s->plan, list);
  return status ? cli_fail_context(s->cli, list) : CLI_DONE;
}

static int take_option(struct stat_run *s, int code, const char *value)
{
  switch (code) {
  case 'e':
  case 'm':
    return add_wanted(s, value, code == 'm');
  case 'I':
  case CODE_SLICE:
    if (!read_milliseconds(value, code == 'I' ? &s->interval_ns : &s->slice_ns))
      return cli_fail(s->cli, "\"%s\" is no number of milliseconds", value);
    return CLI_DONE;
  case 'a':
    return CLI_DONE;               /* uncore counters see everything anyway */
  case 'o':
    s->out_path = value;
    return CLI_DONE;
  case CODE_CSV:
    s->format = PMON_FORMAT_CSV;
    return CLI_DONE;
  case CODE_JSON:
    s->format = PMON_FORMAT_JSON;
    return CLI_DONE;
  case CODE_PER_UNIT:
    s->breakdown |= PMON_BY_INSTANCE;
    return CLI_DONE;
  case CODE_PER_SOCKET:
    s->breakdown |= PMON_BY_PACKAGE;
    return CLI_DONE;
  case CODE_BACKEND:
    if (strcmp(value, "machine"))
      return cli_fail(s->cli, "there is no backend \"%s\"; there is: machine", value);
    return CLI_DONE;
  case CODE_LOG:
    s->log_path = value;
    return CLI_DONE;
  default:
    return target_take(s->cli, &s->target, code, value);
  }
}

/* 0 to go on; 1: *ret_exit is the result. */
static int read_options(struct stat_run *s, int argc, char **argv, int *ret_exit)
{
  static const struct option options[] = {{"platform", 1, NULL, 'p'},
                                          {"help", 0, NULL, 'h'},
                                          {"event", 1, NULL, 'e'},
                                          {"metric", 1, NULL, 'm'},
                                          {"interval", 1, NULL, 'I'},
                                          {"all", 0, NULL, 'a'},
                                          {"output", 1, NULL, 'o'},
                                          {"csv", 0, NULL, CODE_CSV},
                                          {"json", 0, NULL, CODE_JSON},
                                          {"per-unit", 0, NULL, CODE_PER_UNIT},
                                          {"per-socket", 0, NULL, CODE_PER_SOCKET},
                                          {"backend", 1, NULL, CODE_BACKEND},
                                          TARGET_OPTIONS,
                                          {"log", 1, NULL, CODE_LOG},
                                          {"slice", 1, NULL, CODE_SLICE},
                                          {NULL, 0, NULL, 0}};
  int c;
  optind = 0;
  *ret_exit = CLI_USAGE;
  while ((c = getopt_long(argc, argv, "+p:he:m:I:ao:", options, NULL)) != -1) {
    if (c == 'h') {
      cli_help(s->cli);
      *ret_exit = CLI_DONE;
      return 1;
    }
    if (c == 'p')
      s->cli->platform_name = optarg;
    else if ((*ret_exit = take_option(s, c, optarg)) != CLI_DONE)
      return 1;
  }
  if (optind < argc)
    s->target.argv = argv + optind;
  *ret_exit = target_check(s->cli, &s->target);
  if (*ret_exit != CLI_DONE)
    return 1;
  *ret_exit = CLI_USAGE;
  return !cli_platform(s->cli);
}

static int make_plan(struct stat_run *s)
{
  if (!s->plan && pmon_plan_new(s->cli->context, s->cli->platform, &s->plan))
    return cli_fail_context(s->cli, NULL);
  bool any = s->wanted;
  for (size_t i = 0; !s->wanted && i < sizeof usual_metrics / sizeof *usual_metrics; i++)
    any |= !pmon_plan_add_metrics(s->plan, usual_metrics[i]);
  if (!any)
    return cli_fail(s->cli, "this platform has none of the usual metrics: name events with -e or metrics with -m");
  return pmon_plan_schedule(s->plan) ? cli_fail_context(s->cli, NULL) : CLI_DONE;
}

/* The command as a person would write it, cut where it is long. */
static void describe_command(struct stat_run *s)
{
  size_t n = 0;
  if (s->target.trace)
    snprintf(s->command_text, sizeof s->command_text, "trace %s", s->target.trace);
  for (char **word = s->target.argv; word && *word && n < sizeof s->command_text; word++)
    n += (size_t)snprintf(s->command_text + n, sizeof s->command_text - n, "%s%s", n ? " " : "", *word);
}

static double seconds_since(const struct timespec *t)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)(now.tv_sec - t->tv_sec) + (double)(now.tv_nsec - t->tv_nsec) * 1e-9;
}

static bool tick(void *user, uint64_t now_ns)
{
  struct stat_run *s = user;
  if (isatty(STDERR_FILENO) && seconds_since(&s->started) > 1 && seconds_since(&s->shown) > 0.2) {
    fprintf(stderr, "\r%.3f ms measured, %.0f s passed \033[K", (double)now_ns * 1e-6, seconds_since(&s->started));
    clock_gettime(CLOCK_MONOTONIC, &s->shown);
  }
  return stopped != 0;
}

static void clear_progress(const struct stat_run *s)
{
  if (isatty(STDERR_FILENO) && seconds_since(&s->started) > 1)
    fputs("\r\033[K", stderr);
}

static int write_all(int fd, const char *bytes, size_t n)
{
  while (n) {
    ssize_t done = write(fd, bytes, n);
    if (done < 0 && errno == EINTR)
      continue;
    if (done < 0)
      return errno;
    bytes += done;
    n -= (size_t)done;
  }
  return 0;
}

/* To the file of -o; when that fails, this and all that follows goes to standard output, so that nothing is lost. */
static int sink(void *user, const char *bytes, size_t n)
{
  struct stat_run *s = user;
  if (s->out_fd < 0) {
    out_bytes(&s->cli->out, bytes, n);
    out_flush(&s->cli->out);
    return 0;
  }
  int error = write_all(s->out_fd, bytes, n);
  if (!error)
    return 0;
  cli_fail(s->cli, "cannot write %s: %s; the results follow on standard output", s->out_path, strerror(error));
  close(s->out_fd);
  s->out_fd = -1;
  s->out_failed = true;
  out_bytes(&s->cli->out, bytes, n);
  out_flush(&s->cli->out);
  return 0;
}

/* Tells what was measured since the start or the last mark. */
static int report(struct stat_run *s, struct pmon_session *session, uint32_t packages)
{
  struct pmon_plan_info plan = {.size = sizeof plan};
  struct pmon_report *r = NULL;
  pmon_plan_describe(s->plan, &plan);
  struct pmon_report_head head = {
    .size = sizeof head, .platform = "the emulated machine", .command = s->command_text, .rounds = plan.rounds,
    .seconds = pmon_session_seconds(session), .end_seconds = (double)pmon_session_now_ns(session) * 1e-9,
    .packages = packages, .backend = "machine"};
  struct pmon_platform_info platform = {.size = sizeof platform};
  if (!pmon_platform_describe(s->cli->platform, &platform))
    head.platform = platform.name;
  int status = pmon_report_new(&head, &r);
  if (!status)
    status = pmon_report_add_session(r, session, s->plan, s->breakdown);
  if (!status && s->format == PMON_FORMAT_CSV && !s->header_written)
    status = pmon_report_format(r, PMON_FORMAT_CSV_HEADER, sink, s);
  s->header_written = true;
  if (!status)
    status = pmon_report_format(r, s->format, sink, s);
  if (!status && s->interval_ns && s->format == PMON_FORMAT_TEXT)
    status = sink(s, "\n", 1);
  pmon_report_free(r);
  if (status)
    cli_fail(s->cli, "the results cannot be told: %s", pmon_status_name(status));
  return status ? CLI_FAILED : CLI_DONE;
}

/* Runs the session to the end, a report for each interval. */
static int measure(struct stat_run *s, struct pmon_session *session, uint32_t packages, bool *ret_ended)
{
  uint64_t until = UINT64_MAX;
  int result = CLI_DONE;
  if (pmon_session_start(session))
    return cli_fail_context(s->cli, NULL);
  uint64_t start = pmon_session_now_ns(session);
  for (uint64_t k = 1; result == CLI_DONE && !*ret_ended && !stopped; k++) {
    if (s->interval_ns)
      until = start + k * s->interval_ns;
    if (pmon_session_run(session, until, ret_ended)) {
      clear_progress(s);
      cli_fail_context(s->cli, NULL);
      result = CLI_FAILED;
    }
    clear_progress(s);
    /* An end that falls on an interval's end leaves an empty one, which says nothing. */
    if (pmon_session_seconds(session) > 0 || (k == 1 && *ret_ended)) {
      int told = report(s, session, packages);
      result = result ? result : told;
    }
    if (s->interval_ns)
      pmon_session_mark(session);
  }
  return result;
}

static void log_line(void *user, const char *line)
{
  fprintf(user, "%s\n", line);
}

/* The machine's backend under the wrappers that watch over it. */
static int wrap_backend(struct stat_run *s, struct target *t)
{
  struct pmon_backend *wrapped;
  if (pmon_backend_allow_new(t->backend, s->cli->platform, &wrapped))
    return cli_fail(s->cli, "no memory");
  t->backend = wrapped;
  if (!s->log_path)
    return CLI_DONE;
  s->log = fopen(s->log_path, "we");
  if (!s->log)
    return cli_fail(s->cli, "cannot write %s: %s", s->log_path, strerror(errno));
  if (pmon_backend_trace_new(t->backend, log_line, s->log, &wrapped))
    return cli_fail(s->cli, "no memory");
  t->backend = wrapped;
  return CLI_DONE;
}

static int run_session(struct stat_run *s, struct target *t)
{
  struct pmon_session_options options = {.size = sizeof options, .slice_ns = s->slice_ns, .clocks = t->clocks,
                                         .n_clocks = t->n_clocks, .tick = tick, .tick_user = s};
  struct pmon_session *session = NULL;
  bool ended = false;
  int result = wrap_backend(s, t);
  if (result != CLI_DONE)
    return result;
  if (pmon_session_new(s->plan, t->backend, &options, &session))
    return cli_fail_context(s->cli, NULL);
  result = measure(s, session, t->backend->packages, &ended);
  if (pmon_session_close(session)) {
    cli_fail_context(s->cli, NULL);
    result = result ? result : CLI_FAILED;
  }
  if (stopped && !ended)
    cli_fail(s->cli, "stopped by signal %d; this is what was measured until then", (int)stopped);
  if (result == CLI_DONE && (ended || !stopped))
    result = target_result(s->cli, t, s->command_text);
  return result == CLI_DONE && stopped ? CLI_FAILED : result;
}

/* Closes the files, and says so when something could not be written. */
static int close_files(struct stat_run *s, int result)
{
  if (s->out_fd >= 0 && close(s->out_fd)) {
    cli_fail(s->cli, "cannot write %s: %s", s->out_path, strerror(errno));
    s->out_failed = true;
  }
  if (s->log) {
    bool failed = ferror(s->log) != 0;
    if (fclose(s->log) || failed) {
      cli_fail(s->cli, "cannot write %s", s->log_path);
      s->out_failed = true;
    }
  }
  return s->out_failed && result == CLI_DONE ? CLI_FAILED : result;
}

static int run_stat(struct stat_run *s)
{
  struct target target;
  struct sigaction action = {.sa_handler = on_signal};
  int result = make_plan(s);
  if (result != CLI_DONE)
    return result;
  if (s->out_path && (s->out_fd = open(s->out_path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)) < 0)
    return cli_fail(s->cli, "cannot write %s: %s", s->out_path, strerror(errno));
  describe_command(s);
  clock_gettime(CLOCK_MONOTONIC, &s->started);
  s->shown = s->started;
  result = target_open(s->cli, &s->target, &target);
  if (result == CLI_DONE) {
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    result = run_session(s, &target);
    target_close(&target);
  }
  return close_files(s, result);
}

int cli_stat(struct cli *cli, int argc, char **argv)
{
  struct stat_run s = {.cli = cli, .out_fd = -1};
  int result;
  target_options_init(&s.target);
  if (!read_options(&s, argc, argv, &result)) {
    if (!s.breakdown)
      s.breakdown = PMON_BY_PACKAGE | PMON_IN_TOTAL;
    result = run_stat(&s);
  }
  pmon_plan_free(s.plan);
  target_options_fini(&s.target);
  return result;
}
