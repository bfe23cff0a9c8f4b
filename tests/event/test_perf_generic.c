/* SPDX-License-Identifier: MIT */
/* Linux perf's generic events for every processor: pmon's suggested replacement exists on the platform. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>
#include <pmon/pmon.h>

/* As listed by `perf list hw cache sw`, perf 6.1. */
static const char *const names[] = {"branch-instructions",
                                    "branches",
                                    "branch-misses",
                                    "bus-cycles",
                                    "cache-misses",
                                    "cache-references",
                                    "cpu-cycles",
                                    "cycles",
                                    "instructions",
                                    "ref-cycles",
                                    "stalled-cycles-backend",
                                    "stalled-cycles-frontend",
                                    "context-switches",
                                    "cs",
                                    "cpu-clock",
                                    "task-clock",
                                    "cpu-migrations",
                                    "migrations",
                                    "page-faults",
                                    "faults",
                                    "minor-faults",
                                    "major-faults",
                                    "alignment-faults",
                                    "emulation-faults",
                                    "bpf-output",
                                    "dummy",
                                    "duration_time",
                                    "L1-dcache-loads",
                                    "L1-dcache-load-misses",
                                    "L1-dcache-stores",
                                    "L1-icache-loads",
                                    "L1-icache-load-misses",
                                    "LLC-loads",
                                    "LLC-load-misses",
                                    "LLC-stores",
                                    "LLC-store-misses",
                                    "dTLB-loads",
                                    "dTLB-load-misses",
                                    "dTLB-stores",
                                    "dTLB-store-misses",
                                    "iTLB-loads",
                                    "iTLB-load-misses",
                                    "branch-loads",
                                    "branch-load-misses",
                                    "node-loads",
                                    "node-load-misses",
                                    "node-stores",
                                    "node-store-misses",
                                    "node-prefetches",
                                    "node-prefetch-misses",
                                    "llc-load-misses"};

static const char nearest[] = "; the closest match to this perf event is ", metric[] = "a metric: pmon stat -m ";

static bool has_metric(const struct pmon_platform *p, const char *name)
{
  struct pmon_metric_info m = {.size = sizeof m};
  for (uint32_t i = 0; !pmon_metric_describe(p, i, &m); i++)
    if (!strcmp(m.name, name))
      return true;
  return false;
}

/* Returns 0: an existing event or metric is suggested; 1: perf is. */
static int check_remedy(struct pmon_context *c, const struct pmon_platform *p, const char *name)
{
  char error[512];
  struct pmon_event *e = NULL;
  const struct pmon_platform *montecito; /* Linux has no perf events for it */
  assert_int_equal(pmon_platform_find(c, "montecito", &montecito), PMON_OK);
  snprintf(error, sizeof error, "%s", pmon_context_error(c));
  char *end = strchr(error, '\n'), *answer = strstr(error, nearest);
  if (end)
    *end = '\0';
  const bool itanium = p == montecito;
  if (!answer && strstr(error, itanium ? "which pmon does not count on this processor" : "which perf stat counts"))
    return 1;
  if (!answer)
    fail_msg("%s: %s", name, error);
  answer += strlen(nearest);
  if (strncmp(answer, metric, strlen(metric)) ? pmon_event_resolve(c, p, answer, &e) != PMON_OK
                                              : !has_metric(p, answer + strlen(metric)))
    fail_msg("%s: %s is not there", name, answer);
  pmon_event_free(e);
  return 0;
}

static void test_remedies(void **state)
{
  /* The numbers of names with a suggestion of the platform, and of names that it has itself. */
  static const struct {
    const char *platform;
    int proposed, had;
  } rows[] = {{"emr", 11, 4}, {"spr", 11, 4}, {"snbep", 7, 4}, {"montecito", 26, 0}};
  (void)state;
  struct pmon_context *c;
  assert_int_equal(pmon_context_new(&c), PMON_OK);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    const struct pmon_platform *p;
    int proposed = 0, had = 0;
    assert_int_equal(pmon_platform_find(c, rows[i].platform, &p), PMON_OK);
    for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
      struct pmon_event *e = NULL;
      if (!pmon_event_resolve(c, p, names[n], &e))
        had++;
      else
        proposed += !check_remedy(c, p, names[n]);
      pmon_event_free(e);
    }
    printf("%s: %d proposed, %d had\n", rows[i].platform, proposed, had);
    assert_int_equal(proposed, rows[i].proposed);
    assert_int_equal(had, rows[i].had);
  }
  pmon_context_free(c);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_remedies)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
