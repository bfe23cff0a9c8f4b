/* SPDX-License-Identifier: MIT */
/* Plans for a unit whose counters begin at 4: every derived monitor finds its events and fits onto the counters. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include <pmon/encode.h>
#include <pmon/plan.h>

static struct pmon_context *context;
static const struct pmon_platform *montecito;

static int begin(void **state)
{
  (void)state;
  return pmon_context_new(&context) || pmon_platform_find(context, "montecito", &montecito);
}

static int end(void **state)
{
  (void)state;
  pmon_context_free(context);
  return 0;
}

static void every_slot_is_a_counter_of_its_event(struct pmon_plan *plan)
{
  struct pmon_plan_slot slot;
  for (uint32_t i = 0; !pmon_plan_slot(plan, i, &slot); i++) {
    const struct pmon_event *event = pmon_plan_event(plan, slot.event);
    struct pmon_image image;
    assert_true(slot.counter >= 4 && slot.counter <= 15);
    assert_true(pmon_event_counters(event) >> slot.counter & 1);
    assert_int_equal(pmon_event_encode(event, 0, 0, slot.counter, &image), PMON_OK);
    assert_int_equal(image.counter.space, PMON_SPACE_PMD);
    assert_int_equal(image.counter.offset, slot.counter);
    assert_int_equal(image.registers[image.n - 1].address.space, PMON_SPACE_PMC);
    assert_int_equal(image.registers[image.n - 1].address.offset, slot.counter);
    assert_int_equal(image.width_bits, 47);
  }
}

static void every_metric_fits(void **state)
{
  (void)state;
  struct pmon_metric_info info = { .size = sizeof info };
  uint32_t n = 0;
  for (; !pmon_metric_describe(montecito, n, &info); n++) {
    struct pmon_plan *plan;
    struct pmon_plan_info p = { .size = sizeof p };
    assert_int_equal(pmon_plan_new(context, montecito, &plan), PMON_OK);
    if (pmon_plan_add_metrics(plan, info.name) || pmon_plan_schedule(plan))
      fail_msg("%s: %s", info.name, pmon_context_error(context));
    assert_int_equal(pmon_plan_describe(plan, &p), PMON_OK);
    assert_int_equal(p.rounds, 1);
    assert_true(p.slots >= 1 && p.slots == p.events);
    every_slot_is_a_counter_of_its_event(plan);
    pmon_plan_free(plan);
  }
  assert_int_equal(n, 108);      /* 85 of the tables, 10 second equations, 13 of the text */
}

/* Twelve counters, six of them for bus events: a seventh bus event needs a second round. */
static void rounds_follow_the_counters(void **state)
{
  (void)state;
  static const struct { const char *events; uint32_t rounds; } plans[] = {
    { "BUS_ALL.ANY,BUS_IO.ANY,BUS_RD_IO.ANY,BUS_HITM.ANY,BUS_RD_HIT.ANY,BUS_RD_HITM.ANY", 1 },
    { "BUS_ALL.ANY,BUS_IO.ANY,BUS_RD_IO.ANY,BUS_HITM.ANY,BUS_RD_HIT.ANY,BUS_RD_HITM.ANY,BUS_RD_DATA.ANY", 2 },
    { "CPU_OP_CYCLES_HALTED,CPU_OP_CYCLES,BUS_ALL.ANY,DISP_STALLED", 1 },
  };
  for (size_t i = 0; i < sizeof plans / sizeof *plans; i++) {
    struct pmon_plan *plan;
    struct pmon_plan_info p = { .size = sizeof p };
    assert_int_equal(pmon_plan_new(context, montecito, &plan), PMON_OK);
    assert_int_equal(pmon_plan_add_events(plan, plans[i].events), PMON_OK);
    assert_int_equal(pmon_plan_schedule(plan), PMON_OK);
    assert_int_equal(pmon_plan_describe(plan, &p), PMON_OK);
    assert_int_equal(p.rounds, plans[i].rounds);
    every_slot_is_a_counter_of_its_event(plan);
    pmon_plan_free(plan);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(every_metric_fits), cmocka_unit_test(rounds_follow_the_counters),
  };
  return cmocka_run_group_tests(tests, begin, end);
}
