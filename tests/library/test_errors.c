/* SPDX-License-Identifier: MIT */
/*
 * Calls each public function that returns a status with an input that fails: it returns the status that its header
 * names, and its error record has the reason, in place of an earlier call's error. errors.sh checks that no function is
 * missing here.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include <pmon/pmon.h>
#include <pmon/record.h>
#include "src/session/perf_terms.h"
#include "tests/engine/fake.h"

#include "tests/library/fails.h"

static const struct pmon_platform *emr;
static struct fake fake;

static int setup(void **state)
{
  (void)state;
  if (pmon_context_new(&context) || pmon_platform_find(context, "emr", &emr))
    return -1;
  fake_init(&fake, emr);
  return 0;
}

static int teardown(void **state)
{
  (void)state;
  pmon_context_free(context);
  return 0;
}

static struct pmon_plan *new_plan(const char *events, bool scheduled)
{
  struct pmon_plan *plan;
  assert_int_equal(pmon_plan_new(context, emr, &plan), 0);
  assert_int_equal(pmon_plan_add_events(plan, events), 0);
  if (scheduled)
    assert_int_equal(pmon_plan_schedule(plan), 0);
  return plan;
}

static void context_and_platform(void **state)
{
  (void)state;
  const struct pmon_platform *p;
  const uint32_t signature[3] = {1, 2, 3};
  FAILS(pmon_context_load(context, "/nonexistent/x.platform"), PMON_E_IO, "x.platform");
  FAILS(pmon_context_extend(context, "nosuch", "a.met"), PMON_E_UNKNOWN, "nosuch");
  FAILS(pmon_platform_find(context, "nosuch", &p), PMON_E_UNKNOWN, "nosuch");
  FAILS(pmon_platform_find_cpu(context, "NobodysCPU", signature, &p), PMON_E_NO_DEVICE, "NobodysCPU");
  uint32_t unit;
  struct pmon_platform_info platform = {.size = 0};
  struct pmon_unit_info u = {.size = sizeof u};
  struct pmon_register_info r = {.size = sizeof r};
  struct pmon_field_info f = {.size = sizeof f};
  struct pmon_metric_info m = {.size = sizeof m};
  struct pmon_metric_group_info group = {.size = sizeof group};
  uint32_t number;
  size_t length;
  struct pmon_values_info values = {.size = sizeof values};
  struct pmon_value_info value = {.size = sizeof value};
  struct pmon_rule_info rule = {.size = sizeof rule};
  struct pmon_invariant_info invariant = {.size = sizeof invariant};
  struct pmon_register_id id = {.unit = 999};
  struct pmon_address address = {.space = PMON_SPACE_MSR, .offset = 0x10, .width_bits = 64};
  FAILS(pmon_platform_describe(emr, &platform), PMON_E_INVALID, "pmon_platform_describe");
  FAILS(pmon_unit_find(emr, "nosuch", &unit), PMON_E_UNKNOWN, "nosuch");
  FAILS(pmon_unit_describe(emr, 999, &u), PMON_E_RANGE, "unit 999");
  FAILS(pmon_unit_describe_instance(emr, 0, 999, &u), PMON_E_RANGE, "instance 999");
  FAILS(pmon_register_describe(emr, 0, 999, &r), PMON_E_RANGE, "register 999");
  FAILS(pmon_register_address(emr, &id, &address), PMON_E_RANGE, "unit 999");
  FAILS(pmon_register_find(emr, &address, &id), PMON_E_UNKNOWN, "msr 0x10");
  FAILS(pmon_register_resolve(emr, "C64_MSR_PMON_CTL", &(struct pmon_register_match){0}), PMON_E_RANGE, "0 to 63");
  FAILS(pmon_field_describe(emr, 0, 0, 999, &f), PMON_E_RANGE, "field 999");
  FAILS(pmon_metric_describe(emr, 999, &m), PMON_E_RANGE, "metric 999");
  FAILS(pmon_metric_expand(emr, "MEN_*", NULL, 0, &length), PMON_E_UNKNOWN, "no metric matches");
  FAILS(pmon_event_expand(emr, "imc/CAZ_*/", NULL, 0, &length), PMON_E_UNKNOWN, "did you mean CAS_COUNT");
  FAILS(pmon_metric_group_describe(emr, 999, &group), PMON_E_RANGE, "metric group 999");
  FAILS(pmon_metric_group_find(emr, "MEN", &number), PMON_E_UNKNOWN, "did you mean MEM");
  FAILS(pmon_metric_group_member(emr, 0, 999, &number), PMON_E_RANGE, "metric of the group 999");
  FAILS(pmon_values_describe(emr, 999, &values), PMON_E_RANGE, "values 999");
  FAILS(pmon_value_describe(emr, 0, 99999, &value), PMON_E_RANGE, "row 99999");
  FAILS(pmon_rule_describe(emr, 999, &rule), PMON_E_RANGE, "rule 999");
  FAILS(pmon_invariant_describe(emr, 999, &invariant), PMON_E_RANGE, "invariant 999");
}

static void events(void **state)
{
  (void)state;
  struct pmon_event *event;
  struct pmon_event_info info = {.size = sizeof info}, none = {.size = 0};
  struct pmon_event_cursor cursor = {.unit = 999};
  struct pmon_decoded decoded = {.size = sizeof decoded};
  struct pmon_register_id id = {.unit = 999};
  struct pmon_sample_source source = {.size = sizeof source};
  struct pmon_image image;
  FAILS(pmon_event_resolve(context, emr, "imc/NOSUCH/", &event), PMON_E_UNKNOWN, "NOSUCH");
  FAILS(pmon_event_resolve(context, emr, "imc/CAS_COUNT.RD,thresh=18446744073709551616/", &event), PMON_E_RANGE,
        "0xff");
  FAILS(pmon_decode(context, emr, "0x2002=0x10000000000000000", &decoded), PMON_E_RANGE, "64 bits");
  FAILS(pmon_decode(context, emr, "0x2002=0x1g", &decoded), PMON_E_SYNTAX, "0x1g");
  FAILS(pmon_event_at(emr, &cursor, &info), PMON_E_RANGE, "unit 999");
  assert_int_equal(pmon_event_resolve(context, emr, "imc/CAS_COUNT.RD/", &event), 0);
  struct pmon_perf_attr attr = {.size = 0};
  struct pmon_reason reason = {.text = ""};
  FAILS_OUTSIDE(pmon_event_perf_attr(event, NULL, &(struct pmon_scope){0, 0}, &attr, &reason), PMON_E_INVALID,
                reason.text, "size");
  struct terms terms; /* of pmon_event_perf_attr(): its own checks leave few encodings that fail */
  FAILS_OUTSIDE(terms_of_event(event, &(struct pmon_scope){0, 0}, 99, &terms), PMON_E_RANGE, "", "");
  FAILS_OUTSIDE(terms_of_event(event, &(struct pmon_scope){0, 999}, 0, &terms), PMON_E_RANGE, "", "");
  FAILS(pmon_event_encode(event, 0, 0, 99, &image), PMON_E_RANGE, "counter 99");
  FAILS(pmon_event_describe(event, &none), PMON_E_INVALID, "pmon_event_describe");
  pmon_event_free(event);
  FAILS(pmon_decode(context, emr, "NOSUCH=1", &decoded), PMON_E_UNKNOWN, "NOSUCH");
  FAILS(pmon_decode_value(emr, &id, 1, &decoded), PMON_E_RANGE, "unit 999");
  FAILS(pmon_sample_source_parse(context, emr, "nosuch", &source), PMON_E_SYNTAX, "dcache");
}

static void plans(void **state)
{
  (void)state;
  struct pmon_plan *plan = new_plan("imc/CAS_COUNT.RD/", false);
  struct pmon_plan_info info = {.size = 0};
  struct pmon_plan_metric_info metric = {.size = sizeof metric};
  struct pmon_plan_slot_info slot = {.size = sizeof slot};
  struct pmon_invariant_info invariant = {.size = sizeof invariant};
  struct pmon_reason reason;
  uint32_t unit;
  bool together;
  FAILS(pmon_plan_add_events(plan, "imc/NOSUCH/"), PMON_E_UNKNOWN, "NOSUCH");
  FAILS(pmon_plan_add_metrics(plan, "NOSUCH"), PMON_E_UNKNOWN, "NOSUCH");
  FAILS(pmon_plan_add_metric_groups(plan, "MEN"), PMON_E_UNKNOWN, "did you mean MEM");
  FAILS(pmon_plan_set_scale(plan, 0, -1, ""), PMON_E_RANGE, "scale -1");
  FAILS(pmon_plan_set_scale(plan, 0, INFINITY, ""), PMON_E_RANGE, "scale inf");
  FAILS(pmon_plan_describe(plan, &info), PMON_E_INVALID, "pmon_plan_describe");
  FAILS(pmon_plan_metric(plan, 7, &metric), PMON_E_RANGE, "metric 7");
  FAILS(pmon_plan_metric_unit(plan, 7, &unit), PMON_E_RANGE, "metric 7");
  FAILS(pmon_plan_slot(plan, 7, &slot), PMON_E_RANGE, "slot 7");
  FAILS(pmon_plan_invariant(plan, 7, &invariant, &together), PMON_E_RANGE, "invariant 7");
  FAILS(pmon_plan_check(plan, &fake.backend, &reason), PMON_E_STATE, "not scheduled");
  assert_int_equal(pmon_plan_schedule(plan), 0);
  FAILS(pmon_plan_add_invariants(plan, false), PMON_E_STATE, "scheduled");
  FAILS(pmon_plan_add_default_metrics(plan), PMON_E_STATE, "scheduled");
  FAILS(pmon_plan_set_witness(plan, false), PMON_E_STATE, "scheduled");
  pmon_plan_free(plan);
  plan = new_plan("{cha/TOR_OCCUPANCY.IA_MISS_DRD/,cha/TOR_OCCUPANCY.IA_MISS/}", false);
  FAILS(pmon_plan_schedule(plan), PMON_E_UNSCHEDULABLE, "TOR_OCCUPANCY");
  pmon_plan_free(plan);
}

static void sessions(void **state)
{
  (void)state;
  struct pmon_plan *plan = new_plan("imc/CAS_COUNT.RD/", false);
  struct pmon_session *session;
  struct pmon_session_options options = {.size = 0};
  struct pmon_session_info info = {.size = 0};
  const struct pmon_scope all = {PMON_ALL, PMON_ALL};
  struct pmon_value value;
  struct pmon_scaling scaling = {.size = sizeof scaling};
  double seconds;
  uint32_t registers;
  bool ended;
  FAILS(pmon_session_new(plan, &fake.backend, NULL, &session), PMON_E_STATE, "not scheduled");
  assert_int_equal(pmon_plan_schedule(plan), 0);
  FAILS(pmon_session_new(plan, &fake.backend, &options, &session), PMON_E_INVALID, "size");
  assert_int_equal(pmon_session_new(plan, &fake.backend, NULL, &session), 0);
  FAILS(pmon_session_run(session, 1, &ended), PMON_E_STATE, "");
  FAILS(pmon_session_verify(session), PMON_E_STATE, "");
  FAILS(pmon_session_read(session), PMON_E_STATE, "");
  FAILS(pmon_session_reset(session), PMON_E_STATE, "");
  FAILS(pmon_session_stop(session), PMON_E_STATE, "");
  struct pmon_region_info region = {.size = sizeof region};
  FAILS(pmon_session_region_begin(session, 1, "r"), PMON_E_STATE, "region r");
  FAILS(pmon_session_region_end(session, 1, ""), PMON_E_INVALID, "name");
  FAILS(pmon_session_region_describe(session, 7, &region), PMON_E_RANGE, "7");
  FAILS(pmon_session_describe(session, &info), PMON_E_INVALID, "pmon_session_describe");
  FAILS(pmon_session_longest(session, 7, &seconds), PMON_E_RANGE, "event 7");
  FAILS(pmon_session_event(session, 7, &all, &value), PMON_E_RANGE, "event 7");
  FAILS(pmon_session_scaling(session, 7, &all, &scaling), PMON_E_RANGE, "event 7");
  FAILS(pmon_session_metric(session, 7, &all, &value), PMON_E_RANGE, "metric 7");
  FAILS(pmon_session_sample_loss(session, NULL), PMON_E_INVALID, "sample source");
  assert_int_equal(pmon_session_start(session), 0);
  FAILS(pmon_session_start(session), PMON_E_STATE, "");
  assert_int_equal(pmon_session_close(session), 0);
  FAILS(pmon_restore(context, &fake.backend, "/nonexistent/journal", &registers), PMON_E_IO, "journal");
  struct pmon_journal *journal = NULL;
  FAILS(pmon_journal_open(context, "/nonexistent/journal", &journal), PMON_E_IO, "journal");
  char path[] = "/tmp/pmon-errors-XXXXXX";
  assert_true(!close(mkstemp(path)) && !pmon_journal_open(context, path, &journal) && !unlink(path));
  FAILS(pmon_journal_restore(journal, &fake.backend, &registers), PMON_E_IO, "cannot remove");
  pmon_journal_close(journal), pmon_plan_free(plan);
}

static void sets(void **state)
{
  (void)state;
  struct pmon_set *set;
  struct pmon_session_options options = {.size = 0};
  struct pmon_value values[2];
  FAILS(pmon_set_new(context, emr, &fake.backend, &options, &set), PMON_E_INVALID, "pmon_set_new");
  assert_int_equal(pmon_set_new(context, emr, &fake.backend, NULL, &set), 0);
  FAILS(pmon_set_start(set), PMON_E_STATE, "empty");
  FAILS(pmon_set_add(set, "imc/NOSUCH/", NULL), PMON_E_UNKNOWN, "NOSUCH");
  assert_int_equal(pmon_set_add(set, "imc/CAS_COUNT.RD/", NULL), 0);
  FAILS(pmon_set_read(set, values, 1), PMON_E_STATE, "not started");
  FAILS(pmon_set_reset(set), PMON_E_STATE, "not started");
  assert_int_equal(pmon_set_start(set), 0);
  FAILS(pmon_set_stop(set, values, 2), PMON_E_RANGE, "2 values");
  assert_int_equal(pmon_set_close(set), 0);
}

/* Every write fails. */
static int refuse_write(struct pmon_backend *b, const struct pmon_address *a, uint64_t value)
{
  (void)a;
  (void)value;
  b->error_text = "writes are refused";
  return PMON_E_PERMISSION;
}

static void a_failed_restore_is_reported(void **state)
{
  (void)state;
  struct pmon_plan *plan = new_plan("imc/CAS_COUNT.RD/", true);
  struct pmon_session *session;
  const struct pmon_backend_ops *whole = fake.backend.ops;
  struct pmon_backend_ops ops = *whole;
  ops.write = refuse_write;
  assert_int_equal(pmon_session_new(plan, &fake.backend, NULL, &session), 0);
  assert_int_equal(pmon_session_start(session), 0);
  fake.backend.ops = &ops;
  FAILS(pmon_session_close(session), PMON_E_PERMISSION, "writes are refused");
  fake.backend.ops = whole;

  struct pmon_set *set;
  assert_int_equal(pmon_set_new(context, emr, &fake.backend, NULL, &set), 0);
  assert_int_equal(pmon_set_add(set, "imc/CAS_COUNT.RD/", NULL), 0);
  assert_int_equal(pmon_set_start(set), 0);
  fake.backend.ops = &ops;
  FAILS(pmon_set_close(set), PMON_E_PERMISSION, "writes are refused");
  fake.backend.ops = whole;
  pmon_plan_free(plan);
}

static char diagnosed[200];
static void keep_diagnostic(void *user, const char *text)
{
  (void)user;
  snprintf(diagnosed, sizeof diagnosed, "%s", text);
}

/* A struct pmon_system that is refused, with the reason in the error record. */
static void unusable_systems(void **state)
{
  (void)state;
  static char longer[300];
  memset(longer, 'x', sizeof longer - 1);
  struct pmon_system unset = {.size = 0, .end_fd = -1}, far = {.size = sizeof far, .sys = longer, .end_fd = -1};
  const struct {
    const struct pmon_system *system;
    int status;
    const char *text;
  } cases[] = {{&unset, PMON_E_INVALID, "size"}, {&far, PMON_E_RANGE, "255"}};
  struct pmon_backend *backend;
  struct pmon_kernel_event kernel = {.size = sizeof kernel};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const struct pmon_system *s = cases[i].system;
    struct pmon_reason r[4] = {{"old"}, {"old"}, {"old"}, {"old"}};
    FAILS_OUTSIDE(pmon_backend_direct_open(s, &r[0], &backend), cases[i].status, r[0].text, cases[i].text);
    FAILS_OUTSIDE(pmon_backend_perf_open(s, &r[1], &backend), cases[i].status, r[1].text, cases[i].text);
    FAILS_OUTSIDE(pmon_backend_helper_open(-1, s, &r[2], &backend), cases[i].status, r[2].text, cases[i].text);
    FAILS_OUTSIDE(pmon_access_method_open(0, s, &r[3], &backend), cases[i].status, r[3].text, cases[i].text);
    FAILS_OUTSIDE(pmon_kernel_event_find(s, "uncore_imc", "x", &kernel), cases[i].status, "", "");
  }
}

static void hardware(void **state)
{
  (void)state;
  struct pmon_system nowhere = {.size = sizeof nowhere,
                                .dev = "/nonexistent/dev",
                                .sys = "/nonexistent/sys",
                                .proc = "/nonexistent/proc",
                                .end_fd = -1};
  struct pmon_reason reason = {.text = ""};
  struct pmon_backend *backend;
  struct pmon_kernel_event kernel = {.size = sizeof kernel};
  struct pmon_access_method_info info = {.size = sizeof info};
  struct pmon_discovery *discovery;
  struct pmon_discovery_info page = {.size = 0};
  uint64_t address, size;
  uint32_t count;
  const uint64_t words[3] = {0}, empty_page[3] = {0x301, 0x2ff0, 0};
  FAILS_OUTSIDE(pmon_backend_direct_open(&nowhere, &reason, &backend), PMON_E_NO_DEVICE, reason.text, "nonexistent");
  FAILS_OUTSIDE(pmon_backend_helper_open(-1, &nowhere, &reason, &backend), PMON_E_IO, reason.text, "pmon-access");
  FAILS_OUTSIDE(pmon_backend_perf_open(&nowhere, &reason, &backend), PMON_E_NO_DEVICE, reason.text, "nonexistent");
  *reason.text = 0;
  FAILS_OUTSIDE(pmon_access_method_open(0, &nowhere, &reason, &backend), PMON_E_NO_DEVICE, reason.text, "nonexistent");
  FAILS_OUTSIDE(pmon_kernel_event_find(&nowhere, "uncore_imc", "x", &kernel), PMON_E_UNKNOWN, "", "");
  FAILS_OUTSIDE(pmon_access_method_describe(99, &info), PMON_E_RANGE, "", "");
  FAILS_OUTSIDE(pmon_bar_address(&fake.backend, 0, 99, &address, &size), PMON_E_RANGE, "", "");
  FAILS_OUTSIDE(pmon_discovery_parse(words, 3, keep_diagnostic, NULL, &discovery), PMON_E_SYNTAX, diagnosed,
                "discovery");
  assert_int_equal(pmon_discovery_parse(empty_page, 3, NULL, NULL, &discovery), 0);
  FAILS_OUTSIDE(pmon_discovery_describe(discovery, &page), PMON_E_INVALID, "", "");
  FAILS_OUTSIDE(pmon_discovery_compare(discovery, emr, &(struct pmon_discovery_place){.size = 0}, NULL, NULL),
                PMON_E_INVALID, "", "");
  pmon_discovery_free(discovery);
  FAILS_OUTSIDE(pmon_discovery_read(&fake.backend, 0, NULL, NULL, &discovery), PMON_E_IO, "", "");
  FAILS(pmon_unit_count(&fake.backend, 0, emr, 999, &count), PMON_E_RANGE, "unit 999");
}

static void captures(void **state)
{
  (void)state;
  struct pmon_capture *capture;
  struct pmon_capture_info info = {.size = 0};
  struct pmon_capture_source source = {.size = 0, .backend = &fake.backend};
  FAILS(pmon_capture_take(emr, &source, &capture), PMON_E_INVALID, "pmon_capture_take");
  FAILS(pmon_capture_parse(context, "text", "nonsense", 8, &capture), PMON_E_SYNTAX, "text");
  FAILS(pmon_capture_load(context, "/nonexistent/capture", &capture), PMON_E_IO, "capture");
  source.size = sizeof source;
  assert_int_equal(pmon_capture_take(emr, &source, &capture), 0);
  FAILS_OUTSIDE(pmon_capture_describe(capture, &info), PMON_E_INVALID, "", "");
  struct pmon_device device = {.size = sizeof device, .unit = "iio"};
  FAILS_OUTSIDE(pmon_capture_add_device(capture, &device), PMON_E_INVALID, "", "");
  FAILS_OUTSIDE(pmon_capture_device(capture, 0, &device), PMON_E_RANGE, "", "");
  struct pmon_limit limit = {.number = 1};
  FAILS_OUTSIDE(pmon_capture_add_machine_limit(capture, &limit), PMON_E_INVALID, "", "");
  FAILS_OUTSIDE(pmon_capture_machine_limit(capture, 0, &limit), PMON_E_RANGE, "", "");
  pmon_capture_free(capture);
}

static void recordings(void **state)
{
  (void)state;
  char path[] = "/tmp/pmon-errors-XXXXXX";
  int fd = mkstemp(path);
  assert_true(fd >= 0);
  close(fd);
  struct pmon_plan *plan = new_plan("imc/CAS_COUNT.RD/", true), *other;
  struct pmon_session *session;
  struct pmon_record *record;
  struct pmon_recording *recording;
  struct pmon_recording_info info = {.size = 0};
  struct pmon_region_info region = {.size = 0};
  assert_int_equal(pmon_session_new(plan, &fake.backend, NULL, &session), 0);
  FAILS(pmon_record_new(session, "/nonexistent/folder/file", NULL, &record), PMON_E_IO, "folder/file");
  FAILS(pmon_recording_open(context, "/nonexistent/file", &recording), PMON_E_IO, "/nonexistent/file");
  FAILS(pmon_recording_open(context, "/proc/version", &recording), PMON_E_SYNTAX, "/proc/version");
  assert_int_equal(pmon_record_new(session, path, NULL, &record), 0);
  assert_int_equal(pmon_session_start(session), 0);
  assert_int_equal(pmon_session_region_begin(session, 0, "r"), 0);
  assert_int_equal(pmon_record_add_regions(record), 0);
  const struct pmon_device nowhere = {.size = sizeof nowhere};
  FAILS(pmon_record_add_device(record, &nowhere), PMON_E_INVALID, "pmon_record_add_device");
  assert_int_equal(pmon_record_close(record), 0);
  assert_int_equal(pmon_session_close(session), 0);
  assert_int_equal(pmon_recording_open(context, path, &recording), 0);
  FAILS(pmon_recording_describe(recording, &info), PMON_E_INVALID, "pmon_recording_describe");
  FAILS(pmon_recording_plan(recording, emr, "imc/CAS_COUNT.WR/", NULL, &other), PMON_E_NO_DATA, "CAS_COUNT.WR");
  assert_int_equal(pmon_recording_session(recording, plan, &session), 0);
  FAILS(pmon_recording_load(recording, session, 7), PMON_E_RANGE, "intervals");
  FAILS(pmon_recording_load_span(recording, session, 0, 0), PMON_E_RANGE, "intervals");
  FAILS(pmon_recording_load_region(recording, session, 2), PMON_E_RANGE, "2 region results");
  struct pmon_device device = {.size = sizeof device};
  FAILS(pmon_recording_device(recording, 0, &device), PMON_E_RANGE, "0 devices");
  FAILS(pmon_recording_region_describe(recording, 2, &region), PMON_E_RANGE, "2 region results");
  FAILS(pmon_recording_region_describe(recording, 0, &region), PMON_E_INVALID, "pmon_recording_region_describe");
  assert_int_equal(pmon_session_close(session), 0);
  pmon_recording_close(recording);
  pmon_plan_free(plan);
  unlink(path);
}

static void backends(void **state)
{
  (void)state;
  struct pmon_backend *backend;
  struct pmon_address address = {.space = PMON_SPACE_MSR, .offset = 0x10, .width_bits = 64};
  FAILS(pmon_backend_replay_new(context, "/nonexistent/log", &backend), PMON_E_IO, "/nonexistent/log");
  assert_int_equal(pmon_backend_allow_new(&fake.backend, emr, &backend), 0);
  FAILS_OUTSIDE(backend->ops->write(backend, &address, 1), PMON_E_PERMISSION, backend->error_text, "0x10");
  free(backend); /* the wrapper alone: closing it would also close the fake */
}

/* A successful call does not change the record of the last failure. */
static void success_keeps_the_record(void **state)
{
  (void)state;
  struct pmon_unit_info u = {.size = sizeof u};
  struct pmon_event *event;
  struct pmon_report_head head = {.size = sizeof head, .platform = "emr"};
  struct pmon_report *report;
  struct pmon_session *session;
  struct pmon_value value;
  bool ended;
  leave_stale_error();
  struct pmon_plan *plan;
  assert_int_equal(pmon_plan_new(context, emr, &plan), 0);
  assert_int_equal(pmon_plan_add_default_metrics(plan), 0);
  assert_int_equal(pmon_plan_add_events(plan, "imc/CAS_COUNT.RD/,cha/TOR_INSERTS.IA_MISS_DRD/"), 0);
  assert_int_equal(pmon_plan_schedule(plan), 0);
  assert_int_equal(pmon_unit_describe(emr, 0, &u), 0);
  assert_int_equal(pmon_event_resolve(context, emr, "imc/CAS_COUNT.RD/", &event), 0);
  pmon_event_free(event);
  assert_int_equal(pmon_session_new(plan, &fake.backend, NULL, &session), 0);
  assert_int_equal(pmon_session_start(session), 0);
  assert_int_equal(pmon_session_run(session, 1000000, &ended), 0);
  assert_int_equal(pmon_session_metric(session, 0, &(struct pmon_scope){PMON_ALL, PMON_ALL}, &value), 0);
  assert_int_equal(pmon_report_new(&head, &report), 0);
  assert_int_equal(pmon_report_add_session(report, session, plan, PMON_BY_INSTANCE | PMON_BY_PACKAGE), 0);
  pmon_report_free(report);
  assert_int_equal(pmon_session_close(session), 0);
  pmon_plan_free(plan);
  assert_non_null(strstr(pmon_context_error(context), "stale"));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(context_and_platform),
      cmocka_unit_test(events),
      cmocka_unit_test(plans),
      cmocka_unit_test(sessions),
      cmocka_unit_test(sets),
      cmocka_unit_test(a_failed_restore_is_reported),
      cmocka_unit_test(unusable_systems),
      cmocka_unit_test(hardware),
      cmocka_unit_test(captures),
      cmocka_unit_test(recordings),
      cmocka_unit_test(backends),
      cmocka_unit_test(success_keeps_the_record),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}
