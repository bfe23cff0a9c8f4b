/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>
#include <pmon/status.h>
#include "machine/common/address.h"
#include "machine/trace/scenario.h"
#include "tests/trace/double.h"

static struct machine machine;

static void scenario_run(const char *text)
{
  static const unsigned shape[2] = {2, 64};
  struct scenario s;
  struct machine_workload *w;
  char error[TRACE_ERROR_SIZE] = "";
  bool ended = false;

  double_init(&machine);
  if (scenario_parse("text", text, strlen(text), error, sizeof error, &s) != 0)
    fail_msg("%s", error);
  assert_int_equal(scenario_workload_new(&s, NULL, shape, error, sizeof error, &w), 0);
  if (w->begin(w, &machine, error, sizeof error) || w->run(w, &machine, UINT64_MAX, &ended, error, sizeof error))
    fail_msg("%s", error);
  assert_true(ended);
  w->free(w);
}

static const struct double_event *access_number(unsigned number)
{
  for (unsigned i = 0; i < machine.traffic.logged; i++)
    if (machine.traffic.log[i].what == 'a' && number-- == 0)
      return &machine.traffic.log[i];
  fail_msg("there is no such access");
  return NULL;
}

static void test_stream_goes_through_its_memory_in_order(void **state)
{
  uint64_t base;

  (void)state;
  scenario_run("thread 2 on core 70: stream write 1K stride 256 times 2\n");
  assert_int_equal(machine.traffic.access[ACCESS_STORE], 8);
  assert_int_equal(machine.traffic.instructions, 32);
  base = access_number(0)->at;
  for (unsigned i = 0; i < 8; i++) {
    assert_int_equal(access_number(i)->at, base + i % 4 * 256);
    assert_int_equal(access_number(i)->core, 70);
    assert_int_equal(access_number(i)->size, 8);
  }
}

static void test_random_stays_inside_and_follows_the_seed(void **state)
{
  uint64_t sum;

  (void)state;
  scenario_run("seed 5\nthread 0: random modify 64K count 1k");
  assert_int_equal(machine.traffic.access[ACCESS_MODIFY], 1000);
  sum = machine.traffic.sum;
  for (unsigned i = 0; i < 1000; i++) {
    assert_int_equal(access_number(i)->at >> 16, access_number(0)->at >> 16);
    assert_int_equal(access_number(i)->at & 7, 0);
  }
  scenario_run("seed 5\nthread 0: random modify 64K count 1k");
  assert_int_equal(machine.traffic.sum, sum);
  scenario_run("seed 6\nthread 0: random modify 64K count 1k");
  assert_int_not_equal(machine.traffic.sum, sum);
}

static void test_chase_visits_each_line_once_in_each_pass(void **state)
{
  unsigned seen[48] = {0};

  (void)state;
  scenario_run("thread 0: chase 3K times 2");
  assert_int_equal(machine.traffic.access[ACCESS_LOAD], 96);
  for (unsigned i = 0; i < 96; i++) {
    uint64_t line = (access_number(i)->at & 0xffff) / 64;

    assert_in_range(line, 0, 47);
    seen[line]++;
    if (i < 48)
      assert_int_equal(access_number(i)->at, access_number(i + 48)->at);
  }
  for (unsigned i = 0; i < 48; i++)
    assert_int_equal(seen[i], 2);
}

static void test_chains_of_a_chase_alternate_in_their_own_parts(void **state)
{
  unsigned seen[48] = {0};

  (void)state;
  scenario_run("thread 0: chase 3K chains 3 times 2");
  assert_int_equal(machine.traffic.access[ACCESS_LOAD], 96);
  for (unsigned i = 0; i < 96; i++) {
    const uint64_t line = (access_number(i)->at & 0xffff) / 64;

    assert_int_equal(line / 16, i % 3);
    assert_int_equal(access_number(i)->at, access_number((i + 48) % 96)->at);
    seen[line]++;
  }
  for (unsigned i = 0; i < 48; i++)
    assert_int_equal(seen[i], 2);
  scenario_run("thread 0: chase 640 chains 3"); /* one line is left over */
  assert_int_equal(machine.traffic.access[ACCESS_LOAD], 9);
}

static void test_copy_spin_and_access_patterns(void **state)
{
  (void)state;
  scenario_run("thread 0: copy 4K\nthread 0: spin 1000\nthread 0: stream flush 4K stride 64\n"
               "thread 0: stream past-caches 4K stride 64\nthread 0: stream prefetch 4K stride 64\n");
  assert_int_equal(machine.traffic.access[ACCESS_LOAD], 64);
  assert_int_equal(machine.traffic.access[ACCESS_STORE], 64);
  assert_int_equal(machine.traffic.access[ACCESS_FLUSH], 64);
  assert_int_equal(machine.traffic.access[ACCESS_NT_STORE], 64);
  assert_int_equal(machine.traffic.access[ACCESS_PREFETCH], 64);
  assert_int_equal(machine.traffic.instructions, 4 * 64 * 4 + 1000);
  assert_int_equal(access_number(1)->at - access_number(0)->at, 4096);
}

static void test_shared_buffers_alias_and_private_buffers_do_not(void **state)
{
  uint64_t first[2] = {0};

  (void)state;
  scenario_run("thread 0 on core 0: stream write 64 stride 64 shared ring\n"
               "thread 1 on core 64: stream read 64 stride 64 shared ring\n");
  assert_int_equal(access_number(0)->at, access_number(1)->at);
  assert_int_not_equal(access_number(0)->core, access_number(1)->core);
  scenario_run("thread 0: stream write 64 stride 64\nthread 255: stream read 64 stride 64\n");
  first[0] = access_number(0)->at;
  first[1] = access_number(1)->at;
  assert_int_not_equal(first[0], first[1]);
}

static void test_memory_of_all_threads_is_in_its_cxl_device(void **state)
{
  static const char text[] = "thread 0: copy 16G cxl 0\nthread 127: copy 16G cxl 0\nthread 128: copy 16G cxl 0\n"
                             "thread 255: copy 16G cxl 0\nthread 0: copy 16G cxl 1\n";
  struct scenario s;
  char error[256];

  (void)state;
  assert_int_equal(scenario_parse("text", text, sizeof text - 1, error, sizeof error, &s), 0);
  assert_int_equal(s.n_steps, 5);
  for (size_t i = 0; i < s.n_steps; i++) {
    const uint64_t first = s.step[i].base, end = first + 2 * s.step[i].span;
    assert_int_equal(((first >> 12) - CXL_PAGES) >> CXL_PAGES_BITS, i / 4);
    assert_int_equal((((end - 1) >> 12) - CXL_PAGES) >> CXL_PAGES_BITS, i / 4);
    for (size_t k = 0; k < i; k++)
      assert_true(s.step[k].base >= end || first >= s.step[k].base + 2 * s.step[k].span);
  }
  scenario_fini(&s);
}

static void test_devices_start_and_time_goes_on_to_their_end(void **state)
{
  (void)state;
  scenario_run("dma write 4GB/s socket 1 stack 2 port 7 from 1us for 2ms partial span 1M\n");
  assert_int_equal(machine.traffic.streams, 1);
  assert_int_equal(machine.traffic.stream_bytes_per_second, 4000000000);
  assert_int_equal(machine.traffic.advanced, UINT64_C(2001000000000));
  assert_int_equal(machine.traffic.reached, UINT64_C(2001000000000));
  scenario_run("message lock 3k/s socket 1 node 0 from 1us for 2us\n");
  assert_int_equal(machine.traffic.streams, 1);
  assert_int_equal(machine.traffic.stream_bytes_per_second, 3000 * 64);
  assert_int_equal(machine.traffic.reached, UINT64_C(3000000000));
}

/* Invalid lines, a part of the error text, and the status. */
static const struct {
  const char *text, *words;
  int status;
} wrong[] = {
    {"", "the scenario is empty", PMON_E_SYNTAX},
    {"# only words\nset cores=4\n", "the scenario is empty", PMON_E_SYNTAX},
    {"thread 0: fly 1M\n", "line 1: expected stream, random", PMON_E_SYNTAX},
    {"\nthread 0 stream 1M\n", "line 2: expected ':'", PMON_E_SYNTAX},
    {"thread x: stream 1M", "a thread's number", PMON_E_SYNTAX},
    {"thread 256: stream 1M", "expected a thread's number from 0 to 255, not '256'", PMON_E_RANGE},
    {"thread 0: stream", "an amount of memory", PMON_E_SYNTAX},
    {"thread 0: stream 1Q", "an amount of memory", PMON_E_SYNTAX},
    {"thread 0: stream 32G", "expected an amount of memory (64M) from 64 to 16G, not '32G'", PMON_E_RANGE},
    {"thread 0: stream 99999999999999999999", "expected an amount of memory (64M) from 64 to 16G", PMON_E_RANGE},
    {"thread 0: stream 1M stride 2M", "stride is larger", PMON_E_RANGE},
    {"thread 0: stream 1M stride 0", "expected a stride in bytes from 1 to 16G, not '0'", PMON_E_RANGE},
    {"thread 0: stream 1M backwards", "unexpected 'backwards'", PMON_E_SYNTAX},
    {"thread 0: chase 1M stride 64", "unexpected 'stride'", PMON_E_SYNTAX},
    {"thread 0: chase 1M independent chains 4", "the loads of a chain wait for each other", PMON_E_SYNTAX},
    {"thread 0: chase 1M chains 2 independent", "the loads of a chain wait for each other", PMON_E_SYNTAX},
    {"thread 0: chase 1M code", "with 'code' no load waits for another", PMON_E_SYNTAX},
    {"thread 0: copy 1M dependent", "unexpected 'dependent'", PMON_E_SYNTAX},
    {"thread 0: random write 1M independent", "unexpected 'independent'", PMON_E_SYNTAX},
    {"thread 0: chase 1M chains 33", "expected a number of chains from 1 to 32, not '33'", PMON_E_RANGE},
    {"thread 0: chase 128 chains 3", "the memory has fewer 64-byte lines than chains", PMON_E_RANGE},
    {"thread 0: stream 1M chains 2", "unexpected 'chains'", PMON_E_SYNTAX},
    {"thread 0: stream 16G stride 1 times 281474976710656", "too many accesses", PMON_E_RANGE},
    {"thread 0 on core 1: spin 5\nthread 0 on core 2: spin 5",
     "line 2: an earlier line assigns another core to the thread", PMON_E_CONFLICT},
    {"thread 0 on cake 1: spin 5", "expected 'core'", PMON_E_SYNTAX},
    {"thread 0: stream 1M shared", "name of a shared buffer", PMON_E_SYNTAX},
    {"dma 4GB/s for 1ms", "expected read, write, atomic, message or flush", PMON_E_SYNTAX},
    {"dma read 4 for 1ms", "a rate", PMON_E_SYNTAX},
    {"dma read 4GB/s", "expected 'for'", PMON_E_SYNTAX},
    {"dma read 4GB/s for 1", "a time", PMON_E_SYNTAX},
    {"dma read 4GB/s partial for 1ms", "unexpected 'partial'", PMON_E_SYNTAX},
    {"dma read 4GB/s lanes 3 for 1ms", "lanes: expected a power of two, not 3", PMON_E_RANGE},
    {"dma read 4GB/s lanes 32 for 1ms", "lanes", PMON_E_RANGE},
    {"dma read 4GB/s payload 96 for 1ms", "payload: expected a power of two, not 96", PMON_E_RANGE},
    {"dma read 4GB/s request 32 for 1ms", "request", PMON_E_RANGE},
    {"dma read 4GB/s request 8192 for 1ms", "request", PMON_E_RANGE},
    {"dma read 4GB/s credits 1025 for 1ms", "credits", PMON_E_RANGE},
    {"dma read 4GB/s tags 1025 for 1ms", "tags", PMON_E_RANGE},
    {"dma atomic 1GB/s partial for 1ms", "unexpected 'partial'", PMON_E_SYNTAX},
    {"dma write 1GB/s to-port 1 for 1ms", "expected 'to-stack'", PMON_E_SYNTAX},
    {"dma write 1GB/s to-port 0 for 1ms", "expected 'to-stack'", PMON_E_SYNTAX},
    {"message msi 1k/s for 1ms", "expected wire, ipi, doorbell, priority, lock, register", PMON_E_SYNTAX},
    {"message ipi 1GB/s for 1ms", "a rate (100k/s)", PMON_E_SYNTAX},
    {"message ipi 2000M/s for 1ms", "expected a rate (100k/s) from 1/s to 1000M/s, not '2000M/s'", PMON_E_RANGE},
    {"message ipi 1k/s", "expected 'for'", PMON_E_SYNTAX},
    {"message ipi 1k/s stack 1 for 1ms", "unexpected 'stack'", PMON_E_SYNTAX},
    {"mmio atomic 1GB/s for 1ms", "expected 'read' or 'write'", PMON_E_SYNTAX},
    {"seed 0", "expected a seed from 1 to ", PMON_E_RANGE},
    {"set", "expected NAME=VALUE", PMON_E_SYNTAX},
    {"jump", "expected thread, dma, mmio, device, message, set, seed, inject", PMON_E_SYNTAX},
    {"inject 3 X 5", "expected a unit such as cha3", PMON_E_SYNTAX},
    {"inject cha3", "expected an event", PMON_E_SYNTAX},
    {"inject cha3 0x137 5", "too large", PMON_E_RANGE},
    {"inject cha3 0x37:", "expected a value", PMON_E_SYNTAX},
    {"inject cha3 X 0", "expected a number of occurrences from 1 to ", PMON_E_RANGE},
    {"inject cha3 X 5 for 1us", "unexpected 'for'", PMON_E_SYNTAX},
    {"inject cha3 X 5 socket 8", "expected a socket from 0 to 7, not '8'", PMON_E_RANGE},
    {"hold pcu X 5", "expected 'for' and a time", PMON_E_SYNTAX},
    {"hold pcu X 5 at 1us", "unexpected 'at'", PMON_E_SYNTAX},
    {"thermal", "expected 'for' and a time", PMON_E_SYNTAX},
    {"crc cha0 5", "expected a link such as upi0", PMON_E_SYNTAX},
    {"crc upi0", "a number of errors", PMON_E_SYNTAX},
    {"write cha0 CTL0", "expected a value", PMON_E_SYNTAX},
    {"write cha0 CTL0 1 expect == 1", "unexpected 'expect'", PMON_E_SYNTAX},
    {"read cha0 CTR0 expect 5", "expected ==", PMON_E_SYNTAX},
    {"read cha0", "expected a register", PMON_E_SYNTAX},
    {"wait", "a time", PMON_E_SYNTAX},
    {"wait 1us 2us", "unexpected '2us'", PMON_E_SYNTAX},
    {"expect cha0 X", "expected ==", PMON_E_SYNTAX},
    {"expect total cha X == 5 socket 0", "unexpected 'socket'", PMON_E_SYNTAX},
    {"expect cha X == 5", "the scenario is empty", PMON_E_SYNTAX},
    {"a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a", "more than 32 words",
     PMON_E_SYNTAX},
};

static void test_wrong_lines_are_refused(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
    struct scenario s;
    char error[TRACE_ERROR_SIZE] = "";
    int status = scenario_parse("text", wrong[i].text, strlen(wrong[i].text), error, sizeof error, &s);

    if (status != wrong[i].status || !strstr(error, wrong[i].words))
      fail_msg("'%s': status %d, '%s'", wrong[i].text, status, error);
  }
}

static void test_missing_cores_and_stacks_are_refused(void **state)
{
  static const unsigned shape[2] = {1, 4};
  struct scenario s;
  struct machine_workload *w;
  char error[TRACE_ERROR_SIZE];
  const char *core = "# one\nthread 3 on core 4: spin 1", *stack = "dma read 1GB/s stack 12 for 1us";

  (void)state;
  assert_int_equal(scenario_parse("text", core, strlen(core), error, sizeof error, &s), 0);
  assert_int_equal(scenario_workload_new(&s, NULL, shape, error, sizeof error, &w), PMON_E_RANGE);
  assert_string_equal(error, "line 2 of the scenario: the machine has no core 4; its cores are 0 to 3");
  assert_int_equal(scenario_parse("text", stack, strlen(stack), error, sizeof error, &s), 0);
  assert_int_equal(scenario_workload_new(&s, NULL, shape, error, sizeof error, &w), 0);
  double_init(&machine);
  assert_int_equal(w->begin(w, &machine, error, sizeof error), PMON_E_RANGE);
  assert_non_null(strstr(error, "stack 12"));
  w->free(w);
}

int main(void)
{
  static const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_stream_goes_through_its_memory_in_order),
      cmocka_unit_test(test_random_stays_inside_and_follows_the_seed),
      cmocka_unit_test(test_chase_visits_each_line_once_in_each_pass),
      cmocka_unit_test(test_chains_of_a_chase_alternate_in_their_own_parts),
      cmocka_unit_test(test_copy_spin_and_access_patterns),
      cmocka_unit_test(test_shared_buffers_alias_and_private_buffers_do_not),
      cmocka_unit_test(test_memory_of_all_threads_is_in_its_cxl_device),
      cmocka_unit_test(test_devices_start_and_time_goes_on_to_their_end),
      cmocka_unit_test(test_wrong_lines_are_refused),
      cmocka_unit_test(test_missing_cores_and_stacks_are_refused),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
