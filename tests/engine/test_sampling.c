/* SPDX-License-Identifier: MIT */
/* Samples of hand-written streams: the expected addresses, latencies and branches follow from the stream's text. */
#include "tests/engine/sampling_rig.h"

/* Samples the event of the sample source, or the given event, to the stream's end; fails the test when a programming
 * rule is violated. */
static void sample(const char *stream, const char *what, const char *event, uint64_t every, struct seen *seen)
{
  struct pmon_session_options options = usual;
  struct pmon_sample_source wanted = {.size = sizeof wanted};
  struct pmon_backend *backend, *checked;
  struct checker *checker;
  const struct check_finding *broken;
  struct montecito_machine *m = cores_busy(stream, &backend);
  bool ended = false;
  memset(seen, 0, sizeof *seen);
  ok(pmon_sample_source_parse(context, montecito, what, &wanted));
  options.source = &wanted;
  options.every_count = every;
  options.sample_user = seen;
  struct pmon_plan *plan = rig_plan(montecito, event ? event : pmon_sample_source_event(wanted.kind), NULL);
  ok(check_new(montecito, &checker));
  ok(check_backend_new(backend, checker, &checked));
  struct pmon_session *s;
  ok(pmon_session_new(plan, checked, &options, &s));
  ok(pmon_session_start(s));
  while (!ended)
    ok(pmon_session_run(s, UINT64_MAX, &ended));
  ok(pmon_session_close(s));
  if (check_findings(checker, &broken))
    fail_msg("%s = 0x%llx: %s (%s)", broken->name, (unsigned long long)broken->value, broken->brief, broken->cite);
  check_free(checker);
  pmon_backend_close(checked);
  montecito_machine_free(m);
  pmon_plan_free(plan);
}

struct expected {
  uint32_t flags;
  uint64_t ip;
  uint32_t slot;
  uint64_t data;
  uint32_t latency;
  const char *served;
  uint64_t target;
};

static void sampling_compare(const struct seen *seen, const struct expected *e, unsigned n)
{
  for (unsigned i = 0; i < n && i < seen->n; i++) {
    const struct pmon_sample *s = &seen->sample[i];
    if (s->flags != e[i].flags || s->ip != e[i].ip || (s->flags & IP && s->slot != e[i].slot) || s->data != e[i].data ||
        s->latency != e[i].latency || strcmp(s->served, e[i].served ? e[i].served : "") || s->target != e[i].target)
      fail_msg("sample %u: flags 0x%x, ip 0x%llx slot %u, data 0x%llx, latency %u, served \"%s\", target 0x%llx", i,
               s->flags, (unsigned long long)s->ip, s->slot, (unsigned long long)s->data, s->latency, s->served,
               (unsigned long long)s->target);
  }
  assert_int_equal(seen->n, n);
}

#define CALM "stall exe.gr 60\n"
#define LOADS                                                                                                          \
  "timing explicit\n" CALM "b 0x4000 mmi ld=0x6008,l2,lat=5 nop nop\n" CALM                                            \
  "b 0x4010 mmi nop ld=0x7010,l3,lat=21 nop\n" CALM "b 0x4020 mii nop nop nop\n"                                       \
  "+b 0x4030 mfi ldf=0x9000,mem,lat=300 nop nop\nstall exe.fr 400\n"                                                   \
  "b 0x4040 mii ld=0xa000,l1 nop nop\n" CALM "b 0x4050 mii ld=0xb000,mem,lat=8200 nop nop\nstall exe.gr 9000\n"

static void loads_that_miss(void **state)
{
  static const struct expected all[] = {{IP | DATA | LATENCY, 0x4000, 0, 0x6008, 5, NULL, 0},
                                        {IP | DATA | LATENCY, 0x4010, 1, 0x7010, 21, NULL, 0},
                                        {IP | DATA | LATENCY, 0x4030, 0, 0x9000, 300, NULL, 0},
                                        {IP | DATA | LATENCY | LONGER, 0x4050, 0, 0xb000, 8200 & 0x1fff, NULL, 0}};
  struct seen seen;
  (void)state;
  sample(LOADS, "dcache", NULL, 1, &seen);
  sampling_compare(&seen, all, 4);
  for (unsigned i = 0; i < 4; i++)
    assert_true(seen.sample[i].number == i && seen.sample[i].package == 0 &&
                (!i || seen.sample[i].time_ns > seen.sample[i - 1].time_ns));
  sample(LOADS, "dcache=16", NULL, 1, &seen);
  sampling_compare(&seen, all + 1, 3);
  /* every second load: the buffer holds the load that overflowed */
  sample(LOADS, "dcache", NULL, 2, &seen);
  sampling_compare(&seen, (const struct expected[]){all[1], all[3]}, 2);
}

static void data_tlb_misses(void **state)
{
  static const struct expected all[] = {{IP | DATA, 0x4000, 0, 0x100, 0, "L2DTLB", 0},
                                        {IP | DATA, 0x4010, 1, 0x200, 0, "VHPT", 0},
                                        {IP | DATA, 0x4020, 0, 0x300, 0, "FAULT", 0}};
  static const char stream[] =
      "timing explicit\n" CALM "b 0x4000 mii ld=0x100,tlb2 nop nop\n" CALM "b 0x4010 mmi nop st=0x200,walk nop\n" CALM
      "b 0x4020 mii ld=0x300,tlbfault nop nop\n" CALM;
  struct seen seen;
  (void)state;
  sample(stream, "dtlb", NULL, 1, &seen);
  sampling_compare(&seen, all, 3);
  sample(stream, "dtlb=vhpt+fault", NULL, 1, &seen);
  sampling_compare(&seen, all + 1, 2);
}

static void failing_checks(void **state)
{
  static const struct expected all[] = {{IP, 0x4010, 0, 0, 0, NULL, 0}};
  struct seen seen;
  (void)state;
  sample("timing explicit\n" CALM "b 0x4000 mii chka=0x9000 nop nop\n" CALM
         "b 0x4010 mii chka=0x9000,fail nop nop\n" CALM,
         "alat", NULL, 1, &seen);
  sampling_compare(&seen, all, 1);
}

/* The ninth instruction overflows; addresses are recorded for three more cycles, and the freeze writes a last entry. */
static void retired_instructions_are_sampled(void **state)
{
  enum { ADDRESS = IP | LATENCY };
  static const char stream[] =
      "timing explicit\n"
      "b 0x123450 mii alu alu alu\nstall exe.gr 70\nb 0x123460 mii nop nop alu\nstall exe.gr 20\n"
      "b 0x123470 mii nop nop alu\nb 0x123480 mii alu alu alu\nb 0x123490 mii alu alu alu\nstall exe.gr 60\n";
  struct seen seen;
  (void)state;
  sample(stream, "addresses=3", "IA64_INST_RETIRED.THIS", 9, &seen);
  assert_int_equal(seen.n, 6);
  for (unsigned i = 0; i < seen.n; i++) {
    const struct pmon_sample *s = &seen.sample[i];
    assert_int_equal(s->flags & ADDRESS, ADDRESS);
    assert_int_equal(s->number, 0);
    assert_int_equal(s->ip, 0x123450 + 16 * (i < 5 ? i : 4));
    assert_int_equal((s->flags & PMON_SAMPLE_LAST) != 0, i == 5);
  }
  assert_int_equal(seen.sample[1].flags & LONGER, LONGER); /* 71 cycles, stored as 63 */
  assert_int_equal(seen.sample[1].latency, 63);
  assert_int_equal(seen.sample[2].latency, 21);
  assert_int_equal(seen.sample[3].latency, 1);
}

static void code_misses(void **state)
{
  static const struct expected cache[] = {{IP | LATENCY, 0x5000, 0, 0, 40, NULL, 0},
                                          {IP | LATENCY, 0x5040, 0, 0, 300, NULL, 0}};
  static const struct expected tlb[] = {{IP, 0x5000, 0, 0, 0, "L2TLB", 0}, {IP, 0x5040, 0, 0, 0, "VHPT", 0}};
  static const char stream[] = "timing explicit\n" CALM "b 0x5000 mii nop nop nop l2 lat=40 tlb2\nstall fe.imiss 90\n"
                               "b 0x5040 mii nop nop nop mem lat=300 walk\nstall fe.imiss 400\n"
                               "b 0x5050 mii nop nop nop l1 tlb1\n" CALM;
  struct seen seen;
  (void)state;
  sample(stream, "icache", NULL, 1, &seen);
  sampling_compare(&seen, cache, 2);
  sample(stream, "ICACHE=128", NULL, 1, &seen);
  sampling_compare(&seen, cache + 1, 1);
  sample(stream, "itlb", NULL, 1, &seen);
  sampling_compare(&seen, tlb, 2);
  sample(stream, "itlb=VHPT", NULL, 1, &seen);
  sampling_compare(&seen, tlb + 1, 1);
}

#define FLOW                                                                                                           \
  "timing explicit\n" CALM "b 0x4000 mib nop nop br=0x5000,taken,right\nb 0x5000 mii nop nop nop\n"                    \
  "b 0x5010 mib nop nop br=0x6000,wrongpath\nb 0x5020 mii nop nop nop\nb 0x5030 mii nop nop nop\n"                     \
  "+b 0x5040 mib nop nop br=0x7000,taken,wrongtarget\nb 0x7000 mii nop nop nop\n"                                      \
  "b 0x7010 mib nop nop br=0x4000,taken,right\nb 0x4000 mii nop nop nop\n" CALM

/* Cycles are sampled late, after all four branches: each with its target; the branch that is not taken has none. */
static void branches_with_their_targets(void **state)
{
  static const struct expected all[] = {{IP | TARGET | TAKEN, 0x4000, 2, 0, 0, NULL, 0x5000},
                                        {IP | WRONG | FLUSHED, 0x5010, 0, 0, 0, NULL, 0},
                                        {IP | TARGET | TAKEN | WRONG | FLUSHED, 0x5040, 2, 0, 0, NULL, 0x7000},
                                        {IP | TARGET | TAKEN, 0x7010, 2, 0, 0, NULL, 0x4000}};
  struct seen seen;
  (void)state;
  sample(FLOW, "branches", "CPU_OP_CYCLES.ALL", 100, &seen);
  sampling_compare(&seen, all, 4);
  for (unsigned i = 0; i < 4; i++)
    assert_true(seen.sample[i].number == 0);
  sample(FLOW, "branches=taken", "CPU_OP_CYCLES.ALL", 100, &seen);
  sampling_compare(&seen, (const struct expected[]){all[0], all[2], all[3]}, 3);
  sample(FLOW, "branches=wrongtarget", "CPU_OP_CYCLES.ALL", 100, &seen);
  sampling_compare(&seen, (const struct expected[]){all[2]}, 1);
  sample(FLOW, "branches=nottaken", "CPU_OP_CYCLES.ALL", 100, &seen);
  sampling_compare(&seen, (const struct expected[]){all[1]}, 1);
  /* returns: the stream has none, so none are recorded */
  sample(FLOW, "branches=returns", "CPU_OP_CYCLES.ALL", 100, &seen);
  sampling_compare(&seen, (const struct expected[]){{0, 0, 0, 0, 0, NULL, 0}}, 1);
}

/* Twenty branches: the buffer keeps the last sixteen entries, oldest first. These are eight branches with their
 * targets; or, where each target is itself a branch, fifteen branches and the target of the last. */
static void a_full_buffer_is_read_from_its_oldest(void **state)
{
  char stream[4000], line[100];
  struct seen seen;
  (void)state;
  for (unsigned apart = 0; apart < 2; apart++) {
    strcpy(stream, "timing explicit\nstall exe.gr 20\n");
    for (unsigned i = 0; i < 20; i++) {
      const unsigned at = 0x1000 * (i + 1);
      snprintf(line, sizeof line, "b 0x%x mii nop nop nop\n", at);
      strcat(stream, apart ? line : "");
      snprintf(line, sizeof line, "b 0x%x mib nop nop br=0x%x,taken,right\n", at + 16 * apart, at + 0x1000);
      strcat(stream, line);
    }
    strcat(stream, "b 0x15000 mii nop nop nop\nstall exe.gr 300\n");
    sample(stream, "branches", "CPU_OP_CYCLES.ALL", 200, &seen);
    const unsigned n = apart ? 8 : 15;
    assert_int_equal(seen.n, n);
    for (unsigned i = 0; i < n; i++) {
      assert_int_equal(seen.sample[i].ip, 0x1000 * (20 - n + i + 1) + 16 * apart);
      assert_int_equal(seen.sample[i].target, 0x1000 * (20 - n + i + 2));
    }
  }
}

/* Two cores: each thread's own period continues while the other thread is sampled. */
static void threads_are_sampled_separately(void **state)
{
  char stream[6000] = "timing explicit\n", line[120];
  unsigned of[4] = {0};
  struct seen seen;
  (void)state;
  for (unsigned i = 0; i < 12; i++) {
    snprintf(line, sizeof line, "thread 0\n" CALM "b 0x4000 mii ld=0x%x,l2,lat=9 nop nop\n" CALM, 0x10000 + 64 * i);
    strcat(stream, line);
    snprintf(line, sizeof line, "thread 2\n" CALM "b 0x8000 mii %s nop nop\n" CALM,
             i % 2 ? "nop" : "ld=0x20000,l3,lat=20");
    strcat(stream, line);
  }
  sample(stream, "dcache", NULL, 3, &seen);
  for (unsigned i = 0; i < seen.n; i++) {
    of[seen.sample[i].package]++;
    assert_int_equal(seen.sample[i].ip, seen.sample[i].package ? 0x8000 : 0x4000);
  }
  assert_int_equal(of[0], 4);
  assert_int_equal(of[2], 2);
  assert_int_equal(of[1] + of[3], 0);
}

/* Another program reconfigures the buffer: its samples are discarded, and no addresses are made up. */
static void a_stolen_buffer_is_reported(void **state)
{
  struct pmon_session_options options = usual;
  struct seen seen = {.n = 0};
  struct pmon_sample_source wanted = {.size = sizeof wanted};
  struct pmon_backend *backend;
  struct montecito_machine *m = cores_busy(LOADS, &backend);
  const struct pmon_address pmc40 = {.space = PMON_SPACE_PMC, .width_bits = 64, .offset = 40};
  struct pmon_plan *plan = rig_plan(montecito, "DATA_EAR_EVENTS", NULL);
  struct pmon_session *s;
  bool ended = false;
  (void)state;
  ok(pmon_sample_source_parse(context, montecito, "dcache=16", &wanted));
  options.source = &wanted;
  options.sample_user = &seen;
  ok(pmon_session_new(plan, backend, &options, &s));
  ok(pmon_session_start(s));
  ok(pmon_session_run(s, UINT64_MAX, &ended));
  assert_int_equal(montecito_machine_write(m, &pmc40, 0x0200000f), 0); /* any latency */
  while (!ended)
    ok(pmon_session_run(s, UINT64_MAX, &ended));
  ok(pmon_session_close(s));
  assert_int_equal(seen.n, 3);
  assert_int_equal(seen.sample[0].flags, IP | DATA | LATENCY);
  for (unsigned i = 1; i < seen.n; i++)
    assert_true(seen.sample[i].flags == PMON_SAMPLE_STOLEN && !seen.sample[i].ip && !seen.sample[i].data);
  pmon_backend_close(backend);
  montecito_machine_free(m);
  pmon_plan_free(plan);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(loads_that_miss),
                                     cmocka_unit_test(data_tlb_misses),
                                     cmocka_unit_test(failing_checks),
                                     cmocka_unit_test(retired_instructions_are_sampled),
                                     cmocka_unit_test(code_misses),
                                     cmocka_unit_test(branches_with_their_targets),
                                     cmocka_unit_test(a_full_buffer_is_read_from_its_oldest),
                                     cmocka_unit_test(threads_are_sampled_separately),
                                     cmocka_unit_test(a_stolen_buffer_is_reported)};
  return cmocka_run_group_tests(tests, rig_begin, rig_end);
}
