/* SPDX-License-Identifier: MIT */
/* A session that is killed between any two writes is given back from its journal. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base.h"
#include "fake.h"

static struct fake fake[1];
static char folder[] = "/tmp/pmon-journal-XXXXXX", path[64];

static int journal_set_up(void **state)
{
  if (!mkdtemp(folder))
    return -1;
  snprintf(path, sizeof path, "%s/journal", folder);
  return rig_begin(state);
}

static int journal_tear_down(void **state)
{
  unlink(path);
  rmdir(folder);
  return rig_end(state);
}

/* Lets `writes` writes through, and nothing after them: as if the process were dead. */
struct dying {
  struct pmon_backend backend;
  struct pmon_backend *inner;
  uint64_t writes;
};

static int dying_read(struct pmon_backend *b, const struct pmon_address *a, uint64_t *ret_value)
{
  struct dying *d = (struct dying *)(void *)b;
  return d->writes ? d->inner->ops->read(d->inner, a, ret_value) : PMON_E_IO;
}

static int dying_write(struct pmon_backend *b, const struct pmon_address *a, uint64_t value)
{
  struct dying *d = (struct dying *)(void *)b;
  if (!d->writes)
    return PMON_E_IO;
  d->writes--;
  return d->inner->ops->write(d->inner, a, value);
}

static int dying_wait(struct pmon_backend *b, uint64_t until_ns, uint64_t *ret_now_ns, bool *ret_ended)
{
  struct dying *d = (struct dying *)(void *)b;
  return d->inner->ops->wait(d->inner, until_ns, ret_now_ns, ret_ended);
}

static void dying_close(struct pmon_backend *b)
{
  (void)b;
}

static const struct pmon_backend_ops dying_ops = {.size = sizeof dying_ops,
                                                  .name = "dying",
                                                  .read = dying_read,
                                                  .write = dying_write,
                                                  .wait = dying_wait,
                                                  .close = dying_close};

static struct pmon_plan *make_plan(void)
{
  struct pmon_plan *plan;
  ok(pmon_plan_new(context, emr, &plan));
  ok(pmon_plan_add_events(plan, "cha0/TOR_INSERTS.IA_MISS_DRD/,cha0/TOR_OCCUPANCY.IA_MISS_DRD/,cha0/event=3,umask=1/,"
                                "cha0/event=4,umask=1/,cha0/event=5,umask=1/,imc0/CAS_COUNT.RD/,imc0/FRCTR_DCLK/,"
                                "upi0/TxL_FLITS.ALL_DATA/,iio0/CLOCKTICKS/"));
  ok(pmon_plan_schedule(plan));
  return plan;
}

/* A session that dies after so many writes; false when it ended before. */
static bool dies(struct pmon_plan *plan, uint64_t writes)
{
  struct dying d = {.backend = {.ops = &dying_ops, .packages = 2}, .inner = &fake->backend, .writes = writes};
  struct pmon_session_options options = {.size = sizeof options, .journal = path};
  struct pmon_session *s;
  bool ended = false;
  fake_init(fake, emr);
  fake->end_ns = 100000;
  if (pmon_session_new(plan, &d.backend, &options, &s))
    return true;
  assert_int_equal(access(path, F_OK), -1);
  int status = pmon_session_start(s);
  while (!status && !ended)
    status = pmon_session_run(s, UINT64_MAX, &ended);
  return pmon_session_close(s) != 0;
}

static void killed_between_two_writes(void **state)
{
  struct pmon_plan *plan = make_plan();
  uint64_t writes = 1;
  (void)state;
  for (; dies(plan, writes); writes++) {
    char name[80] = "";
    uint32_t n = 0;
    assert_int_equal(access(path, F_OK), 0);
    ok(pmon_restore(context, &fake->backend, path, &n));
    if (fake_changed(fake, name, sizeof name))
      fail_msg("killed after %" PRIu64 " writes: %s and others are not what they were", writes, name);
    assert_true(n > 10);
    assert_int_equal(access(path, F_OK), -1);
  }
  /* the whole session, its end included */
  assert_true(writes > 60);
  assert_int_equal(access(path, F_OK), -1);
  pmon_plan_free(plan);
}

static void a_second_session_does_not_take_the_journal(void **state)
{
  struct pmon_plan *plan = make_plan();
  struct pmon_session_options options = {.size = sizeof options, .journal = path};
  struct pmon_session *s;
  uint32_t n;
  (void)state;
  assert_true(dies(plan, 20));
  uint64_t writes = fake->writes;
  ok(pmon_session_new(plan, &fake->backend, &options, &s));
  assert_int_equal(pmon_session_start(s), PMON_E_STATE);
  assert_non_null(strstr(pmon_context_error(context), "pmon restore"));
  pmon_session_close(s);
  assert_int_equal(access(path, F_OK), 0);
  assert_true(fake->writes == writes);
  ok(pmon_restore(context, &fake->backend, path, &n));
  pmon_plan_free(plan);
}

static void bad_journals_are_refused(void **state)
{
  static const struct {
    const char *text;
    int status;
    const char *error;
  } rows[] = {{"something else\n", PMON_E_SYNTAX, ":1: "},
              {"pmon journal 1\nplatform vax\n", PMON_E_UNKNOWN, "vax"},
              {"pmon journal 1\nplatform emr\n0 msr 0x0 0x10 64 0x0\nend 1\n", PMON_E_SYNTAX,
               ":3: the platform has no monitoring register"},
              {"pmon journal 1\nplatform emr\n0 msr 0x0 0x2002 64\nend 1\n", PMON_E_SYNTAX, ":3: expected"},
              {"pmon journal 1\nplatform emr\n0 msr 0x0 0x2002 32 0x0\nend 1\n", PMON_E_SYNTAX, ":3: "},
              {"pmon journal 1\nplatform emr\n99 msr 0x0 0x2002 64 0x0\nend 1\n", PMON_E_SYNTAX, ":3: "},
              {"pmon journal 1\nplatform emr\n0 msr 0x0 0x2002 64 0x0\nend 2\n", PMON_E_SYNTAX, ":4: the number"},
              {"pmon journal 1\nplatform emr\nend 0\nend 0\n", PMON_E_SYNTAX, ":4: "},
              {"pmon journal 1\nplatform emr\n0 msr 0x0 0x2002 64 0x0\n", PMON_OK, ""},
              {"pmon jour", PMON_OK, ""},
              {"", PMON_OK, ""}};
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    uint32_t n = 99;
    FILE *f = fopen(path, "we");
    assert_non_null(f);
    fputs(rows[i].text, f);
    assert_int_equal(fclose(f), 0);
    fake_init(fake, emr);
    int status = pmon_restore(context, &fake->backend, path, &n);
    if (status != rows[i].status || (status && !strstr(pmon_context_error(context), rows[i].error)) || fake->writes)
      fail_msg("%s: %s: %s", rows[i].text, pmon_status_name(status), pmon_context_error(context));
    assert_int_equal(access(path, F_OK), status ? 0 : -1);
    assert_int_equal(n, status ? 99 : 0);
  }
  assert_int_equal(pmon_restore(context, &fake->backend, "/no/such/file", &(uint32_t){0}), PMON_E_IO);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(killed_between_two_writes),
                                     cmocka_unit_test(a_second_session_does_not_take_the_journal),
                                     cmocka_unit_test(bad_journals_are_refused)};
  return cmocka_run_group_tests(tests, journal_set_up, journal_tear_down);
}
