/* SPDX-License-Identifier: MIT */
/* A session that is killed between any two writes is restored from its journal. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "tests/engine/base.h"
#include "tests/engine/dying.h"
#include "tests/engine/fake.h"
#include "src/base/sha256.h"
#include "src/session/journal.h"

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

/* Runs a session that dies after `writes` writes; false: it ended before. */
static bool dies(struct pmon_plan *plan, uint64_t writes)
{
  struct dying d;
  struct pmon_session_options options = {.size = sizeof options, .journal = path};
  struct pmon_session *s;
  bool ended = false;
  fake_init(fake, emr);
  fake->end_ns = 100000;
  dying_init(&d, &fake->backend, writes);
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

/* Writes a journal as a session of this process writes it: `registers` between head and last line; `end`: the number of
 * registers in the last line; negative: without a last line. */
static void journal_text(char text[1000], const char *platform, const char *registers, int end)
{
  char boot[JOURNAL_BOOT], hex[SHA256_HEX];
  struct sha256 sum;
  journal_read_boot(boot);
  const int n = snprintf(text, 800, JOURNAL_HEADER "process 1\nboot %s\nplatform %s\n%s", boot, platform, registers);
  sha256_init(&sum);
  sha256_add(&sum, text, (size_t)n);
  sha256_end(&sum, hex);
  if (end >= 0)
    snprintf(text + n, 100, "end %d %s\n", end, hex);
}

static void journal_put(const char *text, size_t n)
{
  unlink(path);
  FILE *f = fopen(path, "we");
  assert_true(f && fwrite(text, 1, n, f) == n && !fclose(f) && !chmod(path, 0600));
}

/* Restores the journal; fails the test unless the status and error are the expected ones, and nothing was written. */
static void journal_expect(const char *what, int expected, const char *error)
{
  uint32_t n = 99;
  fake_init(fake, emr);
  const int status = pmon_restore(context, &fake->backend, path, &n);
  if (status != expected || (status && !strstr(pmon_context_error(context), error)) || fake->writes)
    fail_msg("%s: %s: %s", what, pmon_status_name(status), pmon_context_error(context));
  assert_int_equal(access(path, F_OK), status ? 0 : -1);
  assert_int_equal(n, status ? 99 : 0);
}

#define CONTENT "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static void bad_journals_are_refused(void **state)
{
  static const struct {
    const char *platform, *registers;
    int end, status;
    const char *error;
  } rows[] = {{"vax", "", 0, PMON_E_UNKNOWN, ":4: no built-in platform"},
              {"/etc/passwd", "", 0, PMON_E_UNKNOWN, ":4: no built-in platform"},
              {"emr " CONTENT, "", 0, PMON_E_UNKNOWN, "user-supplied (SHA-256 0123456789abcdef...)"},
              {"emr", "0 msr 0x0 0x10 64 0x0\n", 1, PMON_E_SYNTAX, ":5: the platform has no monitoring register"},
              {"emr", "0 msr 0x0 0x2002 64\n", 1, PMON_E_SYNTAX, ":5: expected"},
              {"emr", "0 msr 0x0 0x2002 32 0x0\n", 1, PMON_E_SYNTAX, ":5: "},
              {"emr", "99 msr 0x0 0x2002 64 0x0\n", 1, PMON_E_SYNTAX, ":5: "},
              {"emr", "0 msr 0x0 0x2002 64 0x0\n", 2, PMON_E_SYNTAX, ":6: the number"},
              {"emr", "0 msr 0x0 0x2002 64 0x0\nend 1 " CONTENT "\n", -1, PMON_E_SYNTAX, ":6: the file is damaged"},
              {"emr", "0 msr 0x0 0x2002 64 0x0\n", -1, PMON_OK, ""}};
  char text[1000];
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    journal_text(text, rows[i].platform, rows[i].registers, rows[i].end);
    journal_put(text, strlen(text));
    journal_expect(text, rows[i].status, rows[i].error);
  }
  journal_text(text, "emr", "", 0);
  strcat(text, "end 0 " CONTENT "\n");
  journal_put(text, strlen(text));
  journal_expect(text, PMON_E_SYNTAX, ":6: expected nothing after the end");
  static const char *const others[] = {"something else\n", "no line end", "pmon journal 1\nplatform emr\nend 0\n"};
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
    journal_put(others[i], strlen(others[i]));
    journal_expect(others[i], PMON_E_SYNTAX, ":1: ");
  }
  static const char zero[] = JOURNAL_HEADER "process 1\0\n";
  journal_put(zero, sizeof zero - 1);
  journal_expect("a zero in a line", PMON_E_SYNTAX, ":2: the line is too long, or is not text");
  static const char before[] = JOURNAL_HEADER "process 1\nboot 00000000-0000-0000-0000-000000000000\nplatform emr\n";
  journal_put(before, sizeof before - 1);
  journal_expect(before, PMON_E_STATE, "before the last reboot");
  assert_int_equal(pmon_restore(context, &fake->backend, "/no/such/file", &(uint32_t){0}), PMON_E_IO);
}

/* The journal of a killed session, cut at each byte, restores nothing, as no register was written yet; with each byte
 * changed, or with a sector of zeros, it is refused. */
static void torn_journals_write_nothing(void **state)
{
  static char whole[1 << 20], torn[1 << 20];
  struct pmon_plan *plan = make_plan();
  (void)state;
  unlink(path);
  assert_true(dies(plan, 1));
  FILE *f = fopen(path, "re");
  assert_non_null(f);
  const size_t n = fread(whole, 1, sizeof whole, f);
  assert_int_equal(fclose(f), 0);
  assert_true(n > 1000 && n < sizeof whole);
  for (size_t at = 0; at < n; at++) {
    journal_put(whole, at);
    journal_expect("cut", PMON_OK, "");
  }
  for (size_t at = 0; at < n; at++) {
    uint32_t restored = 0;
    memcpy(torn, whole, n);
    torn[at] ^= 1;
    journal_put(torn, n);
    fake_init(fake, emr);
    const int status = pmon_restore(context, &fake->backend, path, &restored);
    /* Without its last line end the file is one that was still being written. */
    if (fake->writes || restored || (!status && at + 1 < n))
      fail_msg("byte %zu changed: %s", at, pmon_status_name(status));
  }
  for (size_t at = 0; at < n; at += 512) {
    memcpy(torn, whole, n);
    memset(torn + at, 0, n - at < 512 ? n - at : 512);
    journal_put(torn, n);
    uint32_t restored = 0;
    fake_init(fake, emr);
    pmon_restore(context, &fake->backend, path, &restored);
    assert_true(!fake->writes && !restored);
  }
  unlink(path);
  pmon_plan_free(plan);
}

/* A file that another user can have made or can change is not a journal, and pmon does not wait for it. */
static void only_own_regular_files_are_journals(void **state)
{
  char text[1000], link_path[80];
  (void)state;
  journal_text(text, "emr", "0 msr 0x0 0x2002 64 0x0\n", 1);
  journal_put(text, strlen(text));
  snprintf(link_path, sizeof link_path, "%s/link", folder);
  assert_int_equal(symlink(path, link_path), 0);
  assert_int_equal(pmon_restore(context, &fake->backend, link_path, &(uint32_t){0}), PMON_E_IO);
  assert_non_null(strstr(pmon_context_error(context), "symbolic link"));
  assert_int_equal(unlink(link_path), 0);
  assert_int_equal(chmod(path, 0620), 0);
  journal_expect("group", PMON_E_PERMISSION, "other users can write it");
  assert_int_equal(chmod(path, 0602), 0);
  journal_expect("others", PMON_E_PERMISSION, "other users can write it");
  assert_int_equal(chmod(path, 0600), 0);
  if (!geteuid()) {
    assert_int_equal(chown(path, 65534, 65534), 0);
    journal_expect("owner", PMON_E_PERMISSION, "another user");
  } else {
    fprintf(stderr, "SKIPPED: root alone can make a file of another user's\n");
  }
  unlink(path);
  assert_int_equal(mkfifo(path, 0600), 0);
  journal_expect("FIFO", PMON_E_PERMISSION, "not a regular file");
  unlink(path);
  assert_int_equal(pmon_restore(context, &fake->backend, folder, &(uint32_t){0}), PMON_E_PERMISSION);
}

/* A running session keeps its journal; the message names its process. */
static void the_journal_of_a_running_session_is_not_restored(void **state)
{
  struct pmon_plan *plan = make_plan();
  struct pmon_session_options options = {.size = sizeof options, .journal = path};
  struct pmon_session *s;
  char expected[80];
  (void)state;
  fake_init(fake, emr);
  ok(pmon_session_new(plan, &fake->backend, &options, &s));
  ok(pmon_session_start(s));
  const uint64_t writes = fake->writes;
  snprintf(expected, sizeof expected, "a session that is running, process %d", (int)getpid());
  assert_int_equal(pmon_restore(context, &fake->backend, path, &(uint32_t){0}), PMON_E_STATE);
  assert_non_null(strstr(pmon_context_error(context), expected));
  assert_true(fake->writes == writes);
  ok(pmon_session_close(s));
  assert_int_equal(access(path, F_OK), -1);
  pmon_plan_free(plan);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(killed_between_two_writes),
                                     cmocka_unit_test(a_second_session_does_not_take_the_journal),
                                     cmocka_unit_test(bad_journals_are_refused),
                                     cmocka_unit_test(torn_journals_write_nothing),
                                     cmocka_unit_test(only_own_regular_files_are_journals),
                                     cmocka_unit_test(the_journal_of_a_running_session_is_not_restored)};
  return cmocka_run_group_tests(tests, journal_set_up, journal_tear_down);
}
