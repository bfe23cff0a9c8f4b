/* SPDX-License-Identifier: MIT */
/* Threads of several cores whose private parts run on other host threads: the results do not depend on the number of
 * host threads or on how the run is divided, and no private part requests anything from shared units. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>
#include "machine/common/state.h"
#include "machine/config.h"
#include "machine/machine.h"
#include "machine/trace/ring.h"
#include "machine/trace/workers.h"
#include "machine/trace/workload.h"
#include "tests/trace/recording.h"

enum { SOCKETS = 2, CORES = 12 };

struct result {
  uint64_t time;
  struct core_totals core[CORES];
  struct traffic_totals socket[SOCKETS];
};

/* ---- observation ---- */

static bool apart;                             /* private parts are running */
static unsigned long shared, asks, violations; /* private parts so far; requests of cores; requests made in private
                                                * parts */
static const struct uncore *real;
static const struct address_map *map;

void __real_workers_share(struct workers *workers, void (*run)(void *context, unsigned i), void *context, unsigned n);
void __wrap_workers_share(struct workers *workers, void (*run)(void *context, unsigned i), void *context, unsigned n);
void __wrap_workers_share(struct workers *workers, void (*run)(void *context, unsigned i), void *context, unsigned n)
{
  const uint64_t pages = map->n_pages, entries = map->n_entries;

  apart = true;
  __real_workers_share(workers, run, context, n);
  apart = false;
  shared += n;
  violations += map->n_pages != pages || map->n_entries != entries;
}

/* Counts requests; may run on a host thread, where a test cannot fail. */
static void watch(void)
{
  __atomic_add_fetch(&violations, apart, __ATOMIC_RELAXED);
}

static void watched_request(struct traffic *t, const struct request *r, struct answer *ret)
{
  watch();
  asks++;
  real->request(t, r, ret);
}

static void watched_evict(struct traffic *t, const struct request *r, enum line_state state)
{
  watch();
  real->evict(t, r, state);
}

static void watched_prefetch_tags(const struct traffic *t, unsigned socket, uint64_t line)
{
  watch();
  real->prefetch_tags(t, socket, line);
}

/* ---- runs ---- */

static struct machine *machine_of(const char *preset, const char *const *words)
{
  static const char *const base[] = {"sockets=2",   "cores=6",      "imcs=1",      "chas=4",
                                     "l1d.size=2K", "l1d.ways=4",   "l1i.size=2K", "l1i.ways=4",
                                     "l2.ways=4",   "llc.size=64K", "llc.ways=16", "core.dependences=l1-misses",
                                     NULL};
  struct machine_config config;
  struct machine *m = NULL;
  char error[256] = "";

  machine_config_init(&config);
  assert_int_equal(machine_config_preset(&config, preset), 0);
  for (const char *const *word = base; *word; word++)
    if (machine_config_parse(&config, *word, error, sizeof error))
      fail_msg("%s", error);
  for (; *words; words++)
    if (machine_config_parse(&config, *words, error, sizeof error))
      fail_msg("%s", error);
  if (machine_new(&config, error, sizeof error, &m))
    fail_msg("%s", error);
  return m;
}

/* Feeds the recording with that many host threads, in runs of `step` fs each. */
static void recording_run(struct machine *m, const struct recording *r, unsigned host_threads, fs_t step,
                          struct result *ret)
{
  struct placement *p = NULL;
  struct machine_workload *w = NULL;
  char error[TRACE_ERROR_SIZE] = "";
  struct trace_source *s = recording_source(r, CUT_ANY, 1500);
  struct traffic *t = machine_traffic(m);
  struct uncore watched = *t->uncore;
  bool ended = false;

  real = t->uncore;
  map = &t->map;
  violations = 0;
  watched.request = watched_request;
  watched.evict = watched_evict;
  watched.prefetch_tags = watched_prefetch_tags;
  t->uncore = &watched;
  s->workers = workers_new_sharing(host_threads - 1, 3);
  struct workers *workers = s->workers;
  assert_int_equal(placement_new(NULL, SOCKETS, CORES / SOCKETS, error, sizeof error, &p), 0);
  assert_int_equal(trace_workload_new(s, p, &w), 0);
  machine_attach(m, w);
  for (fs_t until = step; !ended; until = until > UINT64_MAX - step ? UINT64_MAX : until + step)
    if (machine_run(m, until, &ended, error, sizeof error))
      fail_msg("%s", error);
  memset(ret, 0, sizeof *ret);
  ret->time = machine_now_fs(m);
  for (unsigned i = 0; i < CORES; i++)
    traffic_core_totals(t, i, &ret->core[i]);
  for (unsigned i = 0; i < SOCKETS; i++)
    traffic_totals(t, i, &ret->socket[i]);
  assert_int_equal(violations, 0);
  t->uncore = real;
  machine_free(m);
  workers_free(workers);
}

static const struct {
  const char *preset, *setting[4];
} machines[] = {{"emr", {"l2.size=16K"}},
                {"emr", {"l2.size=16K", "prefetch.code=on", "core.walks=on"}},
                {"snbep", {"l2.size=16K"}},
                {"emr", {"l2.size=128K", "prefetch=off"}},
                {"snbep", {"l2.size=128K", "prefetch.l1=off"}}};

static void recording_of(struct recording *r, unsigned seed, bool vectors)
{
  recording_make(&(struct recording_shape){.seed = seed,
                                           .threads = CORES,
                                           .blocks = 300,
                                           .executed = 3000,
                                           .lines = seed % 2 ? 1500 : 300,
                                           .processes = seed % 4 == 3,
                                           .in_pieces = seed % 3 == 0,
                                           .vectors = vectors,
                                           .plain = seed % 2 == 0},
                 r);
}

static void test_any_number_of_host_threads(void **state)
{
  (void)state;
  for (unsigned k = 0; k < sizeof machines / sizeof *machines; k++)
    for (unsigned seed = (TESTS_STEP > 1 ? 3 : 1) + k % 2; seed < 5; seed += 2) { /* with sanitizers the larger ones */
      const unsigned n = seed < 3 ? 2 : 4;
      struct recording r;
      struct result one, more;

      recording_of(&r, seed, k % 2);
      shared = asks = 0;
      recording_run(machine_of(machines[k].preset, machines[k].setting), &r, 1, UINT64_MAX, &one);
      assert_true(shared > 100 && asks > 100);
      recording_run(machine_of(machines[k].preset, machines[k].setting), &r, n, UINT64_MAX, &more);
      if (memcmp(&one, &more, sizeof one) != 0)
        fail_msg("machine %u, seed %u: other totals with %u host threads", k, seed, n);
      recording_fini(&r);
    }
}

static void test_any_division(void **state)
{
  (void)state;
  for (unsigned seed = 2; seed < 4; seed++) {
    struct recording r;
    struct result whole, divided;

    recording_of(&r, seed, false);
    recording_run(machine_of("emr", machines->setting), &r, 1, UINT64_MAX, &whole);
    for (fs_t step = 70000000; step < UINT64_C(100000000000); step *= 17) {
      recording_run(machine_of("emr", machines->setting), &r, 2, step, &divided);
      if (memcmp(whole.core, divided.core, sizeof whole.core) != 0 ||
          whole.socket->cas_reads != divided.socket->cas_reads || whole.socket->llc_hits != divided.socket->llc_hits)
        fail_msg("seed %u: other totals in runs of %llu fs", seed, (unsigned long long)step);
    }
    recording_fini(&r);
  }
}

/* Inserts a mark before the block at that percentage of the thread's records. */
static void mark_put(struct recording *r, unsigned thread, unsigned percent)
{
  size_t i = r->n[thread] * percent / 100;

  while (!record_is_block(r->record[thread][i]))
    i++;
  memmove(r->record[thread] + i + 1, r->record[thread] + i, (r->n[thread] - i) * sizeof **r->record);
  r->record[thread][i] = record_mark(thread, false);
  r->n[thread]++;
}

struct mark_seen {
  unsigned thread;
  uint64_t time[CORES]; /* of each thread, at the mark */
};

static void times_take(struct machine *m, struct mark_seen *ret)
{
  for (unsigned i = 0; i < CORES; i++)
    ret->time[i] = traffic_core_time(machine_traffic(m), i);
}

/* Runs a workload that stops at marks. Returns the number of marks; seen[] has the times at each, then those at the
 * end. */
static unsigned marks_run(const struct recording *r, unsigned host_threads, struct mark_seen *seen, unsigned most)
{
  struct machine *m = machine_of("emr", machines->setting);
  struct trace_source *s = recording_source(r, CUT_ANY, 1500);
  struct workers *workers = s->workers = workers_new_sharing(host_threads - 1, 3);
  struct placement *p = NULL;
  struct machine_workload *w = NULL;
  struct trace_mark mark;
  char error[TRACE_ERROR_SIZE] = "";
  bool ended = false;
  unsigned n = 0;

  map = &machine_traffic(m)->map;
  assert_int_equal(placement_new(NULL, SOCKETS, CORES / SOCKETS, error, sizeof error, &p), 0);
  assert_int_equal(trace_workload_new(s, p, &w), 0);
  trace_workload_stop_at_marks(w);
  machine_attach(m, w);
  while (!ended) {
    assert_int_equal(machine_run(m, UINT64_MAX, &ended, error, sizeof error), 0);
    if (!trace_workload_take_mark(w, &mark) || mark.kind == TRACE_MARK_THREAD_ENDS)
      continue;
    assert_true(n < most);
    seen[n].thread = mark.thread;
    times_take(m, &seen[n++]);
  }
  times_take(m, &seen[n]);
  machine_free(m);
  workers_free(workers);
  return n;
}

/* At a mark, each thread that has not ended has reached the mark's time, and is at most 50 ns past it, apart from a
 * block's waits that begin within this time. */
static void test_marks(void **state)
{
  enum { MARKS = 9 };
  const fs_t slice = 50000000, block = 5000000000;
  struct mark_seen one[MARKS + 1] = {0}, more[MARKS + 1] = {0};
  struct recording r;

  (void)state;
  recording_of(&r, 2, false);
  for (unsigned k = 0; k < MARKS; k++)
    mark_put(&r, k % 4, 10 + 7 * k);
  shared = 0;
  assert_int_equal(marks_run(&r, 1, one, MARKS), MARKS);
  assert_true(shared > 100);
  for (unsigned k = 0; k < MARKS; k++)
    for (unsigned i = 0; i < CORES; i++) {
      const uint64_t time = one[k].time[one[k].thread];
      if (one[k].time[i] != one[MARKS].time[i] && (one[k].time[i] < time || one[k].time[i] > time + slice + block))
        fail_msg("mark %u at %llu fs: thread %u is at %llu", k, (unsigned long long)time, i,
                 (unsigned long long)one[k].time[i]);
    }
  assert_int_equal(marks_run(&r, 3, more, MARKS), MARKS);
  assert_memory_equal(one, more, sizeof one);
  recording_fini(&r);
}

/* No table mistakes an empty entry for line 0. */
static void test_line_0(void **state)
{
  struct machine *m = machine_of("emr", (const char *const[]){"l2.size=16K", "prefetch=off", NULL});
  struct traffic *t = machine_traffic(m);

  (void)state;
  traffic_access(t, 0, (1 << 20) + 192, 8, ACCESS_LOAD); /* from here on the core runs */
  assert_true(traffic_access_is_private(t, 0, (1 << 20) + 192, 8, ACCESS_LOAD));
  assert_false(traffic_access_is_private(t, 0, 0, 16, ACCESS_LOAD));
  traffic_access(t, 0, 64, 8, ACCESS_LOAD); /* its page is known */
  assert_true(traffic_access_is_private(t, 0, 64, 16, ACCESS_LOAD));
  assert_false(traffic_load_is_private(t, traffic_front(t, 0), 0));
  machine_free(m);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_any_number_of_host_threads),
                                     cmocka_unit_test(test_any_division), cmocka_unit_test(test_marks),
                                     cmocka_unit_test(test_line_0)};

  return cmocka_run_group_tests(tests, NULL, NULL);
}
