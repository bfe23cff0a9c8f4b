/* SPDX-License-Identifier: MIT */
/* A session with regions on a fake backend. */
#ifndef TESTS_ENGINE_REGIONS_RIG_H
#define TESTS_ENGINE_REGIONS_RIG_H

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <pmon/regions.h>
#include "tests/engine/base.h"
#include "tests/engine/fake.h"

static struct fake fake[1];
static struct pmon_plan *plan;
static struct pmon_session *session;

/* Starts a session; an event of code n counts n per nanosecond. */
static inline void regions_begin(const char *events, const struct pmon_session_options *options)
{
  fake_init(fake, emr);
  fake->end_ns = UINT64_C(1) << 40;
  plan = rig_plan(emr, events, NULL);
  ok(pmon_session_new(plan, &fake->backend, options, &session));
  ok(pmon_session_start(session));
}

static inline void regions_end(void)
{
  char name[80];
  ok(pmon_session_close(session));
  if (fake_changed(fake, name, sizeof name))
    fail_msg("%s was not restored", name);
  pmon_plan_free(plan);
}

/* Stands for `ns` of work of the program. */
static inline void work(uint64_t ns)
{
  bool ended;
  ok(fake->backend.ops->wait(&fake->backend, fake->now_ns + ns, &(uint64_t){0}, &ended));
}

static inline void enter(uint64_t thread, const char *name)
{
  ok(pmon_session_read(session));
  ok(pmon_session_region_begin(session, thread, name));
}

static inline void leave(uint64_t thread, const char *name)
{
  ok(pmon_session_read(session));
  ok(pmon_session_region_end(session, thread, name));
}

/* Returns the index of a region's result for a thread; fails the test when there is none. */
static inline uint32_t result_of(const char *name, uint64_t thread)
{
  struct pmon_region_info info = {.size = sizeof info};
  for (uint32_t i = 0; !pmon_session_region_describe(session, i, &info); i++)
    if (!strcmp(info.name, name) && info.thread == thread)
      return i;
  fail_msg("no result of region %s, thread %d", name, (int)thread);
  return 0;
}

static inline struct pmon_region_info info_of(const char *name, uint64_t thread)
{
  struct pmon_region_info info = {.size = sizeof info};
  ok(pmon_session_region_describe(session, result_of(name, thread), &info));
  return info;
}

static inline struct pmon_value value_of(const char *name, uint64_t thread, uint32_t event)
{
  struct pmon_value v;
  const struct pmon_session *view = pmon_session_region(session, result_of(name, thread));
  ok(pmon_session_event(view, event, &(struct pmon_scope){0, 0}, &v));
  return v;
}

/* Fails the test unless event 0, which counts 5 per nanosecond, has its exact value for `ns`. */
static inline void check(const char *name, uint64_t thread, uint64_t calls, uint64_t ns)
{
  const struct pmon_region_info info = info_of(name, thread);
  const struct pmon_value v = value_of(name, thread, 0);
  if (info.calls != calls || fabs(info.seconds - (double)ns * 1e-9) > 1e-12 || !v.valid || v.flags || v.sigma != 0 ||
      v.number != 5.0 * (double)ns)
    fail_msg("%s, thread %d: %d calls, %.9f s, %.0f", name, (int)thread, (int)info.calls, info.seconds, v.number);
}

#define ALL PMON_REGION_ALL_THREADS
#define ONE_EVENT "imc0/CAS_COUNT.RD/"

#endif
