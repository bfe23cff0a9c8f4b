/* SPDX-License-Identifier: MIT */
/*
 * Measures the cost of counting: the same accesses with no counter programmed, with every counter of both sockets, with
 * thresholds on all counters, and with the counters of mesh stops on mesh events. Then it measures the time to read
 * every counter: once with caches that the accesses have filled with other data, then repeatedly, as a session does.
 * The ways alternate, each several times; the best run counts. `counters [MILLIONS OF ACCESSES [NUMBER OF A SINGLE
 * WAY]]`; a line of output is: name, figure, unit.
 */
#include <stdio.h>
#include <string.h>
#include "bench/median.h"
#include "machine/machine.h"
#include "machine/pmon/map.h"
#include "machine/common/fast.h"
#include "machine/common/traffic.h"

struct work {
  struct machine_workload w;
  uint64_t left, random;
};

enum { SWEEPS = 21, ROUNDS = 3, WAYS = 4 };

static double bench_counters_seconds(void)
{
  return now_ns() * 1e-9;
}

/* 16 cores scatter loads and stores over 256 MB: nearly each goes through CHA, mesh and memory. */
static int work_run(struct machine_workload *w, struct machine *m, uint64_t until, bool *ret_ended, char *error,
                    size_t size)
{
  struct work *k = (struct work *)(void *)w;
  struct traffic *t = machine_traffic(m);
  (void)error, (void)size;
  for (; k->left && traffic_core_time(t, k->left & 15) < until; k->left--) {
    k->random = k->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    traffic_block_fast(t, k->left & 15, 0x401000, 16, 8);
    traffic_access_fast(t, k->left & 15, 0x10000000 + (k->random >> 20 & 0xffffff8), 8,
                        k->left % 5 ? ACCESS_LOAD : ACCESS_STORE);
  }
  *ret_ended = !k->left;
  if (*ret_ended)
    machine_reached(m, traffic_now(t));
  return 0;
}

struct program {
  const char *unit;
  uint64_t ctl[4];
};

/* The most common events of each unit, in the order of its counters. */
static const struct program common[] = {
    {"cha", {0x00c001ff00000136, 0x00c817fe00000135, 0x00001fc10000ff34, 0x0f37}},
    {"imc", {0xcf05, 0xf005, 0xff02, 0x0080}},
    {"m2m", {0x0000000300000424, 0x0000001800001025, 0x0120, 0x01}},
    {"upi", {0x0f02, 0x0f03, 0x9702, 0x01}},
    {"iio", {0x01, 0x01, 0x01, 0x01}},
    {"pcu", {0x35, 0x01, 0x01, 0x01}},
    {NULL, {0}},
};

/* Use of the data rings, requests that wait to enter them, and the credits that they wait for; bit 32: in M2M, a mesh
 * event. */
static const struct program mesh[] = {
    {"cha", {0xffb2, 0xffb8, 0xff90, 0xff82}},   {"m2m", {0x10000ffb2, 0x10000ffb8, 0x10000ffa0, 0x10000ffe0}},
    {"m3upi", {0xffb2, 0xffb8, 0xff90, 0xff45}}, {"m2pcie", {0xffb2, 0xffb8, 0xff90, 0xff82}},
    {"mdf", {0xff12, 0xff13, 0xff14, 0xff47}},   {NULL, {0}},
};

static const struct way {
  const char *name;
  const struct program *program;
  uint64_t extra;
} ways[WAYS] = {
    {"no counter", NULL, 0},
    {"every counter", common, 0},
    {"every counter, with thresholds", common, 1 << 24},
    {"every counter, at the mesh stops on the mesh", mesh, 0},
};

static unsigned each_register(struct machine *m, uint8_t role, const struct way *way)
{
  unsigned n = 0;
  for (uint32_t i = 0; i < 2 * m->map.n; i++) {
    const struct reg *r = &m->map.regs[i / 2];
    struct pmon_address a = {
        .package = i & 1, .space = r->space, .width_bits = r->rows->width_bits, .device = r->device, .offset = r->base};
    uint64_t value = 0x01;
    if (r->rows->role != role)
      continue;
    n++;
    if (!way) {
      machine_read(m, &a, &value);
      continue;
    }
    for (const struct program *p = way->program; p->unit; p++)
      if (!strcmp(m->sockets[0].blocks[r->block].unit->name, p->unit))
        value = p->ctl[r->number & 3];
    machine_write(m, &a, value | way->extra);
  }
  return n;
}

struct result {
  double took, sweep, cold;
  unsigned counters;
};

static struct result bench_counters_run(const struct way *way, uint64_t accesses)
{
  struct work k = {.w = {.run = work_run}, .left = accesses, .random = 1};
  struct machine *m;
  struct result r;
  char error[200];
  bool ended;
  double sweep[SWEEPS];
  if (machine_new(NULL, error, sizeof error, &m)) {
    fprintf(stderr, "%s\n", error);
    exit(1);
  }
  machine_attach(m, &k.w);
  if (way->program)
    each_register(m, REG_CTL, way);
  r.took = bench_counters_seconds();
  machine_run(m, UINT64_MAX, &ended, error, sizeof error);
  r.took = bench_counters_seconds() - r.took;
  for (unsigned i = 0; i < SWEEPS; i++) {
    const double start = now_ns();
    r.counters = each_register(m, REG_CTR, NULL);
    sweep[i] = (now_ns() - start) * 1e-3;
  }
  r.cold = sweep[0];
  r.sweep = median(sweep, SWEEPS);
  machine_free(m);
  return r;
}

int main(int argc, char **argv)
{
  const uint64_t accesses = (uint64_t)(1e6 * (argc > 1 ? strtod(argv[1], NULL) : 2));
  const unsigned alone = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 0) % WAYS : WAYS;
  double best[WAYS] = {0}, sweep[ROUNDS * WAYS], cold[ROUNDS * WAYS];
  unsigned counters = 0;
  if (alone < WAYS) {
    printf("%s\t%.3f\ts\n", ways[alone].name, bench_counters_run(&ways[alone], accesses).took);
    return 0;
  }
  for (unsigned i = 0; i < ROUNDS * WAYS; i++) {
    const struct result r = bench_counters_run(&ways[i % WAYS], accesses);
    if (i < WAYS || r.took < best[i % WAYS])
      best[i % WAYS] = r.took;
    sweep[i] = r.sweep;
    cold[i] = r.cold;
    counters = r.counters;
  }
  printf("%s\t%.2f\tM accesses/s\n", ways[0].name, (double)accesses * 1e-6 / best[0]);
  for (unsigned i = 1; i < WAYS; i++)
    printf("%s\t%.1f\t%%\n", ways[i].name, 100 * (best[i] / best[0] - 1));
  printf("all %u counters read\t%.1f\tus\n", counters, median(sweep, ROUNDS * WAYS));
  printf("all %u counters read, caches cold\t%.1f\tus\n", counters, median(cold, ROUNDS * WAYS));
  return 0;
}
