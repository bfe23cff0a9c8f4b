/* SPDX-License-Identifier: MIT */
/* The measured frequency of the time stamp counter, and where it is used. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>
#include <cmocka.h>
#include "src/access/system.h"
#include "src/access/tsc.h"

#if defined(__x86_64__) || defined(__i386__)
#include <x86intrin.h>

/* Over a longer time, and with another reading of the clock. */
static double measured_again(void)
{
  struct timespec begin, end;
  clock_gettime(CLOCK_MONOTONIC, &begin);
  const uint64_t first = __rdtsc();
  double seconds;
  do {
    clock_gettime(CLOCK_MONOTONIC, &end);
    seconds = (double)(end.tv_sec - begin.tv_sec) + (double)(end.tv_nsec - begin.tv_nsec) / 1e9;
  } while (seconds < 0.05);
  return (double)(__rdtsc() - first) / seconds;
}

/* The two clocks are read one after the other, so that a pause of the host between them changes the second result: the
 * best of some tries counts. */
static void the_frequency_is_that_of_the_counter(void **state)
{
  (void)state;
  const double hz = (double)tsc_measure();
  double least = INFINITY;
  for (int i = 0; i < 5 && least > 1e-3; i++)
    least = fmin(least, fabs(measured_again() / hz - 1));
  assert_true(hz > 1e8);
  assert_true(least < 1e-3);
}
#else
static void the_frequency_is_that_of_the_counter(void **state)
{
  (void)state;
  assert_true(tsc_measure() == 0);
}
#endif

/* Of a copied tree it is not known, nor in a virtual machine. */
static void only_a_real_host_has_one(void **state)
{
  (void)state;
  struct pmon_cpu cpu;
  struct system s;
  assert_int_equal(system_init(&s, NULL, NULL), 0);
  assert_true(s.host);
  if (pmon_cpu_read(&cpu))
    assert_true(cpu.hypervisor == !tsc_of_system(&s));
  s.host = false;
  assert_true(tsc_of_system(&s) == 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_frequency_is_that_of_the_counter),
      cmocka_unit_test(only_a_real_host_has_one),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
