/* SPDX-License-Identifier: MIT */
/* The checker on short logs: each rule of each platform is broken once and kept once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>
#include <pmon/pmon.h>
#include "machine/check/check.h"
#include "machine/check/log.h"

struct one { const char *platform, *rule, *field, *log; };

/* Emerald Rapids: CHA 0 stands at msr 0x2000: control, status, CTL0 at +2, CTR0 at +8, filter at +0xe. */
#define SET_UP "0 write 0 msr 0x2000 64 0x301\n"
#define GO "0 write 0 msr 0x2000 64 0\n1000 wait\n"
#define STOP "1000 write 0 msr 0x2000 64 1\n"
/* E5-2600: CBo 0 stands at msr 0xd04: control, CTL0 0xd10, filter 0xd14, CTR0 0xd16. */
#define CBO_SET_UP "0 write 0 msr 0xd04 64 0x10103\n"
#define CBO_GO "0 write 0 msr 0xd04 64 0x10000\n1000 wait\n"
/* Montecito: PMC0 bit 0 freezes; the instruction set mask is bits 25:24. */
#define PMC_SET_UP "0 write 0 pmc 0 64 1\n"
#define PMC_GO "0 write 0 pmc 0 64 0\n1000 wait\n"

static const struct one broken[] = {
  { "emr", "sw.reserved", "reserved 22:21", SET_UP "0 write 0 msr 0x2002 64 0x200001\n" },
  { "emr", "sw.reserved", "reserved 63:10", "0 write 0 msr 0x200e 64 0x400\n" },
  { "emr", "sw.free-running", "", "0 write 0 msr 0x340e 64 0\n" },
  { "emr", "sw.information", "", "0 write 0 pci 31:30.3 0x94 32 0\n" },
  { "emr", "sw.wrong-counter", "ev_sel", SET_UP "0 write 0 msr 0x2003 64 0x136\n" },
  { "emr", "sw.no-event", "ev_sel", SET_UP "0 write 0 msr 0x2002 64 0xfe\n" },
  { "emr", "sw.invert-threshold", "thresh", SET_UP "0 write 0 msr 0x2002 64 0x800001\n" },
  { "emr", "sw.edge-threshold", "thresh", SET_UP "0 write 0 msr 0x2002 64 0x40001\n" },
  { "emr", "sw.filter-shared", "", SET_UP "0 write 0 msr 0x200e 64 3\n0 write 0 msr 0x2002 64 0x10001\n"
    "0 write 0 msr 0x200e 64 5\n0 write 0 msr 0x2003 64 0x10001\n" GO },
  { "emr", "sw.freeze-to-program", "", "0 write 0 msr 0x2002 64 1\n" },
  { "emr", "sw.freeze-to-program", "", SET_UP "0 write 0 msr 0x2002 64 1\n" GO "1000 write 0 msr 0x2002 64 0\n" },
  { "emr", "sw.freeze-to-read", "", SET_UP "0 write 0 msr 0x2002 64 1\n" GO "1000 read 0 msr 0x2008 64 5\n" },
  { "emr", "sw.reset-counter", "", "0 write 0 msr 0x2000 64 1\n0 write 0 msr 0x2002 64 1\n" GO },
  { "emr", "sw.wrap", "", SET_UP "0 write 0 msr 0x2002 64 1\n" GO STOP "1000 read 0 msr 0x2008 64 9\n"
    "1000 write 0 msr 0x2000 64 0\n2000 wait\n2000 write 0 msr 0x2000 64 1\n2000 read 0 msr 0x2008 64 4\n" },
  { "emr", "sw.read-off", "", SET_UP GO STOP "1000 read 0 msr 0x2008 64 0\n" },
  { "emr", "sw.read-off", "", "0 write 0 msr 0x2fde 64 0\n1000 wait\n1000 read 0 msr 0x2fdf 64 0\n" },
  { "emr", "sw.clear-overflows", "", SET_UP "0 write 0 msr 0x2002 64 1\n" GO STOP "1000 read 0 msr 0x2001 64 1\n" GO },
  { "emr", "sw.clear-overflows", "", "0 write 0 msr 0x2ff0 64 1\n0 read 0 msr 0x2ff2 64 0x10\n"
    "0 write 0 msr 0x2ff2 64 0x20\n0 write 0 msr 0x2ff0 64 0\n" },
  { "snbep", "sw.reserved", "reserved 16:16", CBO_SET_UP "0 write 0 msr 0xd10 64 0x410000\n" },
  { "snbep", "sw.reserved", "reserved 7:0", "0 write 0 pci 63:14.1 0xf4 32 0x10003\n" },
  { "snbep", "sw.read-only", "", "0 write 0 msr 0x3fc 64 0\n" },
  { "snbep", "sw.wrong-counter", "ev_sel", CBO_SET_UP "0 write 0 msr 0xd11 64 0x400836\n" },
  { "snbep", "sw.no-event", "ev_sel", CBO_SET_UP "0 write 0 msr 0xd10 64 0x4000ee\n" },
  { "snbep", "sw.umask", "umask", CBO_SET_UP "0 write 0 msr 0xd10 64 0x400c35\n" },
  { "snbep", "sw.invert-threshold", "thresh", CBO_SET_UP "0 write 0 msr 0xd10 64 0xc00000\n" },
  { "snbep", "sw.edge-threshold", "thresh", CBO_SET_UP "0 write 0 msr 0xd10 64 0x440000\n" },
  { "snbep", "sw.freeze-enable", "frz_en", "0 write 0 msr 0xd04 64 0x100\n" },
  { "snbep", "sw.filter-missing", "", CBO_SET_UP "0 write 0 msr 0xd10 64 0x400135\n0 write 0 msr 0xd14 64 0\n" CBO_GO },
  { "snbep", "sw.filter-missing", "", CBO_SET_UP "0 write 0 msr 0xd10 64 0x400135\n" CBO_GO },
  { "snbep", "sw.filter-shared", "", CBO_SET_UP "0 write 0 msr 0xd14 64 0xc0000000\n0 write 0 msr 0xd10 64 0x400135\n"
    "0 write 0 msr 0xd14 64 0xc8000000\n0 write 0 msr 0xd11 64 0x400335\n" CBO_GO },
  { "snbep", "sw.follows", "", CBO_SET_UP "0 write 0 msr 0xd11 64 0x40001f\n" CBO_GO },
  { "snbep", "sw.freeze-to-program", "", "0 write 0 msr 0xd10 64 0x400000\n" },
  { "snbep", "sw.freeze-to-read", "", CBO_SET_UP "0 write 0 msr 0xd10 64 0x400000\n" CBO_GO
    "1000 read 0 msr 0xd16 64 7\n" },
  { "snbep", "sw.reset-counter", "", "0 write 0 msr 0xd04 64 0x10100\n0 write 0 msr 0xd10 64 0x400000\n" CBO_GO },
  { "snbep", "sw.wrap", "", CBO_SET_UP "0 write 0 msr 0xd10 64 0x400000\n0 read 0 msr 0xd16 64 0xfffffffff00\n" CBO_GO
    "1000 write 0 msr 0xd04 64 0x10100\n1000 read 0 msr 0xd16 64 7\n" },
  { "snbep", "sw.read-off", "", CBO_SET_UP CBO_GO "1000 read 0 msr 0xd16 64 0\n" },
  { "snbep", "sw.occ-invert-threshold", "thresh", "0 write 0 msr 0xc24 64 0x10103\n0 write 0 msr 0xc30 64 0x40404080\n" },
  { "snbep", "sw.occ-edge-threshold", "thresh", "0 write 0 msr 0xc24 64 0x10103\n0 write 0 msr 0xc30 64 0x80404080\n" },
  { "montecito", "sw.reserved", "reserved 15:14", PMC_SET_UP "0 write 0 pmc 37 64 0x4000\n" },
  { "montecito", "sw.constant", "reserved 31:4", PMC_SET_UP "0 write 0 pmc 36 64 0xf\n" },
  { "montecito", "sw.constant", "reserved 11:11", PMC_SET_UP "0 write 0 pmc 38 64 0x5b6\n" },
  { "montecito", "sw.constant", "reserved 38:35", PMC_SET_UP "0 write 0 pmc 41 64 0x2000fefefefe\n" },
  { "montecito", "sw.wrong-counter", "es", PMC_SET_UP "0 write 0 pmc 10 64 0x200920f\n" },
  { "montecito", "sw.no-event", "es", PMC_SET_UP "0 write 0 pmc 4 64 0x200ff0f\n" },
  { "montecito", "sw.umask", "umask", PMC_SET_UP "0 write 0 pmc 4 64 0x200670f\n" },
  { "montecito", "sw.instruction-set", "ism", PMC_SET_UP "0 write 0 pmc 4 64 0x120f\n" },
  { "montecito", "sw.data-ear-instruction-set", "ism", PMC_SET_UP "0 write 0 pmc 40 64 0xf\n" },
  { "montecito", "sw.leader", "", PMC_SET_UP "0 write 0 pmc 5 64 0x200120f\n0 write 0 pmc 4 64 0x200c20f\n" PMC_GO },
  { "montecito", "sw.range-tags-0", "ig_ibrp0", PMC_SET_UP "0 write 0 pmc 41 64 0x0078fefefefe\n"
    "0 write 0 pmc 32 64 0x000f01ffffffffff\n0 write 0 pmc 38 64 0xdb4\n" PMC_GO },
  { "montecito", "sw.range-tags-1", "ig_ibrp1", PMC_SET_UP "0 write 0 pmc 41 64 0x0078fefefefe\n"
    "0 write 0 pmc 32 64 0x000f01ffffffffff\n0 write 0 pmc 38 64 0xda6\n" PMC_GO },
  { "montecito", "sw.trace-tlb", "", PMC_SET_UP "0 write 0 pmc 39 64 0xf\n0 write 0 pmc 40 64 0x200008f\n" PMC_GO },
  { "montecito", "sw.trace-alat", "", PMC_SET_UP "0 write 0 pmc 39 64 0xf\n0 write 0 pmc 40 64 0x200010f\n" PMC_GO },
  { "montecito", "sw.trace-alat-1", "", PMC_SET_UP "0 write 0 pmc 39 64 0xf\n0 write 0 pmc 40 64 0x200018f\n" PMC_GO },
  { "montecito", "sw.trace-target", "ds", PMC_SET_UP "0 write 0 pmc 39 64 0x8f\n" },
  { "montecito", "sw.trace-mode", "mode", PMC_SET_UP "0 write 0 pmc 39 64 0xf\n0 write 0 pmc 42 64 0x400\n" PMC_GO },
  { "montecito", "sw.frozen-buffers", "", PMC_GO "1000 read 0 pmd 32 64 0\n" },
  { "montecito", "sw.frozen-buffers", "", PMC_GO "1000 read 0 pmd 63 64 0\n" },
  { "montecito", "sw.clear-overflows", "overflow", "0 write 0 pmc 0 64 0x10\n" },
  { "montecito", "sw.reset-counter", "", PMC_SET_UP "0 write 0 pmc 4 64 0x200120f\n" PMC_GO },
  { "montecito", "sw.wrap", "", PMC_SET_UP "0 write 0 pmc 4 64 0x200120f\n0 read 0 pmd 4 64 0x3ffffffffff0\n" PMC_GO
    "1000 write 0 pmc 0 64 1\n1000 read 0 pmd 4 64 5\n" },
  { "montecito", "sw.read-off", "", PMC_SET_UP "0 write 0 pmc 4 64 0x2000000\n" PMC_GO "1000 read 0 pmd 4 64 0\n" },
};

/* Nothing to blame: the guides' own sequences, and near misses of the rules above. */
static const struct one kept[] = {
  { "emr", NULL, NULL, SET_UP "0 write 0 msr 0x2002 64 0xc001ff00000135\n" GO STOP "1000 read 0 msr 0x2008 64 5\n" },
  { "emr", NULL, NULL, "0 write 0 msr 0x2ff0 64 1\n0 write 0 msr 0x2000 64 0x300\n0 write 0 msr 0x2008 64 0xffffffffff00\n"
    "0 write 0 msr 0x2002 64 0x100001\n0 write 0 msr 0x2ff0 64 0\n1000 wait\n1000 read 0 msr 0x2ff2 64 0x10\n"
    "1000 read 0 msr 0x2001 64 1\n1000 write 0 msr 0x2ff0 64 1\n1000 read 0 msr 0x2008 64 0\n1000 write 0 msr 0x2000 64 0x200\n"
    "1000 write 0 msr 0x2001 64 1\n1000 write 0 msr 0x2ff2 64 0x10\n1000 write 0 msr 0x2ff0 64 0\n2000 wait\n" },
  { "emr", NULL, NULL, SET_UP "0 write 0 msr 0x2002 64 0x1840001\n" },
  { "emr", NULL, NULL, SET_UP "0 write 0 msr 0x200e 64 3\n0 write 0 msr 0x2002 64 0x10001\n"
    "0 write 0 msr 0x2003 64 0x10001\n" GO },
  { "emr", NULL, NULL, "0 write 0 pci 30:1.1 0x318 32 0x301\n0 write 0 pci 30:1.1 0x390 32 0\n"
    "0 write 0 pci 30:1.1 0x38c 32 1\n0 write 0 pci 30:1.1 0x318 32 0\n1000 wait\n1000 write 0 pci 30:1.1 0x318 32 1\n"
    "1000 read 0 pci 30:1.1 0x354 32 0\n1000 read 0 pci 30:1.1 0x350 32 0x77\n" },
  { "emr", NULL, NULL, "0 read 1 msr 0x10 64 7\n0 write 0 msr 0x38f 64 0xff\n" },
  { "snbep", NULL, NULL, CBO_SET_UP "0 write 0 msr 0xd14 64 0xc0000000\n0 write 0 msr 0xd10 64 0x400135\n" CBO_GO
    "1000 write 0 msr 0xd04 64 0x10100\n1000 read 0 msr 0xd16 64 7\n" },
  { "snbep", NULL, NULL, CBO_SET_UP "0 write 0 msr 0xd10 64 0x400836\n0 write 0 msr 0xd11 64 0x540001f\n" CBO_GO },
  { "montecito", NULL, NULL, "0 write 0 pmc 0 64 1\n0 write 0 pmd 4 64 0\n0 write 0 pmc 4 64 0x200120f\n"
    "0 write 0 pmc 36 64 0xfffffff0\n0 write 0 pmc 38 64 0xdb6\n0 write 0 pmc 41 64 0x2078fefefefe\n" PMC_GO
    "1000 write 0 pmc 0 64 1\n1000 read 0 pmd 4 64 9\n1000 read 0 pmd 32 64 0\n" },
  { "montecito", NULL, NULL, PMC_SET_UP "0 write 0 pmd 5 64 0\n0 write 0 pmd 4 64 0\n0 write 0 pmc 5 64 0x200c20f\n"
    "0 write 0 pmc 4 64 0x200c30f\n" PMC_GO },
  { "montecito", NULL, NULL, PMC_SET_UP "0 write 0 pmc 39 64 0\n0 write 0 pmc 40 64 0x200008f\n" PMC_GO },
};

static struct pmon_context *context;

static int set_up(void **state)
{
  (void)state;
  return pmon_context_new(&context);
}

static int tear_down(void **state)
{
  (void)state;
  pmon_context_free(context);
  return 0;
}

static struct checker *judge(const char *name, const char *text)
{
  const struct pmon_platform *p;
  struct access_log log;
  struct checker *c;
  char error[300];
  assert_int_equal(pmon_platform_find(context, name, &p), 0);
  if (log_parse("log", text, strlen(text), error, sizeof error, &log))
    fail_msg("%s", error);
  assert_int_equal(check_new(p, &c), 0);
  for (size_t i = 0; i < log.n; i++)
    if (log.at[i].kind >= LOG_WAIT)
      check_wait(c, log.at[i].time_ns);
    else
      check_access(c, &(struct check_access){ log.at[i].time_ns, log.at[i].kind == LOG_WRITE, log.at[i].address,
                                              log.at[i].value });
  log_fini(&log);
  return c;
}

static const struct check_finding *find(const struct checker *c, const char *rule)
{
  const struct check_finding *list;
  size_t n = check_findings(c, &list);
  for (size_t i = 0; i < n; i++)
    if (!strcmp(list[i].rule, rule))
      return &list[i];
  return NULL;
}

static void what_is_broken_is_found(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
    struct checker *c = judge(broken[i].platform, broken[i].log);
    const struct check_finding *f = find(c, broken[i].rule);
    if (!f)
      fail_msg("case %zu: %s of %s is not found", i, broken[i].rule, broken[i].platform);
    if (strcmp(f->field, broken[i].field))
      fail_msg("case %zu: %s of %s is told of '%s'", i, broken[i].rule, broken[i].platform, f->field);
    assert_true(*f->name && *f->cite && *f->brief);
    check_free(c);
  }
}

static void what_is_kept_is_not_blamed(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
    struct checker *c = judge(kept[i].platform, kept[i].log);
    const struct check_finding *list;
    if (check_findings(c, &list))
      fail_msg("case %zu of %s: %s at %s %s", i, kept[i].platform, list->rule, list->name, list->field);
    check_free(c);
  }
}

/* A rule that nothing here breaks may be one that cannot be found at all. */
static void every_rule_of_the_facts_is_broken_above(void **state)
{
  static const char *const platforms[] = { "emr", "snbep", "montecito" };
  struct pmon_guideline_info g = { .size = sizeof g };
  const struct pmon_platform *p;
  uint32_t n = 0;
  (void)state;
  for (size_t k = 0; k < 3; k++) {
    assert_int_equal(pmon_platform_find(context, platforms[k], &p), 0);
    for (uint32_t i = 0; !pmon_guideline_describe(p, i, &g); i++, n++) {
      bool found = false;
      for (size_t b = 0; b < sizeof broken / sizeof *broken; b++)
        found |= !strcmp(broken[b].platform, platforms[k]) && !strcmp(broken[b].rule, g.name);
      if (!found)
        fail_msg("%s of %s", g.name, platforms[k]);
    }
  }
  assert_true(n > 45);
}

static void what_is_found_says_where(void **state)
{
  struct checker *c = judge("emr", "5 write 1 msr 0x2012 64 0x800001\n7 write 1 msr 0x2012 64 0x800001\n");
  const struct check_finding *f = find(c, "sw.invert-threshold");
  (void)state;
  assert_non_null(f);
  assert_string_equal(f->name, "Cn_MSR_PMON_CTL0");
  assert_int_equal(f->address.package, 1);
  assert_int_equal(f->address.offset, 0x2012);
  assert_int_equal(f->value, 0x800001);
  assert_int_equal(f->bits, 0xff000000);
  assert_int_equal(f->time_ns, 5);
  assert_int_equal(f->access, 1);
  assert_int_equal(f->times, 2);
  assert_false(f->advice);
  assert_int_equal(check_errors(c), 1);
  assert_int_equal(check_accesses(c), 2);
  check_free(c);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(what_is_broken_is_found), cmocka_unit_test(what_is_kept_is_not_blamed),
    cmocka_unit_test(every_rule_of_the_facts_is_broken_above), cmocka_unit_test(what_is_found_says_where) };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
