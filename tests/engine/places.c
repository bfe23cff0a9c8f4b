/* SPDX-License-Identifier: MIT */
#include "tests/engine/places.h"

struct fake places_fake;
static struct pmon_plan *plan;

struct pmon_session *places_open(const char *events, const char *metrics, uint32_t rounds, uint32_t witnesses)
{
  struct pmon_session *s;
  bool ended;
  fake_init(&places_fake, emr);
  plan = rig_plan(emr, events, metrics);
  ok(pmon_session_new(plan, &places_fake.backend, NULL, &s));
  ok(pmon_session_start(s));
  ok(pmon_session_run(s, 900000, &ended));
  assert_int_equal(s->rounds, rounds);
  assert_int_equal(s->n_witnesses, witnesses);
  return s;
}

void places_close(struct pmon_session *s)
{
  ok(pmon_session_close(s));
  pmon_plan_free(plan);
}
