/* SPDX-License-Identifier: MIT */
/* Threads of several cores, whose private parts other host threads do: the same with any number of these and however
 * the run is divided, and nothing in them asks for what cores share. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>
#include "machine/common/state.h"
#include "machine/config.h"
#include "machine/machine.h"
#include "machine/trace/workers.h"
#include "machine/trace/workload.h"
#include "tests/trace/recording.h"

enum { SOCKETS = 2, CORES = 12 };

struct result {
  uint64_t time;
  struct core_totals core[CORES];
  struct traffic_totals socket[SOCKETS];
};

/* ---- what is watched ---- */

static bool apart;                 /* private parts are done */
static unsigned long shared, asks; /* parts so far; requests of cores */
static const struct uncore *real;

void __real_workers_share(struct workers *workers, void (*run)(void *context, unsigned i), void *context, unsigned n);
void __wrap_workers_share(struct workers *workers, void (*run)(void *context, unsigned i), void *context, unsigned n);
void __wrap_workers_share(struct workers *workers, void (*run)(void *context, unsigned i), void *context, unsigned n)
{
  apart = true;
  __real_workers_share(workers, run, context, n);
  apart = false;
  shared += n;
}

static void watched_request(struct traffic *t, const struct request *r, struct answer *ret)
{
  assert_false(apart);
  asks++;
  real->request(t, r, ret);
}

static void watched_evict(struct traffic *t, const struct request *r, enum line_state state)
{
  assert_false(apart);
  real->evict(t, r, state);
}

static void watched_prefetch_tags(const struct traffic *t, unsigned socket, uint64_t line)
{
  assert_false(apart);
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

/* Feeds the recording with so many host threads, in runs of `step` fs each. */
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
  watched.request = watched_request;
  watched.evict = watched_evict;
  watched.prefetch_tags = watched_prefetch_tags;
  t->uncore = &watched;
  s->workers = workers_new(host_threads - 1);
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

static void recording_of(struct recording *r, unsigned seed)
{
  recording_make(&(struct recording_shape){.seed = seed,
                                           .threads = CORES,
                                           .blocks = 300,
                                           .executed = 3000,
                                           .lines = seed % 2 ? 1500 : 300,
                                           .processes = seed % 4 == 3,
                                           .in_pieces = seed % 3 == 0,
                                           .plain = seed % 2 == 0},
                 r);
}

static void test_any_number_of_host_threads(void **state)
{
  (void)state;
  for (unsigned k = 0; k < sizeof machines / sizeof *machines; k++)
    for (unsigned seed = 1 + k % 2; seed < 5; seed += 2) {
      const unsigned n = seed < 3 ? 2 : 4;
      struct recording r;
      struct result one, more;

      recording_of(&r, seed);
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

    recording_of(&r, seed);
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

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_any_number_of_host_threads),
                                     cmocka_unit_test(test_any_division)};

  return cmocka_run_group_tests(tests, NULL, NULL);
}
