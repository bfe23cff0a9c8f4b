/* SPDX-License-Identifier: MIT */
/*
 * The measurements of names.c with libpfm4: start-up with the first look-up, one look-up, and the encodings of all
 * events of its Sandy Bridge-EP and (where it has them) Sapphire Rapids uncore PMUs. Its text interface looks up and
 * encodes in one call. Arguments as in names.c: start, nothing, time|count|texts PREFIX [FILE], for PMUs PREFIX_unc_*.
 */
#include <perfmon/pfmlib.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "bench/counted.h"
#include "bench/median.h"

#define MOST 8192
#define TEXT 512
#define EVENT "snbep_unc_cbo0::UNC_C_TOR_INSERTS:MISS_ALL"

enum mode { TIME, COUNT, TEXTS };

static double ns[MOST]; /* times of the texts */
static size_t n_ns;

static int bench_pfm_encode(const char *text)
{
  uint64_t *codes = NULL;
  int n = 0, status = pfm_get_event_encoding(text, PFM_PLM0 | PFM_PLM3, NULL, NULL, &codes, &n);
  free(codes);
  return status;
}

/* Returns the time of an encoding in ns, the best of a few runs; negative when the text is no event. */
static double best_of(const char *text, int runs, int times)
{
  double best = 1e12;
  for (int run = 0; run < runs; run++) {
    double begin = now_ns();
    for (int i = 0; i < times; i++)
      if (bench_pfm_encode(text) != PFM_SUCCESS)
        return -1;
    double took = (now_ns() - begin) / times;
    best = took < best ? took : best;
  }
  return best;
}

/* Times one text, has Callgrind count it, or prints it if it is an event. */
static void one_event(const char *text, enum mode mode)
{
  if (mode == TIME) {
    double took = best_of(text, 5, 50);
    if (took >= 0 && n_ns < MOST)
      ns[n_ns++] = took;
  } else if (bench_pfm_encode(text) == PFM_SUCCESS && mode == COUNT) {
    COUNTED_BEGIN();
    for (int i = 0; i < COUNTED_TIMES; i++)
      bench_pfm_encode(text);
    COUNTED_END();
  } else if (bench_pfm_encode(text) == PFM_SUCCESS) {
    puts(text);
  }
}

/* Handles one event, alone and with each of its umasks. */
static void event_texts(const pfm_pmu_info_t *p, int e, enum mode mode)
{
  pfm_event_info_t event = {.size = sizeof event};
  if (pfm_get_event_info(e, PFM_OS_NONE, &event) != PFM_SUCCESS)
    return;
  for (int a = -1; a < event.nattrs; a++) {
    pfm_event_attr_info_t attr = {.size = sizeof attr};
    char text[TEXT];
    if (a >= 0 && (pfm_get_event_attr_info(e, a, PFM_OS_NONE, &attr) != PFM_SUCCESS || attr.type != PFM_ATTR_UMASK))
      continue;
    snprintf(text, sizeof text, "%s::%s%s%s", p->name, event.name, a >= 0 ? ":" : "", a >= 0 ? attr.name : "");
    one_event(text, mode);
  }
}

static void print_median(const char *platform, const char *which)
{
  if (n_ns)
    printf("text to registers, median, %s%s\t%.0f\tns (%zu)\n", platform, which, median(ns, n_ns), n_ns);
  n_ns = 0;
}

/* Handles all events of the first instance of each PMU whose name begins with `prefix`. */
static void all_events(const char *prefix, enum mode mode)
{
  int pmu;
  pfm_for_all_pmus(pmu)
  {
    pfm_pmu_info_t p = {.size = sizeof p};
    if (pfm_get_pmu_info((pfm_pmu_t)pmu, &p) != PFM_SUCCESS || strncmp(p.name, prefix, strlen(prefix)) != 0)
      continue;
    size_t length = strlen(p.name);
    if (p.name[length - 1] >= '1' && p.name[length - 1] <= '9')
      continue;
    for (int e = p.first_event; e >= 0; e = pfm_get_event_next(e))
      event_texts(&p, e, mode);
  }
}

static int file_events(const char *path, enum mode mode)
{
  char text[TEXT];
  FILE *f = fopen(path, "r");
  if (!f)
    return 1;
  while (fgets(text, sizeof text, f)) {
    text[strcspn(text, "\n")] = '\0';
    one_event(text, mode);
  }
  fclose(f);
  return 0;
}

/* The measurements without arguments. */
static void all(void)
{
  printf("look-up %s\t%.0f\tns\n", EVENT, best_of(EVENT, 15, 400));
  all_events("spr_unc_", TIME);
  print_median("emr", "");
  all_events("snbep_unc_", TIME);
  print_median("snbep", "");
}

int main(int argc, char **argv)
{
  static const char *const modes[] = {[TIME] = "time", [COUNT] = "count", [TEXTS] = "texts"};
  if (argc > 1 && strcmp(argv[1], "nothing") == 0)
    return 0;
  setenv("LIBPFM_ENCODE_INACTIVE", "1", 1);
  double begin = now_ns();
  if (pfm_initialize() != PFM_SUCCESS || bench_pfm_encode(EVENT) != PFM_SUCCESS)
    return 1;
  double took = now_ns() - begin;
  int failed = 0;
  if (argc == 1) {
    printf("start-up, first look-up\t%.1f\tus\n", took / 1000);
    all();
  }
  for (int m = TIME; m <= TEXTS && argc > 2; m++)
    if (strcmp(argv[1], modes[m]) == 0) {
      char prefix[64];
      snprintf(prefix, sizeof prefix, "%s_unc_", argv[2]);
      if (argc > 3)
        failed = file_events(argv[3], (enum mode)m);
      else
        all_events(prefix, (enum mode)m);
      print_median(argv[2], ", libpfm4's texts");
    }
  pfm_terminate();
  return failed;
}
