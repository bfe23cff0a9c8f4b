/* SPDX-License-Identifier: MIT */
#include "tests/trace/double.h"

static void log_event(struct traffic *t, struct double_event e)
{
  if (t->logged < DOUBLE_LOG)
    t->log[t->logged++] = e;
  t->sum = (t->sum ^ e.at ^ (uint64_t)e.core << 56 ^ (uint64_t)e.size << 48 ^ (uint64_t)(unsigned char)e.what) * 0x100000001b3u;
}

void traffic_block(struct traffic *t, unsigned core, uint64_t pc, uint32_t bytes, uint32_t instructions)
{
  t->blocks++;
  t->instructions += instructions;
  t->bytes += bytes;
  t->time[core] += instructions * UINT64_C(1000000);
  log_event(t, (struct double_event){ 'b', core, pc, bytes, instructions });
}

void traffic_access(struct traffic *t, unsigned core, uint64_t va, uint32_t size, enum access_kind kind)
{
  t->access[kind]++;
  t->access_bytes[kind] += size;
  log_event(t, (struct double_event){ 'a', core, va, size, (uint32_t)kind });
}

fs_t traffic_core_time(const struct traffic *t, unsigned core)
{
  return t->time[core];
}

void traffic_core_idle(struct traffic *t, unsigned core)
{
  t->idle++;
  log_event(t, (struct double_event){ .what = 'i', .core = core });
}

void traffic_core_wake(struct traffic *t, unsigned core)
{
  t->awake++;
  log_event(t, (struct double_event){ .what = 'w', .core = core });
}

struct traffic *machine_traffic(struct machine *m)
{
  return &m->traffic;
}
