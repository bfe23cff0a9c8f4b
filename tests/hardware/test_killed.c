/* SPDX-License-Identifier: MIT */
/*
 * A measurement on the host's own registers that a signal ends: SIGINT, SIGTERM and SIGHUP restore everything at once,
 * and so does a closed reader of the output; after SIGKILL, `pmon restore` does so from the journal, which is always
 * kept. Each command runs in a process of its own, whose copy of the machine dies with it: its writes are replayed on
 * this process's machine.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include "cli/pmon.h"
#include "tests/engine/rig.h"
#include "tests/hardware/tree.h"
#include "tests/leave.h"

static const char *const small[] = {"cores=1", "chas=2", "imcs=1", "upi.links=1", "iio.stacks=1", NULL};
enum { MEMORY_AT = 0x22000, MEMORY = 0x1000 }; /* of MEM0: the first controller's two channels */
static struct tree tree;
static struct pmon_backend *backend;

static void killed_begin(const char *platform)
{
  tree_make(&tree, platform, !strcmp(platform, "emr") ? small : NULL);
  tree.writes = mmap(NULL, sizeof *tree.writes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  assert_true(tree.writes != MAP_FAILED);
  setenv("XDG_RUNTIME_DIR", tree.root, 1);
  ok(machine_backend_new(tree.machine, &backend));
}

static void killed_end(void)
{
  pmon_backend_close(backend);
  munmap(tree.writes, sizeof *tree.writes);
  tree.writes = NULL;
  tree_end(&tree);
}

/* Runs the command, and replays its writes on this process's machine. Returns its status as of waitpid(). */
static int run_into(const char *const *words, int out)
{
  char *argv[24];
  int argc = 0, status;
  for (; words[argc]; argc++)
    argv[argc] = (char *)(uintptr_t)words[argc];
  argv[argc] = NULL;
  tree.writes->n = 0;
  pid_t pid = fork();
  if (!pid) {
    if (dup2(out, STDOUT_FILENO) < 0 || !freopen("/dev/null", "w", stderr))
      _exit(99);
    int code = pmon_main(argc, argv);
    fflush(NULL);
    leave(code);
  }
  assert_int_equal(waitpid(pid, &status, 0), pid);
  for (uint32_t i = 0; i < tree.writes->n; i++)
    assert_int_equal(machine_write(tree.machine, &tree.writes->at[i].address, tree.writes->at[i].value), 0);
  return status;
}

static int killed_run(const char *const *words)
{
  const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC), status = run_into(words, nowhere);
  close(nowhere);
  return status;
}

static char *journal(void)
{
  static char path[200];
  FILE *f;
  char command[120];
  snprintf(command, sizeof command, "ls %s/pmon-*.journal 2>/dev/null", tree.root);
  f = popen(command, "r");
  assert_non_null(f);
  if (!fgets(path, sizeof path, f))
    *path = 0;
  pclose(f);
  path[strcspn(path, "\n")] = 0;
  return *path ? path : NULL;
}

/* The measured command sends the signal to the pmon process that measures it. */
static int killed_measure(const char *platform, const char *events, const char *signal)
{
  char line[80];
  snprintf(line, sizeof line, "kill -%s $PPID; read x", signal);
  const char *words[] = {"pmon", "-p",   platform, "stat", "--root", tree.root, "--backend", "direct",
                         "-e",   events, "--",     "sh",   "-c",     line,      NULL};
  return killed_run(words);
}

static const struct {
  const char *platform, *events;
} cases[] = {{"emr", "cha/CLOCKTICKS/,cha/TOR_INSERTS.IA_MISS/,upi/CLOCKTICKS/"},
             {"snbep", "cbo/CLOCKTICKS/,imc/CAS_COUNT.RD/"}};

static void a_killed_session_is_restored(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const struct pmon_platform *platform;
    killed_begin(cases[i].platform);
    ok(pmon_platform_find(context, cases[i].platform, &platform));
    rig_disturb(backend, platform);
    struct rig_registers *before = rig_registers_read(backend, platform);
    int status = killed_measure(cases[i].platform, cases[i].events, "KILL");
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    assert_true(tree.writes->n > 10);
    assert_non_null(journal());
    const char *words[] = {"pmon", "restore", "--root", tree.root, "--backend", "direct", NULL};
    status = killed_run(words);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    assert_null(journal());
    rig_registers_same(backend, before, "after pmon restore");
    killed_end();
  }
}

/* Reads the registers of the memory controllers, which are in the file that stands for memory, whichever process wrote
 * them. */
static void read_memory(unsigned socket, uint8_t bytes[MEMORY])
{
  char path[100];
  snprintf(path, sizeof path, "%s/mem", tree.dev);
  FILE *f = fopen(path, "r");
  assert_true(f && !fseek(f, (long)(0x1d0 + 0x10 * socket) << 23 | MEMORY_AT, SEEK_SET) &&
              fread(bytes, MEMORY, 1, f) == 1 && !fclose(f));
}

static void a_killed_session_is_restored_in_memory(void **state)
{
  static uint8_t before[2][MEMORY], killed[2][MEMORY], after[2][MEMORY];
  (void)state;
  killed_begin("emr");
  const char *words[] = {"pmon", "restore", "--root", tree.root, "--backend", "direct", NULL};
  for (unsigned socket = 0; socket < 2; socket++)
    read_memory(socket, before[socket]);
  int status = killed_measure("emr", "imc/CAS_COUNT.RD/,imc/CAS_COUNT.WR/", "KILL");
  assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
  assert_non_null(journal());
  for (unsigned socket = 0; socket < 2; socket++) {
    read_memory(socket, killed[socket]);
    assert_memory_not_equal(before[socket], killed[socket], MEMORY);
  }
  status = killed_run(words);
  assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  assert_null(journal());
  for (unsigned socket = 0; socket < 2; socket++) {
    read_memory(socket, after[socket]);
    assert_memory_equal(before[socket], after[socket], MEMORY);
  }
  killed_end();
}

static void signals_restore_all_registers(void **state)
{
  static const char *const signals[] = {"INT", "TERM", "HUP"};
  static const int numbers[] = {2, 15, 1};
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    for (size_t k = 0; k < sizeof signals / sizeof *signals; k++) {
      const struct pmon_platform *platform;
      killed_begin(cases[i].platform);
      ok(pmon_platform_find(context, cases[i].platform, &platform));
      rig_disturb(backend, platform);
      struct rig_registers *before = rig_registers_read(backend, platform);
      int status = killed_measure(cases[i].platform, cases[i].events, signals[k]);
      if (!WIFEXITED(status) || WEXITSTATUS(status) != 128 + numbers[k])
        fail_msg("%s %s: wait status 0x%x", cases[i].platform, signals[k], (unsigned)status);
      assert_true(tree.writes->n > 10);
      assert_null(journal());
      rig_registers_same(backend, before, signals[k]);
      killed_end();
    }
}

/* `pmon stat -I 1 | head`: the reader exits, and there is no command whose end would end the measurement. */
static void a_closed_reader_ends_the_measurement(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const struct pmon_platform *platform;
    const char *words[] = {"pmon", "-p", cases[i].platform, "stat", "--root", tree.root, "--backend", "direct", "-I",
                           "0.1",  "-e", cases[i].events,   NULL};
    int ends[2];
    killed_begin(cases[i].platform);
    ok(pmon_platform_find(context, cases[i].platform, &platform));
    rig_disturb(backend, platform);
    struct rig_registers *before = rig_registers_read(backend, platform);
    assert_int_equal(pipe(ends), 0);
    close(ends[0]);
    int status = run_into(words, ends[1]);
    close(ends[1]);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGPIPE);
    assert_true(tree.writes->n > 10);
    assert_null(journal());
    rig_registers_same(backend, before, "after the reader went");
    killed_end();
  }
}

/* A measurement that starts with SIGHUP ignored (nohup) continues. */
static void a_hangup_that_is_ignored_stays_ignored(void **state)
{
  (void)state;
  killed_begin("snbep");
  signal(SIGHUP, SIG_IGN);
  const char *words[] = {"pmon",    "-p",        "snbep",  "stat", "--root",
                         tree.root, "--backend", "direct", "-e",   cases[1].events,
                         "--force", "--",        "sh",     "-c",   "kill -HUP $PPID; exit 0",
                         NULL};
  int status = killed_run(words);
  signal(SIGHUP, SIG_DFL);
  assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  assert_null(journal());
  killed_end();
}

int main(void)
{
  /* A runner in the background ignores some of these signals, and the command would inherit that. */
  signal(SIGINT, SIG_DFL);
  signal(SIGTERM, SIG_DFL);
  signal(SIGHUP, SIG_DFL);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_killed_session_is_restored), cmocka_unit_test(a_killed_session_is_restored_in_memory),
      cmocka_unit_test(signals_restore_all_registers), cmocka_unit_test(a_closed_reader_ends_the_measurement),
      cmocka_unit_test(a_hangup_that_is_ignored_stays_ignored)};
  return cmocka_run_group_tests(tests, rig_begin, rig_end);
}
