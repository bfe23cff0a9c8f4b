/* SPDX-License-Identifier: MIT */
/*
 * Compares libpfm4 with pmon: every uncore event and umask of the E5-2600 that libpfm4 has, in its own spelling, must
 * give the same bits of the control register and of the filter. data/audit/libpfm4-differences.tsv has the differences
 * with verdicts; a difference without a row, and a row without a difference, fail. docs/audit.md shows the list.
 */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <perfmon/pfmlib.h>
#include <pmon/pmon.h>
#include "tests/audit/explain.h"

/* Event code, umask (including the PCU's occ_sel) and the extra bit of the code: the bits that distinguish events. */
#define SELECTION 0x0020ffffu

/* The numbers of events and umasks of libpfm4 4.13, to which the list of differences applies: libpfm4 has no function
 * that returns its version. */
enum { KNOWN = 466, SKIPPED = 77 };

struct peer {
  struct pmon_context *context;
  const struct pmon_platform *platform;
  struct explain explain;
  unsigned compared, equal;
};

/* The encoding of an event: its control register, and its filter register, 0 without one. */
struct code {
  uint64_t control, filter;
};

/* Gets libpfm4's encoding of a text; false: libpfm4 refuses it. */
static bool peer_code(const char *text, struct code *ret_code)
{
  pfm_pmu_encode_arg_t arg = {.size = sizeof arg};
  if (pfm_get_os_event_encoding(text, PFM_PLM0 | PFM_PLM3, PFM_OS_NONE, &arg) != PFM_SUCCESS)
    return false;
  *ret_code = (struct code){arg.codes[0] & SELECTION, arg.count > 1 ? arg.codes[1] : 0};
  free(arg.codes);
  return true;
}

/* Gets pmon's encoding of the text on the first possible counter; false: pmon refuses it. */
static bool own_code(struct peer *p, const char *text, struct code *ret_code)
{
  struct pmon_event *event;
  struct pmon_image image;
  if (pmon_event_resolve(p->context, p->platform, text, &event))
    return false;
  uint32_t counters = pmon_event_counters(event), counter = 0;
  while (counter < 31 && !(counters >> counter & 1))
    counter++;
  int status = pmon_event_encode(event, 0, 0, counter, &image);
  pmon_event_free(event);
  if (status || !image.n)
    return false;
  *ret_code = (struct code){image.registers[image.n - 1].value & SELECTION,
                            image.n > 1 ? image.registers[0].value & image.registers[0].mask : 0};
  return true;
}

/* Many umasks count nothing without a filter, and in libpfm4 values of filters are umasks, which need another umask:
 * these prefixes and suffixes are tried in this order until both sides accept the text. */
static const struct {
  const char *before, *behind;
} completions[] = {
    {"", ""},       {"", ":nf=1"},   {"", ":OPC_DRD"},   {"", ":OPC_DRD:nf=1"}, {"", ":STATE_M"}, {"", ":STATE_M:nf=1"},
    {"", ":ff=20"}, {":OPCODE", ""}, {":DATA_READ", ""},
};

static void pfm_compare(struct peer *p, const pfm_pmu_info_t *pmu, const pfm_event_info_t *event, const char *umask)
{
  struct code theirs = {0}, ours = {0};
  bool they_can = false, we_can = false;
  for (size_t i = 0; i < sizeof completions / sizeof *completions && !(they_can && we_can); i++) {
    char text[256];
    snprintf(text, sizeof text, "%s::%s%s%s%s%s", pmu->name, event->name, completions[i].before, *umask ? ":" : "",
             umask, completions[i].behind);
    struct code a = {0}, b = {0};
    bool they = peer_code(text, &a), we = own_code(p, text, &b);
    if ((they && we) || (!i && (they || we))) {
      they_can = they;
      we_can = we;
      theirs = a;
      ours = b;
    }
  }
  p->compared++;
  if (they_can && we_can && theirs.control == ours.control && theirs.filter == ours.filter) {
    p->equal++;
    return;
  }
  char what[256], a[40] = "none", b[40] = "none";
  if (they_can)
    snprintf(a, sizeof a, "0x%" PRIx64 "%s%.*" PRIx64, theirs.control, theirs.filter ? " 0x" : "", 0, theirs.filter);
  if (we_can)
    snprintf(b, sizeof b, "0x%" PRIx64 "%s%.*" PRIx64, ours.control, ours.filter ? " 0x" : "", 0, ours.filter);
  snprintf(what, sizeof what, "%s there, %s here", a, b);
  explain_difference(&p->explain, (const char *const[2]){event->name, umask}, what);
}

static void compare_event(struct peer *p, const pfm_pmu_info_t *pmu, int index)
{
  pfm_event_info_t event = {.size = sizeof event};
  assert_int_equal(pfm_get_event_info(index, PFM_OS_NONE, &event), PFM_SUCCESS);
  bool umasks = false;
  for (int a = 0; a < event.nattrs; a++) {
    pfm_event_attr_info_t attribute = {.size = sizeof attribute};
    assert_int_equal(pfm_get_event_attr_info(index, a, PFM_OS_NONE, &attribute), PFM_SUCCESS);
    if (attribute.type != PFM_ATTR_UMASK)
      continue;
    umasks = true;
    pfm_compare(p, pmu, &event, attribute.name);
  }
  if (!umasks)
    pfm_compare(p, pmu, &event, "");
}

/* True for the first instance of each kind of unit; the others have the same events. */
static bool is_first(const char *name)
{
  size_t length = strlen(name);
  return !strncmp(name, "snbep_unc_", 10) && (name[length - 1] < '1' || name[length - 1] > '9');
}

static void every_event(void **state)
{
  struct peer *p = *state;
  unsigned units = 0;
  for (int i = PFM_PMU_NONE; i < PFM_PMU_MAX; i++) {
    pfm_pmu_info_t pmu = {.size = sizeof pmu};
    if (pfm_get_pmu_info((pfm_pmu_t)i, &pmu) != PFM_SUCCESS || !is_first(pmu.name))
      continue;
    units++;
    for (int e = pmu.first_event; e != -1; e = pfm_get_event_next(e))
      compare_event(p, &pmu, e);
  }
  print_message("libpfm4: %u units, %u events and umasks, %u the same\n", units, p->compared, p->equal);
  assert_int_equal(units, 8);
  if (p->compared != KNOWN) {
    print_message("SKIPPED: another libpfm4 than 4.13, which has %d\n", KNOWN);
    skip();
  }
  assert_int_equal(p->explain.unexplained, 0);
  assert_int_equal(explain_stale(&p->explain), 0);
}

static int pfm_set_up(void **state)
{
  static struct peer p;
  assert_int_equal(pmon_context_new(&p.context), 0);
  assert_int_equal(pmon_platform_find(p.context, "snbep", &p.platform), 0);
  assert_int_equal(explain_open(&p.explain, "libpfm4-differences.tsv"), 0);
  *state = &p;
  return 0;
}

static int pfm_tear_down(void **state)
{
  struct peer *p = *state;
  explain_close(&p->explain);
  pmon_context_free(p->context);
  return 0;
}

int main(void)
{
  setenv("LIBPFM_ENCODE_INACTIVE", "1", 1); /* encode for processors other than the host's */
  if (pfm_initialize() != PFM_SUCCESS) {
    fprintf(stderr, "SKIPPED: libpfm4 does not start here\n");
    return SKIPPED;
  }
  const struct CMUnitTest tests[] = {cmocka_unit_test_setup_teardown(every_event, pfm_set_up, pfm_tear_down)};
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  pfm_terminate();
  return failed;
}
