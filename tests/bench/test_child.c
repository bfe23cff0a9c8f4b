/* SPDX-License-Identifier: MIT */
/* Processes of guests, and the signals that end them. This program is also the child: with an argument, which states
 * its role. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
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

/* Replaces the command's function. */
int cli_fail(const struct cli *cli, const char *format, ...)
{
  (void)cli, (void)format;
  return CLI_USAGE;
}

void cli_note(const struct cli *cli, const char *format, ...)
{
  (void)cli, (void)format;
}

int cli_fail_memory(const struct cli *cli)
{
  return cli_fail(cli, "no memory");
}

/* Returns for each signal whether it is ignored (i) or not (-), and blocked (b) or not (-). */
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

/* On SIGTERM, the process writes to another process, and ends when that one has written back. */
static void meet(const char *mine, const char *other)
{
  char byte;
  int number;
  sigset_t term;
  const int from = open(mine, O_RDWR), to = open(other, O_RDWR);
  sigemptyset(&term);
  sigaddset(&term, SIGTERM);
  sigprocmask(SIG_BLOCK, &term, NULL);
  if (write(STDOUT_FILENO, ".", 1) == 1 && !sigwait(&term, &number) && write(to, ".", 1) == 1 &&
      read(from, &byte, 1) == 1)
    printf("m");
  fflush(stdout);
}

static int be_child(char **argv)
{
  const char *does = argv[1];
  if (!strcmp(does, "print"))
    print_signals();
  if (!strcmp(does, "stay")) {
    signal(SIGTERM, SIG_IGN);
    if (write(STDOUT_FILENO, ".", 1) == 1)
      for (;;)
        pause();
  }
  if (!strcmp(does, "meet"))
    meet(argv[2], argv[3]);
  return EXIT_CODE;
}

static pid_t start(const char *does)
{
  const pid_t pid = child_start((const char *const[]){"child", does, NULL}, output, "/dev/null");
  assert_true(pid > 0);
  return pid;
}

/* All but SIGCHLD, which pmon never ignores. */
static void ignore_all(void)
{
  for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
    if (signals[i] != SIGCHLD)
      signal(signals[i], SIG_IGN);
}

/* Ends a test that would wait forever. */
static int signals_set_up(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
    signal(signals[i], SIG_DFL);
  alarm(LIMIT_S);
  return 0;
}

static void an_end_is_seen(void **state)
{
  struct child_watch watch;
  int status = 0;
  (void)state;
  child_watch(&watch);
  const pid_t pid = start("exit");
  assert_int_equal(child_wait(&watch, &status), pid);
  assert_int_equal(child_exit_code(status), EXIT_CODE);
  child_unwatch(&watch);
}

/* Both signals are pending when the wait begins, as after a terminal's ^C. */
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
  pid_t left = pid;
  children_end(&left, 1);
  assert_int_equal(left, 0);
  assert_int_equal(waitpid(pid, &status, WNOHANG), -1);
  watch.ended_by = 0; /* this process continues */
  child_unwatch(&watch);
}

/* SIGTERM ends the guest; ^C and a terminal's hang-up do not where they do not end this process. */
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

/* A process that continues after SIGTERM is killed within seconds. */
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
  pid_t left = pid;
  children_end(&left, 1);
  assert_int_equal(kill(pid, 0), -1);
  child_unwatch(&watch);
  close(fd);
}

/* Each process ends when both have received SIGTERM: if they were ended in sequence, the first would be killed
 * instead. */
static void children_are_ended_at_once(void **state)
{
  char paths[2][sizeof folder + 8], text[4] = "";
  struct child_watch watch;
  pid_t pid[3] = {0};
  (void)state;
  unlink(output);
  assert_int_equal(mkfifo(output, 0600), 0);
  const int fd = open(output, O_RDWR | O_CLOEXEC | O_NONBLOCK);
  for (unsigned i = 0; i < 2; i++) {
    snprintf(paths[i], sizeof paths[i], "%s/meet%u", folder, i);
    assert_int_equal(mkfifo(paths[i], 0600), 0);
  }
  child_watch(&watch);
  for (unsigned i = 0; i < 2; i++) {
    struct pollfd ready = {.fd = fd, .events = POLLIN};
    pid[2 * i] = child_start((const char *const[]){"child", "meet", paths[i], paths[!i], NULL}, output, "/dev/null");
    assert_int_equal(poll(&ready, 1, -1), 1);
    assert_int_equal(read(fd, text, sizeof text), 1);
  }
  children_end(pid, 3);
  child_unwatch(&watch);
  assert_int_equal(read(fd, text, sizeof text), 2);
  assert_memory_equal(text, "mm", 2);
  assert_true(!pid[0] && !pid[1] && !pid[2]);
  close(fd);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test_setup(an_end_is_seen, signals_set_up),
                                     cmocka_unit_test_setup(a_signal_goes_before_an_end, signals_set_up),
                                     cmocka_unit_test_setup(a_child_can_be_ended, signals_set_up),
                                     cmocka_unit_test_setup(programs_have_no_signal_blocked, signals_set_up),
                                     cmocka_unit_test_setup(a_child_that_stays_is_killed, signals_set_up),
                                     cmocka_unit_test_setup(children_are_ended_at_once, signals_set_up)};
  if (argc > 1)
    return be_child(argv);
  if (!mkdtemp(folder))
    return EXIT_FAILURE;
  snprintf(output, sizeof output, "%s/output", folder);
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  folder_remove(folder);
  return failed;
}
