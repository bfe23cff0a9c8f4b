/* SPDX-License-Identifier: MIT */
/* Sessions through the kernel's PMUs, with a small kernel backed by the emulated machine. */
#include "tests/hardware/perf_session.h"

static void perf_compare(const char *name, const char *list, unsigned n)
{
  struct pmon_value perf[8], registers[8];
  struct pmon_backend *b;
  perf_begin(name, NULL);
  struct pmon_plan *plan = frame_plan(list);
  b = open_perf();
  assert_int_equal(pmon_plan_check(plan, b, NULL), 0);
  if (perf_measure(b, plan, RUN_US, perf))
    fail_msg("%s", pmon_context_error(context));
  pmon_backend_close(b);
  struct machine *first = tree.machine;
  struct tree again;
  tree_make(&again, name, strcmp(name, "emr") ? two_cores : frame_small);
  assert_int_equal(machine_backend_new(again.machine, &b), 0);
  assert_int_equal(perf_measure(b, plan, RUN_US, registers), 0);
  pmon_backend_close(b);
  tree.machine = first;
  for (unsigned i = 0; i < n; i++) {
    assert_true(perf[i].valid && perf[i].number > 10000 && perf[i].sigma == 0);
    assert_true(perf[i].number == registers[i].number);
  }
  tree_end(&again);
  tree_now = &tree;
  pmon_plan_free(plan);
  perf_end();
}

static void test_counts_equal_the_registers(void **state)
{
  (void)state;
  perf_compare("emr",
               "cha/CLOCKTICKS/,upi/CLOCKTICKS/,m2m/CLOCKTICKS/,cha/CMS_CLOCKTICKS/,"
               "ubox/M2U_MISC2.RxC_CYCLES_EMPTY_BL/",
               5);
  perf_compare("snbep", "cbo/CLOCKTICKS/,ha/CLOCKTICKS/,imc/event=0xff/,ubox/event=0xff/", 4);
}

/* Cores are counted by the kernel's PMU of the cores and by `msr`, thread by thread. */
static void test_cores_are_counted_by_name(void **state)
{
  (void)state;
  static const struct {
    const char *metric;
    struct pmon_scope scope;
    double value;
  } rows[] = {{"INSTRUCTIONS", {0, 0}, 5000},    {"INSTRUCTIONS", {0, 1}, 300},
              {"INSTRUCTIONS", {1, 0}, 0},       {"INSTRUCTIONS", {PMON_ALL, PMON_ALL}, 5300},
              {"CORE_FREQUENCY", {0, 0}, 2.7e9}, {"SMI", {0, 0}, 0},
              {"CORE_C6_RATIO", {1, 1}, 1},      {"PKG_C6_RATIO", {1, 0}, 1},
              {"PKG_POWER", {1, 0}, 30}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct pmon_session *s = NULL;
    struct pmon_plan *plan;
    struct pmon_value v;
    bool ended;
    perf_begin("snbep", NULL);
    struct pmon_backend *b = open_perf();
    assert_int_equal(pmon_plan_new(context, platform, &plan), 0);
    assert_int_equal(pmon_plan_add_metrics(plan, rows[i].metric), 0);
    assert_int_equal(pmon_plan_schedule(plan), 0);
    if (pmon_session_new(plan, b, NULL, &s) || pmon_session_start(s))
      fail_msg("%s", pmon_context_error(context));
    for (unsigned k = 0; k < 100; k++)
      traffic_block(machine_traffic(tree.machine), 0, 0x400000, 64, 50);
    traffic_block(machine_traffic(tree.machine), 1, 0x400000, 64, 300);
    assert_int_equal(pmon_session_run(s, pmon_session_now_ns(s) + RUN_US * 1000, &ended), 0);
    assert_int_equal(pmon_session_metric(s, 0, &rows[i].scope, &v), 0);
    if (!v.valid || fabs(v.number - rows[i].value) > 0.01 * rows[i].value)
      fail_msg("%s: %.12g %s", rows[i].metric, v.number, v.reason);
    assert_int_equal(pmon_session_close(s), 0);
    pmon_backend_close(b);
    pmon_plan_free(plan);
    perf_end();
  }
}

static void test_events_become_the_kernels_config_words(void **state)
{
  (void)state;
  static const struct {
    const char *platform, *event;
    uint64_t config[3];
  } rows[] = {
      {"emr", "cha0/TOR_INSERTS.IA_MISS_DRD/", {0xc817fe00000135}},
      {"emr", "cha0/CLOCKTICKS,thresh=4,edge_det=1,invert=1/", {0x04840001}},
      {"emr", "cha0/TOR_INSERTS.IA_MISS_DRD,tid=0x21/", {0xc817fe00010135, 0x21}},
      {"snbep", "cbo0/TOR_INSERTS.OPCODE,opc=0x182/", {0x135, 0xc1000000}},
      {"snbep", "cbo0/LLC_LOOKUP.DATA_READ,state=0x1f,tid=3/", {0x80334, 0x7c0003}},
      {"snbep", "qpi0/event=0x102,umask=0x8/", {0x200802}},
      {"snbep", "qpi0/event=0x138,match_mc=0xe,match_rds=2,mask_mc=8/", {0x200038, 0x2000000001c00, 0xf000000001000}},
      {"snbep", "qpi0/event=0x138,match_mc=0xe/", {0x200038, 0x1c00, 0x1e00}},
      {"snbep", "pcu/POWER_STATE_OCCUPANCY.CORES_C0,occ_edge_det=1,thresh=1/", {0x81004080}},
      {"snbep", "ubox/event=0xff/", {0xff}},
      {"snbep", "imc0/event=0xff/", {0xff}},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct pmon_session *s;
    uint64_t config[3];
    perf_begin(rows[i].platform, NULL);
    struct pmon_plan *plan = frame_plan(rows[i].event);
    struct pmon_backend *b = open_perf();
    if (pmon_session_new(plan, b, NULL, &s))
      fail_msg("%s", pmon_context_error(context));
    assert_true(kernel_event(0, config));
    if (memcmp(config, rows[i].config, sizeof config))
      fail_msg("%s: config=0x%" PRIx64 ",config1=0x%" PRIx64 ",config2=0x%" PRIx64, rows[i].event, config[0], config[1],
               config[2]);
    assert_int_equal(kernel.open, 2);
    assert_int_equal(pmon_session_close(s), 0);
    pmon_backend_close(b);
    pmon_plan_free(plan);
    perf_end();
  }
}

static void test_an_event_without_a_term_is_refused(void **state)
{
  (void)state;
  struct pmon_reason reason = {""};
  struct pmon_session *s;
  perf_begin("snbep", NULL);
  struct pmon_backend *b = open_perf();
  struct pmon_plan *plan = frame_plan("pcu/CORE0_TRANSITION_CYCLES/");
  assert_int_equal(pmon_plan_check(plan, b, &reason), PMON_E_UNSUPPORTED);
  assert_non_null(strstr(reason.text, "event"));
  assert_non_null(strstr(reason.text, "--backend direct"));
  assert_int_equal(pmon_session_new(plan, b, NULL, &s), PMON_E_UNSUPPORTED);
  assert_non_null(strstr(pmon_context_error(context), "pcu/CORE0_TRANSITION_CYCLES/"));
  assert_int_equal(kernel.open, 0);
  pmon_plan_free(plan);
  pmon_backend_close(b);
  perf_end();
}

static void test_rounds_are_multiplexed_and_scaled(void **state)
{
  (void)state;
  struct pmon_value v[16];
  perf_begin("snbep", NULL);
  struct pmon_plan *plan = frame_plan(many);
  struct pmon_backend *b = open_perf();
  assert_int_equal(perf_measure(b, plan, 1000, v), 0);
  for (unsigned i = 0; i < 8; i++)
    assert_true(v[i].valid);
  assert_true(kernel.disables > 100);
  assert_int_equal(kernel.enables, kernel.disables);
  unsigned shared = 0;
  for (unsigned i = 0; i < 8; i++) {
    assert_true(v[i].fraction == 1 || (v[i].fraction > 0.2 && v[i].fraction < 0.8 && v[i].sigma > 0));
    shared += v[i].fraction < 1;
  }
  assert_true(shared >= 2);
  const double box = v[0].number / 16, agent = v[5].number / 2; /* both count the same clock */
  assert_true(fabs(box - agent) < 0.001 * agent);
  pmon_backend_close(b);
  pmon_plan_free(plan);
  perf_end();
}

static void test_one_round_takes_one_call_for_each_group(void **state)
{
  (void)state;
  struct pmon_session *s;
  bool ended;
  perf_begin("snbep", NULL);
  struct pmon_plan *plan = frame_plan("imc/CAS_COUNT.RD/,imc/CAS_COUNT.WR/,imc/ACT_COUNT/,imc/event=0xff/,"
                                      "ha/CLOCKTICKS/");
  struct pmon_backend *b = open_perf();
  kernel.opens = 0;
  assert_int_equal(pmon_session_new(plan, b, NULL, &s), 0);
  assert_int_equal(pmon_session_start(s), 0);
  assert_int_equal(kernel.opens, 2 * (4 * 4 + 1));
  assert_int_equal(kernel.enables, 2 * (4 + 1));
  for (unsigned i = 1; i <= 3; i++) {
    assert_int_equal(pmon_session_run(s, pmon_session_now_ns(s) + 1000, &ended), 0);
    assert_int_equal(kernel.reads, i * 2 * (4 + 1));
  }
  assert_int_equal(kernel.disables, 0);
  assert_int_equal(pmon_session_close(s), 0);
  assert_int_equal(kernel.disables, 2 * (4 + 1));
  pmon_backend_close(b);
  pmon_plan_free(plan);
  perf_end();
}

static void test_counters_in_use_by_others(void **state)
{
  (void)state;
  struct pmon_value v[4];
  perf_begin("snbep", NULL);
  struct pmon_plan *plan = frame_plan("ha/CLOCKTICKS/,ha/REQUESTS.READS/,ha/REQUESTS.WRITES/");
  struct pmon_backend *b = open_perf();
  kernel.busy = 2; /* two of four are free, and the kernel refuses a group of three */
  kernel.whole_groups = true;
  assert_int_equal(perf_measure(b, plan, RUN_US, v), 0);
  assert_true(v[0].valid && v[1].valid);
  assert_false(v[2].valid);
  assert_non_null(strstr(v[2].reason, "no time slice"));
  kernel.held = true;
  assert_int_equal(perf_measure(b, plan, RUN_US, v), 0);
  for (unsigned i = 0; i < 3; i++)
    assert_false(v[i].valid);
  pmon_backend_close(b);
  pmon_plan_free(plan);
  perf_end();
}

static void test_perf_has_no_registers(void **state)
{
  (void)state;
  const struct pmon_address a = {.space = PMON_SPACE_MSR, .width_bits = 64, .offset = 0xd04};
  const struct pmon_session_options every = {.size = sizeof every, .every_count = 1000};
  struct pmon_session *s;
  uint64_t value;
  perf_begin("snbep", NULL);
  struct pmon_backend *b = open_perf();
  struct pmon_plan *plan = frame_plan("cbo/CLOCKTICKS/");
  assert_int_equal(b->ops->read(b, &a, &value), PMON_E_UNSUPPORTED);
  assert_int_equal(b->ops->write(b, &a, 0), PMON_E_UNSUPPORTED);
  assert_int_equal(pmon_session_new(plan, b, &every, &s), PMON_E_UNSUPPORTED);
  pmon_plan_free(plan);
  pmon_backend_close(b);
  perf_end();
}

/* Counts between stop and start are left out; the totals continue from their values at the stop. */
static void test_stop_and_resume(void **state)
{
  struct pmon_value v[2], resumed[2];
  struct pmon_set *set;
  uint64_t now_ns;
  bool ended;
  (void)state;
  perf_begin("snbep", NULL);
  struct pmon_backend *b = open_perf();
  assert_int_equal(pmon_set_new(context, platform, b, NULL, &set), 0);
  assert_int_equal(pmon_set_add(set, "cbo/CLOCKTICKS/", NULL), 0);
  assert_int_equal(pmon_set_add(set, "ha/CLOCKTICKS/", NULL), 0);
  assert_int_equal(pmon_set_start(set), 0);
  for (unsigned piece = 1; piece <= 3; piece++) {
    b->ops->wait(b, 0, &now_ns, &ended);
    b->ops->wait(b, now_ns + 10000, &now_ns, &ended);
    assert_int_equal(pmon_set_stop(set, v, 2), 0);
    b->ops->wait(b, now_ns + 1000000, &now_ns, &ended);
    assert_int_equal(pmon_set_read(set, resumed, 2), 0);
    assert_true(resumed[0].valid && resumed[0].number == v[0].number);
    assert_int_equal(pmon_set_start(set), 0);
    assert_int_equal(pmon_set_read(set, resumed, 2), 0);
    for (unsigned i = 0; i < 2; i++)
      assert_true(v[i].valid && resumed[i].number == v[i].number && v[i].number > piece * 10000);
    assert_true(fabs(pmon_session_seconds(pmon_set_session(set)) - piece * 1e-5) < 1e-9);
  }
  assert_int_equal(pmon_set_close(set), 0);
  pmon_backend_close(b);
  perf_end();
}

/* The backend serves one session: a second one would end the first one's events. */
static void test_a_second_session_is_refused(void **state)
{
  struct pmon_session *first, *second;
  bool ended;
  struct pmon_value v;
  (void)state;
  perf_begin("snbep", NULL);
  struct pmon_backend *b = open_perf();
  struct pmon_plan *plan = frame_plan("cbo/CLOCKTICKS/"), *other = frame_plan("ha/CLOCKTICKS/");
  assert_int_equal(pmon_session_new(plan, b, NULL, &first), 0);
  assert_int_equal(pmon_session_start(first), 0);
  assert_int_equal(pmon_session_new(other, b, NULL, &second), PMON_E_CONFLICT);
  assert_non_null(strstr(pmon_context_error(context), "number 1"));
  assert_int_equal(pmon_session_run(first, pmon_session_now_ns(first) + 10000, &ended), 0);
  assert_int_equal(pmon_session_event(first, 0, &(struct pmon_scope){PMON_ALL, PMON_ALL}, &v), 0);
  assert_true(v.valid && v.number > 10000);
  assert_int_equal(pmon_session_close(first), 0);
  assert_int_equal(pmon_session_new(other, b, NULL, &second), 0);
  assert_int_equal(pmon_session_close(second), 0);
  pmon_plan_free(other);
  pmon_plan_free(plan);
  pmon_backend_close(b);
  perf_end();
}

/* One event on instance 0 of package 0: the backend opens it with the attr of pmon_event_perf_attr(), or both refuse
 * it. */
static int compare_attr(struct pmon_backend *b, const char *text)
{
  const struct pmon_scope scope = {0, 0};
  struct pmon_perf_attr attr = {.size = sizeof attr};
  struct pmon_reason reason = {""};
  struct pmon_session *s = NULL;
  uint64_t config[3];
  struct pmon_plan *plan = frame_plan(text);
  const int status = pmon_event_perf_attr(pmon_plan_event(plan, 0), &tree.system, &scope, &attr, &reason);
  const int opened = pmon_session_new(plan, b, NULL, &s);
  if (status != opened)
    fail_msg("%s: %d, but %d when it is opened: %s", text, status, opened, reason.text);
  if (status)
    assert_true(*reason.text != 0);
  if (status == PMON_E_UNSUPPORTED)
    assert_non_null(strstr(reason.text, "has no term for "));
  if (!status) {
    const uint64_t want[3] = {attr.config, attr.config1, attr.config2};
    assert_true(kernel_event(0, config));
    if (memcmp(config, want, sizeof config))
      fail_msg("%s: config=0x%" PRIx64 ",config1=0x%" PRIx64 ", but 0x%" PRIx64 ", 0x%" PRIx64 " is opened", text,
               want[0], want[1], config[0], config[1]);
  }
  assert_int_equal(pmon_session_close(s), 0);
  pmon_plan_free(plan);
  return status;
}

static void test_attr_of_each_event_equals_the_opened_attr(void **state)
{
  static const char *const names[] = {"emr", "snbep"};
  (void)state;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    unsigned same = 0, refused = 0;
    perf_begin(names[i], NULL);
    struct pmon_backend *b = open_perf();
    struct pmon_unit_info unit = {.size = sizeof unit};
    for (uint32_t u = 0; !pmon_unit_describe(platform, u, &unit); u++) {
      struct pmon_event_cursor at = {0};
      struct pmon_event_info info = {.size = sizeof info};
      while (pmon_event_next(platform, u, &at, &info)) {
        struct pmon_event *event;
        char text[200];
        snprintf(text, sizeof text, "%s%s/%s%s%s/", unit.name, unit.instances > 1 ? "0" : "", info.event,
                 info.umask ? "." : "", info.umask ? info.umask : "");
        /* A row that takes an attribute, or one that needs a group (327043 2.3.2.1). */
        if (strstr(text, "COUNTER0_OCCUPANCY") || pmon_event_resolve(context, platform, text, &event))
          continue;
        pmon_event_free(event);
        if (compare_attr(b, text))
          refused++;
        else
          same++;
      }
    }
    print_message("%s: %u events are equal, %u refused\n", names[i], same, refused);
    assert_true(same > (i ? 300 : 2000) && refused > 0);
    pmon_backend_close(b);
    perf_end();
  }
}

static void test_an_attr_needs_an_existing_unit(void **state)
{
  struct pmon_perf_attr attr = {.size = sizeof attr};
  struct pmon_reason reason = {""};
  struct perf_event_attr kernels = {.size = sizeof kernels, .disabled = 1};
  (void)state;
  perf_begin("emr", NULL);
  struct pmon_plan *plan = frame_plan("cha/TOR_INSERTS.IA_MISS_DRD,tid=0x21/");
  const struct pmon_event *event = pmon_plan_event(plan, 0);
  assert_int_equal(pmon_event_perf_attr(event, &tree.system, &(struct pmon_scope){1, 0}, &attr, NULL), 0);
  assert_string_equal(attr.pmu, "uncore_cha_0");
  assert_int_equal(attr.cpu, 2);
  PMON_PERF_FILL(&kernels, &attr);
  assert_true(kernels.type == attr.type && kernels.config == 0xc817fe00010135 && kernels.config1 == 0x21);
  assert_true(kernels.disabled);
  assert_int_equal(pmon_event_perf_attr(event, &tree.system, &(struct pmon_scope){0, 64}, &attr, &reason),
                   PMON_E_RANGE);
  assert_int_equal(pmon_event_perf_attr(event, &tree.system, &(struct pmon_scope){0, PMON_ALL}, &attr, &reason),
                   PMON_E_RANGE);
  assert_int_equal(pmon_event_perf_attr(event, &tree.system, &(struct pmon_scope){7, 0}, &attr, &reason),
                   PMON_E_NO_DEVICE);
  assert_non_null(strstr(reason.text, "package 7"));
  attr.size = 0;
  assert_int_equal(pmon_event_perf_attr(event, &tree.system, &(struct pmon_scope){0, 0}, &attr, &reason),
                   PMON_E_INVALID);
  pmon_plan_free(plan);
  perf_end();
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_counts_equal_the_registers),
                                     cmocka_unit_test(test_cores_are_counted_by_name),
                                     cmocka_unit_test(test_events_become_the_kernels_config_words),
                                     cmocka_unit_test(test_an_event_without_a_term_is_refused),
                                     cmocka_unit_test(test_rounds_are_multiplexed_and_scaled),
                                     cmocka_unit_test(test_one_round_takes_one_call_for_each_group),
                                     cmocka_unit_test(test_counters_in_use_by_others),
                                     cmocka_unit_test(test_perf_has_no_registers),
                                     cmocka_unit_test(test_stop_and_resume),
                                     cmocka_unit_test(test_a_second_session_is_refused),
                                     cmocka_unit_test(test_attr_of_each_event_equals_the_opened_attr),
                                     cmocka_unit_test(test_an_attr_needs_an_existing_unit)};
  return cmocka_run_group_tests_name("perf", tests, NULL, NULL);
}
