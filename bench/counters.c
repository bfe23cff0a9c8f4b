/* SPDX-License-Identifier: MIT */
/*
 * What counting costs: the same accesses with no counter programmed, with every counter of both sockets, and with
 * thresholds on all; then how long reading every counter takes: once with caches that the accesses have filled with
 * other things, then again and again, as a session does. `counters [millions of accesses]`.
 */
#include <stdio.h>
#include <string.h>
#include "bench/median.h"
#include "machine/machine.h"
#include "machine/pmon/map.h"
#include "machine/traffic/fast.h"
#include "machine/traffic/traffic.h"

struct work { struct machine_workload w; uint64_t left, random; };

enum { SWEEPS = 21 };

static double seconds(void)
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

/* The commonest events of each unit, in the order of its counters. */
static const struct { const char *unit; uint64_t ctl[4];
} events[] = {
    {"cha", {0x00c001ff00000136, 0x00c817fe00000135, 0x00001fc10000ff34, 0x0f37}},
    {"imc", {0xcf05, 0xf005, 0xff02, 0x0080}},
    {"m2m", {0x0000000300000424, 0x0000001800001025, 0x0120, 0x01}},
    {"upi", {0x0f02, 0x0f03, 0x9702, 0x01}},
    {"iio", {0x01, 0x01, 0x01, 0x01}},
    {"pcu", {0x35, 0x01, 0x01, 0x01}},
};

static unsigned each_register(struct machine *m, uint8_t role, uint64_t extra, bool write)
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
    if (!write) {
      machine_read(m, &a, &value);
      continue;
    }
    for (unsigned e = 0; e < sizeof events / sizeof *events; e++)
      if (!strcmp(m->sockets[0].blocks[r->block].unit->name, events[e].unit))
        value = events[e].ctl[r->number & 3];
    machine_write(m, &a, value | extra);
  }
  return n;
}

static double run(const char *name, bool program, uint64_t extra, uint64_t accesses, double alone)
{
  struct work k = { .w = { .run = work_run }, .left = accesses, .random = 1 };
  struct machine *m;
  char error[200];
  bool ended;
  double took, sweep[SWEEPS], cold;
  unsigned n = 0;
  if (machine_new(NULL, error, sizeof error, &m)) {
    fprintf(stderr, "%s\n", error);
    exit(1);
  }
  machine_attach(m, &k.w);
  if (program)
    each_register(m, REG_CTL, extra, true);
  took = seconds();
  machine_run(m, UINT64_MAX, &ended, error, sizeof error);
  took = seconds() - took;
  for (unsigned i = 0; i < SWEEPS; i++) {
    const double start = now_ns();
    n = each_register(m, REG_CTR, 0, false);
    sweep[i] = (now_ns() - start) * 1e-3;
  }
  cold = sweep[0];
  printf("%-24s %7.3f s  %6.2f M accesses/s  %+6.1f %%  %u counters read in %.0f us, with cold caches %.0f us\n", name,
         took, (double)accesses * 1e-6 / took, alone > 0 ? 100 * (took / alone - 1) : 0, n, median(sweep, SWEEPS),
         cold);
  machine_free(m);
  return took;
}

int main(int argc, char **argv)
{
  uint64_t accesses = (argc > 1 ? strtoull(argv[1], NULL, 0) : 2) * 1000000;
  double alone = run("no counter", false, 0, accesses, 0);
  run("every counter", true, 0, accesses, alone);
  run("every counter, threshold", true, 1 << 24, accesses, alone);
  return 0;
}
