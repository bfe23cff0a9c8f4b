/* SPDX-License-Identifier: MIT */
/*
 * Checks whether a session's counts satisfy the invariants. Scaled counts of different rounds need not satisfy them. An
 * invariant is therefore compared over the time of one round in which all its events counted together, with the counts
 * as they were read.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <pmon/invariant.h>
#include "src/plan/metric.h"
#include "src/platform/context.h"
#include "src/platform/platform.h"
#include "src/session/counts.h"
#include "src/session/session.h"
#include "src/session/values.h"

/* Relative slack for rounding: equations may contain divisions. */
#define INVARIANT_SLACK 1e-9

static bool invariant_holds(const struct plan_invariant *invariant, double left, double right)
{
  double slack = INVARIANT_SLACK * fmax(fabs(left), fabs(right));
  if (invariant->sign == '=')
    return fabs(left - right) <= slack;
  return invariant->sign == '<' ? left <= right + slack : left + slack >= right;
}

/* One check of all invariants. */
struct check {
  const struct pmon_session *session;
  uint32_t round;
  struct metric_source source; /* the values of one round */
  uint32_t *run_of;            /* by cell: 1 + index of the run that counts in the round; 0: none */
  bool *counts;                /* by event: it counts in the round */
  /* Lists of runs (1 + index; 0: the end): the first one of each round and of every round, the next one of each run. */
  uint32_t *first_run, *next_run;
  void (*broken)(void *user, const struct pmon_invariant_violation *invariant);
  void *user;
};

/* True if the counter is programmed. Other counters are not frozen with these and cover other times, unless there is
 * only one round. */
static bool is_programmed(const struct pmon_session *s, const struct session_run *run)
{
  return pmon_event_get_kind(s->plan->events[run->event].event) == PMON_EVENT_PROGRAMMED;
}

/* Makes the lists of runs: PMON_E_MEMORY. */
static int list_runs(struct check *c)
{
  const struct pmon_session *s = c->session;
  c->run_of = calloc(s->n_cells + 1, sizeof *c->run_of);
  c->counts = calloc(s->plan->n_events + 1, sizeof *c->counts);
  c->first_run = calloc(s->rounds + 1, sizeof *c->first_run);
  c->next_run = calloc(s->n_runs + 1, sizeof *c->next_run);
  if (!c->run_of || !c->counts || !c->first_run || !c->next_run)
    return PMON_E_MEMORY;
  for (uint32_t i = s->n_runs; i-- > 0;) {
    const struct session_run *run = &s->runs[i];
    if (run->round == UINT32_MAX && s->rounds > 1 && !is_programmed(s, run))
      continue;
    uint32_t *first = &c->first_run[run->round == UINT32_MAX ? s->rounds : run->round];
    c->next_run[i] = *first;
    *first = i + 1;
  }
  return 0;
}

static void free_lists(struct check *c)
{
  free(c->run_of);
  free(c->counts);
  free(c->first_run);
  free(c->next_run);
}

static void mark_runs(struct check *c, uint32_t list, bool counts)
{
  for (uint32_t i = c->first_run[list]; i; i = c->next_run[i - 1]) {
    const struct session_run *run = &c->session->runs[i - 1];
    c->run_of[run->cell] = counts ? i : 0;
    c->counts[run->event] = counts;
  }
}

/* Finds the runs that count in a round, instead of those of the previous one. */
static void index_round(struct check *c, uint32_t round)
{
  mark_runs(c, c->round, false);
  c->round = round;
  mark_runs(c, c->session->rounds, true);
  mark_runs(c, round, true);
}

/* True if an event of the metric counts in the round. */
static bool metric_counts(const struct check *c, const struct metric *m)
{
  for (uint32_t i = 0; i < m->expr->n_names; i++) {
    const struct metric_name *n = &m->names[i];
    if (n->kind == METRIC_METRIC ? metric_counts(c, c->source.plan->metrics[n->index])
                                 : n->kind == METRIC_EVENT && c->counts[n->index])
      return true;
  }
  return false;
}

static bool invariant_counts(const struct check *c, const struct plan_invariant *invariant)
{
  struct metric *const *metrics = c->source.plan->metrics;
  return metric_counts(c, metrics[invariant->left]) || metric_counts(c, metrics[invariant->right]);
}

/* Returns the event's count over the scope, as it was read in the round. */
static int round_operand(void *user, const struct metric *metric, uint32_t event, const struct pmon_scope *scope,
                         struct pmon_value *ret_value)
{
  (void)metric;
  const struct check *c = user;
  const struct pmon_session *s = c->session;
  uint32_t instances = session_instances(s, event), parts = 0;
  const bool all = scope->instance == PMON_ALL;
  struct pmon_value sum = {.valid = true, .fraction = 1};
  for (uint32_t package = 0; package < 64; package++) {
    if (!(s->packages >> package & 1) || (scope->package != PMON_ALL && scope->package != package))
      continue;
    for (uint32_t i = all ? 0 : scope->instance; i < instances && (all || i == scope->instance); i++) {
      uint32_t cell = s->cell_of[event] + package * instances + i;
      if (!(s->plan->events[event].instances >> i & 1) || (s->cell_shared[cell] && all))
        continue;
      const struct session_run *run = c->run_of[cell] ? &s->runs[c->run_of[cell] - 1] : NULL;
      sum.valid &= run && !run->gone && run->slices && !(run->flags & (PMON_VALUE_INVALID | PMON_VALUE_LOST));
      sum.number += run ? session_round_count(s, run, c->round) : 0;
      parts++;
    }
  }
  *ret_value = sum;
  return parts ? 0 : PMON_E_RANGE;
}

static double round_clock(void *user, const char *clock)
{
  return session_clock_hz(((const struct check *)user)->session, clock);
}

static double round_reference(void *user, const char *clock)
{
  return session_reference_hz(((const struct check *)user)->session, clock);
}

static double round_limit(void *user, const char *name, uint32_t package)
{
  return session_limit(((const struct check *)user)->session, name, package);
}

static double round_instances(void *user, uint32_t event, const struct pmon_scope *scope)
{
  return session_count_instances(((const struct check *)user)->session, event, scope);
}

/* True if the count is valid and complete. */
static bool usable(const struct pmon_value *v)
{
  return v->valid && !(v->flags & PMON_VALUE_LOST);
}

static int check_scope(const struct check *c, const struct plan_invariant *invariant, const struct pmon_scope *scope,
                       bool *any)
{
  const struct pmon_plan *plan = c->source.plan;
  struct pmon_invariant_info info = {.size = sizeof info};
  struct pmon_value left, right;
  int status = metric_evaluate_one(&c->source, plan->metrics[invariant->left], scope, &left);
  if (!status)
    status = metric_evaluate_one(&c->source, plan->metrics[invariant->right], scope, &right);
  if (status || !left.valid || !right.valid)
    return status == PMON_E_RANGE ? 0 : status;
  *any = true;
  if (invariant_holds(invariant, left.number, right.number) || !c->broken)
    return 0;
  invariant_fill_info(plan->platform, invariant->row, &info);
  c->broken(c->user, &(struct pmon_invariant_violation){.size = sizeof(struct pmon_invariant_violation),
                                                        .name = info.name,
                                                        .unit = info.unit,
                                                        .brief = info.brief,
                                                        .holds = info.holds,
                                                        .cite = info.cite,
                                                        .package = scope->package,
                                                        .instance = scope->instance,
                                                        .left = left.number,
                                                        .right = right.number});
  return 0;
}

/* Checks an invariant on each instance of its unit, or on each package if it uses several units. */
static int check_invariant(const struct check *c, const struct plan_invariant *invariant, bool *any)
{
  const struct pmon_plan *plan = c->source.plan;
  const struct pmon_platform *p = plan->platform;
  uint32_t unit = plan->metrics[invariant->left]->unit_number, instances = 0;
  int status = 0;
  if (unit != PMON_ALL &&
      (plan->metrics[invariant->right]->unit_number == unit || !plan->metrics[invariant->right]->expr->n_names))
    instances = p->db->units[platform_unit_row(p, unit)].instances;
  for (uint32_t package = 0; package < 64; package++) {
    if (!(c->source.packages >> package & 1))
      continue;
    for (uint32_t i = 0; !status && i < instances; i++)
      status = check_scope(c, invariant, &(struct pmon_scope){package, i}, any);
    if (!status && !instances)
      status = check_scope(c, invariant, &(struct pmon_scope){package, PMON_ALL}, any);
  }
  return status;
}

/* Checks that a ratio lies between 0 and 1. */
static int check_ratio(const struct check *c, const struct metric_source *source, uint32_t metric)
{
  const struct metric *m = metric_selected(source->plan, metric);
  int status = 0;
  for (uint32_t package = 0; !status && package < 64; package++) {
    struct pmon_scope scope = {package, PMON_ALL};
    struct pmon_value v;
    if (!(source->packages >> package & 1))
      continue;
    status = metric_evaluate(source, metric, &scope, &v);
    if (status || !usable(&v))
      continue;
    if (v.high >= -INVARIANT_SLACK && v.low <= 1 + INVARIANT_SLACK)
      continue;
    c->broken(c->user, &(struct pmon_invariant_violation){.size = sizeof(struct pmon_invariant_violation),
                                                          .name = m->name,
                                                          .unit = m->unit,
                                                          .brief = "a share is between 0 and 1",
                                                          .holds = v.number < 0 ? "0 <= ratio" : "ratio <= 1",
                                                          .cite = m->cite,
                                                          .package = package,
                                                          .instance = PMON_ALL,
                                                          .left = v.number < 0 ? 0 : v.number,
                                                          .right = v.number < 0 ? v.number : 1});
  }
  return status == PMON_E_RANGE ? 0 : status;
}

/* Checks each invariant in the first round in which it can be checked on an instance. */
static int check_all_invariants(struct check *c, uint32_t *ret_checked)
{
  const struct pmon_plan *plan = c->session->plan;
  bool *done = calloc(plan->n_invariants + 1, sizeof *done);
  int status = done ? 0 : PMON_E_MEMORY;
  for (uint32_t round = 0; !status && plan->n_invariants && round < c->session->rounds; round++) {
    index_round(c, round);
    for (uint32_t i = 0; !status && i < plan->n_invariants; i++)
      if (!done[i] && invariant_counts(c, &plan->invariants[i])) {
        status = check_invariant(c, &plan->invariants[i], &done[i]);
        *ret_checked += done[i];
      }
  }
  free(done);
  return status;
}

int pmon_session_check_invariants(const struct pmon_session *session,
                                  void (*broken)(void *user, const struct pmon_invariant_violation *invariant),
                                  void *user, uint32_t *ret_checked)
{
  struct check c = {.session = session, .broken = broken, .user = user};
  struct session_values whole;
  const struct metric *m;
  uint32_t checked = 0;
  const uint32_t frozen = session_frozen(session);
  /* Counters that were read one after the other while they ran cover different times; invariants must hold exactly. */
  const bool apart = (frozen == PMON_FREEZE_NONE || frozen == PMON_FREEZE_BOUNDARIES) && session->skew_ns;
  session_values_init(&whole, session);
  c.source = whole.source;
  c.source.user = &c;
  c.source.operand = round_operand;
  c.source.clock_hz = round_clock;
  c.source.reference_hz = round_reference;
  c.source.limit = round_limit;
  c.source.instances = round_instances;
  int status = list_runs(&c);
  if (!status && !apart)
    status = check_all_invariants(&c, &checked);
  for (uint32_t i = 0; !status && broken && (m = metric_selected(session->plan, i)); i++)
    if (!strcmp(m->result, "ratio"))
      status = check_ratio(&c, &whole.source, i);
  free_lists(&c);
  *ret_checked = checked;
  return status == PMON_E_MEMORY
             ? context_fail(session->plan->context, status, 0, "no memory for the check of invariants")
             : status;
}
