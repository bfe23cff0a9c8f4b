/* SPDX-License-Identifier: MIT */
/* Plans for a unit whose counters begin at number 4: the events of every derived monitor exist and fit onto the
 * counters. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>
#include <pmon/encode.h>
#include <pmon/plan.h>

static struct pmon_context *context;
static const struct pmon_platform *montecito;

static int plan_montecito_begin(void **state)
{
  (void)state;
  return pmon_context_new(&context) || pmon_platform_find(context, "montecito", &montecito);
}

static int plan_montecito_end(void **state)
{
  (void)state;
  pmon_context_free(context);
  return 0;
}

static const char *property(const struct pmon_event *event, const char *key)
{
  static struct pmon_event_info info;
  info.size = sizeof info;
  pmon_event_describe(event, &info);
  for (uint32_t i = 0; i < info.n_attrs; i++)
    if (!strcmp(info.attrs[i].key, key))
      return info.attrs[i].value;
  return "";
}

/* 4.8.2: L1D events of one set at a time, one of them on counter 5. 4.8.4: L2D events on counters 4 and 6, which select
 * sets, or, of the same set, on the counters behind them: 5 and 8, 7 and 9. */
static void sets_are_selected(struct pmon_plan *plan)
{
  struct pmon_plan_slot_info a = {.size = sizeof a}, b = {.size = sizeof b};
  for (uint32_t i = 0; !pmon_plan_slot(plan, i, &a); i++) {
    char set[16];
    bool led = false;
    const uint32_t leader = a.counter == 4 || a.counter == 5 || a.counter == 8 ? 4 : 6;
    snprintf(set, sizeof set, "%s", property(pmon_plan_event(plan, a.event), "set"));
    for (uint32_t k = 0; !pmon_plan_slot(plan, k, &b); k++) {
      const char *other = property(pmon_plan_event(plan, b.event), "set");
      if (a.round != b.round)
        continue;
      assert_true(i == k || a.counter != b.counter);
      if (!strncmp(set, "L1D", 3) && !strncmp(other, "L1D", 3)) {
        assert_string_equal(set, other);
        led = led || b.counter == 5;
      }
      if (!strncmp(set, "L2D", 3) && b.counter == leader) {
        assert_string_equal(set, other);
        led = true;
      }
    }
    assert_true((strncmp(set, "L1D", 3) && strncmp(set, "L2D", 3)) || led);
  }
}

/* 3.3.2, 3.3.3, 4.2.1: counters 10 to 15 do not count while their thread is in the background, so that only events of
 * the active thread may be on them. */
static void events_of_the_background_are_on_duplicated_counters(void **state)
{
  (void)state;
  struct pmon_plan *plan;
  struct pmon_plan_slot_info slot = {.size = sizeof slot};
  assert_int_equal(pmon_plan_new(context, montecito, &plan), PMON_OK);
  assert_int_equal(
      pmon_plan_add_events(plan, "BUS_ALL.SELF,L2D_MISSES,L3_MISSES,L3_REFERENCES,ER_BRQ_REQ_INSERTED,"
                                 "BUS_MEMORY.ALL.SELF,ISB_BUNPAIRS_IN,L1I_FILLS,L2D_INSERT_HITS,L2D_INSERT_MISSES"),
      PMON_OK);
  assert_int_equal(pmon_plan_add_events(plan, "CPU_OP_CYCLES,IA64_INST_RETIRED,NOPS_RETIRED"), PMON_OK);
  assert_int_equal(pmon_plan_schedule(plan), PMON_OK);
  uint32_t floating = 0;
  for (uint32_t i = 0; !pmon_plan_slot(plan, i, &slot); i++) {
    const struct pmon_event *event = pmon_plan_event(plan, slot.event);
    if (*property(event, "type") == 'A' || !strcmp(pmon_event_name(event), "pmu/CPU_OP_CYCLES.ALL/"))
      continue;
    floating++;
    if (slot.counter > 9)
      fail_msg("%s on counter %u", pmon_event_name(event), slot.counter);
  }
  assert_int_equal(floating, 10);
  pmon_plan_free(plan);
}

/* Table 3-6: .all has no effect on counters 10 to 15. */
static void events_of_both_threads_are_on_duplicated_counters(void **state)
{
  (void)state;
  struct pmon_plan *plan;
  struct pmon_plan_slot_info slot = {.size = sizeof slot};
  assert_int_equal(pmon_plan_new(context, montecito, &plan), PMON_OK);
  assert_int_equal(pmon_plan_add_events(plan, "BUS_ALL.ANY,BUS_IO.ANY,BUS_RD_IO.ANY,BUS_HITM.ANY,BUS_RD_HIT.ANY,"
                                              "pmu/CPU_OP_CYCLES,all=1/,pmu/NOPS_RETIRED,all=1/"),
                   PMON_OK);
  assert_int_equal(pmon_plan_schedule(plan), PMON_OK);
  for (uint32_t i = 0; !pmon_plan_slot(plan, i, &slot); i++)
    assert_true(slot.counter <= 9);
  pmon_plan_free(plan);
}

static void every_slot_is_a_counter_of_its_event(struct pmon_plan *plan)
{
  struct pmon_plan_slot_info slot = {.size = sizeof slot};
  sets_are_selected(plan);
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
  struct pmon_metric_info info = {.size = sizeof info};
  uint32_t n = 0;
  for (; !pmon_metric_describe(montecito, n, &info); n++) {
    struct pmon_plan *plan;
    struct pmon_plan_info p = {.size = sizeof p};
    assert_int_equal(pmon_plan_new(context, montecito, &plan), PMON_OK);
    /* 3.3.5, 3.3.6: without a user-supplied range or opcode, the events of these count everything */
    if (!strcmp(info.name, "CODE_DEBUG_REGISTER_MATCHES") || !strcmp(info.name, "CTRL_SPEC_MISS_RATIO")) {
      assert_int_equal(pmon_plan_add_metrics(plan, info.name), PMON_E_CONFLICT);
      assert_non_null(strstr(pmon_context_error(context), "IBR0.addr"));
      pmon_plan_free(plan);
      continue;
    }
    if (pmon_plan_add_metrics(plan, info.name) || pmon_plan_schedule(plan))
      fail_msg("%s: %s", info.name, pmon_context_error(context));
    assert_int_equal(pmon_plan_describe(plan, &p), PMON_OK);
    /* the second equations of Table 4-36 divide an event of set 0 by one of set 1 */
    bool two_sets =
        !strcmp(info.name, "L2DTLB_MISS_RATIO_SET1") || !strcmp(info.name, "L1DTLB_FOR_L1D_MISS_RATIO_SET1");
    assert_int_equal(p.rounds, two_sets ? 2 : 1);
    assert_true(p.slots >= 1 && p.slots == p.events);
    every_slot_is_a_counter_of_its_event(plan);
    pmon_plan_free(plan);
  }
  assert_int_equal(n, 123); /* 85 in the tables, 10 second equations, 28 in the text */
}

/* Twelve counters, of which six count bus events, so that a seventh bus event needs another round; sets of L1D and
 * L2D. */
static void rounds_follow_the_counters(void **state)
{
  (void)state;
  static const struct {
    const char *events;
    uint32_t rounds;
  } plans[] = {
      {"BUS_ALL.ANY,BUS_IO.ANY,BUS_RD_IO.ANY,BUS_HITM.ANY,BUS_RD_HIT.ANY,BUS_RD_HITM.ANY", 1},
      {"BUS_ALL.ANY,BUS_IO.ANY,BUS_RD_IO.ANY,BUS_HITM.ANY,BUS_RD_HIT.ANY,BUS_RD_HITM.ANY,BUS_RD_DATA.ANY", 2},
      {"L1DTLB_TRANSFER,L2DTLB_MISSES,L1D_READS_SET0,DATA_REFERENCES_SET0", 1},
      {"BUS_ALL.ANY,BUS_IO.ANY,BUS_RD_IO.ANY,BUS_HITM.ANY,L1D_READS_SET0,DATA_REFERENCES_SET0", 1},
      {"BUS_ALL.ANY,BUS_IO.ANY,BUS_RD_IO.ANY,BUS_HITM.ANY,BUS_RD_HIT.ANY,L2D_BYPASS.L2_DATA1,L1D_READS_SET0", 2},
      {"LOADS_RETIRED,STORES_RETIRED,LOADS_RETIRED_INTG", 3},
      {"L2D_BYPASS.L2_DATA1,L2D_OPS_ISSUED.STORE,L2D_OPS_ISSUED.FP_LOAD", 2},
      {"L2D_OZQ_CANCELS0.ACQ,L2D_OZQ_CANCELS0.REL", 1},
      /* 4.8.4: three events of one set and umask behind each of PMC4 and PMC6, if these have events of this set */
      {"L2D_REFERENCES.ALL,L2D_REFERENCES.ALL{threshold=1},L2D_REFERENCES.ALL{threshold=2}", 1},
      {"L2D_REFERENCES.ALL,L2D_REFERENCES.ALL{threshold=1},L2D_REFERENCES.ALL{threshold=2},"
       "L2D_REFERENCES.ALL{ev},L2D_REFERENCES.ALL{ism=1},L2D_REFERENCES.ALL{threshold=3}",
       1},
      {"L2D_REFERENCES.ALL,L2D_REFERENCES.ALL{threshold=1},L2D_REFERENCES.ALL{threshold=2},L2D_REFERENCES.READS,"
       "L2D_REFERENCES.READS{threshold=1},L2D_REFERENCES.READS{threshold=2}",
       1},
      {"L2D_REFERENCES.ALL,L2D_REFERENCES.ALL{threshold=1},L2D_REFERENCES.ALL{threshold=2},L2D_REFERENCES.READS,"
       "L2D_REFERENCES.ALL{threshold=3}",
       2},
      /* 4.8.2: with PMC5 in use by an L1D event, others may be on any counter, so that five bus events fit next to two
       * of them */
      {"BUS_ALL.ANY,BUS_IO.ANY,BUS_RD_IO.ANY,BUS_HITM.ANY,BUS_RD_HIT.ANY,L1D_READS_SET0,DATA_REFERENCES_SET0", 1},
      {"L2D_OZQ_CANCELS0.ACQ,L2D_OZQ_CANCELS1.ANY", 2},
      {"CPU_OP_CYCLES_HALTED,CPU_OP_CYCLES,BUS_ALL.ANY,DISP_STALLED", 1},
      /* 3.3.5: a range narrows each event that it can act on, whether the event asks for it or not */
      {"IA64_INST_RETIRED,pmu/IA64_INST_RETIRED,IBR0.addr=0x1000/", 2},
      {"pmu/L1I_READS,IBR0.addr=0x1000/,pmu/IA64_INST_RETIRED,IBR0.addr=0x1000/,BUS_ALL.ANY", 1},
      {"pmu/IA64_INST_RETIRED,IBR0.addr=0x1000/,pmu/IA64_INST_RETIRED,IBR0.addr=0x1000,PMC32.m=0/", 2},
      {"pmu/DATA_REFERENCES_SET0,DBR0.addr=0x1000/,IA64_INST_RETIRED", 1},
  };
  for (size_t i = 0; i < sizeof plans / sizeof *plans; i++) {
    struct pmon_plan *plan;
    struct pmon_plan_info p = {.size = sizeof p};
    assert_int_equal(pmon_plan_new(context, montecito, &plan), PMON_OK);
    assert_int_equal(pmon_plan_add_events(plan, plans[i].events), PMON_OK);
    assert_int_equal(pmon_plan_schedule(plan), PMON_OK);
    assert_int_equal(pmon_plan_describe(plan, &p), PMON_OK);
    assert_int_equal(p.rounds, plans[i].rounds);
    every_slot_is_a_counter_of_its_event(plan);
    pmon_plan_free(plan);
  }
}

/* Emerald Rapids, 2.9.1: the mesh stop events and the other events of M3UPI are multiplexed. */
static void sets_of_a_unit_are_multiplexed(void **state)
{
  static const struct {
    const char *events;
    uint32_t rounds;
  } plans[] = {
      {"m3upi/CLOCKTICKS/,m3upi/CHA_AD_CREDITS_EMPTY.VNA/", 1},
      {"m3upi/CLOCKTICKS/,m3upi/TxR_VERT_INSERTS0.AD_AG0/", 2},
      {"cha/CLOCKTICKS/,cha/TxR_VERT_INSERTS0.AD_AG0/", 1},
  };
  const struct pmon_platform *emr;
  (void)state;
  assert_int_equal(pmon_platform_find(context, "emr", &emr), PMON_OK);
  for (size_t i = 0; i < sizeof plans / sizeof *plans; i++) {
    struct pmon_plan *plan;
    struct pmon_plan_info p = {.size = sizeof p};
    assert_int_equal(pmon_plan_new(context, emr, &plan), PMON_OK);
    assert_int_equal(pmon_plan_add_events(plan, plans[i].events), PMON_OK);
    assert_int_equal(pmon_plan_schedule(plan), PMON_OK);
    assert_int_equal(pmon_plan_describe(plan, &p), PMON_OK);
    assert_int_equal(p.rounds, plans[i].rounds);
    pmon_plan_free(plan);
  }
}

/* A group of two dozen events for twelve counters: the first thirteen are the smallest conflict, which is found without
 * a search. */
static void large_groups_are_explained(void **state)
{
  struct pmon_event_cursor at = {0};
  struct pmon_event_info info = {.size = sizeof info};
  struct pmon_plan *plan;
  char list[4096] = "{";
  uint32_t n = 0, named = 0;
  (void)state;
  while (n < 24 && pmon_event_next(montecito, UINT32_MAX, &at, &info)) {
    if (info.counters != 0xfff0)
      continue;
    snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s%s%s", n++ ? "," : "", info.event,
             info.umask ? "." : "", info.umask ? info.umask : "");
  }
  assert_int_equal(n, 24);
  strcat(list, "}");
  assert_int_equal(pmon_plan_new(context, montecito, &plan), PMON_OK);
  assert_int_equal(pmon_plan_add_events(plan, list), PMON_OK);
  assert_int_equal(pmon_plan_schedule(plan), PMON_E_UNSCHEDULABLE);
  pmon_plan_free(plan);
  for (const char *s = pmon_context_error(context); (s = strstr(s, "(counters 4-15; ")); s++)
    named++;
  assert_int_equal(named, 13);
}

/* An unschedulable event is reported with the rule and its section in the guide, also for codes that the guide does not
 * list. */
static void conflicts_name_rule_and_section(void **state)
{
  static const struct {
    const char *platform, *events, *rule, *section;
  } plans[] = {
      {"snbep", "{cbo/config=0x400001/,cbo/config=0x400002/,cbo/config=0x400003/,cbo/event=0x3e/,cbo/event=0x3f/}",
       "they need more counters than they can use (cbo has 4; 327043 2.3",
       "cbo/ev_sel=0x3e/ (counters 0-3; 327043 2.3"},
      {"snbep", "{cbo/config=0x404835,nid=1,thresh=1/,cbo/TOR_INSERTS.NID_ALL,nid=2/}",
       "different values of the unit's register Cn_MSR_PMON_BOX_FILTER (327043 Table 2-12)",
       "(counters 0-1; 327043 Table 2-14"},
      {"emr", "{cha/event=0x77,tid=3/,cha/TOR_INSERTS.IA_MISS,tid=4/}",
       "different values of the unit's register Cn_MSR_PMON_BOX_FILTER (817509 Table 2-75)",
       "cha/ev_sel=0x77,tid_en=0x1,tid=0x3/ (counters 0-3; 817509 Table 1-7"},
      {"emr", "{m3upi/CMS_CLOCKTICKS/,m3upi/CLOCKTICKS/}", "they belong to different event sets (817509 2.9.1)",
       "m3upi/CLOCKTICKS/ (counters 0-3; 817509 Table 2-367)"},
      {"montecito", "{L2D_REFERENCES.ALL,L2D_BYPASS.L2_DATA1,CPU_OP_CYCLES.ALL,L2D_OPS_ISSUED.STORE}",
       "some counters select the event set and umasks for others",
       ": pmu/L2D_REFERENCES.ALL/ (counters 4-9; Montecito Table 4-19, Table 4-23, Table 4-42, Table 4-97, 4.15), "
       "pmu/L2D_BYPASS.L2_DATA1/ (counters 4-9; Montecito Table 4-19, Table 4-22, Table 4-42, Table 4-87, 4.15), "
       "pmu/L2D_OPS"},
      {"montecito", "{pmu/L1D_READS_SET0/,pmu/L1D_READS_SET1/}", "they belong to different event sets",
       "Montecito Table 4-10"},
  };
  (void)state;
  for (size_t i = 0; i < sizeof plans / sizeof *plans; i++) {
    const struct pmon_platform *p;
    struct pmon_plan *plan;
    assert_int_equal(pmon_platform_find(context, plans[i].platform, &p), PMON_OK);
    assert_int_equal(pmon_plan_new(context, p, &plan), PMON_OK);
    assert_int_equal(pmon_plan_add_events(plan, plans[i].events), PMON_OK);
    assert_int_equal(pmon_plan_schedule(plan), PMON_E_UNSCHEDULABLE);
    pmon_plan_free(plan);
    const char *text = pmon_context_error(context);
    if (!strstr(text, plans[i].rule) || !strstr(text, plans[i].section) || strstr(text, "; )"))
      fail_msg("\"%s\" lacks \"%s\" or \"%s\"", text, plans[i].rule, plans[i].section);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(events_of_the_background_are_on_duplicated_counters),
      cmocka_unit_test(events_of_both_threads_are_on_duplicated_counters),
      cmocka_unit_test(every_metric_fits),
      cmocka_unit_test(rounds_follow_the_counters),
      cmocka_unit_test(sets_of_a_unit_are_multiplexed),
      cmocka_unit_test(conflicts_name_rule_and_section),
      cmocka_unit_test(large_groups_are_explained),
  };
  return cmocka_run_group_tests(tests, plan_montecito_begin, plan_montecito_end);
}
