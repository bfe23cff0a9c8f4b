/* SPDX-License-Identifier: MIT */
/* Measures how many accesses a second the machine simulates, by the level that serves them: `traffic [MILLIONS [PART OF
 * A RUN'S NAME]]`. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "bench/deaf.h"
#include "machine/common/fast.h"
#include "machine/config.h"
#include "machine/model.h"
#include "machine/common/totals.h"
#include "machine/common/traffic.h"

static double bench_traffic_seconds(void)
{
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Runs accesses of 8 bytes, in order or scattered over `span` bytes (a power of two); a fifth of them are stores. */
static void bench_traffic_run(const char *only, const char *name, uint64_t span, unsigned step, unsigned cores,
                              uint64_t n)
{
  struct machine_config config;
  struct traffic *t;
  if (!strstr(name, only))
    return;
  machine_config_init(&config);
  if (traffic_new(&config, model_of(&config)->uncore, NULL, &t)) {
    fputs("no memory\n", stderr);
    exit(1);
  }
  uint64_t r = 1, at = 0;
  for (unsigned i = 0; i < cores; i++)
    traffic_core_wake(t, i);
  double begin = bench_traffic_seconds();
  for (uint64_t i = 0; i < n; i++) {
    unsigned core = cores > 1 ? (unsigned)(i % cores) : 0;
    if (step) {
      at = (at + step) & (span - 1);
    } else {
      r = r * 6364136223846793005u + 1442695040888963407u;
      at = r >> 20 & (span - 8);
    }
    if (!(i & 3))
      traffic_block_fast(t, core, 0x401000 + (i & 0xf0), 16, 8);
    traffic_access_fast(t, core, 0x10000000 + at, 8, i % 5 ? ACCESS_LOAD : ACCESS_STORE);
  }
  double took = bench_traffic_seconds() - begin;
  struct traffic_totals totals = {0}, one;
  for (unsigned s = 0; s < 2; s++) {
    traffic_totals(t, s, &one);
    totals.cas_reads += one.cas_reads;
    totals.row_hits += one.row_hits;
    totals.cas_writes += one.cas_writes;
  }
  double simulated = (double)traffic_now(t) * 1e-15;
  printf("%-34s %8.1f M accesses/s, %6.2f M DRAM reads/s, %5.1f GB/s simulated, row hits %4.1f %%\n", name,
         (double)n / took * 1e-6, (double)totals.cas_reads / took * 1e-6,
         (double)(totals.cas_reads + totals.cas_writes) * 64e-9 / simulated,
         100.0 * (double)totals.row_hits / (double)(totals.cas_reads + totals.cas_writes + 1));
  traffic_free(t);
}

int main(int argc, char **argv)
{
  uint64_t million = (uint64_t)(1e6 * (argc > 1 ? strtod(argv[1], NULL) : 1));
  const char *only = argc > 2 ? argv[2] : "";
  bench_traffic_run(only, "one line", 64, 8, 1, 200 * million);
  bench_traffic_run(only, "first level, in order", 16 << 10, 8, 1, 200 * million);
  bench_traffic_run(only, "first level, scattered", 16 << 10, 0, 1, 100 * million);
  bench_traffic_run(only, "second level, scattered", 1 << 20, 0, 1, 20 * million);
  bench_traffic_run(only, "last level, scattered", 64 << 20, 0, 1, 6 * million);
  bench_traffic_run(only, "memory, scattered", 4ull << 30, 0, 1, 6 * million);
  bench_traffic_run(only, "memory, in order", 1ull << 30, 8, 1, 60 * million);
  bench_traffic_run(only, "memory, scattered, 64 cores", 4ull << 30, 0, 64, 6 * million);
  return 0;
}
