/* SPDX-License-Identifier: MIT */
/* Programs under emulation: the machine receives exactly their accesses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <elf.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <pmon/status.h>
#include "machine/trace/live.h"
#include "machine/trace/program.h"
#include "machine/trace/workload.h"
#include "tests/trace/double.h"

static struct machine machine;

static const char *live_need(const char *name)
{
  const char *value = getenv(name);

  if (!value)
    fail_msg("%s is not set: run this by `meson test`", name);
  return value;
}

/* Runs a command to its end into `machine`. Returns the status of live_result(), with notes or the error. */
static int live_try(char *const *argv, struct live_result *result, char *notes, size_t notes_size)
{
  struct live_options options = {.argv = argv, .plugin = live_need("PMON_TEST_PLUGIN")};
  struct trace_source *source;
  struct placement *placement;
  struct machine_workload *w;
  char error[TRACE_ERROR_SIZE];
  bool ended = false;

  double_init(&machine);
  if (live_open(&options, error, sizeof error, &source) != 0)
    fail_msg("%s", error);
  trace_source_ahead(source, 3);
  assert_int_equal(placement_new(NULL, 2, 64, error, sizeof error, &placement), 0);
  assert_int_equal(trace_workload_new(source, placement, &w), 0);
  assert_int_equal(w->run(w, &machine, UINT64_MAX, &ended, error, sizeof error), 0);
  assert_true(ended);
  siginfo_t info;
  const bool reserved = !waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT);
  const int status = live_result(source, result);
  assert_true(reserved || status); /* no other process gets its ID while it may still be killed */
  if (status)
    snprintf(notes, notes_size, "%s", source->error);
  else
    live_notes(result, notes, notes_size);
  w->free(w);
  return status;
}

static void live_run(char *const *argv, struct live_result *result, char *notes, size_t notes_size)
{
  assert_int_equal(live_try(argv, result, notes, notes_size), 0);
}

static void test_known_program_is_traced_completely(void **state)
{
  char *argv[] = {(char *)live_need("PMON_TEST_GUEST"), NULL};
  struct traffic *t = &machine.traffic;
  struct live_result result;
  char notes[512];

  (void)state;
  live_run(argv, &result, notes, sizeof notes);
  assert_int_equal(result.exit_code, 0);
  assert_int_equal(result.threads, 1);
  assert_string_equal(notes, "");
  assert_int_equal(t->instructions, 2 + 4 * 1000 + 4 + 2 + 3 + 11 + 1 + 2 + 2 + 3);
  assert_int_equal(t->access[ACCESS_LOAD], 1000 + 2 + 1 + 10 + 1);
  assert_int_equal(t->access[ACCESS_STORE], 1000 + 1 + 10 + 1);
  assert_int_equal(t->access[ACCESS_MODIFY], 1000);
  assert_int_equal(t->access[ACCESS_NT_STORE], 2);
  assert_int_equal(t->access_bytes[ACCESS_NT_STORE], 8 + 16);
  assert_int_equal(t->access_bytes[ACCESS_LOAD], 8000 + 32 + 8 + 10 + 8);
  assert_int_equal(t->access_bytes[ACCESS_STORE], 8000 + 16 + 10 + 8);
  assert_int_equal(t->access_bytes[ACCESS_MODIFY], 8000);
}

static void test_exit_codes_and_signals_come_back(void **state)
{
  char *exits[] = {"sh", "-c", "exit 7", NULL};
  char *killed[] = {"sh", "-c", "kill -TERM $$", NULL};
  struct live_result result;
  char notes[512];

  (void)state;
  live_run(exits, &result, notes, sizeof notes);
  assert_int_equal(result.exit_code, 7);
  assert_int_equal(result.signal, 0);
  live_run(killed, &result, notes, sizeof notes);
  assert_int_equal(result.exit_code, 128 + 15);
  assert_int_equal(result.signal, 15);
}

/* The library leaves signals to its caller, which may ignore SIGCHLD; the kernel then keeps no exit status. */
static void test_a_lost_exit_status_is_no_success(void **state)
{
  char *argv[] = {"sh", "-c", "exit 3", NULL};
  struct live_result result;
  char notes[512];

  (void)state;
  void (*before)(int) = signal(SIGCHLD, SIG_IGN);
  assert_int_equal(live_try(argv, &result, notes, sizeof notes), PMON_E_IO);
  assert_non_null(strstr(notes, "ignores SIGCHLD"));
  signal(SIGCHLD, before);
}

/* Runs a shell command, and follows all its processes. */
static void run_followed(const char *command, unsigned children, struct live_result *result)
{
  char *argv[] = {"sh", "-c", (char *)command, NULL};
  char notes[512];

  live_run(argv, result, notes, sizeof notes);
  assert_int_equal(result->exit_code, 0);
  assert_int_equal(result->children, children);
  assert_int_equal(result->unseen, 0);
  assert_int_equal(result->left, 0);
}

/* The shell forks, and the child becomes the known program, which is the only one with non-temporal stores: two. */
static void test_children_are_followed(void **state)
{
  const char *guest = live_need("PMON_TEST_GUEST");
  char command[2048];
  struct live_result result;

  (void)state;
  for (unsigned n = 1; n <= 3; n++) {
    snprintf(command, sizeof command, "for i in %.*s; do %s; done", (int)(2 * n - 1), "1 2 3", guest);
    run_followed(command, n, &result);
    assert_int_equal(result.threads, 1 + 2 * n); /* each child before it executes the program, and after */
    assert_int_equal(machine.traffic.access[ACCESS_NT_STORE], 2 * n);
  }
}

static void test_replacement_is_followed(void **state)
{
  char *replaced[] = {"env", (char *)live_need("PMON_TEST_GUEST"), NULL};
  struct live_result result;
  char notes[512];

  (void)state;
  live_run(replaced, &result, notes, sizeof notes);
  assert_int_equal(result.children, 0);
  assert_int_equal(result.threads, 2);
  assert_int_equal(result.most, 1);
  assert_string_equal(notes, "");
  assert_int_equal(machine.traffic.access[ACCESS_NT_STORE], 2);
}

/* A killed process sends no message. */
static void test_wait_ends_when_the_child_is_killed(void **state)
{
  struct live_result result;

  (void)state;
  run_followed("sh -c 'kill -KILL $$' || :", 1, &result);
}

/* The process lives until the test has the result, however long that takes: the pipe that it reads has no writer until
 * then. */
static void test_processes_that_outlive_the_command_are_reported(void **state)
{
  char folder[] = "/tmp/pmon-live-XXXXXX", command[256], started[64], held[64];
  char *argv[] = {"sh", "-c", command, NULL};
  struct live_result result;
  char notes[512];

  (void)state;
  assert_non_null(mkdtemp(folder));
  snprintf(started, sizeof started, "%s/started", folder);
  snprintf(held, sizeof held, "%s/held", folder);
  assert_int_equal(mkfifo(started, 0600) | mkfifo(held, 0600), 0);
  snprintf(command, sizeof command, "{ echo here >%s; read word <%s; } >/dev/null 2>&1 & read word <%s", started, held,
           started);
  live_run(argv, &result, notes, sizeof notes);
  int writer = open(held, O_RDWR);
  unlink(held);
  unlink(started);
  rmdir(folder);
  close(writer);
  assert_int_equal(result.left, 1);
  assert_non_null(strstr(notes, "continued after the command ended"));
}

static void test_several_threads_are_reported(void **state)
{
  struct live_result result = {.threads = 1, .most = 1};
  char notes[512];

  (void)state;
  live_notes(&result, notes, sizeof notes);
  assert_string_equal(notes, "");
  result.threads = result.most = 3;
  live_notes(&result, notes, sizeof notes);
  assert_non_null(strstr(notes, "3 threads ran live: another run can interleave them differently"));
  result.children = 1;
  result.unseen = 2;
  live_notes(&result, notes, sizeof notes);
  assert_non_null(strstr(notes, "3 threads of 2 processes ran live"));
  assert_non_null(strstr(notes, "2 programs ran natively and were not traced"));
}

static void test_script_runs_with_its_interpreter(void **state)
{
  char path[] = "/tmp/pmon-script-XXXXXX";
  char *argv[] = {path, "5", NULL};
  struct live_result result;
  char notes[512];
  int fd = mkstemp(path);

  (void)state;
  assert_true(fd >= 0);
  assert_true(dprintf(fd, "#! /bin/sh -e\ntest \"$0\" = %s\nexit $(($1 + 1))\n", path) > 0);
  assert_int_equal(fchmod(fd, 0700), 0);
  close(fd);
  live_run(argv, &result, notes, sizeof notes);
  unlink(path);
  assert_int_equal(result.exit_code, 6);
}

static void test_run_stops_at_the_requested_time(void **state)
{
  char *argv[] = {(char *)live_need("PMON_TEST_GUEST"), NULL};
  struct live_options options = {.argv = argv, .plugin = live_need("PMON_TEST_PLUGIN")};
  struct trace_source *source;
  struct placement *placement;
  struct machine_workload *w;
  char error[TRACE_ERROR_SIZE];
  bool ended = false;
  uint64_t at_stop;

  (void)state;
  double_init(&machine);
  assert_int_equal(live_open(&options, error, sizeof error, &source), 0);
  assert_int_equal(placement_new("64", 2, 64, error, sizeof error, &placement), 0);
  assert_int_equal(trace_workload_new(source, placement, &w), 0);
  assert_int_equal(w->run(w, &machine, UINT64_C(2000) * 1000000, &ended, error, sizeof error), 0);
  assert_false(ended);
  at_stop = machine.traffic.instructions;
  assert_in_range(at_stop, 2000, 2000 + 63);
  assert_int_equal(machine.traffic.front[64].time, at_stop * 1000000);
  assert_int_equal(w->run(w, &machine, UINT64_MAX, &ended, error, sizeof error), 0);
  assert_true(ended);
  assert_int_equal(machine.traffic.instructions, 4030);
  w->free(w);
}

/* A source that was requested to stop is polled once more, and advances time instead of waiting for records. */
static void test_poll_reports_a_requested_stop(void **state)
{
  char *argv[] = {"sleep", "100", NULL};
  struct live_stop stop = {0};
  struct live_options options = {.argv = argv, .plugin = live_need("PMON_TEST_PLUGIN"), .stop = &stop};
  struct trace_source *source;
  char error[TRACE_ERROR_SIZE];
  unsigned threads;
  bool ended;

  (void)state;
  assert_int_equal(live_open(&options, error, sizeof error, &source), 0);
  assert_int_equal(source->ops->poll(source, &threads, &ended), 0);
  stop.number = SIGTERM;
  assert_int_equal(source->ops->poll(source, &threads, &ended), TRACE_REST);
  assert_false(ended);
  trace_source_free(source);
}

/* A program that has been started but is not read executes nothing: the measurement may still turn out to be
 * impossible. */
static void test_a_program_begins_with_its_measurement(void **state)
{
  enum { SAYS_TO = 9 };
  char *argv[] = {(char *)live_need("PMON_TEST_SAYS"), NULL};
  char error[TRACE_ERROR_SIZE], byte = 0;
  struct live_options options = {.argv = argv, .plugin = live_need("PMON_TEST_PLUGIN")};
  struct trace_source *source;
  struct placement *placement;
  struct machine_workload *w;
  bool ended = false;
  int ends[2];

  (void)state;
  assert_int_equal(pipe(ends), 0);
  assert_int_equal(dup2(ends[1], SAYS_TO), SAYS_TO);
  double_init(&machine);
  assert_int_equal(live_open(&options, error, sizeof error, &source), 0);
  assert_int_equal(poll(&(struct pollfd){.fd = ends[0], .events = POLLIN}, 1, 500), 0);
  assert_int_equal(placement_new(NULL, 2, 64, error, sizeof error, &placement), 0);
  assert_int_equal(trace_workload_new(source, placement, &w), 0);
  assert_int_equal(w->run(w, &machine, UINT64_MAX, &ended, error, sizeof error), 0);
  assert_true(ended);
  w->free(w);
  assert_int_equal(read(ends[0], &byte, 1), 1);
  assert_int_equal(byte, 'b');
  close(SAYS_TO);
  close(ends[0]);
  close(ends[1]);
}

static void live_refuse(char *const *argv, const char *plugin, int status, const char *words)
{
  struct live_options options = {.argv = argv, .plugin = plugin};
  struct trace_source *source;
  char error[TRACE_ERROR_SIZE];

  assert_int_equal(live_open(&options, error, sizeof error, &source), status);
  if (!strstr(error, words))
    fail_msg("'%s' does not say '%s'", error, words);
}

static void test_commands_that_cannot_run_are_refused(void **state)
{
  char *unknown[] = {"no-such-command-here", NULL};
  char *missing[] = {"/nowhere/program", NULL};
  char *directory[] = {"/", NULL};
  char *text[] = {"/etc/passwd", NULL};
  char *good[] = {"true", NULL}, *placed[] = {"/bin/true", NULL};
  const char *plugin = live_need("PMON_TEST_PLUGIN");

  (void)state;
  live_refuse(unknown, plugin, PMON_E_UNKNOWN, "no-such-command-here: no such command in PATH");
  live_refuse(missing, plugin, PMON_E_UNKNOWN, "/nowhere/program: no such command");
  live_refuse(directory, plugin, PMON_E_PERMISSION, "not an executable file");
  live_refuse(text, plugin, PMON_E_PERMISSION, "not an executable file");
  live_refuse(good, "/nowhere/plugin.so", PMON_E_NO_DEVICE, "pmon-trace.so");
  char *path = strdup(getenv("PATH"));
  assert_non_null(path);
  setenv("PATH", "/nowhere", 1);
  live_refuse(placed, plugin, PMON_E_NO_DEVICE, "apt install qemu-user");
  setenv("PATH", path, 1);
  free(path);
}

/* Each architecture that can be emulated has the name that QEMU uses. */
static void test_architectures_have_names(void **state)
{
  static const struct {
    unsigned char class;
    uint16_t machine;
    const char *name;
    unsigned pointer_bytes;
  } rows[] = {{ELFCLASS64, EM_X86_64, "x86_64", 8},
              {ELFCLASS32, EM_386, "i386", 4},
              {ELFCLASS64, EM_AARCH64, "aarch64", 8},
              {ELFCLASS64, EM_RISCV, "riscv64", 8}};
  char path[] = "/tmp/pmon-elf-XXXXXX", error[TRACE_ERROR_SIZE];
  static struct program program;
  const int fd = mkstemp(path);

  (void)state;
  assert_true(fd >= 0);
  assert_int_equal(fchmod(fd, 0700), 0);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    const Elf64_Ehdr h = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, rows[i].class, ELFDATA2LSB, EV_CURRENT},
                          .e_type = ET_EXEC,
                          .e_machine = rows[i].machine,
                          .e_version = EV_CURRENT};
    assert_int_equal(pwrite(fd, &h, sizeof h, 0), (ssize_t)sizeof h);
    if (program_resolve(path, &program, error, sizeof error))
      fail_msg("%s: %s", rows[i].name, error);
    assert_string_equal(program.arch->name, rows[i].name);
    assert_int_equal(program.arch->pointer_bytes, rows[i].pointer_bytes);
  }
  close(fd);
  unlink(path);
}

static void test_emulator_without_plugin_support_is_reported(void **state)
{
  char *argv[] = {"true", NULL};
  struct live_options options = {.argv = argv, .plugin = live_need("PMON_TEST_PLUGIN"), .qemu = "/bin/true"};
  struct trace_source *source;
  struct live_result result;
  char error[TRACE_ERROR_SIZE];

  (void)state;
  assert_int_equal(live_open(&options, error, sizeof error, &source), 0);
  assert_int_equal(live_result(source, &result), PMON_E_NO_DEVICE);
  assert_non_null(strstr(source->error, "plugin"));
  trace_source_free(source);
}

int main(void)
{
  static const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_known_program_is_traced_completely),
      cmocka_unit_test(test_exit_codes_and_signals_come_back),
      cmocka_unit_test(test_a_lost_exit_status_is_no_success),
      cmocka_unit_test(test_children_are_followed),
      cmocka_unit_test(test_replacement_is_followed),
      cmocka_unit_test(test_wait_ends_when_the_child_is_killed),
      cmocka_unit_test(test_processes_that_outlive_the_command_are_reported),
      cmocka_unit_test(test_several_threads_are_reported),
      cmocka_unit_test(test_script_runs_with_its_interpreter),
      cmocka_unit_test(test_run_stops_at_the_requested_time),
      cmocka_unit_test(test_poll_reports_a_requested_stop),
      cmocka_unit_test(test_architectures_have_names),
      cmocka_unit_test(test_a_program_begins_with_its_measurement),
      cmocka_unit_test(test_commands_that_cannot_run_are_refused),
      cmocka_unit_test(test_emulator_without_plugin_support_is_reported),
  };

  if (system("command -v qemu-x86_64 >/dev/null") != 0) {
    fprintf(stderr, "SKIPPED: no qemu-x86_64 (apt install qemu-user): nothing of the live trace was tested\n");
    return 77;
  }
  return cmocka_run_group_tests(tests, NULL, NULL);
}
