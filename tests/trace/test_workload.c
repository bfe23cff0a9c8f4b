/* SPDX-License-Identifier: MIT */
/* Records fed to the machine: folding, order of the threads by simulated time, repeatability. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdio.h>
#include <unistd.h>
#include <pmon/status.h>
#include "machine/trace/workload.h"
#include "machine/trace/writer.h"
#include "tests/trace/collect.h"
#include "tests/trace/double.h"

static struct machine machine;

/* A source whose threads' records are all in memory, delivered in windows of `step` records. After each window it has
 * none for the next `late` polls, as a program that runs on a busy host. */
struct memory_source {
  struct trace_source base;
  const uint64_t *record[4];
  size_t n[4], at[4], step;
  unsigned threads, late, asked;
};

static int memory_poll(struct trace_source *s, unsigned *ret_threads, bool *ret_ended)
{
  *ret_threads = ((struct memory_source *)s)->threads;
  *ret_ended = true;
  return 0;
}

static int memory_await(struct trace_source *s, unsigned thread)
{
  (void)thread;
  if (!((struct memory_source *)s)->late)
    fail_msg("nothing to wait for");
  return 0;
}

static int memory_window(struct trace_source *s, unsigned i, struct trace_window *ret)
{
  struct memory_source *m = (struct memory_source *)s;
  size_t left = m->n[i] - m->at[i];

  *ret = (struct trace_window){.state = TRACE_RUNNING};
  if (m->asked++ < m->late)
    return 0;
  *ret = (struct trace_window){.record = m->record[i] + m->at[i],
                               .n = left < m->step ? left : m->step,
                               .state = left <= m->step ? TRACE_ENDED : TRACE_RUNNING};
  return 0;
}

static void memory_consume(struct trace_source *s, unsigned i, size_t n)
{
  ((struct memory_source *)s)->at[i] += n;
  ((struct memory_source *)s)->asked = 0;
}

static void memory_freerunning(struct trace_source *s)
{
  (void)s;
}

static const struct trace_source_ops memory_ops = {memory_poll,    memory_await,       memory_window,
                                                   memory_consume, memory_freerunning, NULL};

static struct machine_workload *workload(struct trace_source *s, const char *policy)
{
  struct placement *p;
  struct machine_workload *w;
  char error[256];

  assert_int_equal(placement_new(policy, 2, 64, error, sizeof error, &p), 0);
  assert_int_equal(trace_workload_new(s, p, &w), 0);
  double_init(&machine);
  return w;
}

static void run_to_end(struct trace_source *s, const char *policy)
{
  struct machine_workload *w = workload(s, policy);
  char error[TRACE_ERROR_SIZE];
  bool ended = false;

  assert_int_equal(w->run(w, &machine, UINT64_MAX, &ended, error, sizeof error), 0);
  assert_true(ended);
  w->free(w);
}

static void test_pieces_of_one_instruction_fold(void **state)
{
  const uint64_t record[] = {
      record_block(0x1000, 20, 5),        record_access(0x2000, 3, false, 0),
      record_access(0x2008, 3, false, 0),                                     /* a load of 16 */
      record_access(0x3000, 2, false, 1), record_access(0x3000, 2, true, 1),  /* a modify of 4 */
      record_access(0x3004, 2, false, 2), record_access(0x3008, 2, false, 3), /* two instructions, two loads */
      record_access(0x4000, 3, false, 4), record_access(0x5000, 3, true, 4),  /* one instruction, two places */
      record_block(0x1000, 20, 5),        record_access(0x5000, 3, false, 4),
      record_block(0x1000, 4, 1),         record_access(0x5008, 3, false, 4),
  };
  static const struct double_event expected[] = {
      {.what = 'w'},
      {'b', 0, 0x1000, 20, 5},
      {'a', 0, 0x2000, 16, ACCESS_LOAD},
      {'a', 0, 0x3000, 4, ACCESS_MODIFY},
      {'a', 0, 0x3004, 4, ACCESS_LOAD},
      {'a', 0, 0x3008, 4, ACCESS_LOAD},
      {'a', 0, 0x4000, 8, ACCESS_LOAD},
      {'a', 0, 0x5000, 8, ACCESS_STORE},
      {'b', 0, 0x1000, 20, 5},
      {'a', 0, 0x5000, 8, ACCESS_LOAD},
      {'b', 0, 0x1000, 4, 1},
      {'a', 0, 0x5008, 8, ACCESS_LOAD},
      {.what = 'i'},
  };

  (void)state;
  for (size_t step = 1; step < 14; step++) { /* independent of the windows */
    struct memory_source s = {.base.ops = &memory_ops,
                              .record = {record},
                              .n = {sizeof record / sizeof record[0]},
                              .step = step,
                              .threads = 1};

    run_to_end(&s.base, NULL);
    assert_int_equal(machine.traffic.logged, sizeof expected / sizeof expected[0]);
    for (size_t i = 0; i < machine.traffic.logged; i++) {
      const struct double_event *a = &machine.traffic.log[i], *e = &expected[i];

      assert_true(a->what == e->what && a->core == e->core && a->at == e->at && a->size == e->size &&
                  a->kind == e->kind);
    }
  }
}

/* Whether records are available depends on the host: a core whose only thread has none yet is not idle. */
static void test_records_that_are_late_take_no_time(void **state)
{
  const uint64_t record[] = {record_block(0x1000, 4, 1), record_access(0x2000, 3, false, 0), record_block(0x1000, 4, 1),
                             record_access(0x3000, 3, false, 0)};

  (void)state;
  for (unsigned late = 1; late < 5; late++) {
    struct memory_source s = {
        .base.ops = &memory_ops, .record = {record}, .n = {4}, .step = 1, .threads = 1, .late = late};

    run_to_end(&s.base, NULL);
    assert_int_equal(machine.traffic.logged, 6);
    assert_int_equal(machine.traffic.log[0].what, 'w');
    for (size_t i = 1; i < 5; i++)
      assert_true(machine.traffic.log[i].what == (i & 1 ? 'b' : 'a'));
    assert_int_equal(machine.traffic.log[5].what, 'i');
  }
}

static void test_vectors_of_64_bytes_fold_and_longer_ones_split(void **state)
{
  uint64_t record[10] = {record_block(0x1000, 6, 1)};
  struct memory_source s = {.base.ops = &memory_ops, .record = {record}, .n = {10}, .step = 100, .threads = 1};

  (void)state;
  for (unsigned i = 0; i < 9; i++)
    record[1 + i] = record_access(0x203c + 8 * i, 3, true, 0);
  run_to_end(&s.base, NULL);
  assert_int_equal(machine.traffic.access[ACCESS_STORE], 2);
  assert_int_equal(machine.traffic.log[2].at, 0x203c);
  assert_int_equal(machine.traffic.log[2].size, 64);
  assert_int_equal(machine.traffic.log[3].size, 8);
}

static void test_thread_furthest_behind_goes_next(void **state)
{
  uint64_t quick[1000], slow[1000];
  struct memory_source s = {
      .base.ops = &memory_ops, .record = {quick, slow}, .n = {1000, 1000}, .step = 64, .threads = 2};
  uint64_t time[2] = {0, 0}, apart = 0;

  (void)state;
  for (unsigned i = 0; i < 1000; i++) {
    quick[i] = record_block(0x1000, 4, 1);
    slow[i] = record_block(0x2000, 16, 4);
  }
  run_to_end(&s.base, "3,70");
  assert_int_equal(machine.traffic.front[3].time, UINT64_C(1000) * 1000000);
  assert_int_equal(machine.traffic.front[70].time, UINT64_C(4000) * 1000000);
  assert_int_equal(machine.traffic.reached, UINT64_C(4000) * 1000000);
  for (unsigned i = 0; i < machine.traffic.logged; i++) {
    const struct double_event *e = &machine.traffic.log[i];

    if (e->what != 'b')
      continue;
    time[e->core == 70] += e->kind; /* instructions: 1 ns each */
    if (time[0] < 1000 && time[1] < 4000) {
      uint64_t d = time[0] > time[1] ? time[0] - time[1] : time[1] - time[0];

      apart = d > apart ? d : apart;
    }
  }
  assert_in_range(apart, 1, 60); /* a slice of 50 ns and one block */
}

static void test_stop_leaves_the_rest_for_later(void **state)
{
  uint64_t record[100];
  struct memory_source s = {
      .base.ops = &memory_ops, .record = {record, record}, .n = {100, 100}, .step = 7, .threads = 2};
  struct machine_workload *w;
  char error[TRACE_ERROR_SIZE];
  bool ended = true;

  (void)state;
  for (unsigned i = 0; i < 100; i++)
    record[i] = record_block(0x1000, 4, 1);
  w = workload(&s.base, NULL);
  assert_int_equal(w->run(w, &machine, 30000000, &ended, error, sizeof error), 0);
  assert_false(ended);
  assert_in_range(machine.traffic.front[0].time, 30000000, 80000000); /* or to the end of its slice */
  assert_in_range(machine.traffic.front[1].time, 30000000, 80000000);
  assert_int_equal(w->run(w, &machine, UINT64_MAX, &ended, error, sizeof error), 0);
  assert_true(ended);
  assert_int_equal(machine.traffic.instructions, 200);
  assert_int_equal(machine.traffic.idle, 2);
  w->free(w);
}

static void test_two_threads_share_a_core(void **state)
{
  uint64_t record[200];
  struct memory_source s = {
      .base.ops = &memory_ops, .record = {record, record}, .n = {200, 200}, .step = 7, .threads = 2};

  (void)state;
  for (unsigned i = 0; i < 200; i++)
    record[i] = record_block(0x1000, 4, 1);
  run_to_end(&s.base, "9");
  assert_int_equal(machine.traffic.front[9].time, UINT64_C(400) * 1000000);
  assert_int_equal(machine.traffic.idle, 1);
  assert_int_equal(machine.traffic.awake, 1);
  assert_int_equal(machine.traffic.stores_ended, 2); /* for both threads, also where the other one continues */
}

enum { REPLAYS = 4 };
static const unsigned host_threads[REPLAYS] = {1, 1, 2, 5};

/* A truncated file: with any number of host threads, all complete records are replayed before the same error. */
static void torn_file_replays_up_to_there(const char *path, uint64_t all)
{
  uint64_t sum[REPLAYS];

  for (unsigned k = 0; k < REPLAYS; k++) {
    char error[TRACE_ERROR_SIZE];
    struct machine_workload *torn;
    struct trace_source *s;
    bool ended = false;

    assert_int_equal(trace_open(path, error, sizeof error, &s), 0);
    trace_source_ahead(s, host_threads[k]);
    torn = workload(s, "spread");
    assert_int_equal(torn->run(torn, &machine, UINT64_MAX, &ended, error, sizeof error), PMON_E_SYNTAX);
    assert_non_null(strstr(error, "the file ends in a chunk, at byte"));
    assert_in_range(machine.traffic.blocks, all / 3, all - 1);
    torn->free(torn);
    sum[k] = machine.traffic.sum;
    assert_int_equal(sum[k], sum[0]);
  }
}

/* A file of three threads, one of which waits for a while, gives the same calls in each replay, with any number of host
 * threads reading it. */
static void test_files_replay_the_same_each_time(void **state)
{
  enum { N = 500000 };
  char path[] = "/tmp/pmon-workload-XXXXXX", error[TRACE_ERROR_SIZE];
  struct trace_writer_options options = {.path = path};
  struct trace_writer *w;
  struct trace_source *s;
  uint64_t *record = malloc(N * sizeof *record), sum[REPLAYS];
  int fd = mkstemp(path);

  (void)state;
  assert_true(fd >= 0);
  random_records(5, record, N);
  assert_int_equal(trace_writer_new(&options, error, sizeof error, &w), 0);
  for (unsigned i = 0; i < 10; i++)
    for (unsigned t = 0; t < 3; t++) {
      assert_int_equal(trace_writer_append(w, t, record + i * (N / 10), N / 10), 0);
      if (t == 2 && i == 4)
        trace_writer_idle(w, t);
    }
  assert_int_equal(trace_writer_finish(w), 0);
  trace_writer_free(w);
  for (unsigned k = 0; k < REPLAYS; k++) {
    assert_int_equal(trace_open(path, error, sizeof error, &s), 0);
    trace_source_ahead(s, host_threads[k]);
    run_to_end(s, "spread");
    sum[k] = machine.traffic.sum;
    assert_int_equal(sum[k], sum[0]);
  }
  assert_true(machine.traffic.blocks > 0 && machine.traffic.idle >= 3);

  assert_int_equal(ftruncate(fd, lseek(fd, 0, SEEK_END) * 2 / 3), 0);
  close(fd);
  torn_file_replays_up_to_there(path, machine.traffic.blocks);
  unlink(path);
  free(record);
}

/* The weight includes the instructions that a thread skipped before the end, whether the thread or only the run
 * ends. */
static void test_last_skipped_instructions_count(void **state)
{
  enum { FIRST = 1000, LAST = 5000, INSTRUCTION_FS = 1000000 };
  const uint64_t phase[] = {
      record_mark((uint32_t)RECORD_PHASE + RING_PHASE_WHOLE, false),
      record_mark((uint32_t)RECORD_PHASE + RING_PHASE_BETWEEN, false),
      record_mark((uint32_t)RECORD_PHASE + RING_PHASE_SETTLE, false),
      record_mark((uint32_t)RECORD_PHASE + RING_PHASE_UNIT, false),
  };
  const uint64_t block = record_block(0x1000, 8, 4);
  const uint64_t record[] = {block,
                             phase[RING_PHASE_SETTLE],
                             block,
                             phase[RING_PHASE_UNIT],
                             block,
                             phase[RING_PHASE_BETWEEN],
                             record_skip(FIRST),
                             phase[RING_PHASE_SETTLE],
                             block,
                             phase[RING_PHASE_UNIT],
                             block,
                             phase[RING_PHASE_BETWEEN],
                             record_skip(LAST),
                             block};
  struct memory_source s = {
      .base.ops = &memory_ops, .record = {record}, .n = {sizeof record / sizeof *record}, .step = 64, .threads = 1};
  struct machine_workload *w = workload(&s.base, NULL);
  struct sampled_run run = {0};
  char error[TRACE_ERROR_SIZE];
  bool ended = false;

  (void)state;
  trace_workload_sample(w, &run);
  const uint64_t until = (uint64_t)(FIRST + LAST / 2) * INSTRUCTION_FS;
  assert_int_equal(w->run(w, &machine, until, &ended, error, sizeof error), 0);
  assert_false(ended);
  assert_float_equal(run.sums.weight, (double)(FIRST + LAST) * INSTRUCTION_FS, INSTRUCTION_FS);
  assert_int_equal(w->run(w, &machine, UINT64_MAX, &ended, error, sizeof error), 0);
  assert_true(ended);
  assert_float_equal(run.sums.weight, (double)(FIRST + LAST) * INSTRUCTION_FS, INSTRUCTION_FS);
  w->free(w);
}

/* A thread that ends after skipped instructions, in one run. */
static void test_thread_ends_with_skipped_instructions(void **state)
{
  enum { N = 700, INSTRUCTION_FS = 1000000 };
  const uint64_t block = record_block(0x1000, 8, 4);
  const uint64_t record[] = {block, record_mark((uint32_t)RECORD_PHASE + RING_PHASE_UNIT, false), block,
                             record_mark((uint32_t)RECORD_PHASE + RING_PHASE_BETWEEN, false), record_skip(N)};
  struct memory_source s = {.base.ops = &memory_ops,
                            .record = {record, record},
                            .n = {sizeof record / sizeof *record, sizeof record / sizeof *record},
                            .step = 64,
                            .threads = 2};
  struct machine_workload *w = workload(&s.base, "spread");
  struct sampled_run run = {0};
  char error[TRACE_ERROR_SIZE];
  bool ended = false;

  (void)state;
  trace_workload_sample(w, &run);
  assert_int_equal(w->run(w, &machine, UINT64_MAX, &ended, error, sizeof error), 0);
  assert_true(ended);
  assert_float_equal(run.sums.unknown, 2.0 * N * INSTRUCTION_FS, INSTRUCTION_FS);
  w->free(w);
}

int main(void)
{
  static const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_pieces_of_one_instruction_fold),
      cmocka_unit_test(test_records_that_are_late_take_no_time),
      cmocka_unit_test(test_vectors_of_64_bytes_fold_and_longer_ones_split),
      cmocka_unit_test(test_thread_furthest_behind_goes_next),
      cmocka_unit_test(test_stop_leaves_the_rest_for_later),
      cmocka_unit_test(test_two_threads_share_a_core),
      cmocka_unit_test(test_last_skipped_instructions_count),
      cmocka_unit_test(test_thread_ends_with_skipped_instructions),
      cmocka_unit_test(test_files_replay_the_same_each_time),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
