/* SPDX-License-Identifier: MIT */
/*
 * The E5-2600's events against libpfm4: each of its names must resolve here to the same register values. Where it does
 * not, the table of verdicts says why; a verdict that no longer applies fails the test too.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <perfmon/pfmlib.h>
#include <pmon/context.h>
#include <pmon/encode.h>
#include <pmon/event.h>
#include <pmon/platform.h>

enum { ENABLE = 1 << 22 };      /* libpfm4 leaves it to the kernel */

static struct pmon_context *context;
static const struct pmon_platform *snbep;
static unsigned n_same;

/* What differs, and who is right. Umask NULL: the event itself. */
static struct { const char *event, *umask, *why; unsigned seen; } verdicts[] = {
  { "UNC_C_LLC_LOOKUP", "ANY", "not in the guide: 0x1f of a later processor", 0 },
  { "UNC_C_LLC_LOOKUP", "NID", "libpfm4 has bit 6 alone and adds DATA_READ; the guide has bits 6 and 0", 0 },
  { "UNC_M_CLOCKTICKS", NULL, "the fixed counter, which libpfm4 gives the code 0xff that only Linux knows", 0 },
  { "UNC_P_FREQ_MIN_IO_P_CYCLES", NULL, "libpfm4 asks for a C-state of cores, the guide does not", 0 },
  { "UNC_P_FREQ_MIN_PERF_P_CYCLES", NULL, "libpfm4 asks for a C-state of cores, the guide does not", 0 },
  { "UNC_P_FREQ_TRANS_CYCLES", NULL, "libpfm4 asks for a C-state of cores, the guide does not", 0 },
  { "UNC_Q_CTO_COUNT", NULL, "libpfm4 leaves out the extension bit that the guide's list has", 0 },
  { "UNC_R2_RING_AD_USED", "CW_ANY", "sum of CW_EVEN and CW_ODD, no row of the guide", 0 },
  { "UNC_R2_RING_AD_USED", "CCW_ANY", "sum of CCW_EVEN and CCW_ODD, no row of the guide", 0 },
  { "UNC_R2_RING_AD_USED", "ANY", "sum of all four, no row of the guide", 0 },
  { "UNC_R2_RING_AK_USED", "CW_ANY", "sum of CW_EVEN and CW_ODD, no row of the guide", 0 },
  { "UNC_R2_RING_AK_USED", "CCW_ANY", "sum of CCW_EVEN and CCW_ODD, no row of the guide", 0 },
  { "UNC_R2_RING_AK_USED", "ANY", "sum of all four, no row of the guide", 0 },
  { "UNC_R2_RING_BL_USED", "CW_ANY", "sum of CW_EVEN and CW_ODD, no row of the guide", 0 },
  { "UNC_R2_RING_BL_USED", "CCW_ANY", "sum of CCW_EVEN and CCW_ODD, no row of the guide", 0 },
  { "UNC_R2_RING_BL_USED", "ANY", "sum of all four, no row of the guide", 0 },
};

static bool has_verdict(const char *event, const char *umask)
{
  for (size_t i = 0; i < sizeof verdicts / sizeof *verdicts; i++)
    if (!strcasecmp(verdicts[i].event, event) && !strcasecmp(verdicts[i].umask ? verdicts[i].umask : "", umask)) {
      verdicts[i].seen++;
      return true;
    }
  return false;
}

/* The control value, and the first filter's, that pmon writes. */
static bool encode(const char *text, uint64_t *ret_ctl, uint64_t *ret_filter)
{
  struct pmon_event *e = NULL;
  struct pmon_image image;
  uint32_t counter = 0;
  if (pmon_event_resolve(context, snbep, text, &e) != PMON_OK)
    return false;
  while (!(pmon_event_counters(e) >> counter & 1))
    counter++;
  bool done = pmon_event_encode(e, 0, 0, counter, &image) == PMON_OK && image.n;
  pmon_event_free(e);
  if (!done)
    return false;
  *ret_ctl = image.registers[image.n - 1].value & ~(uint64_t)ENABLE;
  *ret_filter = image.n > 1 ? image.registers[0].value : 0;
  return true;
}

/* Tries the name with filters behind it until libpfm4 takes it; ours must say the same. */
static bool same(const char *name)
{
  static const char *const filters[] = { "", ":OPC_PCIRDCUR", ":nf=1", ":OPC_DRD:nf=2", ":STATE_M", ":STATE_MESIF:nf=1", ":ff=16" };
  bool any = false;
  for (size_t i = 0; i < sizeof filters / sizeof *filters; i++) {
    char text[256];
    uint64_t *codes = NULL, ctl, filter;
    int n = 0;
    snprintf(text, sizeof text, "%s%s", name, filters[i]);
    if (pfm_get_event_encoding(text, PFM_PLM0 | PFM_PLM3, NULL, NULL, &codes, &n) != PFM_SUCCESS)
      continue;
    bool equal = encode(text, &ctl, &filter) && n && codes[0] == ctl && (n > 1 ? codes[1] : 0) == filter;
    free(codes);
    any = any || equal;
  }
  return any;
}

static void compare(const char *pmu, const char *event, const char *umask)
{
  char name[256];
  snprintf(name, sizeof name, *umask ? "%s::%s:%s" : "%s::%s", pmu, event, umask);
  if (same(name))
    n_same++;
  else if (!has_verdict(event, umask))
    fail_msg("%s differs: %s", name, pmon_context_error(context));
}

static void compare_event(const char *pmu, int row)
{
  pfm_event_info_t e = { .size = sizeof e };
  unsigned umasks = 0;
  if (pfm_get_event_info(row, PFM_OS_NONE, &e) != PFM_SUCCESS)
    fail_msg("libpfm4 has no event %d", row);
  for (int i = 0; i < e.nattrs; i++) {
    pfm_event_attr_info_t a = { .size = sizeof a };
    if (pfm_get_event_attr_info(row, i, PFM_OS_NONE, &a) != PFM_SUCCESS || a.type != PFM_ATTR_UMASK ||
        !strncmp(a.name, "OPC_", 4) || !strncmp(a.name, "STATE_", 6))      /* filters: compare() adds them */
      continue;
    if (!strncmp(e.name, "UNC_P_FREQ_", 11))         /* see the verdicts */
      continue;
    umasks++;
    compare(pmu, e.name, a.name);
  }
  if (!umasks)
    compare(pmu, e.name, "");
}

static void every_name_of_libpfm4_means_the_same(void **state)
{
  (void)state;
  unsigned pmus = 0;
  for (int p = 0; p < PFM_PMU_MAX; p++) {
    pfm_pmu_info_t info = { .size = sizeof info };
    if (pfm_get_pmu_info((pfm_pmu_t)p, &info) != PFM_SUCCESS || strncmp(info.name, "snbep_unc_", 10))
      continue;
    size_t last = strlen(info.name) - 1;
    if (strchr("1234567", info.name[last]))
      continue;                                      /* the first instance stands for all */
    pmus++;
    for (int e = info.first_event; e != -1; e = pfm_get_event_next(e))
      compare_event(info.name, e);
  }
  assert_int_equal(pmus, 8);
  assert_true(n_same > 350);
  for (size_t i = 0; i < sizeof verdicts / sizeof *verdicts; i++)
    if (!verdicts[i].seen)
      fail_msg("%s.%s no longer differs", verdicts[i].event, verdicts[i].umask ? verdicts[i].umask : "");
}

static int set_up(void **state)
{
  (void)state;
  setenv("LIBPFM_ENCODE_INACTIVE", "1", 1);
  return pfm_initialize() == PFM_SUCCESS && pmon_context_new(&context) == PMON_OK &&
         pmon_platform_find(context, "snbep", &snbep) == PMON_OK ? 0 : -1;
}

static int tear_down(void **state)
{
  (void)state;
  pmon_context_free(context);
  pfm_terminate();
  return 0;
}

int main(void)
{
  static const struct CMUnitTest tests[] = { cmocka_unit_test(every_name_of_libpfm4_means_the_same) };
  return cmocka_run_group_tests_name("snbep against libpfm4", tests, set_up, tear_down);
}
