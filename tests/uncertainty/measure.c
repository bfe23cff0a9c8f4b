/* SPDX-License-Identifier: MIT */
#include "tests/uncertainty/measure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "machine/config.h"
#include "machine/machine.h"
#include "machine/montecito/machine.h"
#include "machine/montecito/stream/stream.h"
#include "machine/trace/placement.h"
#include "machine/trace/source.h"
#include "machine/trace/workload.h"
#include "tests/engine/rig.h"

enum { MOST_PHASES = 64 };

/* Montecito's cores run a sequence of generated streams of bundles. */
struct phases {
  struct montecito_source source, *part[MOST_PHASES];
  unsigned at, n;
};

static int phases_next(struct montecito_source *source, struct montecito_record *ret, bool *ret_ended, char *error,
                       size_t size)
{
  struct phases *p = (struct phases *)(void *)source;
  for (; p->at < p->n; p->at++) {
    *ret_ended = false;
    const int status = p->part[p->at]->next(p->part[p->at], ret, ret_ended, error, size);
    if (status || !*ret_ended)
      return status;
  }
  *ret_ended = true;
  return 0;
}

static void phases_free(struct montecito_source *source)
{
  struct phases *p = (struct phases *)(void *)source;
  for (unsigned i = 0; i < p->n; i++)
    p->part[i]->free(p->part[i]);
  free(p);
}

/* Each line is one of the generator's programs, and its approximate number of cycles. */
static struct montecito_machine *busy_cores(const char *lines, struct pmon_backend **ret_backend)
{
  static const uint64_t cycles_10[WORKLOAD_MIXED + 1] = {6, 23, 1112, 5, 41, 247}; /* cycles that ten bundles take */
  struct montecito_machine *m;
  struct phases *p = calloc(1, sizeof *p);
  char name[40];
  unsigned long long cycles;
  int used;
  assert_non_null(p);
  p->source = (struct montecito_source){phases_next, phases_free};
  for (const char *at = lines; sscanf(at, "%39s %llu\n%n", name, &cycles, &used) == 2; at += used) {
    const int which = montecito_workload_find(name);
    assert_true(which >= 0 && which <= WORKLOAD_MIXED && p->n < MOST_PHASES);
    const uint64_t bundles = 1 + 10 * cycles / cycles_10[which];
    assert_int_equal(montecito_generator_new((unsigned)which, bundles, p->n + 1, &p->part[p->n]), 0);
    p->n++;
  }
  assert_true(p->n > 0);
  assert_int_equal(montecito_machine_new(&m), 0);
  montecito_machine_attach(m, &p->source);
  assert_int_equal(montecito_backend_new(m, ret_backend), 0);
  return m;
}

/* Returns the collection's machine with a recorded program. */
static struct machine *busy_traced(const char *settings, const char *path, struct pmon_backend **ret_backend)
{
  char error[TRACE_ERROR_SIZE] = "", words[400];
  struct machine_config config;
  struct trace_source *source = NULL;
  struct placement *placement = NULL;
  struct machine_workload *w;
  struct machine *m = NULL;
  machine_config_init(&config);
  snprintf(words, sizeof words, "%s", settings);
  strtok(words, " "); /* set */
  for (char *word = strtok(NULL, " "); word; word = strtok(NULL, " "))
    if (machine_config_parse(&config, word, error, sizeof error))
      fail_msg("%s", error);
  if (machine_new(&config, error, sizeof error, &m) ||
      placement_new(NULL, (unsigned)config.value[CONFIG_SOCKETS], (unsigned)config.value[CONFIG_CORES], error,
                    sizeof error, &placement) ||
      trace_open(path, error, sizeof error, &source))
    fail_msg("%s", error);
  assert_int_equal(trace_workload_new(source, placement, &w), 0);
  machine_attach(m, w);
  ok(machine_backend_new(m, ret_backend));
  return m;
}

/* A machine that runs the workload, and a session of events on it. */
struct measured {
  struct machine *machine;
  struct montecito_machine *cores;
  struct pmon_backend *backend;
  struct pmon_plan *plan;
  struct pmon_session *session;
  uint32_t rounds;
};

static void workload_begin(const struct collection *c, const char *lines, struct measured *m)
{
  static char scenario[1 << 17];
  char path[400];
  if (!strcmp(c->platform, "montecito")) {
    m->cores = busy_cores(lines, &m->backend);
  } else if (sscanf(lines, "trace %399s", path) == 1) {
    m->machine = busy_traced(c->settings, path, &m->backend);
  } else {
    snprintf(scenario, sizeof scenario, "%s\n%s", c->settings, lines);
    m->machine = rig_busy(scenario, &m->backend);
  }
}

/* Starts counting the events from first_and_end[0] to before first_and_end[1]. */
static struct measured measured_begin(const struct collection *c, const char *lines, const unsigned first_and_end[2],
                                      const struct multiplexed *how)
{
  static char list[COLLECTION_EVENTS * 80];
  const struct pmon_session_options options = {.size = sizeof options, .slice_ns = how->slice_ns, .seed = how->seed};
  struct pmon_plan_info info = {.size = sizeof info};
  const struct pmon_platform *platform;
  struct measured m = {0};
  *list = '\0';
  for (unsigned i = first_and_end[0]; i < first_and_end[1]; i++)
    strcat(strcat(list, *list ? "," : ""), c->event[i]);
  ok(pmon_platform_find(context, c->platform, &platform));
  workload_begin(c, lines, &m);
  ok(pmon_plan_new(context, platform, &m.plan));
  ok(pmon_plan_add_events(m.plan, list));
  ok(pmon_plan_set_witness(m.plan, !how->no_witness));
  ok(pmon_plan_schedule(m.plan));
  ok(pmon_plan_describe(m.plan, &info));
  m.rounds = info.rounds;
  ok(pmon_session_new(m.plan, m.backend, &options, &m.session));
  ok(pmon_session_start(m.session));
  return m;
}

static void measured_end(struct measured *m)
{
  ok(pmon_session_close(m->session));
  pmon_backend_close(m->backend);
  machine_free(m->machine);
  montecito_machine_free(m->cores);
  pmon_plan_free(m->plan);
}

static void measured_value(const struct measured *m, unsigned i, struct pmon_value *ret)
{
  ok(pmon_session_event(m->session, i, &(struct pmon_scope){PMON_ALL, PMON_ALL}, ret));
}

static void timeline_add(struct timeline *line, double count)
{
  enum { GROWTH = 1024 };
  if (line->n % GROWTH == 0) {
    line->count = realloc(line->count, (line->n + GROWTH) * sizeof *line->count);
    assert_non_null(line->count);
  }
  line->count[line->n++] = count;
}

static void measure_group(const struct collection *c, const char *lines, const unsigned first_and_end[2],
                          struct truth *t)
{
  struct measured m = measured_begin(c, lines, first_and_end, &(struct multiplexed){.seed = 1});
  const uint64_t begin_ns = pmon_session_now_ns(m.session);
  assert_int_equal(m.rounds, 1);
  for (bool ended = false; !ended;) {
    ok(pmon_session_run(m.session, pmon_session_now_ns(m.session) + t->step_ns, &ended));
    for (unsigned i = first_and_end[0]; i < first_and_end[1]; i++) {
      struct pmon_value v;
      measured_value(&m, i - first_and_end[0], &v);
      assert_true(v.valid && !(v.flags & ~(uint32_t)PMON_VALUE_WRAPPED));
      timeline_add(&t->line[i], v.number - t->total[i]);
      t->total[i] = v.number;
    }
  }
  const uint64_t ns = pmon_session_now_ns(m.session) - begin_ns;
  assert_true(!t->ns || t->ns == ns); /* each group runs the same workload */
  t->ns = ns;
  measured_end(&m);
}

void measure_truth(const struct collection *c, const char *lines, uint64_t step_ns, struct truth *ret)
{
  unsigned range[2] = {0, 0};
  memset(ret, 0, sizeof *ret);
  ret->step_ns = step_ns;
  for (unsigned g = 0; g < c->n_groups; g++, range[0] = range[1]) {
    range[1] = c->group_end[g];
    measure_group(c, lines, range, ret);
  }
}

void truth_fini(struct truth *t)
{
  for (unsigned i = 0; i < COLLECTION_EVENTS; i++)
    free(t->line[i].count);
}

uint32_t measure_multiplexed(const struct collection *c, const char *lines, const struct multiplexed *how,
                             struct pmon_value ret[COLLECTION_EVENTS])
{
  const unsigned all[2] = {0, collection_events(c)};
  struct measured m = measured_begin(c, lines, all, how);
  for (bool ended = false; !ended;)
    ok(pmon_session_run(m.session, UINT64_MAX, &ended));
  for (unsigned i = 0; i < all[1]; i++)
    measured_value(&m, i, &ret[i]);
  measured_end(&m);
  return m.rounds;
}

bool measure_plain(const struct truth *t, uint32_t event, uint64_t slice_ns, const uint32_t round_of[2],
                   struct plain *ret)
{
  const struct timeline *line = &t->line[event];
  const uint32_t steps = (uint32_t)(slice_ns / t->step_ns);
  double count = 0, seconds = 0, squares = 0, n = 0;
  for (int pass = 0; pass < 2; pass++)
    for (uint32_t i = round_of[0] * steps; i < line->n; i += round_of[1] * steps) {
      double c = 0, s = 0;
      for (uint32_t k = i; k < line->n && k < i + steps; k++) {
        c += line->count[k];
        s += k + 1 < line->n ? (double)t->step_ns : (double)(t->ns - k * t->step_ns);
      }
      if (pass) {
        squares += pow(c - s * count / seconds, 2);
      } else {
        count += c;
        seconds += s;
        n++;
      }
    }
  if (n < 2 || seconds <= 0)
    return false;
  const double f = seconds / (double)t->ns;
  *ret = (struct plain){count / f, 1.96 * sqrt((1 - f) * n * squares / (n - 1)) / f};
  return true;
}
