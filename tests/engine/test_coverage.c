/* SPDX-License-Identifier: MIT */
/*
 * Checks the stated uncertainty. Workloads that change while events are multiplexed on the counters of emulated
 * machines are measured twice: with all events in several rounds, and with a few events at a time without multiplexing,
 * which gives the true counts, since the machine is deterministic. The 95 % confidence intervals have to contain the
 * true count in about this part of the cases.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/engine/rig.h"
#include "machine/machine.h"
#include "machine/montecito/machine.h"
#include "machine/montecito/stream/stream.h"

enum { RUNS = 8, EVENTS = 12 };

/* Each takes a seed and sizes: programs in phases; steady traffic; one burst at the beginning, in the middle and at the
 * end; two alternating threads; few accesses, all at one time. */
static const char *const workloads[] = {
    "seed %u\nthread 0 on core 0: stream read %uK stride 64\nthread 0 on core 0: spin 100k\n"
    "thread 0 on core 0: random write %uK count 3k\nthread 0 on core 0: spin 50k\n"
    "thread 0 on core 0: stream read %uK stride 64\n",
    "seed %u\nthread 0 on core 0: random modify %uK count 4k\nthread 1 on core 1: copy %uK times 2\n"
    "thread 1 on core 1: chase %uK\n",
    "seed %u\nthread 0 on core 0: chase %uK\nthread 1 on core 1: spin 100k\n"
    "thread 1 on core 1: stream write %uK stride 64\nthread 0 on core 0: random read %uK count 5k\n",
    "seed %u\nthread 0 on core 0: random read %uK count 12k\nthread 1 on core 1: random write %uK count 12k\n"
    "thread 0 on core 0: random read %uK count 4k\n",
    "seed %u\nthread 0 on core 0: stream write %uK stride 64\nthread 0 on core 0: spin 600k\n"
    "thread 1 on core 1: spin 700k\nthread 1 on core 1: random read %uK count 20\nthread 0 on core 0: random read %uK "
    "count 10\n",
    "seed %u\nthread 0 on core 0: spin 400k\nthread 0 on core 0: stream read %uK stride 64\n"
    "thread 0 on core 0: spin 400k\nthread 1 on core 1: random read %uK count 2k\n"
    "thread 1 on core 1: random read %uK count 10\n",
    "seed %u\nthread 0 on core 0: spin 700k\nthread 0 on core 0: stream write %uK stride 64\n"
    "thread 1 on core 1: random read %uK count 2k\nthread 1 on core 1: random read %uK count 10\n",
    "seed %u\nthread 0 on core 0: stream read %uK stride 64\nthread 0 on core 0: spin 60k\n"
    "thread 1 on core 1: spin 50k\nthread 1 on core 1: stream write %uK stride 64\n"
    "thread 0 on core 0: stream read %uK stride 64\n",
    "seed %u\nthread 0 on core 0: spin 300k\nthread 0 on core 0: random read %uK count 30\n"
    "thread 0 on core 0: spin 500k\nthread 1 on core 1: spin 500k\nthread 1 on core 1: random write %uK count 100\n"
    "thread 1 on core 1: random read %uK count 9\n"};

/* `together`: this number of consecutive events fits into one round. Bursts of stores last as long as with a store
 * buffer of 64 entries: shorter ones would fall into fewer slices. `widest`: bound of the intervals' mean half width.
 * On Montecito seven of the twelve events need no multiplexing, and have no interval. */
struct side {
  const char *settings, *platform;
  uint64_t slice_ns;
  uint32_t together;
  double widest;
  const char *events[EVENTS];
};
static const struct side sides[] = {
    {"set sockets=1 cores=2 chas=2 imcs=1 upi.links=1 iio.stacks=1 l2.size=64K core.stores=64\n",
     "emr",
     3000,
     4,
     0.6,
     {"cha/TOR_INSERTS.IA/", "cha/TOR_INSERTS.IA_HIT/", "cha/TOR_INSERTS.IA_MISS/", "cha/TOR_INSERTS.IA_MISS_DRD/",
      "cha/TOR_INSERTS.ALL/", "cha/TOR_INSERTS.IA_MISS_RFO/", "cha/TOR_INSERTS.IA_HIT_DRD/", "cha/TOR_INSERTS.IA_DRD/",
      "cha/TOR_INSERTS.IA_RFO/", "cha/TOR_INSERTS.IA_HIT_RFO/", "cha/REQUESTS.READS_LOCAL/",
      "cha/REQUESTS.WRITES_LOCAL/"}},
    {"set platform=snbep sockets=1 cores=2 chas=2 l2.size=64K\n",
     "snbep",
     3000,
     4,
     0.5,
     {"imc/CAS_COUNT.RD/", "imc/CAS_COUNT.WR/", "imc/CAS_COUNT.ALL/", "imc/ACT_COUNT/", "imc/PRE_COUNT.PAGE_MISS/",
      "imc/RPQ_INSERTS/", "imc/WPQ_INSERTS/", "imc/RPQ_CYCLES_NE/", "imc/WPQ_CYCLES_NE/", "imc/RPQ_OCCUPANCY/",
      "imc/CAS_COUNT.RD_REG/", "imc/PRE_COUNT.PAGE_CLOSE/"}},
    {NULL,
     "montecito",
     1000,
     1,
     0.9,
     {"CPU_OP_CYCLES.ALL", "IA64_INST_RETIRED.THIS", "NOPS_RETIRED", "LOADS_RETIRED", "STORES_RETIRED",
      "L1D_READS_SET0", "L1D_READ_MISSES.ALL", "L2D_REFERENCES.ALL", "L2D_MISSES", "L3_REFERENCES", "L3_MISSES",
      "BACK_END_BUBBLE.ALL"}},
};

/* Montecito's cores run a sequence of generated streams of bundles. */
enum { PHASES = 6 };
struct phases {
  struct montecito_source source, *parts[PHASES];
  unsigned at;
};

static int next_record(struct montecito_source *source, struct montecito_record *ret, bool *ret_ended, char *error,
                       size_t size)
{
  struct phases *p = (struct phases *)(void *)source;
  for (; p->at < PHASES; p->at++) {
    *ret_ended = false;
    int status = p->parts[p->at]->next(p->parts[p->at], ret, ret_ended, error, size);
    if (status || !*ret_ended)
      return status;
  }
  *ret_ended = true;
  return 0;
}

static void free_phases(struct montecito_source *source)
{
  struct phases *p = (struct phases *)(void *)source;
  for (unsigned i = 0; i < PHASES; i++)
    p->parts[i]->free(p->parts[i]);
  free(p);
}

static struct montecito_machine *busy_cores(unsigned workload, unsigned run, struct pmon_backend **ret_backend)
{
  static const unsigned cycles_10[(WORKLOAD_MIXED + 1)] = {6, 23, 1112, 5, 41, 247}; /* cycles that ten bundles take */
  struct montecito_machine *m;
  struct phases *p = calloc(1, sizeof *p);
  assert_non_null(p);
  p->source = (struct montecito_source){next_record, free_phases};
  for (unsigned i = 0; i < PHASES; i++) {
    const unsigned which = (workload + i * (run + 1)) % (WORKLOAD_MIXED + 1),
                   cycles = 5000 + 9110 * (run + 3 * i) % 25000;
    assert_int_equal(montecito_generator_new(which, 10 * cycles / cycles_10[which], run + i, &p->parts[i]), 0);
  }
  assert_int_equal(montecito_machine_new(&m), 0);
  montecito_machine_attach(m, &p->source);
  assert_int_equal(montecito_backend_new(m, ret_backend), 0);
  return m;
}

struct trial {
  const struct side *side;
  unsigned workload, run;
};

/* Returns a machine of the trial's platform with its workload. */
static struct pmon_backend *coverage_begin(const struct trial *t, struct machine **ret_machine,
                                           struct montecito_machine **ret_cores)
{
  struct pmon_backend *backend;
  char scenario[1200];
  *ret_machine = NULL;
  *ret_cores = NULL;
  if (!t->side->settings) {
    *ret_cores = busy_cores(t->workload, t->run, &backend);
    return backend;
  }
  const unsigned size = 64 + 37 * t->run % 160;
  int n = snprintf(scenario, sizeof scenario, "%s", t->side->settings);
  snprintf(scenario + n, sizeof scenario - (size_t)n, workloads[t->workload], t->run + 1, size, 2 * size, 3 * size);
  *ret_machine = rig_busy(scenario, &backend);
  return backend;
}

/* An event summed over all instances, and the sum of the instances' deviations. */
struct measured {
  struct pmon_value sum;
  double apart;
};

/* Counts the side's events from `first` on while the workload runs. */
static uint32_t coverage_measure(const struct trial *t, uint32_t first, uint32_t n, struct measured *ret)
{
  static uint64_t seed; /* another order of slices in each session, the same in each run of this test */
  const struct pmon_session_options options = {.size = sizeof options, .slice_ns = t->side->slice_ns, .seed = ++seed};
  struct pmon_plan_info info = {.size = sizeof info};
  const struct pmon_platform *platform;
  struct machine *machine;
  struct montecito_machine *cores;
  char list[1000] = "";
  for (uint32_t i = first; i < first + n; i++)
    strcat(strcat(list, i > first ? "," : ""), t->side->events[i]);
  struct pmon_backend *backend = coverage_begin(t, &machine, &cores);
  ok(pmon_platform_find(context, t->side->platform, &platform));
  struct pmon_plan *plan = rig_plan(platform, list, NULL);
  struct pmon_session *s = rig_session(plan, backend, &options, UINT64_MAX);
  for (uint32_t i = 0; i < n; i++) {
    struct pmon_value part;
    ok(pmon_session_event(s, i, &(struct pmon_scope){0, PMON_ALL}, &ret[i].sum));
    for (uint32_t k = 0; !pmon_session_event(s, i, &(struct pmon_scope){0, k}, &part); k++)
      ret[i].apart += part.valid ? part.sigma : 0;
  }
  ok(pmon_plan_describe(plan, &info));
  ok(pmon_session_close(s));
  pmon_backend_close(backend);
  machine_free(machine);
  montecito_machine_free(cores);
  pmon_plan_free(plan);
  return info.rounds;
}

/* How many intervals contain the true count, at half their width, as stated, and at twice their width; also by the size
 * of the count. Widths are those of counts of at least 200. */
enum { NARROW, STATED, WIDE, WIDTHS };
enum { RARE, SOME, MANY, CLASSES };
struct tally {
  unsigned cases, held[WIDTHS], seen, unknown, of_class[CLASSES], held_of[CLASSES], wide_cases;
  double width, apart;
};

static bool interval_contains(const struct pmon_value *v, double times, double truth)
{
  return v->number - times * (v->number - v->low) <= truth && truth <= v->number + times * (v->high - v->number);
}

static void count_cases(const struct trial *trial, struct tally *t)
{
  struct measured turns[EVENTS] = {0}, all[EVENTS] = {0};
  const uint32_t together = trial->side->together;
  assert_true(coverage_measure(trial, 0, EVENTS, turns) > 1);
  for (uint32_t i = 0; i < EVENTS; i += together)
    assert_int_equal(coverage_measure(trial, i, together, all + i), 1);
  for (uint32_t i = 0; i < EVENTS; i++) {
    const struct pmon_value *v = &turns[i].sum, *truth = &all[i].sum;
    assert_true(truth->valid && truth->flags == 0 && (v->valid || v->flags & PMON_VALUE_UNKNOWN));
    if (!(v->flags & PMON_VALUE_SCALED))
      continue;
    /* A value flagged as unknown is not a case. */
    t->seen++;
    t->unknown += !v->valid || v->flags & PMON_VALUE_UNCERTAIN;
    if (!v->valid || v->flags & PMON_VALUE_UNCERTAIN)
      continue;
    const unsigned class = truth->number <= 50 ? RARE : truth->number <= 1000 ? SOME : MANY;
    t->cases++;
    for (int w = 0; w < WIDTHS; w++)
      t->held[w] += interval_contains(v, ldexp(1, w - 1), truth->number);
    t->of_class[class]++;
    t->held_of[class] += interval_contains(v, 1, truth->number);
    if (truth->number < 200)
      continue;
    t->wide_cases++;
    t->width += (v->high - v->low) / 2 / truth->number;
    t->apart += 1.96 * turns[i].apart / truth->number;
  }
}

static void intervals_hold_the_truth(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof sides / sizeof *sides; i++) {
    struct tally t = {0};
    for (unsigned w = 0; w < sizeof workloads / sizeof *workloads; w++)
      for (unsigned run = 0; run < RUNS; run++)
        count_cases(&(struct trial){&sides[i], w, run}, &t);
    double part[WIDTHS];
    for (int w = 0; w < WIDTHS; w++)
      part[w] = (double)t.held[w] / t.cases;
    print_message("%s: %.1f %% of %u cases, half width %.0f %% of the count on average (half as wide: %.1f %%, twice: "
                  "%.1f %%); %u of %u are said to be unknown\n",
                  sides[i].platform, 100 * part[STATED], t.cases, 100 * t.width / t.wide_cases, 100 * part[NARROW],
                  100 * part[WIDE], t.unknown, t.seen);
    for (unsigned c = 0; c < CLASSES; c++)
      print_message("  %s: %u of %u\n",
                    c == RARE   ? "at most 50"
                    : c == SOME ? "at most 1000"
                                : "more",
                    t.held_of[c], t.of_class[c]);
    assert_true(t.cases > 200 && t.unknown < 0.40 * t.seen);
    /* The twelve cases of one run depend on one another: the tolerance is two deviations more than for independent
     * cases. */
    assert_true(part[STATED] >= 0.92 && t.width < sides[i].widest * t.wide_cases);
    for (unsigned c = 0; c < CLASSES; c++)
      assert_true(t.held_of[c] >= 0.93 * t.of_class[c]);
    /* Counts that one instance has more, another has less. */
    print_message("  deviations of instances added up: half width %.0f %%\n", 100 * t.apart / t.wide_cases);
    /* Intervals of another width than the stated one fail by this margin. */
    assert_true(part[NARROW] < 0.9 && part[WIDE] > 0.96);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(intervals_hold_the_truth)};
  return cmocka_run_group_tests(tests, rig_begin, rig_end);
}
