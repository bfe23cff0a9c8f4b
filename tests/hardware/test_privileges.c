/* SPDX-License-Identifier: MIT */
/* Privileges of a set-user-ID command: in children that an unprivileged user runs from a file of root. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>
#include "cli/stat/host.h"
#include "cli/target/privileges.h"

enum { UNPRIVILEGED = 65534 };

static char secret[] = "/tmp/pmon-secret-XXXXXX";

static void need_root(void)
{
  if (geteuid() == 0 && getuid() == 0)
    return;
  fprintf(stderr, "SKIPPED: root alone can try what a set-user-ID file may do\n");
  skip();
}

/* Returns the hexadecimal number after a name in /proc/self/status; UINT64_MAX: none. */
static uint64_t status_word(const char *name)
{
  char line[256];
  uint64_t value = UINT64_MAX;
  FILE *f = fopen("/proc/self/status", "r");
  while (f && fgets(line, sizeof line, f))
    if (!strncmp(line, name, strlen(name)))
      value = strtoull(line + strlen(name), NULL, 16);
  if (f)
    fclose(f);
  return value;
}

static bool opens_secret(void)
{
  const int fd = open(secret, O_RDWR | O_CLOEXEC);
  if (fd >= 0)
    close(fd);
  return fd >= 0;
}

/* Runs `steps` in a child as `user`'s process of a program whose file belongs to root; returns the number of the failed
 * step, 0: none. */
static int in_child(uid_t user, int (*steps)(void))
{
  int status = -1;
  const pid_t pid = fork();
  if (!pid) {
    if (setresgid(user, 0, 0) || setresuid(user, 0, 0))
      _exit(100);
    _exit(steps());
  }
  assert_true(pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status));
  return WEXITSTATUS(status);
}

/* In a set-user-ID program: this is detected, and a child gets the user's privileges only. */
static int set_user_id_steps(void)
{
  if (!privileges_are_borrowed() || !opens_secret())
    return 1;
  if (!privileges_drop())
    return 4;
  if (!seteuid(0) || !setegid(0) || opens_secret())
    return 5;
  if (opens_secret() || status_word("CapPrm:") || status_word("CapEff:") || status_word("CapBnd:") ||
      status_word("CapAmb:"))
    return 6;
  return prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1 ? 0 : 7;
}

static void test_borrowed_privileges_are_noticed_and_dropped(void **state)
{
  (void)state;
  need_root();
  assert_int_equal(in_child(UNPRIVILEGED, set_user_id_steps), 0);
}

/* A program of root keeps its user, but drops the privileges that this user has above others. */
static int root_steps(void)
{
  if (privileges_are_borrowed() || !opens_secret())
    return 1;
  if (!privileges_drop() || status_word("CapEff:") || status_word("CapPrm:"))
    return 2;
  return !setresuid(UNPRIVILEGED, UNPRIVILEGED, UNPRIVILEGED) ? 3 : 0;
}

static void test_program_owned_by_root(void **state)
{
  (void)state;
  need_root();
  assert_int_equal(in_child(0, root_steps), 0);
}

/* Runs a command: it gets no privileges, although the program that starts it has borrowed some. */
static int command_steps(void)
{
  char *argv[] = {(char *)(uintptr_t) "sh", (char *)(uintptr_t) "-c",
                  (char *)(uintptr_t) "test $(id -u) = 65534 && test $(id -g) = 65534 && "
                                      "grep -q '^CapPrm:.0000000000000000$' /proc/self/status && ! test -r $0",
                  secret, NULL};
  struct cli cli = {0};
  struct host_command c;
  int status = 0;
  if (host_command_open(&cli, argv, false, &c) != CLI_DONE)
    return 1;
  host_command_go(&c);
  if (waitpid(c.pid, &status, 0) != c.pid)
    return 2;
  return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : 3;
}

static void test_a_measured_program_inherits_nothing(void **state)
{
  (void)state;
  need_root();
  assert_int_equal(in_child(UNPRIVILEGED, command_steps), 0);
}

/* For any user: dropping privileges that one does not have succeeds, also twice. */
static int plain_steps(void)
{
  return privileges_drop() && privileges_drop() && !status_word("CapEff:") ? 0 : 1;
}

static void test_dropping_nothing(void **state)
{
  (void)state;
  const pid_t pid = fork();
  int status;
  if (!pid)
    _exit(plain_steps());
  assert_int_equal(waitpid(pid, &status, 0), pid);
  assert_int_equal(status, 0);
}

static int privileges_set_up(void **state)
{
  (void)state;
  const int fd = mkstemp(secret);
  return fd < 0 || close(fd) || chmod(secret, 0600);
}

static int privileges_tear_down(void **state)
{
  (void)state;
  return unlink(secret);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_borrowed_privileges_are_noticed_and_dropped),
      cmocka_unit_test(test_program_owned_by_root),
      cmocka_unit_test(test_a_measured_program_inherits_nothing),
      cmocka_unit_test(test_dropping_nothing),
  };
  return cmocka_run_group_tests_name("privileges", tests, privileges_set_up, privileges_tear_down);
}
