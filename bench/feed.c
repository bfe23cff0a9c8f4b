/* SPDX-License-Identifier: MIT */
/*
 * Feeds a synthetic recording to a small machine; bench/instructions.sh counts the instructions. The recording has
 * blocks and accesses of all kinds; most accesses hit the L1, as those of programs do.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>
#include "machine/config.h"
#include "machine/machine.h"
#include "machine/trace/workload.h"
#include "tests/trace/recording.h"

static _Noreturn void feed_fail(const char *error)
{
  fprintf(stderr, "bench_feed: %s\n", error);
  exit(2);
}

static struct machine *feed_machine(void)
{
  static const char *const settings[] = {"sockets=1", "cores=2", "chas=4", "imcs=1"};
  struct machine_config config;
  struct machine *m = NULL;
  char error[256] = "";

  machine_config_init(&config);
  for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
    if (machine_config_parse(&config, settings[i], error, sizeof error))
      feed_fail(error);
  if (machine_new(&config, error, sizeof error, &m))
    feed_fail(error);
  return m;
}

int main(void)
{
  const struct recording_shape shape = {
      .seed = 1, .threads = 1, .blocks = 1000, .executed = 200000, .lines = 900, .vectors = true, .plain = true};
  struct placement *p = NULL;
  struct machine_workload *w = NULL;
  struct machine *m = feed_machine();
  struct recording r;
  char error[TRACE_ERROR_SIZE] = "";
  bool ended = false;

  recording_make(&shape, &r);
  recording_say_alone(&r); /* as records of programs do */
  if (placement_new(NULL, 1, 2, error, sizeof error, &p) ||
      trace_workload_new(recording_source(&r, CUT_ANY, 4000), p, &w))
    feed_fail(error);
  machine_attach(m, w);
  if (machine_run(m, UINT64_MAX, &ended, error, sizeof error) || !ended)
    feed_fail(error);
  printf("%llu fs\n", (unsigned long long)machine_now_fs(m));
  machine_free(m);
  recording_fini(&r);
  return 0;
}
