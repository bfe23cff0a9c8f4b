/* SPDX-License-Identifier: MIT */
/* Switches between a core's threads by urgency (2.4.1): which events request one. */
#include "machine/montecito/pipeline/scoreboard.h"
#include "tests/montecito/bench.h"

enum { NOTHING = SWITCH_N };

static uint8_t wanted(const struct bench *b)
{
  uint8_t cause = NOTHING;
  return montecito_switch_wanted(b->m, 0, &cause) ? cause : NOTHING;
}

static void idle(struct bench *b, unsigned cycles)
{
  char text[64];
  snprintf(text, sizeof text, "stall exe.gr %u\n", cycles);
  bench_run(b, text);
}

/* The active thread misses the L3; the miss is known 14 cycles later. */
static void miss_only(struct bench *b, unsigned line)
{
  char text[128];
  snprintf(text, sizeof text, "b 0x4000 mii ld=0x%x plain plain ;;\n", 0x1000000 + line * 128);
  bench_run(b, text);
}

static void miss(struct bench *b, unsigned line)
{
  miss_only(b, line);
  idle(b, 16);
}

static void switch_to(struct bench *b, unsigned thread)
{
  char error[128];
  const struct montecito_record r = {.kind = RECORD_SWITCH, .thread = (uint8_t)!thread, .a = SWITCH_L3MISS};
  assert_int_equal(montecito_machine_apply(b->m, &r, error, sizeof error), 0);
  b->thread = (uint8_t)thread;
}

/* hint@pause in the first slot of a bundle. */
static void hint(struct bench *b, uint8_t bundle_flags)
{
  char error[128];
  struct montecito_record r = {.kind = RECORD_BUNDLE, .thread = b->thread};
  r.bundle = (struct montecito_bundle){.address = 0x4000, .n_slots = 3, .flags = BUNDLE_STOP | bundle_flags};
  r.bundle.slot[0] = (struct montecito_slot){.type = SLOT_M, .op = OP_NOP, .flags = SLOT_PAUSE};
  r.bundle.slot[1].type = r.bundle.slot[2].type = SLOT_A;
  assert_int_equal(montecito_machine_apply(b->m, &r, error, sizeof error), 0);
}

static void resume(struct bench *b)
{
  char error[128];
  const struct montecito_record r = {.kind = RECORD_RESUME, .thread = b->thread};
  assert_int_equal(montecito_machine_apply(b->m, &r, error, sizeof error), 0);
}

static struct bench shared(void)
{
  struct bench b = {0};
  assert_int_equal(montecito_machine_new(&b.m), 0);
  bench_run(&b, "b 0x4000 mii plain plain plain ;;\n"); /* the code is in the caches */
  idle(&b, 300);
  montecito_core_share(b.m, 0, true);
  return b;
}

/* As shared(); the page of the lines is in the TLBs. */
static struct bench shared_with_page(void)
{
  struct bench b = shared();
  montecito_core_share(b.m, 0, false);
  miss_only(&b, 100);
  idle(&b, 300);
  montecito_core_share(b.m, 0, true);
  return b;
}

/* A miss lowers the urgency from 5 to 4, below that of the other thread. */
static void test_a_miss_asks_for_a_switch(void **state)
{
  (void)state;
  struct bench b = shared();
  assert_int_equal(wanted(&b), NOTHING);
  miss(&b, 0);
  assert_int_equal(wanted(&b), SWITCH_L3MISS);
  montecito_machine_free(b.m);
}

/* The L3 looks the line up before the miss is known, so that others can follow (2.4.1.1). */
static void test_a_miss_is_known_later(void **state)
{
  (void)state;
  struct bench b = shared_with_page();
  miss_only(&b, 0);
  idle(&b, 10);
  assert_int_equal(wanted(&b), NOTHING);
  idle(&b, 6);
  assert_int_equal(wanted(&b), SWITCH_L3MISS);
  montecito_machine_free(b.m);
}

/* A program that starts or ends on the other core. */
static void test_the_other_core_changes_nothing(void **state)
{
  (void)state;
  struct bench b = shared();
  miss(&b, 0);
  montecito_core_share(b.m, 0, true);
  assert_int_equal(wanted(&b), SWITCH_L3MISS);
  montecito_machine_free(b.m);
}

/* Without a second program, nothing requests a switch. */
static void test_a_lone_thread_keeps_the_core(void **state)
{
  (void)state;
  struct bench b = shared();
  montecito_core_share(b.m, 0, false);
  miss(&b, 0);
  hint(&b, 0);
  idle(&b, 100000);
  assert_int_equal(wanted(&b), NOTHING);
  montecito_machine_free(b.m);
}

/* Each thread waits for a line: 4 is not less than 4. The second miss of the same thread makes it 3. */
static void test_equal_urgencies_do_not_switch(void **state)
{
  (void)state;
  struct bench b = shared();
  bench_count(&b, 4, 0x0c, 0);
  miss(&b, 0);
  switch_to(&b, 1);
  bench_run(&b, "b 0x4000 mii plain plain plain ;;\n");
  miss(&b, 1);
  assert_int_equal(wanted(&b), NOTHING);
  miss(&b, 2);
  assert_int_equal(wanted(&b), SWITCH_L3MISS);
  montecito_machine_free(b.m);
}

/* The line of the waiting thread arrives: its urgency is 5 again, and that of the other thread, which waits now, is
 * 4. */
static void test_a_return_asks_for_a_switch(void **state)
{
  (void)state;
  struct bench b = shared();
  miss(&b, 0);
  switch_to(&b, 1);
  idle(&b, 50);
  miss(&b, 1);
  assert_int_equal(wanted(&b), NOTHING);
  idle(&b, 90); /* the first line took 200 cycles, the second one has 110 left at most */
  assert_int_equal(wanted(&b), SWITCH_L3MISS);
  montecito_machine_free(b.m);
}

/* A bundle that uses a register loaded from memory: the miss ends its wait, and the thread is switched out. */
static void apply_dependent(struct bench *b, uint32_t flags)
{
  enum { REGISTER = SCORE_GR + 4 };
  char error[128];
  struct montecito_record r = {.kind = RECORD_BUNDLE, .thread = b->thread};
  r.bundle = (struct montecito_bundle){.address = 0x4000, .n_slots = 3, .flags = BUNDLE_STOP, .timing = TIMING_WAITS};
  r.bundle.slot[0] = (struct montecito_slot){.type = SLOT_M, .op = OP_LOAD, .address = 0x1000000};
  r.bundle.slot[0].uses.write[0] = REGISTER | WRITES_LOAD << SCORE_BITS;
  r.bundle.slot[1].type = r.bundle.slot[2].type = SLOT_A;
  assert_int_equal(montecito_machine_apply(b->m, &r, error, sizeof error), 0);
  r.bundle.slot[0] = (struct montecito_slot){.type = SLOT_M, .flags = flags};
  r.bundle.slot[0].uses.read[0] = REGISTER | READS_ALU << SCORE_BITS;
  r.bundle.flags |= BUNDLE_STOP_AFTER_1; /* slot 2 issues in the cycle behind */
  assert_int_equal(montecito_machine_apply(b->m, &r, error, sizeof error), 0);
}

static void test_a_switch_ends_a_wait(void **state)
{
  (void)state;
  for (unsigned both = 0; both < 2; both++) {
    struct bench b = shared_with_page();
    bench_count(&b, 4, 0x08, 0); /* IA64_INST_RETIRED */
    const uint64_t before = montecito_core_cycle(b.m, 0);
    montecito_core_share(b.m, 0, both);
    apply_dependent(&b, 0);
    assert_int_equal(montecito_bundle_waits(b.m, 0), both);
    montecito_machine_close_cycles(b.m);
    assert_in_range(montecito_core_cycle(b.m, 0) - before, both ? 14 : 200, both ? 18 : 205);
    assert_int_equal(bench_pmd(&b, 4), both ? 3 : 6);
    if (both) {
      assert_int_equal(wanted(&b), SWITCH_L3MISS);
      switch_to(&b, 1);
      assert_true(montecito_bundle_waits(b.m, 0));
      idle(&b, 100);
      switch_to(&b, 0);
      resume(&b);
      montecito_machine_close_cycles(b.m);
      assert_in_range(montecito_core_cycle(b.m, 0) - before, 200, 205); /* the line arrived while other waits were in
                                                                         * progress */
      assert_int_equal(bench_pmd(&b, 4), 6);
      assert_false(montecito_bundle_waits(b.m, 0));
      resume(&b); /* no wait remains */
      assert_int_equal(bench_pmd(&b, 4), 6);
    }
    montecito_machine_free(b.m);
  }
}

/* A wait for code is ended alike, and the fetch is repeated. The part of a bundle after a stop has a wait of its
 * own. */
static void test_a_switch_ends_a_fetch(void **state)
{
  (void)state;
  struct bench b = shared();
  bench_count(&b, 4, 0x08, 0);
  bench_run(&b, "b 0x100000 mii plain plain plain ;;\n");
  assert_true(montecito_bundle_waits(b.m, 0));
  assert_int_equal(wanted(&b), SWITCH_L3MISS);
  switch_to(&b, 1);
  montecito_thread_space(b.m, 0, 0); /* another program begins there: no state of this one remains */
  assert_false(montecito_bundle_waits(b.m, 0));
  idle(&b, 300);
  switch_to(&b, 0);
  resume(&b);
  assert_int_equal(bench_pmd(&b, 4), 0);
  montecito_machine_free(b.m);
}

/* The end of the time slice ends a wait, too; the thread was stalled, so that its urgency does not rise. */
static void test_a_time_slice_ends_a_wait(void **state)
{
  (void)state;
  struct bench b = shared();
  assert_true(montecito_policy_set(b.m, 0, MONTECITO_FAIRNESS));
  idle(&b, 19900);
  apply_dependent(&b, 0);
  assert_true(montecito_bundle_waits(b.m, 0));
  assert_int_equal(wanted(&b), SWITCH_TIMER);
  montecito_machine_free(b.m);

  b = shared();
  assert_true(montecito_policy_set(b.m, 0, MONTECITO_EXCLUSIVE));
  idle(&b, 19900);
  apply_dependent(&b, 0);
  assert_false(montecito_bundle_waits(b.m, 0));
  montecito_machine_free(b.m);
}

/* A hint takes effect when its issue group retires: the group waits for a register, and the thread is switched out
 * before. */
static void test_a_hint_waits_for_its_group(void **state)
{
  (void)state;
  struct bench b = shared_with_page();
  apply_dependent(&b, SLOT_PAUSE);
  assert_true(montecito_bundle_waits(b.m, 0));
  assert_int_equal(wanted(&b), SWITCH_L3MISS);
  switch_to(&b, 1);
  idle(&b, 300);
  assert_int_equal(wanted(&b), NOTHING);
  switch_to(&b, 0);
  assert_int_equal(wanted(&b), NOTHING);
  resume(&b);
  assert_int_equal(wanted(&b), SWITCH_HINT);
  switch_to(&b, 1);
  switch_to(&b, 0);
  assert_int_equal(wanted(&b), NOTHING);
  montecito_machine_free(b.m);
}

/* The end of a time slice; a thread that was not stalled then has urgency 7, which two misses of the other exceed. */
static void test_time_slices(void **state)
{
  (void)state;
  struct bench b = shared();
  bench_run(&b, "b 0x4000 mii plain plain plain ;;\n");
  idle(&b, 19990);
  assert_int_equal(wanted(&b), NOTHING);
  idle(&b, 20);
  assert_int_equal(wanted(&b), SWITCH_TIMER);
  switch_to(&b, 1);
  assert_int_equal(wanted(&b), NOTHING);
  montecito_machine_free(b.m);
}

/* hint@pause of the active thread. */
static void test_hints(void **state)
{
  (void)state;
  struct bench b = shared();
  hint(&b, 0);
  assert_false(montecito_bundle_waits(b.m, 0));
  assert_int_equal(wanted(&b), SWITCH_HINT);
  montecito_machine_free(b.m);

  b = shared();
  hint(&b, BUNDLE_STOP_AFTER_0); /* the group ends within the bundle, and the rest comes later */
  assert_true(montecito_bundle_waits(b.m, 0));
  assert_int_equal(wanted(&b), SWITCH_HINT);
  montecito_machine_free(b.m);
}

/* An interrupt for the thread in the background gives it urgency 6. */
static void test_interrupts(void **state)
{
  (void)state;
  struct bench b = shared();
  const struct pmon_address counter = {.package = 1, .space = PMON_SPACE_PMC, .width_bits = 64, .offset = 4};
  const struct pmon_address overflow = {.package = 1, .space = PMON_SPACE_PMC, .width_bits = 64, .offset = 0};
  assert_int_equal(montecito_machine_write(b.m, &counter, 0x2f), 0);
  assert_int_equal(montecito_machine_write(b.m, &overflow, 0x11), 0);
  bench_run(&b, "b 0x4000 mii plain plain plain ;;\n");
  assert_int_equal(wanted(&b), SWITCH_L3MISS);
  montecito_machine_free(b.m);
}

/* Policies for switches (2.4.2). */
static void test_policies(void **state)
{
  (void)state;
  unsigned holder;
  struct bench b = shared();
  assert_int_equal(montecito_policy(b.m, 0, &holder), MONTECITO_PERFORMANCE);
  assert_true(montecito_policy_set(b.m, 1, MONTECITO_FAIRNESS));
  miss(&b, 0);
  assert_int_equal(wanted(&b), NOTHING); /* time slices and hints alone */
  idle(&b, 20100);
  assert_int_equal(wanted(&b), SWITCH_TIMER);
  montecito_machine_free(b.m);

  b = shared(); /* two misses are 5 and 3: less than two more */
  assert_true(montecito_policy_set(b.m, 0, MONTECITO_HIGH));
  miss(&b, 0);
  miss(&b, 1);
  assert_int_equal(wanted(&b), NOTHING);
  miss(&b, 2);
  assert_int_equal(wanted(&b), SWITCH_L3MISS);
  montecito_machine_free(b.m);
}

/* The core belongs to one thread until it yields, and returns to it at the first event. */
static void test_exclusive_policy(void **state)
{
  (void)state;
  unsigned holder;
  struct bench b = shared();
  assert_true(montecito_policy_set(b.m, 0, MONTECITO_EXCLUSIVE));
  assert_false(montecito_policy_set(b.m, 1, MONTECITO_PERFORMANCE));
  assert_true(montecito_policy_set(b.m, 2, MONTECITO_HIGH)); /* the other core's */
  for (unsigned i = 0; i < 8; i++)
    miss(&b, i);
  idle(&b, 20100);
  assert_int_equal(wanted(&b), NOTHING);
  hint(&b, 0);
  assert_int_equal(wanted(&b), SWITCH_HINT);
  switch_to(&b, 1);
  miss(&b, 9);
  assert_int_equal(wanted(&b), SWITCH_L3MISS);
  montecito_core_share(b.m, 0, true); /* a program that starts or ends changes no policy */
  assert_int_equal(montecito_policy(b.m, 1, &holder), MONTECITO_EXCLUSIVE);
  assert_int_equal(holder, 0);
  montecito_machine_free(b.m);
}

/* A flush of the data caches: modified lines go to the L3, and from there to memory. */
static void test_flush_of_caches(void **state)
{
  (void)state;
  for (unsigned invalidate = 0; invalidate < 2; invalidate++) {
    struct bench b = shared();
    bench_run(&b, "b 0x4000 mii st=0x2000000 plain plain ;;\n");
    idle(&b, 300);
    montecito_cache_flush(b.m, 0, MONTECITO_CACHE_L1D, invalidate);
    montecito_cache_flush(b.m, 0, MONTECITO_CACHE_L2D, invalidate);
    assert_int_equal(montecito_machine_account(b.m, 0).bus_transactions, 2); /* the code's line, and this one */
    montecito_cache_flush(b.m, 0, MONTECITO_CACHE_L3, invalidate);
    assert_int_equal(montecito_machine_account(b.m, 0).bus_transactions, 3);
    montecito_cache_flush(b.m, 0, MONTECITO_CACHE_L3, invalidate); /* no line is modified any more */
    assert_int_equal(montecito_machine_account(b.m, 0).bus_transactions, 3);
    idle(&b, 300);
    const uint64_t before = montecito_machine_account(b.m, 0).l2d_misses;
    bench_run(&b, "b 0x4000 mii ld=0x2000000 plain plain ;;\n");
    assert_int_equal(montecito_machine_account(b.m, 0).l2d_misses - before, invalidate);
    montecito_machine_free(b.m);
  }
}

/* Equal addresses of two address spaces are two lines; in one space they are one line. */
static void test_address_spaces(void **state)
{
  (void)state;
  for (unsigned space = 0; space < 2; space++) {
    struct bench b = shared();
    montecito_thread_space(b.m, 1, (uint16_t)space);
    miss(&b, 0);
    switch_to(&b, 1);
    idle(&b, 300);
    montecito_core_share(b.m, 0, false); /* no wait is interrupted */
    const uint64_t before = montecito_machine_account(b.m, 0).l3_misses;
    miss(&b, 0);
    /* the code is a different line, too */
    assert_int_equal(montecito_machine_account(b.m, 0).l3_misses - before, 2 * space);
    montecito_machine_free(b.m);
  }
}

/* The other core's modified line answers a read with HITM and remains there as shared; a store invalidates it. */
static void test_cores_are_coherent(void **state)
{
  (void)state;
  struct bench b = {0};
  assert_int_equal(montecito_machine_new(&b.m), 0);
  montecito_cores_coherent(b.m);
  bench_run(&b, "b 0x4000 mii st=0x1000000 plain plain ;;\n");
  b.thread = 2;
  bench_count(&b, 4, 0x81, 2); /* BUS_RD_HITM.SELF */
  bench_run(&b, "b 0x4000 mii ld=0x1000000 plain plain ;;\n");
  assert_int_equal(montecito_machine_account(b.m, 1).l3_misses, 2);
  assert_int_equal(bench_pmd(&b, 4), 1);
  bench_run(&b, "b 0x4000 mii st=0x1000000 plain plain ;;\n");
  b.thread = 0;
  idle(&b, 300);
  const uint64_t before = montecito_machine_account(b.m, 0).l3_misses;
  bench_run(&b, "b 0x4000 mii ld=0x1000000 plain plain ;;\n");
  assert_int_equal(montecito_machine_account(b.m, 0).l3_misses - before, 1);
  montecito_machine_free(b.m);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_miss_asks_for_a_switch),
      cmocka_unit_test(test_a_miss_is_known_later),
      cmocka_unit_test(test_a_lone_thread_keeps_the_core),
      cmocka_unit_test(test_the_other_core_changes_nothing),
      cmocka_unit_test(test_equal_urgencies_do_not_switch),
      cmocka_unit_test(test_a_return_asks_for_a_switch),
      cmocka_unit_test(test_a_switch_ends_a_wait),
      cmocka_unit_test(test_a_switch_ends_a_fetch),
      cmocka_unit_test(test_a_time_slice_ends_a_wait),
      cmocka_unit_test(test_a_hint_waits_for_its_group),
      cmocka_unit_test(test_time_slices),
      cmocka_unit_test(test_hints),
      cmocka_unit_test(test_interrupts),
      cmocka_unit_test(test_policies),
      cmocka_unit_test(test_exclusive_policy),
      cmocka_unit_test(test_flush_of_caches),
      cmocka_unit_test(test_address_spaces),
      cmocka_unit_test(test_cores_are_coherent),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
