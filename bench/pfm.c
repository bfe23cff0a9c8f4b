/* SPDX-License-Identifier: MIT */
/*
 * The same questions as names.c asks, put to libpfm4: start-up with the first look-up, one look-up, and the encodings
 * of all events of its Sandy Bridge-EP and (where it has them) Sapphire Rapids uncore PMUs. Its text interface looks up
 * and encodes in one.
 */
#include <perfmon/pfmlib.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "bench/median.h"

#define MOST 8192
#define EVENT "snbep_unc_cbo0::UNC_C_TOR_INSERTS:MISS_ALL"

static int encode(const char *text)
{
  uint64_t *codes = NULL;
  int n = 0, status = pfm_get_event_encoding(text, PFM_PLM0 | PFM_PLM3, NULL, NULL, &codes, &n);
  free(codes);
  return status;
}

/* The best of a few runs; negative when the text is no event. */
static double best_of(const char *text, int runs, int times)
{
  double best = 1e12;
  for (int run = 0; run < runs; run++) {
    double begin = now_ns();
    for (int i = 0; i < times; i++)
      if (encode(text) != PFM_SUCCESS)
        return -1;
    double took = (now_ns() - begin) / times;
    best = took < best ? took : best;
  }
  return best;
}

/* All events, with each of their umasks, of the first instance of each of the PMUs whose names begin with `prefix`. */
static void all_events(const char *prefix, const char *platform)
{
  static double ns[MOST];
  size_t n = 0;
  int pmu;
  pfm_for_all_pmus(pmu) {
    pfm_pmu_info_t p = { .size = sizeof p };
    if (pfm_get_pmu_info((pfm_pmu_t)pmu, &p) != PFM_SUCCESS || strncmp(p.name, prefix, strlen(prefix)) != 0)
      continue;
    size_t length = strlen(p.name);
    if (p.name[length - 1] >= '1' && p.name[length - 1] <= '9')
      continue;
    for (int e = p.first_event; e >= 0; e = pfm_get_event_next(e)) {
      pfm_event_info_t event = { .size = sizeof event };
      if (pfm_get_event_info(e, PFM_OS_NONE, &event) != PFM_SUCCESS)
        continue;
      for (int a = -1; a < event.nattrs && n < MOST; a++) {
        pfm_event_attr_info_t attr = { .size = sizeof attr };
        char text[512];
        if (a >= 0 && (pfm_get_event_attr_info(e, a, PFM_OS_NONE, &attr) != PFM_SUCCESS || attr.type != PFM_ATTR_UMASK))
          continue;
        snprintf(text, sizeof text, "%s::%s%s%s", p.name, event.name, a >= 0 ? ":" : "", a >= 0 ? attr.name : "");
        double took = best_of(text, 5, 50);
        if (took >= 0)
          ns[n++] = took;
      }
    }
  }
  if (n)
    printf("text to registers, median, %s\t%.0f\tns (%zu)\n", platform, median(ns, n), n);
}

int main(int argc, char **argv)
{
  if (argc > 1 && strcmp(argv[1], "nothing") == 0)
    return 0;
  setenv("LIBPFM_ENCODE_INACTIVE", "1", 1);
  double begin = now_ns();
  if (pfm_initialize() != PFM_SUCCESS || encode(EVENT) != PFM_SUCCESS)
    return 1;
  double took = now_ns() - begin;
  if (argc > 1)
    return 0;
  printf("start-up, first look-up\t%.1f\tus\n", took / 1000);
  printf("look-up %s\t%.0f\tns\n", EVENT, best_of(EVENT, 15, 400));
  all_events("spr_unc_", "emr");
  all_events("snbep_unc_", "snbep");
  pfm_terminate();
  return 0;
}
