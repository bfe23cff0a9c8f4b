/* SPDX-License-Identifier: MIT */
/*
 * Measures the cost of names: start-up with the first look-up, look-ups by each spelling, and text to registers for all
 * events of a platform. Prints lines of the form `what<TAB>figure<TAB>unit`. Times are processor time: the best of some
 * runs for one name, the median over the names of a platform.
 *   names start                    the start-up alone; `names nothing`: nothing, for tools that count instructions
 *   names time PLATFORM FILE       times the events in FILE, one a line, in any spelling
 *   names count PLATFORM [FILE]    has Callgrind count them: it writes a dump for each
 *   names texts PLATFORM [FILE]    prints their texts
 */
#include <stdio.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <pmon/pmon.h>
#include "bench/counted.h"
#include "bench/median.h"

#define RUNS 15
#define TIMES 4000
#define MOST 8192
#define TEXT 512

static int start(bool print)
{
  struct pmon_context *c;
  const struct pmon_platform *p;
  struct pmon_event *e;
  double begin = now_ns();
  if (pmon_context_new(&c) != PMON_OK || pmon_platform_find(c, "emr", &p) != PMON_OK ||
      pmon_event_resolve(c, p, "cha/TOR_INSERTS.IA_MISS_DRD/", &e) != PMON_OK)
    return 1;
  double took = now_ns() - begin;
  if (print)
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

/* Encodes an event `times` times. Returns a value that depends on all encodings, so that the compiler keeps them. */
static uint64_t bench_names_encode(const struct pmon_event *e, int times)
{
  struct pmon_image image;
  uint64_t keep = 0;
  for (int i = 0; i < times; i++) {
    pmon_event_encode(e, 0, 0, lowest_bit(pmon_event_counters(e)), &image);
    keep += image.registers[0].value + image.counter.offset;
  }
  return keep;
}

/* Resolves and encodes a text `times` times. False: the text is no event. */
static bool encode_text(struct pmon_context *c, const struct pmon_platform *p, const char *text, int times)
{
  uint64_t keep = 0;
  for (int i = 0; i < times; i++) {
    struct pmon_event *e;
    if (pmon_event_resolve(c, p, text, &e) != PMON_OK)
      return false;
    keep += bench_names_encode(e, 1);
    pmon_event_free(e);
  }
  __asm__ volatile("" : : "r"(keep)); /* the compiler keeps the encodings */
  return true;
}

/* Times one event of the platform, in ns, without and with the look-up: the best of a few runs each. */
static void time_event(struct pmon_context *c, const struct pmon_platform *p, const char *text, double ret_ns[2])
{
  struct pmon_event *e;
  ret_ns[0] = ret_ns[1] = 1e12;
  if (pmon_event_resolve(c, p, text, &e) != PMON_OK)
    return;
  for (int run = 0; run < 5; run++) {
    double begin = now_ns();
    uint64_t keep = bench_names_encode(e, 200);
    double middle = now_ns();
    encode_text(c, p, text, 200);
    double end = now_ns();
    __asm__ volatile("" : : "r"(keep));
    ret_ns[0] = (middle - begin) / 200 < ret_ns[0] ? (middle - begin) / 200 : ret_ns[0];
    ret_ns[1] = (end - middle) / 200 < ret_ns[1] ? (end - middle) / 200 : ret_ns[1];
  }
  pmon_event_free(e);
}

/* Makes the texts of all events of a platform, except those that count only with a filter. Returns their number. */
static size_t all_texts(struct pmon_context *c, const struct pmon_platform *p, char (*texts)[TEXT])
{
  struct pmon_event_cursor at = {0};
  struct pmon_event_info info = {.size = sizeof info};
  size_t n = 0;
  while (n < MOST && pmon_event_next(p, UINT32_MAX, &at, &info)) {
    snprintf(texts[n], TEXT, "%s/%s%s%s/", strcmp(info.unit, "cms") ? info.unit : "cha", info.event,
             info.umask ? "." : "", info.umask ? info.umask : "");
    n += encode_text(c, p, texts[n], 1);
  }
  return n;
}

/* Reads the texts of a file, one a line, as other tools spell them. Returns the number of those that are events. */
static size_t file_texts(struct pmon_context *c, const struct pmon_platform *p, const char *path, char (*texts)[TEXT])
{
  FILE *f = fopen(path, "r");
  size_t n = 0;
  if (!f)
    return 0;
  while (n < MOST && fgets(texts[n], TEXT, f)) {
    texts[n][strcspn(texts[n], "\n")] = '\0';
    n += encode_text(c, p, texts[n], 1);
  }
  fclose(f);
  return n;
}

enum mode { TIME, COUNT, TEXTS };

/* Times each text of the file `path`, or of all events of the platform if it is NULL; or has Callgrind count it, or
 * prints it. */
static int all_events(struct pmon_context *c, const char *name, const char *path, enum mode mode)
{
  static double alone[MOST], whole[MOST];
  static char texts[MOST + 1][TEXT];
  const struct pmon_platform *p;
  if (pmon_platform_find(c, name, &p) != PMON_OK)
    return 1;
  size_t n = path ? file_texts(c, p, path, texts) : all_texts(c, p, texts);
  for (size_t i = 0; i < n; i++) {
    double ns[2] = {0, 0};
    if (mode == TIME)
      time_event(c, p, texts[i], ns);
    alone[i] = ns[0];
    whole[i] = ns[1];
    if (mode == COUNT) {
      COUNTED_BEGIN();
      encode_text(c, p, texts[i], COUNTED_TIMES);
      COUNTED_END();
    }
    if (mode == TEXTS)
      puts(texts[i]);
  }
  if (mode == TIME && n) {
    if (!path)
      printf("encode, median of %zu %s events\t%.0f\tns\n", n, name, median(alone, n));
    printf("text to registers, median, %s%s\t%.0f\tns\n", name, path ? ", libpfm4's texts" : "", median(whole, n));
  }
  return n == 0;
}

/* Times the names of the platforms. */
static int all(void)
{
  static const char *const texts[] = {
      "cha/TOR_INSERTS.IA_MISS_DRD/",
      "UNC_CHA_TOR_INSERTS.IA_MISS_DRD",
      "TOR_INSERTS.IA_MISS_DRD",
      "uncore_cha/event=0x35,umask=0xc817fe01/",
      "spr_unc_cha0::UNC_CHA_TOR_INSERTS:IA_MISS_DRD:e:t=1",
      "TOR_INSERTS.IA_MISS_DRD{edge_det,thresh=0x1}",
      "cha/TOR_INSERTS.IA,opc=RFO,tid=core3.1/",
  };
  struct pmon_context *c;
  const struct pmon_platform *p;
  if (start(true) != 0 || pmon_context_new(&c) != PMON_OK || pmon_platform_find(c, "emr", &p) != PMON_OK)
    return 1;
  int failed = 0;
  for (size_t i = 0; !failed && i < sizeof texts / sizeof *texts; i++)
    failed = look_up(c, p, texts[i]);
  failed = failed || pmon_platform_find(c, "snbep", &p) != PMON_OK ||
           look_up(c, p, "snbep_unc_cbo0::UNC_C_TOR_INSERTS:MISS_ALL");
  failed = failed || all_events(c, "emr", NULL, TIME) || all_events(c, "snbep", NULL, TIME);
  pmon_context_free(c);
  return failed;
}

int main(int argc, char **argv)
{
  static const struct {
    const char *name;
    enum mode mode;
  } modes[] = {{"time", TIME}, {"count", COUNT}, {"texts", TEXTS}};
  struct pmon_context *c;
  if (argc == 1)
    return all();
  if (strcmp(argv[1], "start") == 0)
    return start(false);
  int failed = 0;
  for (size_t i = 0; i < sizeof modes / sizeof *modes && argc > 2; i++)
    if (strcmp(argv[1], modes[i].name) == 0) {
      failed = pmon_context_new(&c) != PMON_OK || all_events(c, argv[2], argv[3], modes[i].mode);
      pmon_context_free(c);
    }
  return failed;
}
