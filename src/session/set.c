/* SPDX-License-Identifier: MIT */
/* Event sets: a plan and a session in one object. */
#include <pmon/set.h>
#include <stdlib.h>
#include <string.h>
#include "src/plan/witness.h"
#include "src/platform/context.h"
#include "src/session/session.h"

struct pmon_set {
  struct pmon_context *context;
  struct pmon_backend *backend;
  struct pmon_plan *plan;
  struct pmon_session *session; /* NULL before the first start */
  struct pmon_session_options options;
};

int pmon_set_new(struct pmon_context *context, const struct pmon_platform *platform, struct pmon_backend *backend,
                 const struct pmon_session_options *options, struct pmon_set **ret_set)
{
  if (!context)
    return PMON_E_INVALID;
  if (!platform || !backend)
    return context_fail(context, PMON_E_INVALID, 0, "an event set needs a platform and a backend");
  struct pmon_set *set = calloc(1, sizeof *set);
  if (!set)
    return context_fail(context, PMON_E_MEMORY, 0, "no memory for an event set");
  set->context = context;
  set->backend = backend;
  set->options.size = sizeof set->options;
  int status = options ? CONTEXT_TAKE(context, set->options, options) : 0;
  if (!status)
    status = pmon_plan_new(context, platform, &set->plan);
  if (status) {
    free(set);
    return status;
  }
  *ret_set = set;
  return 0;
}

int pmon_set_add(struct pmon_set *set, const char *event, uint32_t *ret_event)
{
  uint32_t number;
  if (set->plan->scheduled)
    return context_fail(set->context, PMON_E_STATE, 0, "%s: events must be added before the set is first started",
                        event);
  int status = plan_add_event(set->plan, event, true, &number);
  if (!status && ret_event)
    *ret_event = number;
  return status;
}

int pmon_set_start(struct pmon_set *set)
{
  if (set->session)
    return pmon_session_start(set->session);
  if (!set->plan->n_events)
    return context_fail(set->context, PMON_E_STATE, 0, "the event set is empty; pmon_set_add() adds an event");
  int status = set->plan->scheduled ? 0 : pmon_plan_schedule(set->plan);
  if (!status)
    status = pmon_session_new(set->plan, set->backend, &set->options, &set->session);
  if (status)
    return status;
  status = pmon_session_start(set->session);
  if (!status)
    return 0;
  pmon_session_close(set->session);
  set->session = NULL;
  return status;
}

static int check_values(const struct pmon_set *set, uint32_t n_values)
{
  if (!set->session)
    return context_fail(set->context, PMON_E_STATE, 0, "the event set was not started");
  const uint32_t n = plan_own_events(set->plan);
  if (n_values > n)
    return context_fail(set->context, PMON_E_RANGE, 0, "%u values requested for %u events", n_values, n);
  return 0;
}

static void fill_values(const struct pmon_set *set, struct pmon_value *values, uint32_t n_values)
{
  const struct pmon_scope all = {PMON_ALL, PMON_ALL};
  for (uint32_t i = 0; i < n_values; i++)
    pmon_session_event(set->session, i, &all, &values[i]);
}

int pmon_set_read(struct pmon_set *set, struct pmon_value *values, uint32_t n_values)
{
  int status = check_values(set, n_values);
  if (!status)
    status = pmon_session_read(set->session);
  if (!status)
    fill_values(set, values, n_values);
  return status;
}

int pmon_set_reset(struct pmon_set *set)
{
  int status = check_values(set, 0);
  return status ? status : pmon_session_reset(set->session);
}

int pmon_set_stop(struct pmon_set *set, struct pmon_value *values, uint32_t n_values)
{
  int status = check_values(set, n_values);
  if (!status)
    status = pmon_session_stop(set->session);
  if (!status)
    fill_values(set, values, n_values);
  return status;
}

struct pmon_plan *pmon_set_plan(struct pmon_set *set)
{
  return set->plan;
}

struct pmon_session *pmon_set_session(struct pmon_set *set)
{
  return set->session;
}

int pmon_set_close(struct pmon_set *set)
{
  if (!set)
    return 0;
  int status = pmon_session_close(set->session);
  pmon_plan_free(set->plan);
  free(set);
  return status;
}
