/* SPDX-License-Identifier: MIT */
/*
 * Counts scaled by a witness (src/session/ratio.c): sums of instances equal the total, events of a round keep the ratio
 * in which they were counted, a metric is computed from the operands as printed, and a recording gives the same.
 * test_ratio_choice.c tests the factor itself, and when there is none.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <pmon/record.h>
#include <pmon/regions.h>
#include "machine/machine.h"
#include "tests/engine/rig.h"

#define EVENTS                                                                                                         \
  "cha/TOR_INSERTS.IA/,cha/TOR_INSERTS.IA_MISS/,cha/LLC_LOOKUP.ALL/,cha/CLOCKTICKS/,cha/TOR_INSERTS.IA_HIT/,"          \
  "cha/TOR_INSERTS.IA_MISS_DRD/,cha/REQUESTS.READS/,cha/TOR_INSERTS.IA_MISS_RFO/"
enum { CLOCK = 3, N_EVENTS = 8 };
/* Two threads, one busy while the other sleeps, on two sockets. */
#define TURNS                                                                                                          \
  "set sockets=2 cores=2 chas=2 imcs=1 upi.links=1 iio.stacks=1 l2.size=64K numa=interleave\n"                         \
  "thread 0 on core 0: random read 1M count 3k\nthread 0 on core 0: sleep 110us\n"                                     \
  "thread 0 on core 0: random read 1M count 5k\nthread 0 on core 0: sleep 230us\n"                                     \
  "thread 0 on core 0: random read 1M count 4k\nthread 0 on core 0: sleep 90us\n"                                      \
  "thread 0 on core 0: random read 1M count 2k\n"                                                                      \
  "thread 1 on core 2: sleep 90us\nthread 1 on core 2: random write 2M count 6k\n"

static const struct pmon_scope all = {PMON_ALL, PMON_ALL};

struct run {
  struct pmon_backend *backend;
  struct machine *machine;
  struct pmon_plan *plan;
  struct pmon_session *session;
};

static struct run run_begin(const char *events, const char *metrics, bool witness)
{
  const struct pmon_session_options options = {.size = sizeof options, .slice_ns = 10000, .seed = 3};
  struct run r;
  r.machine = rig_busy(TURNS, &r.backend);
  ok(pmon_plan_new(context, emr, &r.plan));
  if (events)
    ok(pmon_plan_add_events(r.plan, events));
  if (metrics)
    ok(pmon_plan_add_metrics(r.plan, metrics));
  ok(pmon_plan_set_witness(r.plan, witness));
  ok(pmon_plan_schedule(r.plan));
  r.session = rig_session(r.plan, r.backend, &options, UINT64_MAX);
  return r;
}

static void run_end(struct run *r)
{
  ok(pmon_session_close(r->session));
  rig_nothing_broken(r->machine);
  pmon_plan_free(r->plan);
  pmon_backend_close(r->backend);
  machine_free(r->machine);
}

static struct pmon_value scaled_value(const struct pmon_session *s, uint32_t event, uint32_t package, uint32_t instance)
{
  struct pmon_value v;
  ok(pmon_session_event(s, event, &(struct pmon_scope){package, instance}, &v));
  return v;
}

static struct pmon_scaling scaled_by(const struct pmon_session *s, uint32_t event, uint32_t package, uint32_t instance)
{
  struct pmon_scaling scaling = {.size = sizeof scaling};
  ok(pmon_session_scaling(s, event, &(struct pmon_scope){package, instance}, &scaling));
  return scaling;
}

static void scaled_same(double a, double b)
{
  if (fabs(a - b) > 1e-9 * fmax(1, fabs(a)))
    fail_msg("%.12g is not %.12g", a, b);
}

static void numbers_are_counts_over_shares(void **state)
{
  struct run r = run_begin(EVENTS, NULL, true);
  unsigned witnessed = 0;
  (void)state;
  for (uint32_t e = 0; e < N_EVENTS; e++) {
    const struct pmon_value v = scaled_value(r.session, e, PMON_ALL, PMON_ALL);
    if (!v.valid)
      continue;
    const struct pmon_scaling scaling = scaled_by(r.session, e, PMON_ALL, PMON_ALL);
    scaled_same(v.number * scaling.share, scaling.count);
    scaled_same(scaling.seconds, v.fraction * pmon_session_seconds(r.session));
    assert_true(v.flags & PMON_VALUE_SCALED && v.low <= v.number && v.number <= v.high);
    if (v.flags & PMON_VALUE_WITNESS)
      assert_true(fabs(scaling.share / v.fraction - 1) > 1e-6);
    else
      scaled_same(scaling.share, v.fraction);
    witnessed += (v.flags & PMON_VALUE_WITNESS) != 0;
  }
  assert_true(witnessed >= 4);
  run_end(&r);
}

static void clocks_go_by_time(void **state)
{
  struct run r = run_begin(EVENTS, NULL, true);
  const struct pmon_value v = scaled_value(r.session, CLOCK, PMON_ALL, PMON_ALL);
  (void)state;
  assert_true(v.valid && v.flags & PMON_VALUE_SCALED && !(v.flags & PMON_VALUE_WITNESS));
  scaled_same(scaled_by(r.session, CLOCK, PMON_ALL, PMON_ALL).share, v.fraction);
  run_end(&r);
}

static void instances_and_packages_add_up(void **state)
{
  struct run r = run_begin(EVENTS, NULL, true);
  (void)state;
  for (uint32_t e = 0; e < N_EVENTS; e++) {
    double packages = 0;
    if (!scaled_value(r.session, e, PMON_ALL, PMON_ALL).valid)
      continue;
    for (uint32_t p = 0; p < 2; p++) {
      double instances = 0;
      for (uint32_t i = 0; i < 2; i++)
        instances += scaled_value(r.session, e, p, i).number;
      scaled_same(instances, scaled_value(r.session, e, p, PMON_ALL).number);
      packages += instances;
    }
    scaled_same(packages, scaled_value(r.session, e, PMON_ALL, PMON_ALL).number);
  }
  run_end(&r);
}

/* Of the eight events, those of one round, except its clock, have the same share in a package. */
static void events_of_a_round_keep_their_ratio(void **state)
{
  struct run r = run_begin(EVENTS, NULL, true);
  struct pmon_plan_info info = {.size = sizeof info};
  uint32_t round_of[N_EVENTS];
  unsigned compared = 0;
  (void)state;
  ok(pmon_plan_describe(r.plan, &info));
  for (uint32_t i = 0; i < info.slots; i++) {
    struct pmon_plan_slot_info slot = {.size = sizeof slot};
    ok(pmon_plan_slot(r.plan, i, &slot));
    round_of[slot.event] = slot.round;
  }
  for (uint32_t a = 0; a < N_EVENTS; a++)
    for (uint32_t b = a + 1; b < N_EVENTS; b++)
      for (uint32_t p = 0; p < 2; p++) {
        const struct pmon_value v = scaled_value(r.session, a, p, PMON_ALL),
                                w = scaled_value(r.session, b, p, PMON_ALL);
        if (a == CLOCK || b == CLOCK || round_of[a] != round_of[b] || !v.valid || !w.valid || v.number <= 0 ||
            w.number <= 0)
          continue;
        scaled_same(scaled_by(r.session, a, p, PMON_ALL).share, scaled_by(r.session, b, p, PMON_ALL).share);
        compared += (v.flags & w.flags & PMON_VALUE_WITNESS) != 0;
      }
  assert_true(compared >= 3);
  run_end(&r);
}

static void metrics_are_what_printed_operands_make(void **state)
{
  struct run r = run_begin(EVENTS, "part=cha/TOR_INSERTS.IA_MISS//cha/TOR_INSERTS.IA/", true);
  (void)state;
  for (uint32_t p = 0; p < 2; p++) {
    struct pmon_value v;
    ok(pmon_session_metric(r.session, 0, &(struct pmon_scope){p, PMON_ALL}, &v));
    if (v.valid)
      scaled_same(v.number,
                  scaled_value(r.session, 1, p, PMON_ALL).number / scaled_value(r.session, 0, p, PMON_ALL).number);
  }
  struct pmon_value v;
  ok(pmon_session_metric(r.session, 0, &all, &v));
  assert_true(v.valid && v.flags & PMON_VALUE_WITNESS);
  scaled_same(v.number, scaled_value(r.session, 1, PMON_ALL, PMON_ALL).number /
                            scaled_value(r.session, 0, PMON_ALL, PMON_ALL).number);
  run_end(&r);
}

static void without_a_witness_time_scales(void **state)
{
  struct run r = run_begin(EVENTS, NULL, false);
  unsigned valid = 0;
  (void)state;
  for (uint32_t e = 0; e < N_EVENTS; e++) {
    const struct pmon_value v = scaled_value(r.session, e, PMON_ALL, PMON_ALL);
    assert_false(v.flags & PMON_VALUE_WITNESS);
    if (v.valid)
      scaled_same(scaled_by(r.session, e, PMON_ALL, PMON_ALL).share, v.fraction);
    valid += v.valid;
  }
  assert_true(valid > 0);
  run_end(&r);
}

static void shares_of_what_is_not_there_are_refused(void **state)
{
  struct run r = run_begin(EVENTS, NULL, true);
  struct pmon_scaling scaling = {.size = sizeof scaling}, none = {.size = 0};
  (void)state;
  assert_int_equal(pmon_session_scaling(r.session, N_EVENTS, &all, &scaling), PMON_E_RANGE);
  assert_int_equal(pmon_session_scaling(r.session, 0, &all, &none), PMON_E_INVALID);
  run_end(&r);
}

/* The factors of an event's number for a package: count times `seconds` over `counted_seconds`, times `factor`. */
struct made_of {
  double count, counted_seconds, factor, seconds;
};

static bool is_made_of(const struct pmon_session *s, uint32_t event, uint32_t package, struct made_of *ret)
{
  struct pmon_scaling scaling = {.size = sizeof scaling};
  const double seconds = pmon_session_seconds(s);
  if (pmon_session_scaling(s, event, &(struct pmon_scope){package, PMON_ALL}, &scaling) || scaling.count <= 0)
    return false;
  *ret = (struct made_of){scaling.count, scaling.seconds, scaling.seconds / seconds / scaling.share, seconds};
  return true;
}

/* The total of both intervals has the counts of both, and as factor the mean of their factors, weighted by counts. Its
 * number is the sum of the intervals' numbers if both counted the same part of the time. */
static unsigned check_whole(struct pmon_recording *recording, struct pmon_session *s, uint32_t event, uint32_t package)
{
  struct made_of one[2], whole;
  bool known = true;
  for (unsigned i = 0; i < 2; i++) {
    ok(pmon_recording_load(recording, s, i));
    known = is_made_of(s, event, package, &one[i]) && known;
  }
  ok(pmon_recording_load(recording, s, UINT32_MAX));
  if (!is_made_of(s, event, package, &whole) || !known)
    return 0;
  scaled_same(whole.count, one[0].count + one[1].count);
  scaled_same(whole.seconds, one[0].seconds + one[1].seconds);
  scaled_same(whole.counted_seconds, one[0].counted_seconds + one[1].counted_seconds);
  scaled_same(whole.factor * whole.count, one[0].factor * one[0].count + one[1].factor * one[1].count);
  return fabs(one[0].factor - one[1].factor) > 0.01;
}

/* Two intervals, each by itself and both together. */
static void recordings_have_the_same(void **state)
{
  const struct pmon_session_options options = {.size = sizeof options, .slice_ns = 10000, .seed = 3};
  struct pmon_value live[2][N_EVENTS];
  struct pmon_recording *recording;
  struct pmon_session *s, *read;
  struct pmon_record *record;
  struct pmon_backend *backend;
  struct machine *m = rig_busy(TURNS, &backend);
  struct pmon_plan *plan = rig_plan(emr, EVENTS, NULL), *recorded;
  char path[] = "/tmp/pmon-scaling-XXXXXX";
  unsigned witnessed = 0, different = 0;
  bool ended;
  (void)state;
  const int fd = mkstemp(path);
  assert_true(fd >= 0);
  close(fd);
  ok(pmon_session_new(plan, backend, &options, &s));
  ok(pmon_record_new(s, path, NULL, &record));
  ok(pmon_session_start(s));
  for (unsigned i = 0; i < 2; i++) {
    ok(pmon_session_run(s, i ? UINT64_MAX : 200000, &ended));
    for (uint32_t e = 0; e < N_EVENTS; e++)
      live[i][e] = scaled_value(s, e, PMON_ALL, PMON_ALL);
    ok(pmon_record_add(record));
    pmon_session_mark(s);
  }
  ok(pmon_record_close(record));
  ok(pmon_recording_open(context, path, &recording));
  ok(pmon_recording_plan(recording, emr, NULL, NULL, &recorded));
  ok(pmon_recording_session(recording, recorded, &read));
  for (unsigned i = 0; i < 2; i++) {
    ok(pmon_recording_load(recording, read, i));
    for (uint32_t e = 0; e < N_EVENTS; e++) {
      const struct pmon_value v = scaled_value(read, e, PMON_ALL, PMON_ALL);
      assert_true(v.valid == live[i][e].valid && v.flags == live[i][e].flags);
      if (v.valid)
        assert_true(v.number == live[i][e].number); /* equal to the last digit */
      witnessed += (v.flags & PMON_VALUE_WITNESS) != 0;
    }
  }
  assert_true(witnessed >= 4);
  for (uint32_t e = 0; e < N_EVENTS; e++)
    for (uint32_t p = 0; p < 2; p++)
      different += check_whole(recording, read, e, p);
  assert_true(different >= 4);
  ok(pmon_session_close(read));
  pmon_plan_free(recorded);
  pmon_recording_close(recording);
  ok(pmon_session_close(s));
  pmon_plan_free(plan);
  pmon_backend_close(backend);
  machine_free(m);
  unlink(path);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(numbers_are_counts_over_shares),          cmocka_unit_test(clocks_go_by_time),
      cmocka_unit_test(instances_and_packages_add_up),           cmocka_unit_test(events_of_a_round_keep_their_ratio),
      cmocka_unit_test(metrics_are_what_printed_operands_make),  cmocka_unit_test(without_a_witness_time_scales),
      cmocka_unit_test(shares_of_what_is_not_there_are_refused), cmocka_unit_test(recordings_have_the_same)};
  return cmocka_run_group_tests(tests, rig_begin, rig_end);
}
