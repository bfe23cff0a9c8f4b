/* SPDX-License-Identifier: MIT */
/*
 * A unit that differs from others of its type: an emulated machine whose CHA 1 has fewer and narrower counters at other
 * addresses, and whose discovery page shows that. The page repairs the tables, and with the repaired platform the unit
 * is measured as on a machine with equal units.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "machine/machine.h"
#include "tests/engine/rig.h"

/* The odd unit's block and the places in it; the values of the other units are in the comments. */
enum {
  BLOCK = 0x2010,
  BLOCK_END = 0x2020,
  COUNTERS = 2 /* 4 */,
  WIDTH = 20 /* 48 */,
  STATUS = 3 /* 1 */,
  CTL = 5 /* 2 */,
  CTR = 9 /* 8 */,
  FILTER = 14,
  PAGE = 16,
  PAGE_ENTRY = 64
};
#define ODD_WORD ((uint64_t)STATUS << 32 | CTR << 24 | WIDTH << 16 | CTL << 8 | COUNTERS)

static const char settings[] = "sockets=1 cores=1 chas=4 imcs=1 upi.links=1 iio.stacks=1";

struct odd {
  struct pmon_backend backend;
  struct pmon_backend *inner;
  uint64_t entry;
};

static struct odd *unlike_of(struct pmon_backend *b)
{
  return (struct odd *)(void *)b;
}

/* Translates an address of the odd unit to the machine's register. False: the odd unit has none there. */
static bool translate(struct pmon_address *a, uint64_t *ret_mask)
{
  const uint64_t at = a->offset - BLOCK;
  *ret_mask = UINT64_MAX;
  if (a->space != PMON_SPACE_MSR || a->offset < BLOCK || a->offset >= BLOCK_END || at == 0 || at == FILTER)
    return true;
  if (at == STATUS)
    a->offset = BLOCK + 1;
  else if (at >= CTL && at < CTL + COUNTERS)
    a->offset = BLOCK + 2 + (at - CTL);
  else if (at >= CTR && at < CTR + COUNTERS)
    a->offset = BLOCK + 8 + (at - CTR);
  else
    return false;
  if (at >= CTR)
    *ret_mask = (UINT64_C(1) << WIDTH) - 1;
  return true;
}

static int odd_read(struct pmon_backend *b, const struct pmon_address *a, uint64_t *ret_value)
{
  struct pmon_address to = *a;
  uint64_t mask;
  if (!translate(&to, &mask))
    return PMON_E_NO_DEVICE;
  int status = unlike_of(b)->inner->ops->read(unlike_of(b)->inner, &to, ret_value);
  *ret_value &= mask;
  if (a->space == PMON_SPACE_MMIO && a->device == PAGE && unlike_of(b)->entry && a->offset - unlike_of(b)->entry < 8)
    *ret_value = a->offset == unlike_of(b)->entry ? ODD_WORD & UINT32_MAX : ODD_WORD >> 32;
  return status;
}

static int odd_write(struct pmon_backend *b, const struct pmon_address *a, uint64_t value)
{
  struct pmon_address to = *a;
  uint64_t mask;
  if (!translate(&to, &mask))
    return PMON_E_NO_DEVICE;
  return unlike_of(b)->inner->ops->write(unlike_of(b)->inner, &to, value & mask);
}

static int odd_wait(struct pmon_backend *b, uint64_t until_ns, uint64_t *ret_now_ns, bool *ret_ended)
{
  return unlike_of(b)->inner->ops->wait(unlike_of(b)->inner, until_ns, ret_now_ns, ret_ended);
}

static void odd_close(struct pmon_backend *b)
{
  pmon_backend_close(unlike_of(b)->inner);
}

/* Returns the place of CHA 1's entry in the page. */
static uint64_t find_entry(struct pmon_backend *b)
{
  struct pmon_address a = {.space = PMON_SPACE_MMIO, .width_bits = 32, .device = PAGE, .offset = 2 * 8};
  uint64_t word = 0;
  do {
    a.offset += PAGE_ENTRY;
    ok(b->ops->read(b, &a, &word));
  } while (word != (1 << 16 | 0));
  return a.offset - 2 * 8;
}

struct rig {
  struct machine *machine;
  struct odd odd;
  const struct pmon_platform *platform;
  char folder[40];
};

static void write_part(const struct rig *r, const struct pmon_discovery *page, enum pmon_platform_part part,
                       const char *suffix)
{
  static char text[65536];
  char path[80];
  const struct pmon_discovery_place place = {sizeof place, NULL, 0, true};
  const size_t n = pmon_discovery_repair(
      page, emr, &place, &(struct pmon_repair_text){sizeof(struct pmon_repair_text), part, "fixed", text, sizeof text});
  snprintf(path, sizeof path, "%s/fixed.%s", r->folder, suffix);
  FILE *f = fopen(path, "w");
  assert_true(n < sizeof text && f && fwrite(text, 1, n, f) == n && !fclose(f));
  if (part == PMON_PART_UNITS)
    assert_non_null(strstr(text, "\n  counters 4 width 48\n"));
  if (part == PMON_PART_UNITS && !strstr(text, "\n  except 1 counters 2 width 20 unit_status 3 ctl 5 ctr 9\n"))
    fail_msg("%s", text);
}

/* Makes the odd machine, and the platform repaired by its page. */
static struct rig *unlike_begin(void)
{
  static const struct pmon_backend_ops ops = {sizeof ops, "odd", odd_read, odd_write, odd_wait, odd_close};
  struct rig *r = calloc(1, sizeof *r);
  struct pmon_discovery *page;
  char path[80];
  assert_non_null(r);
  strcpy(r->folder, "/tmp/pmon-odd-XXXXXX");
  assert_non_null(mkdtemp(r->folder));
  r->machine = rig_idle(settings, &r->odd.inner);
  r->odd.backend = (struct pmon_backend){.ops = &ops, .packages = 1};
  r->odd.entry = find_entry(&r->odd.backend);
  ok(pmon_discovery_read(&r->odd.backend, 0, NULL, NULL, &page));
  assert_int_equal(
      pmon_discovery_compare(
          page, emr, &(struct pmon_discovery_place){sizeof(struct pmon_discovery_place), NULL, 0, true}, NULL, NULL),
      5);
  write_part(r, page, PMON_PART_PLATFORM, "platform");
  write_part(r, page, PMON_PART_UNITS, "unit");
  snprintf(path, sizeof path, "%s/fixed.platform", r->folder);
  ok(pmon_context_load(context, path));
  r->platform = pmon_platform_get(context, 0);
  assert_int_equal(pmon_discovery_compare(
                       page, r->platform,
                       &(struct pmon_discovery_place){sizeof(struct pmon_discovery_place), NULL, 0, true}, NULL, NULL),
                   0);
  pmon_discovery_free(page);
  return r;
}

static void unlike_end(struct rig *r)
{
  static const char *const files[] = {"fixed.platform", "fixed.unit", "more.platform", "more.evt"};
  char path[80];
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    snprintf(path, sizeof path, "%s/%s", r->folder, files[i]);
    unlink(path);
  }
  rmdir(r->folder);
  pmon_backend_close(&r->odd.backend);
  machine_free(r->machine);
  free(r);
}

enum { EVENTS = 2, INSTANCES = 4, END_NS = 3000000 };

/* Gets the counts of each event and CHA after 3 ms, in which a 20-bit counter wraps six times. */
static void unlike_measure(struct pmon_plan *plan, struct pmon_backend *b, double counts[EVENTS][INSTANCES])
{
  struct pmon_session *s;
  struct pmon_value v;
  bool ended;
  ok(pmon_session_new(plan, b, NULL, &s));
  ok(pmon_session_start(s));
  while (pmon_session_now_ns(s) < END_NS)
    ok(pmon_session_run(s, END_NS, &ended));
  for (uint32_t e = 0; e < EVENTS; e++)
    for (uint32_t i = 0; i < INSTANCES; i++) {
      ok(pmon_session_event(s, e, &(struct pmon_scope){0, i}, &v));
      assert_true(v.valid);
      counts[e][i] = v.number;
    }
  ok(pmon_session_close(s));
}

static void test_an_irregular_unit_counts_like_the_others(void **state)
{
  static const char events[] = "cha/CLOCKTICKS/,cha/CMS_CLOCKTICKS/";
  double odd[EVENTS][INSTANCES], alike[EVENTS][INSTANCES];
  struct pmon_backend *straight;
  (void)state;
  struct rig *r = unlike_begin();
  struct pmon_plan *plan = rig_plan(r->platform, events, NULL), *twin = rig_plan(emr, events, NULL);
  struct machine *other = rig_idle(settings, &straight);
  struct rig_registers *held = rig_registers_read(r->odd.inner, emr);
  unlike_measure(plan, &r->odd.backend, odd);
  unlike_measure(twin, straight, alike);
  for (uint32_t e = 0; e < EVENTS; e++)
    for (uint32_t i = 0; i < INSTANCES; i++) {
      assert_true(alike[e][i] > 3 << WIDTH);
      assert_int_equal((long)odd[e][i], (long)alike[e][i]);
    }
  rig_registers_same(r->odd.inner, held, "after the odd unit was measured");
  pmon_plan_free(plan);
  pmon_plan_free(twin);
  pmon_backend_close(straight);
  machine_free(other);
  unlike_end(r);
}

/* The addresses of the odd unit's registers, and the registers found by these addresses. */
static void test_registers_of_an_odd_unit(void **state)
{
  static const struct {
    uint32_t instance, counter;
    int status;
    uint64_t ctl, ctr;
    uint32_t width;
  } cases[] = {{0, 3, PMON_OK, 0x2005, 0x200b, 48},
               {1, 0, PMON_OK, 0x2015, 0x2019, 20},
               {1, 1, PMON_OK, 0x2016, 0x201a, 20},
               {1, 2, PMON_E_RANGE, 0, 0, 0},
               {2, 3, PMON_OK, 0x2025, 0x202b, 48}};
  struct pmon_event *event;
  struct pmon_image image;
  struct pmon_register_id id;
  (void)state;
  struct rig *r = unlike_begin();
  ok(pmon_event_resolve(context, r->platform, "cha/CLOCKTICKS/", &event));
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    assert_int_equal(pmon_event_encode(event, 0, cases[i].instance, cases[i].counter, &image), cases[i].status);
    if (cases[i].status)
      continue;
    assert_int_equal(image.registers[image.n - 1].address.offset, cases[i].ctl);
    assert_int_equal(image.counter.offset, cases[i].ctr);
    assert_int_equal(image.width_bits, cases[i].width);
    ok(pmon_register_find(r->platform, &image.counter, &id));
    assert_int_equal(id.instance, cases[i].instance);
    assert_int_equal(id.index, cases[i].counter);
  }
  struct pmon_address none = {
      .space = PMON_SPACE_MSR, .width_bits = 64, .offset = 0x2018}; /* a counter of the regular layout */
  assert_int_equal(pmon_register_find(r->platform, &none, &id), PMON_E_UNKNOWN);
  pmon_event_free(event);
  struct pmon_unit_info info = {.size = sizeof info};
  uint32_t unit;
  ok(pmon_unit_find(r->platform, "cha", &unit));
  ok(pmon_unit_describe_instance(r->platform, unit, 1, &info));
  assert_int_equal(info.counters, 2);
  assert_int_equal(info.width_bits, 20);
  assert_int_equal(pmon_unit_describe_instance(r->platform, unit, info.instances, &info), PMON_E_RANGE);
  unlike_end(r);
}

static uint32_t rounds(const struct rig *r, const char *events)
{
  struct pmon_plan *plan = rig_plan(r->platform, events, NULL);
  struct pmon_plan_info info = {.size = sizeof info};
  pmon_plan_describe(plan, &info);
  pmon_plan_free(plan);
  return info.rounds;
}

static const char *refusal(const struct pmon_platform *platform, const char *events)
{
  struct pmon_plan *plan;
  ok(pmon_plan_new(context, platform, &plan));
  ok(pmon_plan_add_events(plan, events));
  assert_int_equal(pmon_plan_schedule(plan), PMON_E_UNSCHEDULABLE);
  pmon_plan_free(plan);
  return pmon_context_error(context);
}

/* Events for which the odd unit lacks counters are multiplexed; without this unit they are not. Events that it cannot
 * count at all are named. */
static void test_counters_that_an_odd_unit_lacks(void **state)
{
  static const char file[] = "events cha\ncite 817509 2\n\nevent LAST 0x7f counters 3\n  brief On the last counter.\n";
  char path[80];
  (void)state;
  struct rig *r = unlike_begin();
  assert_int_equal(rounds(r, "cha0/CLOCKTICKS/,cha0/CMS_CLOCKTICKS/,cha0/DIR_LOOKUP.NO_SNP/,cha0/DIR_LOOKUP.SNP/"), 1);
  assert_int_equal(rounds(r, "cha/CLOCKTICKS/,cha/CMS_CLOCKTICKS/,cha/DIR_LOOKUP.NO_SNP/,cha/DIR_LOOKUP.SNP/"), 2);
  assert_non_null(
      strstr(refusal(r->platform, "{cha/CLOCKTICKS/,cha/CMS_CLOCKTICKS/,cha/DIR_LOOKUP.SNP/}"), "(cha1 has 2; "));
  snprintf(path, sizeof path, "%s/more.evt", r->folder);
  FILE *f = fopen(path, "w");
  assert_true(f && fputs(file, f) >= 0 && !fclose(f));
  snprintf(path, sizeof path, "%s/more.platform", r->folder);
  f = fopen(path, "w");
  assert_true(f &&
              fputs("platform more\ntitle one more event\ncite 817509 2\nimport emr\nfile fixed.unit\n"
                    "file more.evt\n",
                    f) >= 0 &&
              !fclose(f));
  ok(pmon_context_load(context, path));
  const struct pmon_platform *more = pmon_platform_get(context, 0);
  assert_non_null(strstr(refusal(more, "cha/LAST/"), "cha1 has only 2; choose other instances"));
  pmon_plan_free(rig_plan(more, "cha0+2-3/LAST/", NULL));
  unlike_end(r);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_an_irregular_unit_counts_like_the_others),
      cmocka_unit_test(test_registers_of_an_odd_unit),
      cmocka_unit_test(test_counters_that_an_odd_unit_lacks),
  };
  return cmocka_run_group_tests_name("unlike", tests, rig_begin, rig_end);
}
