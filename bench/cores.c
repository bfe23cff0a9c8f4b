/* SPDX-License-Identifier: MIT */
/* Measures how many retired bundles a second Montecito's cores simulate, with no counter on and with all twelve. */
#include <stdio.h>
#include <time.h>
#include "machine/montecito/machine.h"
#include "machine/montecito/stream/stream.h"

enum { BUNDLES = 2000000, RUNS = 3 };

static double bench_cores_seconds(void)
{
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Programs events of all parts, with the leaders that the sets need. */
static void bench_cores_program(struct montecito_machine *m)
{
  static const uint8_t codes[] = {0xe6, 0xc7, 0xf0, 0xdd, 0x00, 0x8a, 0x12, 0x08, 0x54, 0x40, 0x50, 0x5b};
  for (unsigned i = 0; i < sizeof codes; i++) {
    const struct pmon_address a = {.space = PMON_SPACE_PMC, .width_bits = 64, .offset = MONTECITO_FIRST_COUNTER + i};
    montecito_machine_write(m, &a, UINT64_C(0x7a00000f) | (uint64_t)codes[i] << 8 | (i == 0 ? 3u << 16 : 0));
  }
}

/* Returns bundles a second, in millions; 0 when the run failed. */
static double bench_cores_run(unsigned workload, bool counting)
{
  struct montecito_machine *m = NULL;
  struct montecito_source *source = NULL;
  char error[256] = "";
  bool ended = false;
  double start, taken;
  if (montecito_machine_new(&m) || montecito_generator_new(workload, BUNDLES, 1, &source))
    return 0;
  montecito_machine_attach(m, source);
  if (counting)
    bench_cores_program(m);
  start = bench_cores_seconds();
  if (montecito_machine_run(m, UINT64_MAX, &ended, error, sizeof error))
    fprintf(stderr, "%s\n", error);
  taken = bench_cores_seconds() - start;
  montecito_machine_free(m);
  return ended ? BUNDLES * 1e-6 / taken : 0;
}

int main(void)
{
  for (unsigned w = 0; w < WORKLOAD_N; w++) {
    double best[2] = {0};
    for (unsigned i = 0; i < RUNS * 2; i++) {
      const double rate = bench_cores_run(w, i % 2);
      best[i % 2] = rate > best[i % 2] ? rate : best[i % 2];
    }
    printf("%-10s %6.2f million bundles/s, %6.2f with twelve counters\n", montecito_workload_name(w), best[0], best[1]);
  }
  return 0;
}
