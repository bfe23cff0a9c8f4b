/* SPDX-License-Identifier: MIT */
/*
 * Operands of a metric count in the same rounds. An event without a filter counts in both of two rounds that
 * conflicting filters separate, while the program is busy in one and idle in the other: a ratio of counts from
 * different times is then wrong by what the other round counted, here by a factor of two.
 */
#include <math.h>
#include "machine/machine.h"
#include "tests/engine/rig.h"

static const char scenario[] = "set platform=snbep sockets=1 cores=2 chas=2\n"
                               "thread 0 on core 0: spin 50k\nthread 0 on core 0: chase 1M\n"
                               "thread 0 on core 0: spin 100k\nthread 0 on core 0: chase 1M\n";

static void parts_measure(const char *metrics, uint32_t rounds, struct pmon_value *ret)
{
  const struct pmon_session_options options = {.size = sizeof options};
  struct pmon_plan_info info = {.size = sizeof info};
  struct pmon_backend *backend;
  struct machine *m = rig_busy(scenario, &backend);
  struct pmon_plan *plan = rig_plan(snbep, NULL, metrics);
  ok(pmon_plan_describe(plan, &info));
  assert_int_equal(info.rounds, rounds);
  struct pmon_session *s = rig_session(plan, backend, &options, UINT64_MAX);
  ok(pmon_session_metric(s, 0, &(struct pmon_scope){PMON_ALL, PMON_ALL}, ret));
  ok(pmon_session_close(s));
  pmon_backend_close(backend);
  machine_free(m);
  pmon_plan_free(plan);
}

static void operands_count_in_the_same_rounds(void **state)
{
  struct pmon_value alone, shared;
  (void)state;
  parts_measure("A=cbo/RxR_INSERTS.IRQ / cbo/TOR_INSERTS.OPCODE{opc=0x182}", 1, &alone);
  assert_true(alone.valid && fabs(alone.number - 1) < 0.01);
  parts_measure("A=cbo/RxR_INSERTS.IRQ / cbo/TOR_INSERTS.OPCODE{opc=0x182},"
                "B=cbo/RxR_INSERTS.IRQ / (1 + cbo/TOR_INSERTS.OPCODE{opc=0x180})",
                2, &shared);
  assert_true(shared.valid && fabs(shared.number - alone.number) < 0.01);
}

/* Two of a metric's three operands exclude each other: the third counts in the round of an operand of its own
 * metric. */
static void operands_that_do_not_all_fit_are_paired(void **state)
{
  static const char metrics[] =
      "A=cbo/TOR_INSERTS.OPCODE{opc=0x180} + cbo/TOR_INSERTS.OPCODE{opc=0x182} + cbo/RxR_INSERTS.IRQ,"
      "B=cbo/TOR_INSERTS.OPCODE{opc=0x19c} + cbo/TOR_INSERTS.OPCODE{opc=0x1e4} + cbo/RxR_INSERTS.IPQ";
  struct pmon_plan_slot_info slot = {.size = sizeof slot};
  struct pmon_plan *plan = rig_plan(snbep, NULL, metrics);
  uint32_t round_of[6] = {0};
  (void)state;
  for (uint32_t i = 0; !pmon_plan_slot(plan, i, &slot); i++)
    round_of[slot.event] = slot.round;
  assert_int_equal(round_of[2], round_of[0]);
  assert_int_equal(round_of[5], round_of[3]);
  pmon_plan_free(plan);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(operands_count_in_the_same_rounds),
                                     cmocka_unit_test(operands_that_do_not_all_fit_are_paired)};
  return cmocka_run_group_tests(tests, rig_begin, rig_end);
}
