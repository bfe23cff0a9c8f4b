/* SPDX-License-Identifier: MIT */
/* Processes of guests, and the signals that end them. This program is the child, too: with an argument, which says what
 * it does. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>
#include "cli/bench/child.h"
#include "vm/file.h"

enum { EXIT_CODE = 7, LIMIT_S = 120 };

static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGCHLD};
static char folder[] = "/tmp/pmon-child-XXXXXX", output[64];

/* In place of the command's. */
int cli_fail(const struct cli *cli, const char *format, ...)
{
  (void)cli, (void)format;
  return CLI_USAGE;
}

int cli_fail_memory(const struct cli *cli)
{
  return cli_fail(cli, "no memory");
}

/* For each signal: whether it is ignored (i) or not (-), and blocked (b) or not (-). */
static void print_signals(void)
{
  sigset_t blocked;
  struct sigaction is;
  sigprocmask(SIG_BLOCK, NULL, &blocked);
  for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
    sigaction(signals[i], NULL, &is);
    printf("%c%c ", is.sa_handler == SIG_IGN ? 'i' : '-', sigismember(&blocked, signals[i]) ? 'b' : '-');
  }
  fflush(stdout);
}

static int be_child(const char *does)
{
  if (!strcmp(does, "print"))
    print_signals();
  if (!strcmp(does, "stay")) {
    signal(SIGTERM, SIG_IGN);
    if (write(STDOUT_FILENO, ".", 1) == 1)
      for (;;)
        pause();
  }
  return EXIT_CODE;
}

static pid_t start(const char *does)
{
  const pid_t pid = child_start((const char *const[]){"child", does, NULL}, output, "/dev/null");
  assert_true(pid > 0);
  return pid;
}

static void ignore_all(void)
{
  for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
    signal(signals[i], SIG_IGN);
}

/* A test that waits for ever ends by this. */
static int signals_set_up(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
    signal(signals[i], SIG_DFL);
  alarm(LIMIT_S);
  return 0;
}

static void an_end_is_seen_where_sigchld_was_ignored(void **state)
{
  struct child_watch watch;
  struct sigaction is;
  int status = 0;
  (void)state;
  signal(SIGCHLD, SIG_IGN);
  child_watch(&watch);
  const pid_t pid = start("exit");
  assert_int_equal(child_wait(&watch, &status), pid);
  assert_int_equal(child_exit_code(status), EXIT_CODE);
  child_unwatch(&watch);
  sigaction(SIGCHLD, NULL, &is);
  assert_ptr_equal(is.sa_handler, SIG_IGN);
}

/* Both are there when the wait begins, as after a terminal's ^C. */
static void a_signal_goes_before_an_end(void **state)
{
  struct child_watch watch;
  siginfo_t info;
  int status = 0;
  (void)state;
  child_watch(&watch);
  const pid_t pid = start("exit");
  assert_int_equal(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
  assert_false(child_interrupted());
  raise(SIGINT);
  assert_true(child_interrupted());
  errno = 0;
  assert_int_equal(child_wait(&watch, &status), -1);
  assert_int_equal(errno, EINTR);
  assert_int_equal(watch.ended_by, SIGINT);
  child_end(pid);
  assert_int_equal(waitpid(pid, &status, WNOHANG), -1);
  watch.ended_by = 0; /* this process goes on */
  child_unwatch(&watch);
}

/* SIGTERM ends it; ^C and a terminal's end do not where they do not end this process. */
static void a_child_can_be_ended(void **state)
{
  struct child_watch watch;
  int status;
  (void)state;
  ignore_all();
  child_watch(&watch);
  const pid_t pid = start("print");
  assert_int_equal(child_wait(&watch, &status), pid);
  child_unwatch(&watch);
  char *text = folder_read(output);
  assert_string_equal(text, "i- -- i- -- ");
  free(text);
}

static void programs_have_no_signal_blocked(void **state)
{
  char *argv[] = {(char[]){"/proc/self/exe"}, (char[]){"print"}, NULL};
  struct child_watch watch;
  struct file got = {.n = 0};
  (void)state;
  child_watch(&watch);
  assert_int_equal(file_from_program(argv, -1, &got), EXIT_CODE);
  child_unwatch(&watch);
  assert_int_equal(got.n, strlen("-- -- -- -- "));
  assert_memory_equal(got.bytes, "-- -- -- -- ", got.n);
  file_free(&got);
}

/* One that goes on after SIGTERM does so for seconds only. */
static void a_child_that_stays_is_killed(void **state)
{
  struct child_watch watch;
  char byte;
  (void)state;
  unlink(output);
  assert_int_equal(mkfifo(output, 0600), 0);
  const int fd = open(output, O_RDWR | O_CLOEXEC);
  child_watch(&watch);
  const pid_t pid = start("stay");
  assert_int_equal(read(fd, &byte, 1), 1);
  child_end(pid);
  assert_int_equal(kill(pid, 0), -1);
  child_unwatch(&watch);
  close(fd);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test_setup(an_end_is_seen_where_sigchld_was_ignored, signals_set_up),
                                     cmocka_unit_test_setup(a_signal_goes_before_an_end, signals_set_up),
                                     cmocka_unit_test_setup(a_child_can_be_ended, signals_set_up),
                                     cmocka_unit_test_setup(programs_have_no_signal_blocked, signals_set_up),
                                     cmocka_unit_test_setup(a_child_that_stays_is_killed, signals_set_up)};
  if (argc > 1)
    return be_child(argv[1]);
  if (!mkdtemp(folder))
    return EXIT_FAILURE;
  snprintf(output, sizeof output, "%s/output", folder);
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  folder_remove(folder);
  return failed;
}
