/* SPDX-License-Identifier: MIT */
/*
 * What names cost: start-up with the first look-up, look-ups by each spelling, from text to registers for all events
 * of a platform. Prints lines of the form `what<TAB>figure<TAB>unit`. `names start`: the start-up alone, and
 * `names nothing`: nothing, for tools that count instructions. Times are processor time: the best of some runs for one
 * name, the median over the names of a platform.
 */
#include <stdio.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <pmon/pmon.h>
#include "bench/median.h"

#define RUNS 15
#define TIMES 4000
#define MOST 8192

static int start(bool tell)
{
  struct pmon_context *c;
  const struct pmon_platform *p;
  struct pmon_event *e;
  double begin = now_ns();
  if (pmon_context_new(&c) != PMON_OK || pmon_platform_find(c, "emr", &p) != PMON_OK ||
      pmon_event_resolve(c, p, "cha/TOR_INSERTS.IA_MISS_DRD/", &e) != PMON_OK)
    return 1;
  double took = now_ns() - begin;
  if (tell)
    printf("start-up, first look-up\t%.1f\tus\n", took / 1000);
  pmon_event_free(e);
  pmon_context_free(c);
  return 0;
}

static int look_up(struct pmon_context *c, const struct pmon_platform *p, const char *text)
{
  double best = 1e12;
  for (int run = 0; run < RUNS; run++) {
    double begin = now_ns();
    for (int i = 0; i < TIMES; i++) {
      struct pmon_event *e;
      if (pmon_event_resolve(c, p, text, &e) != PMON_OK) {
        fprintf(stderr, "%s\n", pmon_context_error(c));
        return 1;
      }
      pmon_event_free(e);
    }
    double took = (now_ns() - begin) / TIMES;
    best = took < best ? took : best;
  }
  printf("look-up %s\t%.0f\tns\n", text, best);
  return 0;
}

static uint32_t lowest_bit(uint32_t mask)
{
  return mask ? (uint32_t)__builtin_ctz(mask) : 0;
}

/* The best of a few runs for one event, without and with the look-up. */
static bool time_event(struct pmon_context *c, const struct pmon_platform *p, const char *text, double ret_ns[2])
{
  struct pmon_event *e;
  struct pmon_image image;
  uint64_t keep = 0;
  ret_ns[0] = ret_ns[1] = 1e12;
  if (pmon_event_resolve(c, p, text, &e) != PMON_OK)
    return false;
  for (int run = 0; run < 5; run++) {
    double begin = now_ns();
    for (int i = 0; i < 200; i++) {
      pmon_event_encode(e, 0, 0, lowest_bit(pmon_event_counters(e)), &image);
      keep += image.registers[0].value;
    }
    double took = (now_ns() - begin) / 200;
    ret_ns[0] = took < ret_ns[0] ? took : ret_ns[0];
  }
  pmon_event_free(e);
  for (int run = 0; run < 5; run++) {
    double begin = now_ns();
    for (int i = 0; i < 200; i++) {
      if (pmon_event_resolve(c, p, text, &e) != PMON_OK)
        return false;
      pmon_event_encode(e, 0, 0, lowest_bit(pmon_event_counters(e)), &image);
      keep += image.registers[0].value;
      pmon_event_free(e);
    }
    double took = (now_ns() - begin) / 200;
    ret_ns[1] = took < ret_ns[1] ? took : ret_ns[1];
  }
  __asm__ volatile("" : : "r"(keep));      /* what was encoded was wanted */
  return true;
}

static int all_events(struct pmon_context *c, const char *name)
{
  static double encode[MOST], whole[MOST];
  const struct pmon_platform *p;
  struct pmon_event_cursor at = { 0 };
  struct pmon_event_info info = { .size = sizeof info };
  size_t n = 0;
  if (pmon_platform_find(c, name, &p) != PMON_OK)
    return 1;
  while (n < MOST && pmon_event_next(p, UINT32_MAX, &at, &info)) {
    char text[512];
    double ns[2];
    snprintf(text, sizeof text, "%s/%s%s%s/", strcmp(info.unit, "cms") ? info.unit : "cha", info.event,
             info.umask ? "." : "", info.umask ? info.umask : "");
    if (!time_event(c, p, text, ns))
      continue;                  /* counts only with a filter */
    encode[n] = ns[0];
    whole[n++] = ns[1];
  }
  if (!n)
    return 1;
  printf("encode, median of %zu %s events\t%.0f\tns\n", n, name, median(encode, n));
  printf("text to registers, median, %s\t%.0f\tns\n", name, median(whole, n));
  return 0;
}

int main(int argc, char **argv)
{
  static const char *const texts[] = {
    "cha/TOR_INSERTS.IA_MISS_DRD/", "UNC_CHA_TOR_INSERTS.IA_MISS_DRD", "TOR_INSERTS.IA_MISS_DRD",
    "uncore_cha/event=0x35,umask=0xc817fe01/", "spr_unc_cha0::UNC_CHA_TOR_INSERTS:IA_MISS_DRD:e:t=1",
    "TOR_INSERTS.IA_MISS_DRD{edge_det,thresh=0x1}", "cha/TOR_INSERTS.IA,opc=RFO,tid=core3.1/",
  };
  struct pmon_context *c;
  const struct pmon_platform *p;
  if (argc > 1)
    return strcmp(argv[1], "start") == 0 ? start(false) : 0;
  if (start(true) != 0 || pmon_context_new(&c) != PMON_OK || pmon_platform_find(c, "emr", &p) != PMON_OK)
    return 1;
  int failed = 0;
  for (size_t i = 0; !failed && i < sizeof texts / sizeof *texts; i++)
    failed = look_up(c, p, texts[i]);
  failed = failed || pmon_platform_find(c, "snbep", &p) != PMON_OK ||
           look_up(c, p, "snbep_unc_cbo0::UNC_C_TOR_INSERTS:MISS_ALL");
  failed = failed || all_events(c, "emr") || all_events(c, "snbep");
  pmon_context_free(c);
  return failed;
}
