/* SPDX-License-Identifier: MIT */
/* The items that a session counts (its events, and parts of them), with their instances, sums and time. */
#include <stdlib.h>
#include "src/plan/witness.h"
#include "src/session/counts.h"
#include "src/session/session.h"

uint32_t session_instances(const struct pmon_session *s, uint32_t event)
{
  return 64 - (uint32_t)__builtin_clzll(s->plan->events[event].instances | 1);
}

struct session_sum *session_sums_of(const struct pmon_session *s, struct session_sum *sums, uint32_t item)
{
  return &sums[(size_t)item * (s->n_packages + 1)];
}

size_t session_count_sums(const struct pmon_session *s)
{
  return s->sums ? (size_t)session_items(s) * (s->n_packages + 1) : 0;
}

double *session_missed_new(const struct pmon_session *s)
{
  return calloc((size_t)session_items(s) + 1, sizeof(double));
}

bool session_counts_now(const struct pmon_session *s, const struct session_run *run)
{
  return !run->gone && (run->round == s->round || run->round == UINT32_MAX);
}

double pmon_session_seconds(const struct pmon_session *session)
{
  return session->now_ns > session->mark_ns ? (double)(session->now_ns - session->mark_ns) * 1e-9 : 0;
}

double session_round_count(const struct pmon_session *s, const struct session_run *run, uint32_t round)
{
  return run->round == UINT32_MAX && s->round_counts ? s->round_counts[(size_t)(run - s->runs) * s->rounds + round]
                                                     : run->count;
}

struct sample_total *session_sum(const struct pmon_session *s, uint32_t item, uint32_t package)
{
  if (!s->sums || (package != PMON_ALL && package >= s->n_packages))
    return NULL;
  struct session_sum *sum = &session_sums_of(s, s->sums, item)[package == PMON_ALL ? s->n_packages : package];
  return sum->uneven ? NULL : &sum->total;
}

bool session_is_witness(const struct pmon_session *s, uint32_t event)
{
  return event >= plan_own_events(s->plan);
}

void session_give_up_witnesses(struct pmon_session *s)
{
  s->no_witness = true;
  for (uint32_t i = 0; i < s->n_runs; i++)
    s->runs[i].gone |= session_is_witness(s, s->runs[i].event);
}
