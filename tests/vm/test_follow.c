/* SPDX-License-Identifier: MIT */
/* A guest as the machine's workload, with the test in place of its processor: time advances only with the guest. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <poll.h>
#include <sys/mman.h>
#include <pmon/status.h>
#include "machine/config.h"
#include "machine/machine.h"
#include "machine/trace/guest.h"
#include "machine/trace/placement.h"
#include "machine/trace/ring.h"
#include "machine/trace/workload.h"

#define US UINT64_C(1000000000)

struct fixture {
  struct machine *m;
  struct guest *g;
  struct ring_area *area;
};

static int follow_set_up(void **state)
{
  static struct fixture f;
  struct machine_config config;
  struct placement *placement;
  struct machine_workload *w;
  char error[256];
  assert_int_equal(machine_config_preset(&config, "snbep"), PMON_OK);
  assert_int_equal(machine_new(&config, error, sizeof error, &f.m), PMON_OK);
  assert_int_equal(placement_new(NULL, 2, 8, error, sizeof error, &placement), PMON_OK);
  assert_int_equal(guest_open(1, error, sizeof error, &f.g), PMON_OK);
  f.area = mmap(NULL, sizeof *f.area, PROT_READ | PROT_WRITE, MAP_SHARED, guest_memory_fd(f.g), 0);
  assert_true(f.area != MAP_FAILED);
  assert_int_equal(trace_workload_new(guest_source(f.g), placement, &w), PMON_OK);
  machine_attach(f.m, w);
  *state = &f;
  return 0;
}

static int follow_tear_down(void **state)
{
  struct fixture *f = *state;
  munmap(f->area, sizeof *f->area);
  machine_free(f->m);
  return 0;
}

/* The processor executes `n` blocks of ten instructions with a load each, and publishes the records if `show` is
 * set. */
static void run_guest(struct fixture *f, unsigned n, bool show)
{
  struct ring *r = &f->area->ring[0];
  for (unsigned i = 0; i < n; i++) {
    r->record[r->head++ & (RING_RECORDS - 1)] = record_block(0x100000, 40, 10);
    r->record[r->head++ & (RING_RECORDS - 1)] = record_access(0x200000 + 64 * i, 3, false, 1);
  }
  if (show)
    r->published = r->head;
}

static uint64_t follow_run(struct fixture *f, uint64_t until_fs)
{
  char error[256];
  bool ended = true;
  assert_int_equal(machine_run(f->m, until_fs, &ended, error, sizeof error), PMON_OK);
  assert_false(ended);
  return machine_now_fs(f->m);
}

static void test_time_stops_while_the_guest_is_stopped(void **state)
{
  struct fixture *f = *state;
  assert_int_equal(follow_run(f, UINT64_MAX), 0);
  run_guest(f, 100, true);
  uint64_t after = follow_run(f, UINT64_MAX);
  assert_true(after > 0 && after < 100 * US);
  assert_int_equal(follow_run(f, UINT64_MAX), after);
  assert_int_equal(follow_run(f, after + US), after);
}

static void test_unobserved_accesses_are_processed_while_the_guest_waits(void **state)
{
  struct fixture *f = *state;
  run_guest(f, 100, false);
  assert_int_equal(follow_run(f, UINT64_MAX), 0);
  guest_stands(f->g, true);
  uint64_t after = follow_run(f, UINT64_MAX);
  assert_true(after > 0);
  guest_stands(f->g, false);
  assert_int_equal(follow_run(f, UINT64_MAX), after); /* the published records are before those already read */
  run_guest(f, 1, true);
  assert_true(follow_run(f, UINT64_MAX) > after);
}

static void test_time_passes_while_the_guest_waits(void **state)
{
  struct fixture *f = *state;
  run_guest(f, 10, true);
  guest_sleeps(f->g, true);
  assert_int_equal(follow_run(f, 50 * US), 50 * US);
  guest_sleeps(f->g, false);
  run_guest(f, 10, true);
  uint64_t after = follow_run(f, UINT64_MAX);
  assert_true(after > 50 * US && after < 60 * US);
}

/* The plugin rings the bell only after the reader has announced that it waits. */
static void test_an_idle_reader_requests_a_wakeup(void **state)
{
  struct fixture *f = *state;
  struct pollfd wake = {.fd = guest_wake_fd(f->g), .events = POLLIN};
  assert_false(guest_followed(f->g));
  guest_follow(f->g);
  assert_true(f->area->follow && f->area->reader_waits);
  f->area->reader_waits = 0;
  follow_run(f, UINT64_MAX);
  assert_true(f->area->reader_waits);
  assert_int_equal(poll(&wake, 1, 0), 0);
  guest_quiet(f->g);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_time_stops_while_the_guest_is_stopped, follow_set_up, follow_tear_down),
      cmocka_unit_test_setup_teardown(test_unobserved_accesses_are_processed_while_the_guest_waits, follow_set_up,
                                      follow_tear_down),
      cmocka_unit_test_setup_teardown(test_time_passes_while_the_guest_waits, follow_set_up, follow_tear_down),
      cmocka_unit_test_setup_teardown(test_an_idle_reader_requests_a_wakeup, follow_set_up, follow_tear_down),
  };
  return cmocka_run_group_tests_name("vm-follow", tests, NULL, NULL);
}
