/* SPDX-License-Identifier: MIT */
/*
 * A guest without an operating system (bare.S) under QEMU with the plugin: its loads wait for the loads that compute
 * their addresses, as a program's do. usage: test_vm_bare PLUGIN GUEST DEPENDENCES
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <pmon/status.h>
#include "machine/config.h"
#include "machine/machine.h"
#include "machine/trace/guest.h"
#include "machine/trace/placement.h"
#include "machine/trace/workload.h"

enum { SECONDS = 600, STEPS = 20000, WITHOUT_QEMU = 127, ENDED = 1 };

static const char *plugin, *image;

static struct machine *bare_machine(const char *setting)
{
  const char *const settings[] = {"prefetch=off", "map=identity", "cores=1", "sockets=1", "dtlb.miss=0", setting};
  struct machine_config config;
  struct machine *m;
  char error[256];

  assert_int_equal(machine_config_preset(&config, "emr"), PMON_OK);
  for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
    assert_int_equal(machine_config_parse(&config, settings[i], error, sizeof error), PMON_OK);
  assert_int_equal(machine_new(&config, error, sizeof error, &m), PMON_OK);
  return m;
}

static pid_t bare_start(const struct guest *g, const char *argument)
{
  char tracer[4096];
  const pid_t pid = fork();

  if (pid)
    return pid;
  snprintf(tracer, sizeof tracer, "%s,shm=%d,wake=%d,single=on", plugin, guest_memory_fd(g), guest_wake_fd(g));
  fcntl(guest_memory_fd(g), F_SETFD, 0);
  fcntl(guest_wake_fd(g), F_SETFD, 0);
  alarm(SECONDS);
  execlp("qemu-system-x86_64", "qemu-system-x86_64", "-nodefaults", "-no-user-config", "-no-reboot", "-display", "none",
         "-accel", "tcg,thread=single", "-m", "64M", "-object", "memory-backend-memfd,id=memory0,size=64M,share=on",
         "-numa", "node,memdev=memory0", "-device", "isa-debug-exit,iobase=0xf4", "-kernel", image, "-append", argument,
         "-plugin", tracer, (char *)NULL);
  _exit(WITHOUT_QEMU);
}

/* Returns the simulated time, in fs, of a guest that chases the list for 20,000 steps times that digit. */
static uint64_t bare_fs(const char *setting, const char *digit)
{
  struct machine *m = bare_machine(setting);
  struct placement *placement;
  struct machine_workload *w;
  struct guest *g;
  char error[256];
  bool ended;
  int status;

  assert_int_equal(placement_new(NULL, 1, 1, error, sizeof error, &placement), PMON_OK);
  assert_int_equal(guest_open(1, error, sizeof error, &g), PMON_OK);
  assert_int_equal(trace_workload_new(guest_source(g), placement, &w), PMON_OK);
  machine_attach(m, w);
  guest_follow(g);
  const pid_t pid = bare_start(g, digit);
  struct pollfd wake = {.fd = guest_wake_fd(g), .events = POLLIN};
  while (waitpid(pid, &status, WNOHANG) == 0) { /* the end of QEMU does not ring the bell */
    assert_int_equal(machine_run(m, UINT64_MAX, &ended, error, sizeof error), PMON_OK);
    poll(&wake, 1, 20);
    guest_quiet(g);
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == WITHOUT_QEMU)
    skip();
  assert_true(WIFEXITED(status) && WEXITSTATUS(status) == ENDED);
  assert_true(guest_followed(g));
  guest_stands(g, true);
  assert_int_equal(machine_run(m, UINT64_MAX, &ended, error, sizeof error), PMON_OK);
  const uint64_t now = machine_now_fs(m);
  machine_free(m);
  return now;
}

static double bare_step_ns(const char *setting)
{
  const uint64_t one = bare_fs(setting, "1"), three = bare_fs(setting, "3");

  return (double)(three - one) * 1e-6 / (2.0 * STEPS);
}

/* The list is in L2: 15 cycles of 3 GHz, 5 ns, without waits for translations. */
static void test_a_list_waits_in_a_guest(void **state)
{
  const double follows = bare_step_ns("core.dependences=l1-misses"), overlaps = bare_step_ns("core.dependences=off");

  (void)state;
  print_message("ns a step: %.3f, and %.3f where loads wait for none\n", follows, overlaps);
  assert_true(follows > 4.85 && follows < 5.15);
  assert_true(overlaps < 1);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_a_list_waits_in_a_guest)};

  if (argc != 4 || strcmp(argv[3], "yes") != 0) {
    fputs("SKIPPED: the plugin is built without Zydis\n", stderr);
    return 77;
  }
  plugin = argv[1];
  image = argv[2];
  return cmocka_run_group_tests_name("vm-bare", tests, NULL, NULL);
}
