/* SPDX-License-Identifier: MIT */
/* Samples that are lost while monitors are frozen, and sample sources that a platform does not have. */
#include "tests/engine/sampling_rig.h"

/* A backend that waits until the given time: an overflow does not wake the session. */
struct sleeper {
  struct pmon_backend base, *inner;
};

static int sleeper_read(struct pmon_backend *b, const struct pmon_address *a, uint64_t *ret_value)
{
  struct pmon_backend *inner = ((struct sleeper *)(void *)b)->inner;
  return inner->ops->read(inner, a, ret_value);
}

static int sleeper_write(struct pmon_backend *b, const struct pmon_address *a, uint64_t value)
{
  struct pmon_backend *inner = ((struct sleeper *)(void *)b)->inner;
  return inner->ops->write(inner, a, value);
}

static int sleeper_wait(struct pmon_backend *b, uint64_t until_ns, uint64_t *ret_now_ns, bool *ret_ended)
{
  struct pmon_backend *inner = ((struct sleeper *)(void *)b)->inner;
  int status = inner->ops->wait(inner, until_ns, ret_now_ns, ret_ended);
  while (!status && !*ret_ended && *ret_now_ns < until_ns)
    status = inner->ops->wait(inner, until_ns, ret_now_ns, ret_ended);
  return status;
}

static void sleeper_close(struct pmon_backend *b)
{
  (void)b;
}

/* Misses during a freeze are not counted: 600 misses at even distances, of which every third is sampled. */
static void lost_samples_are_estimated(void **state)
{
  static const struct pmon_backend_ops ops = {sizeof ops,    "sleeper",    sleeper_read,
                                              sleeper_write, sleeper_wait, sleeper_close};
  static char stream[60000];
  (void)state;
  strcpy(stream, "timing explicit\n");
  for (unsigned i = 0, n = (unsigned)strlen(stream); i < 600; i++)
    n += (unsigned)snprintf(stream + n, sizeof stream - n,
                            "b 0x4000 mii ld=0x%x,mem,lat=100 nop nop\nstall exe.gr 199\n", 0x100000 + 256 * i);
  for (int woken = 0; woken < 2; woken++) {
    struct pmon_session_options options = usual;
    struct pmon_sample_source wanted = {.size = sizeof wanted};
    struct pmon_sample_loss loss = {.size = sizeof loss};
    struct sleeper sleeper = {.base = {.ops = &ops}};
    struct montecito_machine *m = cores_busy(stream, &sleeper.inner);
    struct pmon_plan *plan = rig_plan(montecito, "DATA_EAR_EVENTS", NULL);
    struct pmon_session *s;
    bool ended = false;
    sleeper.base.packages = sleeper.inner->packages;
    ok(pmon_sample_source_parse(context, montecito, "dcache=16", &wanted));
    options.source = &wanted;
    options.sample = NULL;
    options.every_count = 3;
    options.every_poll_ns = 200;
    ok(pmon_session_new(plan, woken ? sleeper.inner : &sleeper.base, &options, &s));
    ok(pmon_session_start(s));
    while (!ended)
      ok(pmon_session_run(s, UINT64_MAX, &ended));
    ok(pmon_session_sample_loss(s, &loss));
    const double lost = 200 - (double)loss.samples;
    if (woken)
      assert_true(loss.samples >= 198 && loss.lost_high < 1);
    else
      assert_true(lost > 10 && loss.lost_low <= lost && lost <= loss.lost_high && loss.lost_high < 200);
    assert_true(loss.frozen_low <= loss.frozen_high && loss.frozen_high < 1);
    ok(pmon_session_close(s));
    pmon_backend_close(sleeper.inner);
    montecito_machine_free(m);
    pmon_plan_free(plan);
  }
}

static void unsupported_sample_sources_are_refused(void **state)
{
  static const struct {
    const char *text, *part;
    int status;
  } rows[] = {{"", "expected dcache", PMON_E_SYNTAX},
              {"dcache=", "4, 8, 16", PMON_E_SYNTAX},
              {"dcache=17", "4, 8, 16", PMON_E_SYNTAX},
              {"icache=64", "32, 128", PMON_E_SYNTAX},
              {"alat=1", "expected nothing after", PMON_E_SYNTAX},
              {"dtlb=L3", "L2DTLB, VHPT", PMON_E_SYNTAX},
              {"branches=odd", "wrongpath", PMON_E_SYNTAX},
              {"dtlb=VHPT+", "", PMON_OK}};
  struct pmon_session_options options = usual;
  struct pmon_sample_source wanted = {.size = sizeof wanted, .kind = PMON_SOURCE_ALAT};
  struct pmon_backend *backend;
  struct montecito_machine *m = cores_busy("", &backend);
  struct pmon_plan *plan = rig_plan(montecito, "DATA_EAR_EVENTS", NULL);
  struct pmon_session *s;
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    int status = pmon_sample_source_parse(context, montecito, rows[i].text, &wanted);
    if (status != rows[i].status || (status && !strstr(pmon_context_error(context), rows[i].part)))
      fail_msg("%s: %s: %s", rows[i].text, pmon_status_name(status), pmon_context_error(context));
  }
  assert_int_equal(pmon_sample_source_parse(context, emr, "dcache", &wanted), PMON_E_UNSUPPORTED);
  options.source = &wanted;
  options.every_count = 0;
  assert_int_equal(pmon_session_new(plan, backend, &options, &s), PMON_E_INVALID);
  options.every_count = 1;
  wanted.kind = PMON_SOURCE_N;
  assert_int_equal(pmon_session_new(plan, backend, &options, &s), PMON_E_INVALID);
  assert_null(pmon_sample_source_name(PMON_SOURCE_N));
  pmon_backend_close(backend);
  montecito_machine_free(m);
  pmon_plan_free(plan);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(lost_samples_are_estimated),
                                     cmocka_unit_test(unsupported_sample_sources_are_refused)};
  return cmocka_run_group_tests(tests, rig_begin, rig_end);
}
