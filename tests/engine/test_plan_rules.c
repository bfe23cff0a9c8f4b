/* SPDX-License-Identifier: MIT */
/*
 * Compares plans of the platforms' own events with a brute-force search that knows only the rules: the counters that an
 * event may use, filter and match registers that counters share, multiplexed sets, counters that select for others what
 * they count. The rules are written here from the guides, as a test of a complete assignment of events to counters.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <pmon/encode.h>
#include <pmon/plan.h>
#include "src/event/event.h"

enum { MOST = 5, COUNTERS = 16, SUBSETS = 1 << MOST, POOL = 4096 };

/* An event with the properties that the rules use; `at`: the counter where the search tries it. */
struct one {
  char text[256];
  struct pmon_event_info info;
  struct pmon_image image;
  uint32_t counters, set, at;
};

static struct pmon_context *context;
static uint32_t seed;

static uint32_t dice(uint32_t n)
{
  seed = seed * 1664525 + 1013904223;
  return (seed >> 16) % n;
}

static const char *property(const struct one *e, const char *key)
{
  for (uint32_t i = 0; i < e->info.n_attrs; i++)
    if (!strcmp(e->info.attrs[i].key, key))
      return e->info.attrs[i].value;
  return "";
}

static bool uses_filter(const struct one *e, uint64_t mask)
{
  return e->image.n > 1 && e->image.registers[0].value & mask;
}

/* 327043 2.3.3.3, Table 2-12: a CBo's filter selects by thread or by another criterion, and by opcode or by state. */
static bool criteria_agree(const struct one *a, const struct one *b)
{
  const uint64_t tid = 0x1f, nid = UINT64_C(0xff) << 10, state = UINT64_C(0x1f) << 18, opc = UINT64_C(0x1ff) << 23;
  return strcmp(a->info.unit, "cbo") || !((uses_filter(a, tid) && uses_filter(b, nid | state | opc)) ||
                                          (uses_filter(a, opc) && uses_filter(b, state)));
}

/* Registers other than the control register, which each counter has to itself: if both events write one, they write the
 * same value. */
static bool filters_agree(const struct one *a, const struct one *b)
{
  for (uint32_t i = 0; i + 1 < a->image.n; i++)
    for (uint32_t k = 0; k + 1 < b->image.n; k++) {
      const struct pmon_image_register *x = &a->image.registers[i], *y = &b->image.registers[k];
      if (x->id.reg == y->id.reg && ((x->value ^ y->value) & x->mask & y->mask))
        return false;
    }
  return true;
}

static uint64_t control_of_one(const struct one *e)
{
  return e->image.registers[e->image.n - 1].value;
}

static bool is_of(const struct one *e, const char *unit, uint64_t mask, uint64_t code)
{
  return !strcmp(e->info.unit, unit) && (control_of_one(e) & mask) == code;
}

/* 327043 Tables 2-86 (with ev_sel_ext), 2-40: True if the event's code uses the unit's match registers. */
static bool counts_matches(const struct one *e)
{
  return is_of(e, "qpi", 0x2000ff, 0x200038) || is_of(e, "ha", 0xff, 0x20);
}

static uint64_t filter_value(const struct one *e, uint32_t reg)
{
  uint64_t value = 0; /* without the filter an event needs every packet, or thread 0 of core 0 */
  for (uint32_t i = 0; i + 1 < e->image.n; i++)
    value = e->image.registers[i].id.reg == reg ? e->image.registers[i].value : value;
  return value;
}

/* 327043 2.7.3.3, 2.4.3: every counter with such a code counts by the content of the match registers. */
static bool matches_agree(const struct one *a, const struct one *b)
{
  bool agree = true;
  for (uint32_t i = 0; i + 1 < a->image.n && counts_matches(a) && counts_matches(b); i++)
    agree &= a->image.registers[i].value == filter_value(b, a->image.registers[i].id.reg);
  return agree;
}

/* Returns the bits in which the two events' filter registers differ; a unit has one filter register. */
static uint64_t filters_differ(const struct one *a, const struct one *b)
{
  const struct one *with = a->image.n > 1 ? a : b;
  const uint32_t reg = with->image.registers[0].id.reg;
  return with->image.n > 1 ? filter_value(a, reg) ^ filter_value(b, reg) : 0;
}

/* 327043 Table 2-10, 817509 2.2.2.2: with tid_en a counter uses the filter's thread, and no other field of the filter
 * (327043 2.3.3.3). */
static bool threads_agree(const struct one *a, const struct one *b)
{
  const bool cbo = is_of(a, "cbo", 1 << 19, 1 << 19), cha = is_of(a, "cha", 1 << 16, 1 << 16);
  const uint64_t tid = cbo ? 0x1f : 0x3ff, others = 0xfffffc00;
  if (!cbo && !cha)
    return true;
  return !(cbo && uses_filter(b, others)) &&
         !(control_of_one(a) & control_of_one(b) & (cbo ? 1 << 19 : 1 << 16) && filters_differ(a, b) & tid);
}

/* 327043 2.6.7: band 0 and the demotions use the same filter bits. */
static bool uses_band(const struct one *e)
{
  return !strcmp(e->info.event, "FREQ_BAND0_CYCLES") || !strncmp(e->info.event, "DEMOTIONS_CORE", 14);
}

/* A band takes effect when the frequency changes: no round can use another band. */
static bool bands_agree(const struct one *a, const struct one *b)
{
  return !uses_band(a) || !uses_band(b) || !filters_differ(a, b);
}

/* Emerald Rapids 2.9.3: M3UPI counts the insertions of one flow queue of a kind (address, data) at a time. */
static bool flow_queues_agree(const struct one *a, const struct one *b)
{
  const uint64_t x = control_of_one(a) & 0xffff, y = control_of_one(b) & 0xffff;
  const bool inserts = ((x & 0xff) == 0x2d || (x & 0xff) == 0x2e) && (x & 0xff) == (y & 0xff);
  return strcmp(a->info.unit, "m3upi") != 0 || !inserts || x == y;
}

/* Emerald Rapids 2.9.1: M3UPI counts events of the mesh stop or its other events. Montecito 4.8.2: one L1D set at a
 * time, and only one of the two L2D_OZQ_CANCELS. */
static bool sets_agree(const struct one *a, const struct one *b)
{
  const char *one = property(a, "one"), *other = property(b, "one"), *set = property(a, "set");
  if (!strcmp(a->info.unit, "m3upi") && a->set != b->set)
    return false;
  if ((*one && *other && strcmp(one, other)) || !flow_queues_agree(a, b))
    return false;
  return strncmp(set, "L1D", 3) || strncmp(property(b, "set"), "L1D", 3) || !strcmp(set, property(b, "set"));
}

static const struct one *on_counter(const struct one *events, uint32_t set, uint32_t counter)
{
  for (uint32_t i = 0; i < MOST; i++)
    if (set >> i & 1 && events[i].at == counter)
      return &events[i];
  return NULL;
}

/* Montecito 4.8.2: PMC5 has an event of the L1D set. 4.8.4: PMC4 selects L2D set, umask and .all for PMC4, 5 and 8;
 * PMC6 for PMC6, 7 and 9. */
static bool is_selected(const struct one *events, uint32_t set, const struct one *e)
{
  const char *kind = property(e, "set");
  const uint64_t shared = UINT64_C(0xf) << 16 | UINT64_C(1) << 26; /* umask and .all, Table 4-2 */
  if (!strncmp(kind, "L1D", 3)) {
    const struct one *leader = on_counter(events, set, 5);
    return leader && !strcmp(property(leader, "set"), kind);
  }
  if (strncmp(kind, "L2D", 3))
    return true;
  bool low = e->at == 4 || e->at == 5 || e->at == 8;
  const struct one *leader = on_counter(events, set, low ? 4 : 6);
  if (e->at > 9 || !leader || strcmp(property(leader, "set"), kind))
    return false;
  return leader == e || ((control_of_one(e) ^ control_of_one(leader)) & shared) == 0;
}

/* Tries every counter for each event of `set`, from event i on. */
static bool plan_rules_place(struct one *events, uint32_t set, uint32_t i)
{
  for (; i < MOST && !(set >> i & 1); i++)
    ;
  if (i == MOST) {
    bool all = true;
    for (uint32_t k = 0; k < MOST && all; k++)
      all = !(set >> k & 1) || is_selected(events, set, &events[k]);
    return all;
  }
  for (uint32_t c = 0; c < COUNTERS; c++) {
    if (!(events[i].counters >> c & 1) || on_counter(events, set & ((1u << i) - 1), c))
      continue;
    events[i].at = c;
    if (plan_rules_place(events, set, i + 1))
      return true;
  }
  return false;
}

static bool fits(struct one *events, uint32_t set)
{
  for (uint32_t a = 0; a < MOST; a++)
    for (uint32_t b = 0; b < a; b++)
      if (set >> a & set >> b & 1 &&
          (!filters_agree(&events[a], &events[b]) || !sets_agree(&events[a], &events[b]) ||
           !criteria_agree(&events[a], &events[b]) || !criteria_agree(&events[b], &events[a]) ||
           !matches_agree(&events[a], &events[b]) || !matches_agree(&events[b], &events[a]) ||
           !threads_agree(&events[a], &events[b]) || !threads_agree(&events[b], &events[a])))
        return false;
  return plan_rules_place(events, set, 0);
}

/* Returns the smallest number of fitting subsets that cover all n events; those of `group` stay in one subset. */
static uint32_t fewest(const bool *fitting, uint32_t rest, uint32_t group)
{
  uint32_t best = rest ? UINT32_MAX : 0, first = rest & -rest;
  for (uint32_t sub = rest; sub; sub = (sub - 1) & rest) {
    if (!(sub & first) || !fitting[sub] || ((sub & group) && (sub & group) != group))
      continue;
    uint32_t more = fewest(fitting, rest & ~sub, group);
    best = more + 1 < best ? more + 1 : best;
  }
  return best;
}

static bool fill(const struct pmon_platform *p, struct one *e)
{
  struct pmon_event *event;
  if (pmon_event_resolve(context, p, e->text, &event))
    return false;
  e->info.size = sizeof e->info;
  e->counters = pmon_event_counters(event);
  e->set = event->event == DB_NONE ? 0 : event->db->events[event->event].set;
  bool fine = pmon_event_get_kind(event) == PMON_EVENT_PROGRAMMED && !pmon_event_describe(event, &e->info) &&
              !*property(e, "follows") &&
              !pmon_event_encode(event, 0, 0, (uint32_t)__builtin_ctz(e->counters | 1u << 31), &e->image);
  pmon_event_free(event);
  return fine;
}

/* Collects the unit's events on programmable counters, each also with every applicable filter. */
static uint32_t make_pool(const struct pmon_platform *p, const char *unit, bool led, struct one *pool)
{
  static const char *const tails[] = {
      "",        "{tid=1}",       "{tid=2}",       "{opc=0x182}",      "{opc=0x187}",
      "{nid=1}", "{tid_en=1}",    "{lo_addr=5}",   "{filter_band0=1}", "{filter_band0=2}",
      "{all=1}", "{threshold=1}", "{threshold=2}", "{threshold=3}"};
  const size_t n_tails = sizeof tails / sizeof *tails - (led ? 0 : 3); /* many with one choice, where choices matter */
  struct pmon_event_cursor at = {0};
  struct pmon_event_info info = {.size = sizeof info};
  uint32_t n = 0;
  while (pmon_event_next(p, UINT32_MAX, &at, &info)) {
    if (strcmp(info.unit, unit) && strcmp(info.unit, "cms"))
      continue;
    for (size_t t = 0; t < n_tails && n < POOL; t++) {
      snprintf(pool[n].text, sizeof pool[n].text, "%s/%s%s%s/%s", unit, info.event, info.umask ? "." : "",
               info.umask ? info.umask : "", tails[t]);
      bool mesh = !strcmp(info.unit, "cms") && (t || dice(40)); /* they are many, and similar */
      n += !mesh && fill(p, &pool[n]) && (!led || *property(&pool[n], "set"));
    }
  }
  return n;
}

static void plan_rules_compare(const struct pmon_platform *p, const struct one *pool, uint32_t n_pool)
{
  static struct one events[MOST];
  bool fitting[SUBSETS] = {false};
  char list[MOST * 260] = "";
  uint32_t n = 2 + dice(MOST - 1), group = 0;
  for (uint32_t i = 0, last = dice(n_pool); i < n; i++) {
    last = dice(2) ? dice(n_pool) : (last + dice(12)) % n_pool; /* neighbouring events share codes, sets and umasks */
    events[i] = pool[last];
    for (uint32_t k = 0; k < i; k++)
      if (!strcmp(events[k].text, events[i].text))
        return;
  }
  for (uint32_t set = 1; set < 1u << n; set++)
    fitting[set] = fits(events, set);
  if (n > 2 && dice(2) && fitting[3])
    group = 3;
  for (uint32_t i = 0; i < n; i++) {
    strcat(list, group && !i ? "{" : "");
    strcat(list, events[i].text);
    strcat(list, group && i == 1 ? "}" : "");
    strcat(list, i + 1 < n ? "," : "");
  }
  struct pmon_plan *plan;
  struct pmon_plan_info info = {.size = sizeof info};
  assert_int_equal(pmon_plan_new(context, p, &plan), PMON_OK);
  bool bands = true;
  for (uint32_t i = 0; i < n * n; i++)
    bands &= bands_agree(&events[i / n], &events[i % n]);
  const int status = pmon_plan_add_events(plan, list);
  if (status || pmon_plan_schedule(plan) != (bands ? PMON_OK : PMON_E_UNSCHEDULABLE))
    fail_msg("%s: %s", list, pmon_context_error(context));
  if (!bands) {
    pmon_plan_free(plan);
    return;
  }
  assert_int_equal(pmon_plan_describe(plan, &info), PMON_OK);
  const uint32_t want = fewest(fitting, (1u << n) - 1, group);
  if (info.rounds != want || info.lower_bound != want)
    fail_msg("%s: %u rounds, at least %u; brute force: %u", list, info.rounds, info.lower_bound, want);
  struct pmon_plan_slot_info slot = {.size = sizeof slot};
  for (uint32_t r = 0; r < info.rounds; r++) {
    uint32_t here = 0;
    for (uint32_t i = 0; !pmon_plan_slot(plan, i, &slot); i++)
      if (slot.round == r) {
        here |= 1u << slot.event;
        events[slot.event].at = slot.counter;
        assert_true(events[slot.event].counters >> slot.counter & 1);
      }
    for (uint32_t i = 0; i < n; i++)
      if (here >> i & 1 &&
          (on_counter(events, here, events[i].at) != &events[i] || !is_selected(events, here, &events[i])))
        fail_msg("%s: round %u counts %s wrongly on %u", list, r, events[i].text, events[i].at);
    assert_true(fitting[here]);
  }
  pmon_plan_free(plan);
}

static void check_unit(const char *platform, const char *unit, bool led, uint32_t tests)
{
  static struct one pool[POOL + 1];
  const struct pmon_platform *p;
  assert_int_equal(pmon_platform_find(context, platform, &p), PMON_OK);
  uint32_t n = make_pool(p, unit, led, pool);
  assert_true(n > 1);
  for (uint32_t i = 0; i < tests; i++)
    plan_rules_compare(p, pool, n);
}

static void emerald_rapids(void **state)
{
  static const char *const units[] = {"cha", "imc", "m2m",   "iio",   "irp", "m2pcie", "m3upi",
                                      "upi", "pcu", "cxlcm", "cxldp", "mdf", "ubox"};
  (void)state;
  seed = 11;
  for (size_t i = 0; i < sizeof units / sizeof *units; i++)
    check_unit("emr", units[i], false, 60);
}

static void xeon_e5_2600(void **state)
{
  static const char *const units[] = {"ubox", "cbo", "ha", "imc", "pcu", "qpi", "r2pcie", "r3qpi"};
  (void)state;
  seed = 12;
  for (size_t i = 0; i < sizeof units / sizeof *units; i++)
    check_unit("snbep", units[i], false, 80);
}

static void montecito_all(void **state)
{
  (void)state;
  seed = 13;
  check_unit("montecito", "pmu", false, 150);
}

static void montecito_sets(void **state)
{
  (void)state;
  seed = 14;
  check_unit("montecito", "pmu", true, 800);
}

static int plan_rules_begin(void **state)
{
  (void)state;
  return pmon_context_new(&context);
}

static int plan_rules_end(void **state)
{
  (void)state;
  pmon_context_free(context);
  return 0;
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(emerald_rapids), cmocka_unit_test(xeon_e5_2600),
                                     cmocka_unit_test(montecito_all), cmocka_unit_test(montecito_sets)};
  return cmocka_run_group_tests(tests, plan_rules_begin, plan_rules_end);
}
