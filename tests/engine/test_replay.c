/* SPDX-License-Identifier: MIT */
/* Logs of sessions in which an access failed, and truncated logs: a replay ends as the session did, or reports the
 * position. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/engine/base.h"
#include "tests/engine/fake.h"

enum { TEXT = 400 };

static const char events[] = "cha0/CLOCKTICKS/,upi0/TxL_FLITS.ALL_DATA/";
static struct fake fake[1];
static char path[] = "/tmp/pmon-replay-XXXXXX";

/* The outcome of a session: the status of each step, and the first error. */
struct outcome {
  int made, started, ran, closed;
  char error[TEXT];
};

static void note(struct outcome *o, int status)
{
  if (status && !*o->error)
    snprintf(o->error, sizeof o->error, "%s", pmon_context_error(context));
}

/* Measures on the backend, and closes it. */
static struct outcome replay_measure(struct pmon_plan *plan, struct pmon_backend *b)
{
  struct outcome o = {0};
  struct pmon_session *s = NULL;
  bool ended;
  note(&o, o.made = pmon_session_new(plan, b, NULL, &s));
  if (!o.made)
    note(&o, o.started = pmon_session_start(s));
  if (!o.made && !o.started)
    note(&o, o.ran = pmon_session_run(s, UINT64_MAX, &ended));
  if (s)
    note(&o, o.closed = pmon_session_close(s));
  pmon_backend_close(b);
  return o;
}

static void write_line(void *user, const char *line)
{
  fprintf(user, "%s\n", line);
}

/* Records a session whose n-th access fails (0: none) in a log at `path`. */
static struct outcome record(struct pmon_plan *plan, uint64_t n)
{
  struct pmon_backend *faulty, *traced;
  FILE *log = fopen(path, "w");
  assert_non_null(log);
  fake_init(fake, emr);
  fake->end_ns = 150000;
  ok(pmon_backend_inject_new(&fake->backend, n, &faulty));
  ok(pmon_backend_trace_new(faulty, write_line, log, &traced));
  struct outcome o = replay_measure(plan, traced);
  assert_int_equal(fclose(log), 0);
  return o;
}

static struct outcome replay_replay(struct pmon_plan *plan)
{
  struct pmon_backend *b;
  ok(pmon_backend_replay_new(context, path, &b));
  return replay_measure(plan, b);
}

/* Each access fails once; the replay expects the session's reaction write by write. */
static void failed_sessions_fail_again(void **state)
{
  struct pmon_plan *plan = rig_plan(emr, events, NULL);
  uint64_t n = 1, failed = 0;
  (void)state;
  for (;; n++) {
    const struct outcome was = record(plan, n), is = replay_replay(plan);
    if (is.made != was.made || is.started != was.started || is.ran != was.ran || is.closed != was.closed)
      fail_msg("access %u: %d %d %d %d, and now %d %d %d %d: %s", (unsigned)n, was.made, was.started, was.ran,
               was.closed, is.made, is.started, is.ran, is.closed, is.error);
    const bool any = was.made || was.started || was.ran || was.closed;
    failed += any;
    if (any && !strstr(is.error, "it failed when the log was made"))
      fail_msg("access %u: %s", (unsigned)n, is.error);
    if (!any && n > 1000)
      fail_msg("sessions never end");
    char line[TEXT] = "";
    FILE *log = fopen(path, "r");
    bool reached = false;
    while (log && fgets(line, sizeof line, log))
      reached |= strstr(line, " PMON_E_IO") != NULL;
    assert_int_equal(fclose(log), 0);
    if (!reached)
      break;
  }
  assert_true(n > 60 && failed > 30);
  pmon_plan_free(plan);
}

/* A truncated log answers up to its end, and reports the end. */
static void truncated_logs_are_reported(void **state)
{
  struct pmon_plan *plan = rig_plan(emr, events, NULL);
  static char lines[400][120];
  size_t n = 0;
  (void)state;
  record(plan, 0);
  FILE *log = fopen(path, "r");
  while (log && n < 400 && fgets(lines[n], sizeof lines[n], log))
    n++;
  assert_int_equal(fclose(log), 0);
  assert_true(n > 60 && n < 400);
  for (size_t cut = 3; cut < n; cut++) {
    log = fopen(path, "w");
    for (size_t i = 0; log && i < cut; i++)
      fputs(lines[i], log);
    assert_int_equal(fclose(log), 0);
    const struct outcome is = replay_replay(plan);
    if (!(is.made || is.started || is.ran || is.closed) || !*is.error)
      fail_msg("a log of %u lines of %u is enough", (unsigned)cut, (unsigned)n);
  }
  pmon_plan_free(plan);
}

/* Writes `head` and the last log with other line ends. */
static void rewrite(const char *head, const char *line_end)
{
  static char lines[400][120];
  size_t n = 0;
  FILE *log = fopen(path, "r");
  while (log && n < 400 && fgets(lines[n], sizeof lines[n], log))
    n++;
  assert_int_equal(fclose(log), 0);
  assert_non_null(log = fopen(path, "w"));
  fprintf(log, "%s%s", head, line_end);
  for (size_t i = 1; i < n; i++)
    fprintf(log, "%.*s%s", (int)strcspn(lines[i], "\r\n"), lines[i], line_end);
  assert_int_equal(fclose(log), 0);
}

/* Changed line ends, as by an editor, are accepted; another format version is not. */
static void logs_name_their_format(void **state)
{
  struct pmon_plan *plan = rig_plan(emr, events, NULL);
  struct pmon_backend *b;
  (void)state;
  record(plan, 0);
  rewrite("# pmon-log 1", "\r\n");
  const struct outcome is = replay_replay(plan);
  assert_string_equal(is.error, "");
  static const char *const heads[] = {"# pmon-log 2", "# pmon-log", ""};
  for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
    rewrite(heads[i], "\n");
    assert_int_equal(pmon_backend_replay_new(context, path, &b), PMON_E_SYNTAX);
    assert_non_null(strstr(pmon_context_error(context), "its first line is not \"# pmon-log 1\""));
  }
  assert_int_equal(truncate(path, 0), 0);
  assert_int_equal(pmon_backend_replay_new(context, path, &b), PMON_E_SYNTAX);
  assert_non_null(strstr(pmon_context_error(context), "not a log of register accesses"));
  assert_int_equal(pmon_backend_replay_new(context, "/tmp", &b), PMON_E_IO);
  assert_non_null(strstr(pmon_context_error(context), "Is a directory"));
  pmon_plan_free(plan);
}

/* A host with many packages has more notes than a small one: each limit is a note. */
static void all_notes_are_kept(void **state)
{
  enum { LIMITS = 200 };
  struct pmon_backend *b;
  char expected[40];
  (void)state;
  FILE *log = fopen(path, "w");
  assert_non_null(log);
  fprintf(log, "# pmon-log 1\n# packages 8\n");
  for (int i = 0; i < LIMITS; i++)
    fprintf(log, "# limit core %d 3000000000\n", i);
  fprintf(log, "# time 5\n10 end\n");
  assert_int_equal(fclose(log), 0);
  ok(pmon_backend_replay_new(context, path, &b));
  for (uint32_t i = 0; i < LIMITS; i++) {
    snprintf(expected, sizeof expected, "core %u 3000000000", i);
    assert_non_null(pmon_backend_replay_note(b, "limit", i));
    assert_string_equal(pmon_backend_replay_note(b, "limit", i), expected);
  }
  assert_string_equal(pmon_backend_replay_note(b, "time", 0), "5");
  pmon_backend_close(b);
}

/* A line has a status only if its access failed: with the name of another status it has no answer. */
static void only_errors_are_statuses(void **state)
{
  static const char *const names[] = {"PMON_OK", "PMON_?", "other", ""};
  struct pmon_backend *b;
  (void)state;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    uint64_t value = 7, now_ns = 7;
    bool ended = true;
    FILE *log = fopen(path, "w");
    assert_non_null(log);
    fprintf(log, "# pmon-log 1\n0 read 0 msr 0x10 64 0x5 %s\n10 wait %s\n", names[i], names[i]);
    assert_int_equal(fclose(log), 0);
    ok(pmon_backend_replay_new(context, path, &b));
    const struct pmon_address a = {.space = PMON_SPACE_MSR, .width_bits = 64, .offset = 0x10};
    assert_int_equal(b->ops->read(b, &a, &value), PMON_E_IO);
    assert_int_equal(b->ops->wait(b, 10, &now_ns, &ended), PMON_E_IO);
    assert_int_equal(value + now_ns + ended, 15);
    pmon_backend_close(b);
  }
}

/* A replay is of a host if its log is: the notes name the access method, and an emulated machine. */
static void a_log_states_whether_it_is_of_a_host(void **state)
{
  static const struct {
    const char *notes;
    bool host;
  } cases[] = {{"", false},
               {"# backend direct\n", true},
               {"# backend perf\n", true},
               {"# backend machine\n", false},
               {"# backend direct\n# machine emr\n", false}};
  struct pmon_backend *b;
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    FILE *log = fopen(path, "w");
    assert_non_null(log);
    fprintf(log, "# pmon-log 1\n%s10 end\n", cases[i].notes);
    assert_int_equal(fclose(log), 0);
    ok(pmon_backend_replay_new(context, path, &b));
    assert_int_equal(b->host, cases[i].host);
    pmon_backend_close(b);
  }
}

static int replay_begin(void **state)
{
  const int fd = mkstemp(path);
  return fd < 0 || close(fd) ? -1 : rig_begin(state);
}

static int replay_end(void **state)
{
  unlink(path);
  return rig_end(state);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(failed_sessions_fail_again), cmocka_unit_test(truncated_logs_are_reported),
      cmocka_unit_test(logs_name_their_format),     cmocka_unit_test(all_notes_are_kept),
      cmocka_unit_test(only_errors_are_statuses),   cmocka_unit_test(a_log_states_whether_it_is_of_a_host)};
  return cmocka_run_group_tests(tests, replay_begin, replay_end);
}
