/* SPDX-License-Identifier: MIT */
#include "tests/event/toy.h"
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct pmon_context *context;
const struct pmon_platform *emr, *toy;

static const struct {
  const char *name, *text;
} files[] = {
    {"toy.platform",
     "platform toy\n  title a toy\n  cite none\n  cpu ToyVendor 6 0x99 1-3\n  clock tick 1000 all of it\n"
     "  file toy.reg\n  file toy.unit\n  file toy.evt\n"},
    {"toy.reg", "cite none\n"
                "values COLOUR\n  0x1 red what red is\n  0x2 blue what blue is\n"
                "values WHO\n  form who 5:2 1:0\n"
                "register BOX_CTL width 32\n"
                "  31:24 thresh rw 0 compared\n  23 invert rw 0 below\n  22 en rw 0 counts\n  21:19 - rsvd 0 -\n"
                "  18 edge_det rw 0 alias=edge changes\n  17 rst wo 0 clears\n  16 tid_en rw 0 filters\n"
                "  15:8 umask rw 0 parts\n  7:0 ev_sel rw 0 which\n"
                "overlay PAINT on BOX_CTL\n  25:24 colour rw 0 values=COLOUR paint\n"
                "register BOX_FILTER width 32\n  31:6 - rsvd 0 -\n  5:0 tid rw 0 values=WHO who\n"
                "register BOX_CTR width 64\n  63:44 - rsvd 0 -\n  43:0 count rw 0 volatile counted\n"},
    {"toy.unit",
     "cite none\n"
     "unit box\n  title boxes\n  cite none\n  prefix UNC_B_\n  perf uncore_box\n  pfm toy_unc_box\n  alias crate\n"
     "  instances 3\n  counters 4 width 44\n  clock tick\n  events box\n  at msr 0x100 step 0x20 count 3\n"
     "  register ctl B_CTL BOX_CTL 0x0 count 4 step 1\n  register ctr B_CTR BOX_CTR 0x8 count 4 step 1\n"
     "  register filter B_FILTER BOX_FILTER 0x4\n"
     "unit crate2\n  title crates of the second kind\n  cite none\n  prefix UNC_C2_\n  perf uncore_crate2\n"
     "  instances 3\n  counters 4 width 44\n  clock tick\n  events crate2\n  at msr 0x200 step 0x20 count 3\n"
     "  register ctl C2_CTL BOX_CTL 0x0 count 4 step 1\n  register ctr C2_CTR BOX_CTR 0x8 count 4 step 1\n"},
    {"toy.evt", "events box\ncite none\n"
                "event PLAIN 0x01 counters 0-3\n  brief plain\n"
                "event PARTS 0x02 counters 0,2 groups 0x0f\n  brief parts\n"
                "  umask A 0x01 | a\n  umask B 0x02 counters 0 | b\n  umask ALL 0x0f default | all\n"
                "event ALONE 0x03 counters 0-3 exclusive\n  brief alone\n  umask A 0x01 | a\n  umask B 0x02 | b\n"
                "event BARE 0x04 counters 0-3 bare\n  brief bare\n  umask A 0x01 | a\n"
                "event PAINTED 0x05 counters 0-3 overlay PAINT\n  brief painted\n"
                "event WHOSE 0x06 counters 0-3 filters FILTER.tid!\n  brief whose\n"
                "events crate2\ncite none\nevent OPENED 0x01 counters 0-3\n  brief opened\n"},
};

/* Writes the platform's files into a new directory, loads them, and removes them again. Returns NULL on failure. */
static const struct pmon_platform *toy_load(void)
{
  char directory[] = "/tmp/pmon-toy-XXXXXX", path[64];
  const struct pmon_platform *platform = NULL;
  if (!mkdtemp(directory))
    return NULL;
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    snprintf(path, sizeof path, "%s/%s", directory, files[i].name);
    FILE *f = fopen(path, "w");
    if (f) {
      fputs(files[i].text, f);
      fclose(f);
    }
  }
  snprintf(path, sizeof path, "%s/toy.platform", directory);
  if (pmon_context_load(context, path) != PMON_OK || pmon_platform_find(context, "TOY", &platform) != PMON_OK)
    fprintf(stderr, "%s\n", pmon_context_error(context));
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    snprintf(path, sizeof path, "%s/%s", directory, files[i].name);
    unlink(path);
  }
  rmdir(directory);
  return platform;
}

int toy_set_up(void **state)
{
  (void)state;
  if (pmon_context_new(&context) != PMON_OK || pmon_platform_find(context, "emr", &emr) != PMON_OK)
    return -1;
  toy = toy_load();
  return toy ? 0 : -1;
}

int toy_tear_down(void **state)
{
  (void)state;
  pmon_context_free(context);
  return 0;
}
