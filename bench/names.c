/* SPDX-License-Identifier: MIT */
/* What names cost: start-up with the first look-up, look-ups by each spelling, encoding, the whole list. */
#include <stdio.h>
#include <stdint.h>
#include <time.h>
#include <pmon/pmon.h>

#define ROUNDS 200000

static double now_ns(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static int look_up(struct pmon_context *c, const struct pmon_platform *p, const char *text)
{
  double begin = now_ns();
  for (int i = 0; i < ROUNDS; i++) {
    struct pmon_event *e;
    if (pmon_event_resolve(c, p, text, &e) != PMON_OK) {
      fprintf(stderr, "%s\n", pmon_context_error(c));
      return 1;
    }
    pmon_event_free(e);
  }
  printf("look-up  %7.0f ns  %s\n", (now_ns() - begin) / ROUNDS, text);
  return 0;
}

static int encode(struct pmon_context *c, const struct pmon_platform *p, const char *text)
{
  struct pmon_event *e;
  struct pmon_image image;
  if (pmon_event_resolve(c, p, text, &e) != PMON_OK)
    return 1;
  double begin = now_ns();
  uint64_t sum = 0;
  for (unsigned i = 0; i < ROUNDS; i++) {
    if (pmon_event_encode(e, 0, i % 64, i % 4, &image) != PMON_OK)
      return 1;
    sum += image.registers[0].address.offset;
  }
  printf("encode   %7.0f ns  %s (%llu)\n", (now_ns() - begin) / ROUNDS, text, (unsigned long long)sum);
  pmon_event_free(e);
  return 0;
}

int main(void)
{
  static const char *const texts[] = {
    "cha/TOR_INSERTS.IA_MISS_DRD/", "UNC_CHA_TOR_INSERTS.IA_MISS_DRD", "TOR_INSERTS.IA_MISS_DRD",
    "uncore_cha/event=0x35,umask=0xc817fe01/", "spr_unc_cha0::UNC_CHA_TOR_INSERTS:IA_MISS_DRD",
    "cha/TOR_INSERTS.IA,thresh=4,edge/", "cha/TOR_INSERTS.IA,opc=RFO,tid=core3.1/",
  };
  struct pmon_context *c;
  const struct pmon_platform *p;
  struct pmon_event *e;
  double begin = now_ns();
  if (pmon_context_new(&c) != PMON_OK || pmon_platform_find(c, "emr", &p) != PMON_OK ||
      pmon_event_resolve(c, p, texts[0], &e) != PMON_OK)
    return 1;
  printf("start-up %7.0f ns  with the first look-up\n", now_ns() - begin);
  pmon_event_free(e);
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    if (look_up(c, p, texts[i]) != 0)
      return 1;
  if (encode(c, p, "cha/TOR_INSERTS.IA_MISS_DRD/") != 0 || encode(c, p, "cha/TOR_INSERTS.IA,tid=3/") != 0)
    return 1;
  struct pmon_event_cursor at = { 0 };
  struct pmon_event_info info = { .size = sizeof info };
  int rows = 0;
  begin = now_ns();
  while (pmon_event_next(p, UINT32_MAX, &at, &info))
    rows++;
  printf("list     %7.0f us  %d rows\n", (now_ns() - begin) / 1000, rows);
  pmon_context_free(c);
  return 0;
}
