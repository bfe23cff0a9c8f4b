/* SPDX-License-Identifier: MIT */
#include "machine/common/state.h"

void traffic_totals(const struct traffic *t, unsigned socket, struct traffic_totals *ret_totals)
{
  *ret_totals = t->socket[socket]->totals;
  for (unsigned i = 0; i < t->n_dma; i++) {
    struct stream_totals s;
    traffic_stream(t, i, &s);
    if (s.stream->socket == socket && s.asked_bytes > s.moved_bytes)
      *(s.stream->write ? &ret_totals->dma_write_excess_bytes : &ret_totals->dma_read_excess_bytes) +=
          s.asked_bytes - s.moved_bytes;
  }
}

static uint64_t cycles_in(fs_t time, uint64_t mhz)
{
  return time / 1000 * mhz / 1000000;
}

static fs_t core_busy_fs(const struct core *c)
{
  return core_reached(c) - c->idle;
}

/* Returns the active time of both hardware threads together. */
static fs_t core_threads_fs(const struct core *c)
{
  return core_busy_fs(c) + c->overlap + core_overlap(c) - c->rest;
}

void core_frequency(struct core *c, uint32_t mhz)
{
  const fs_t threads = core_threads_fs(c);
  if (threads > c->clocked) {
    c->totals.cycles += cycles_in(threads - c->clocked, c->mhz);
    c->clocked = threads;
  }
  c->mhz = mhz;
}

void traffic_core_totals(const struct traffic *t, unsigned core, struct core_totals *ret_totals)
{
  const struct core *c = &t->core[core];
  *ret_totals = c->totals;
  ret_totals->instructions = c->front.instructions;
  ret_totals->fetch_lines = c->front.fetch_lines;
  ret_totals->branches = c->front.branches;
  const fs_t threads = core_threads_fs(c);
  ret_totals->cycles += threads > c->clocked ? cycles_in(threads - c->clocked, c->mhz) : 0;
  ret_totals->reference_cycles = cycles_in(threads, t->config.value[CONFIG_TSC_GHZ]);
  ret_totals->issue_fs = threads - c->totals.fetch_stall_fs - c->totals.walk_stall_fs - c->totals.load_stall_fs -
                         c->totals.store_stall_fs - c->totals.branch_stall_fs - c->totals.fence_stall_fs;
  ret_totals->reads = c->front.accesses[ACCESS_LOAD] + c->front.accesses[ACCESS_MODIFY];
  ret_totals->writes = c->front.accesses[ACCESS_STORE] + c->front.accesses[ACCESS_NT_STORE];
}
