/* SPDX-License-Identifier: MIT */
/* Every spelling of an event resolves to the same event; every refusal states the problem, its column, and a
 * suggestion. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "src/base/nearest.h"
#include "tests/event/toy.h"

static void assert_name(const struct pmon_platform *p, const char *text, const char *name)
{
  struct pmon_event *e = NULL;
  int status = pmon_event_resolve(context, p, text, &e);
  if (status)
    fail_msg("%s: %s", text, pmon_context_error(context));
  assert_string_equal(pmon_event_name(e), name);
  struct pmon_event *again = NULL;
  assert_int_equal(pmon_event_resolve(context, p, name, &again), PMON_OK);
  assert_string_equal(pmon_event_name(again), name);
  assert_int_equal(pmon_event_counters(again), pmon_event_counters(e));
  assert_true(pmon_event_instances(again) == pmon_event_instances(e));
  pmon_event_free(again);
  pmon_event_free(e);
}

static void test_spellings_agree(void **state)
{
  (void)state;
  static const char *const groups[][10] = {
      {"cha/TOR_INSERTS.IA_MISS_DRD/", "cha/TOR_INSERTS.IA_MISS_DRD", "CHA/tor_inserts.ia_miss_drd/",
       "TOR_INSERTS.IA_MISS_DRD", "UNC_CHA_TOR_INSERTS.IA_MISS_DRD", "uncore_cha/event=0x35,umask=0xc817fe01/",
       "uncore_cha/event=0x35,umask=0x01,umask_ext=0xc817fe/", "cha/config=0x00c817fe00000135/",
       "cha/TOR_INSERTS,umask=0xc817fe01/", NULL},
      {"cha/TOR_INSERTS.IA,thresh=0x4,edge_det=0x1/", "cha/TOR_INSERTS.IA,edge,thresh=4/",
       "TOR_INSERTS.IA{edge_det,thresh=0x4}", "cha/TOR_INSERTS.IA/{thresh=0b100,edge}",
       "spr_unc_cha::UNC_CHA_TOR_INSERTS:IA:e:t=4", "uncore_cha/event=0x35,umask=0xc001ff01,edge=1,thresh=4/", NULL},
      {"cha3/TOR_INSERTS.IA/", "uncore_cha_3/event=0x35,umask=0xc001ff01/", "spr_unc_cha3::UNC_CHA_TOR_INSERTS:IA",
       "cbo3/TOR_INSERTS.IA/", NULL},
      {"cha/TOR_INSERTS.IA,tid_en=0x1,tid=0x19/", "cha/TOR_INSERTS.IA,tid=core3.1/",
       "TOR_INSERTS.IA with:Cn_MSR_PMON_BOX_FILTER.tid=0x19", "cha/TOR_INSERTS.IA,filter_tid=25/",
       "cha/TOR_INSERTS.IA,config1=0x19/", "cha/TOR_INSERTS.IA,tid=0x19,tid_en/", NULL},
      {"cha/TOR_INSERTS.IA_MISS_DRD,nc=0x1/", "cha/TOR_INSERTS.IA_MISS_DRD,noncoh/", "cha/TOR_INSERTS.IA_MISS_DRD,nc/",
       NULL},
      {"iio/DATA_REQ_OF_CPU.MEM_READ.PART0/", "UNC_IIO_DATA_REQ_OF_CPU.MEM_READ.PART0",
       "uncore_iio/event=0x83,umask=0x04,ch_mask=0x01,fc_mask=0x07/", NULL},
      {"m2m/CMS_CLOCKTICKS/", "UNC_M2M_CMS_CLOCKTICKS", "uncore_m2m/event=0xc0,umask=0x80000000/", NULL},
      {"imc/CAS_COUNT.RD/", "UNC_M_CAS_COUNT.RD", "uncore_imc/event=0x05,umask=0xcf/", "CAS_COUNT.RD", NULL},
      {"imc/DCLK/", "uncore_imc/event=0xff/", "uncore_imc/config=0xff/", NULL},
      {"iio/IOCLK/", "uncore_iio_free_running/event=0xff,umask=0x10/", "uncore_iio_free_running/ioclk/", NULL},
      {"iio/BW_OUT_PORT1/", "uncore_iio_free_running/event=0xff,umask=0x31/", NULL},
      {"iio/BW_IN_PORT3/", "uncore_iio_free_running/event=0xff,umask=0x23/", "iio/bw_in_port3/", NULL},
      {"ubox/UCLK/", "UCLK", "UNC_U_UCLK", NULL},
  };
  for (size_t g = 0; g < sizeof groups / sizeof *groups; g++)
    for (size_t i = 0; groups[g][i]; i++)
      assert_name(emr, groups[g][i], groups[g][0]);
}

static void test_own_rules(void **state)
{
  (void)state;
  assert_name(toy, "PLAIN", "box/PLAIN/");
  assert_name(toy, "PARTS", "box/PARTS.ALL/"); /* the default umask */
  assert_name(toy, "BARE", "box/BARE/");       /* umask 0 is a separate event */
  assert_name(toy, "crate1/parts.a+b/", "box1/PARTS.A+B/");
  assert_name(toy, "toy_unc_box::UNC_B_PARTS:A:B", "box/PARTS.A+B/");
  assert_name(toy, "box0-1/PLAIN/", "box0-1/PLAIN/");
  assert_name(toy, "box0+2/PLAIN/", "box0+2/PLAIN/");
  assert_name(toy, "box0-2/PLAIN/", "box/PLAIN/");
  assert_name(toy, "uncore_crate2_1/event=1/", "crate2_1/OPENED/"); /* not crate21 */
  assert_name(toy, "crate2/OPENED/", "crate2/OPENED/");
  assert_name(toy, "box/PAINTED,colour=blue/", "box/PAINTED,colour=0x2/");
  assert_name(toy, "box/WHOSE,tid=who3.1/", "box/WHOSE,tid_en=0x1,tid=0xd/");
  assert_name(toy, "box/PLAIN,thresh=0/", "box/PLAIN/");
  assert_name(toy, "uncore_box/event=0x77,umask=0x3/", "box/ev_sel=0x77,umask=0x3/");
  assert_name(toy, "uncore_box/event=0x2,umask=0x40/", "box/PARTS,umask=0x40/");
  assert_name(toy, "uncore_box/event=0x2,umask=0/", "box/PARTS,umask=0x0/");
  assert_name(toy, "uncore_box/event=0x2,umask=0x3/", "box/PARTS.A+B/");
  assert_name(toy, "uncore_box/event=0x4,umask=0/", "box/BARE/");
  assert_name(toy, "uncore_box/event=0x3,umask=0/", "box/ALONE,umask=0x0/");
  assert_name(toy, "box/PARTS.B+A/", "box/PARTS.A+B/");
  assert_name(toy, "box/PARTS.A+ALL/", "box/PARTS.ALL/");
  assert_name(toy, "uncore_box/event=0x3,umask=0x3/", "box/ALONE,umask=0x3/");
  struct pmon_event *e;
  assert_int_equal(pmon_event_resolve(context, toy, "box/PARTS.A+B/", &e), PMON_OK);
  assert_int_equal(pmon_event_counters(e), 1); /* B is for counter 0 only */
  pmon_event_free(e);
}

static void test_refusals(void **state)
{
  (void)state;
  static const struct {
    bool of_toy;
    const char *text;
    int status;
    uint32_t column;
    const char *says;
  } rows[] = {
      {0, "cha/TOR_INSERT.IA/", PMON_E_UNKNOWN, 5, "TOR_INSERTS"},
      {0, "cha/TOR_INSERTS.IA_MIS_DRD/", PMON_E_UNKNOWN, 17, "IA_MISS_DRD"},
      {0, "TOR_INSRETS.IA", PMON_E_UNKNOWN, 1, "cha/TOR_INSERTS/"},
      {0, "chaa/CLOCKTICKS/", PMON_E_UNKNOWN, 1, "did you mean cha?"},
      {0, "cha/CLOCKTICKS,thres=4/", PMON_E_UNKNOWN, 16, "did you mean thresh"},
      {0, "cha/CLOCKTICKS,thresh=0x100/", PMON_E_RANGE, 23, "31:24"},
      {0, "cha/CLOCKTICKS,thresh/", PMON_E_SYNTAX, 22, "needs a value"},
      {0, "cha/CLOCKTICKS,thresh=/", PMON_E_SYNTAX, 23, "value is expected"},
      {0, "cha/TOR_INSERTS.IA,opc=RF0/", PMON_E_UNKNOWN, 24, "RFO"},
      {0, "cha64/CLOCKTICKS/", PMON_E_RANGE, 1, "0 to 63"},
      {0, "cha/CLOCKTICKS,edge=1,edge_det=0/", PMON_E_CONFLICT, 32, "same bits"},
      {0, "cha/TOR_INSERTS.IA,umask_ext=0x1,hit=0/", PMON_E_CONFLICT, 38, "same bits"},
      {0, "cha/TOR_INSERTS.IA_HIT+IA_MISS/", PMON_E_CONFLICT, 24, "extended selections"},
      {0, "cha/TOR_INSERTS/", PMON_E_AMBIGUOUS, 16, "needs a umask"},
      {0, "CMS_CLOCKTICKS", PMON_E_AMBIGUOUS, 1, "cha, m2m"},
      {0, "cms/CMS_CLOCKTICKS/", PMON_E_AMBIGUOUS, 5, "cha/CMS_CLOCKTICKS/"},
      {0, "cha/config=0x600135/", PMON_E_RANGE, 1, "22:21"},
      {0, "cha/thresh=3/", PMON_E_SYNTAX, 4, "event"},
      {0, "iio/BW_IN_PORT0,thresh=1/", PMON_E_UNKNOWN, 17, "dedicated counter"},
      {0, "cha/CLOCKTICKS/extra", PMON_E_SYNTAX, 16, "end of the event"},
      {0, "cha/CLOCKTICKS{edge", PMON_E_SYNTAX, 15, "not closed"},
      {0, "CLOCKTICKS,edge", PMON_E_SYNTAX, 11, "end of the event"},
      {0, "", PMON_E_SYNTAX, 1, "name of an event"},
      {0, "/CLOCKTICKS/", PMON_E_SYNTAX, 1, "name of a unit"},
      {1, "ALONE.A+B", PMON_E_CONFLICT, 9, "forbids"},
      {1, "WHOSE", PMON_E_CONFLICT, 1, "tid"},
      {1, "box/PLAIN,rst=1/", PMON_E_UNKNOWN, 11, "rst"},
      {1, "box0-9/PLAIN/", PMON_E_RANGE, 1, "0 to 2"},
      {1, "PLAIN.A", PMON_E_UNKNOWN, 7, "no umasks"},
      {1, "box/PAINTED,colour=green/", PMON_E_UNKNOWN, 20, "not a value of colour"},
      {1, "box/PAINTED,colour=2,thresh=1/", PMON_E_CONFLICT, 29, "same bits"},
      {1, "box/WHOSE,tid=who16.0/", PMON_E_UNKNOWN, 15, "tid"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct pmon_event *e = NULL;
    int status = pmon_event_resolve(context, rows[i].of_toy ? toy : emr, rows[i].text, &e);
    if (status != rows[i].status || pmon_context_error_column(context) != rows[i].column ||
        !strstr(pmon_context_error(context), rows[i].says))
      fail_msg("%s: status %d, column %u: %s", rows[i].text, status, pmon_context_error_column(context),
               pmon_context_error(context));
    assert_int_equal(pmon_context_error_status(context), status);
    assert_null(e);
  }
}

/* Each row's name resolves to an event with the row's description. */
static void test_every_row_resolves(void **state)
{
  (void)state;
  struct pmon_event_cursor c = {0};
  struct pmon_event_info row = {.size = sizeof row}, info = {.size = sizeof info};
  size_t rows = 0;
  while (pmon_event_next(emr, UINT32_MAX, &c, &row)) {
    char text[256];
    const char *unit = strcmp(row.unit, "cms") == 0 ? "m2pcie" : row.unit;
    snprintf(text, sizeof text, "%s/%s%s%s/", unit, row.event, row.umask ? "." : "", row.umask ? row.umask : "");
    struct pmon_event *e = NULL;
    if (pmon_event_resolve(context, emr, text, &e) != PMON_OK)
      fail_msg("%s: %s", text, pmon_context_error(context));
    assert_string_equal(pmon_event_name(e), text);
    pmon_event_describe(e, &info);
    assert_int_equal(info.code, row.code);
    assert_true(info.umask_value == row.umask_value && info.ext == row.ext);
    assert_string_equal(info.brief, row.brief);
    pmon_event_free(e);
    rows++;
  }
  assert_true(rows > 2500);
}

/* Returns the unit that a name with a suffix denotes, optionally in upper case; UINT32_MAX: none. */
static uint32_t unit_called(const struct pmon_platform *p, const char *name, size_t n, const char *behind, bool upper)
{
  char text[128];
  uint32_t unit = UINT32_MAX;
  assert_true((size_t)snprintf(text, sizeof text, "%.*s%s", (int)n, name, behind) < sizeof text);
  for (char *c = text; upper && *c; c++)
    *c = (char)(*c >= 'a' && *c <= 'z' ? *c - 'a' + 'A' : *c);
  return pmon_unit_find(p, text, &unit) == PMON_OK ? unit : UINT32_MAX;
}

/* True if the unit has free-running counters: these have a PMU of their own. */
static bool unit_has_free_running(const struct pmon_platform *p, uint32_t unit)
{
  struct pmon_register_info r = {.size = sizeof r};
  for (uint32_t i = 0; pmon_register_describe(p, unit, i, &r) == PMON_OK; i++)
    if (r.role == PMON_ROLE_FREERUNNING)
      return true;
  return false;
}

static void test_every_name_of_every_unit(void **state)
{
  (void)state;
  static const char *const behind[] = {"", "0", "_0", "0+2", "0-3", "0-1+3", "_free_running"};
  const struct pmon_platform *p;
  struct pmon_unit_info u = {.size = sizeof u};
  unsigned names = 0;
  for (uint32_t i = 0; (p = pmon_platform_get(context, i)) != NULL; i++)
    for (uint32_t unit = 0; pmon_unit_describe(p, unit, &u) == PMON_OK; unit++) {
      const char *const lists[] = {u.name, u.alias, u.perf, u.pfm};
      for (size_t l = 0; l < sizeof lists / sizeof *lists; l++)
        for (const char *s = lists[l]; *s; names++) {
          size_t n = strcspn(s, ",");
          for (size_t b = 0; b < sizeof behind / sizeof *behind; b++) {
            const bool none = *behind[b] == '_' && behind[b][1] == 'f' && !unit_has_free_running(p, unit);
            const uint32_t meant = none ? UINT32_MAX : unit;
            assert_int_equal(unit_called(p, s, n, behind[b], false), meant);
            assert_int_equal(unit_called(p, s, n, behind[b], true), meant);
          }
          assert_int_equal(unit_called(p, s, n, "0x", false), UINT32_MAX);
          assert_int_equal(unit_called(p, s, n, "0-", false), UINT32_MAX);
          s += n + (s[n] == ',');
        }
    }
  assert_true(names > 60);
}

static void test_lists_are_split(void **state)
{
  (void)state;
  assert_int_equal(pmon_event_text_length("a/b,c=1/,d"), 8);
  assert_int_equal(pmon_event_text_length("A{e,t=1},B"), 8);
  assert_int_equal(pmon_event_text_length("A,B"), 1);
  assert_int_equal(pmon_event_text_length("a/B{c,d}/"), 9);
  assert_int_equal(pmon_event_text_length("a/B,c/X"), 3); /* the slash is not closed */
  assert_int_equal(pmon_event_text_length("a/B*,c/D*/"), 4);
  assert_int_equal(pmon_event_text_length("a/B,c=1,d/E/"), 7);
  assert_int_equal(pmon_event_text_length("a/B,inv/"), 8);
  assert_int_equal(pmon_event_text_length("a/B,inv/u"), 9);
  assert_int_equal(pmon_event_text_length("a/B,inv/,c/D/"), 8);
  assert_int_equal(pmon_event_text_length("a/B,inv/:k,c/D/"), 10);
  assert_int_equal(pmon_event_text_length(""), 0);
}

static void test_distance(void **state)
{
  (void)state;
  assert_int_equal(nearest_distance(text_of("abc"), text_of("ABC"), 3), 0);
  assert_int_equal(nearest_distance(text_of("abc"), text_of("acb"), 3), 1); /* neighbouring characters swapped */
  assert_int_equal(nearest_distance(text_of("abc"), text_of("ab"), 3), 1);
  assert_int_equal(nearest_distance(text_of("abc"), text_of("xbcd"), 3), 2);
  assert_int_equal(nearest_distance(text_of("kitten"), text_of("sitting"), 3), 3);
  assert_true(nearest_distance(text_of("abcdef"), text_of("uvwxyz"), 3) > 3);
}

static void test_search_ranks(void **state)
{
  (void)state;
  struct pmon_event_match found[5];
  struct pmon_event_info e = {.size = sizeof e};
  assert_true(pmon_event_search(emr, "cas_count reads", found, 5) > 0);
  assert_int_equal(pmon_event_at(emr, &found[0].at, &e), PMON_OK);
  assert_string_equal(e.event, "CAS_COUNT");
  size_t n = pmon_event_search(emr, "read bandwidth", found, 5);
  bool cas = false;
  for (size_t i = 0; i < n && pmon_event_at(emr, &found[i].at, &e) == PMON_OK; i++)
    cas = cas || (strcmp(e.event, "CAS_COUNT") == 0 && strcmp(e.umask, "RD") == 0);
  assert_true(cas);
  for (size_t i = 1; i < n; i++)
    assert_true(found[i - 1].score >= found[i].score);
  assert_int_equal(pmon_event_search(emr, "no such words whatever", found, 5), 0);
  char near[2][64];
  assert_true(pmon_event_suggest(emr, "cha/TOR_INSERT.IA_MIS/", near[0], sizeof near[0], 2) > 0);
  assert_string_equal(near[0], "cha/TOR_INSERTS.IA_MISS/");
}

static void test_platforms(void **state)
{
  (void)state;
  const struct pmon_platform *p = NULL;
  assert_int_equal(pmon_platform_find(context, "nothing", &p), PMON_E_UNKNOWN);
  assert_non_null(strstr(pmon_context_error(context), "toy, emr"));
  assert_int_equal(pmon_platform_find_cpu(context, "GenuineIntel", (uint32_t[]){6, 0xcf, 2}, &p), PMON_OK);
  assert_ptr_equal(p, emr);
  assert_int_equal(pmon_platform_find_cpu(context, "ToyVendor", (uint32_t[]){6, 0x99, 3}, &p), PMON_OK);
  assert_ptr_equal(p, toy);
  assert_int_equal(pmon_platform_find_cpu(context, "ToyVendor", (uint32_t[]){6, 0x99, 4}, &p), PMON_E_NO_DEVICE);
  assert_int_equal(pmon_context_load(context, "/nonexistent/x.platform"), PMON_E_IO);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_spellings_agree),
      cmocka_unit_test(test_own_rules),
      cmocka_unit_test(test_refusals),
      cmocka_unit_test(test_every_row_resolves),
      cmocka_unit_test(test_every_name_of_every_unit),
      cmocka_unit_test(test_lists_are_split),
      cmocka_unit_test(test_distance),
      cmocka_unit_test(test_search_ranks),
      cmocka_unit_test(test_platforms),
  };
  return cmocka_run_group_tests(tests, toy_set_up, toy_tear_down);
}
