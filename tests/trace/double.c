/* SPDX-License-Identifier: MIT */
#include <string.h>
#include <pmon/status.h>
#include "machine/common/traffic.h"
#include "machine/common/pace.h"
#include "machine/trace/ring.h"
#include "tests/trace/double.h"

static void log_event(struct traffic *t, struct double_event e)
{
  if (t->logged < DOUBLE_LOG)
    t->log[t->logged++] = e;
  t->sum ^= e.at ^ (uint64_t)e.core << 56 ^ (uint64_t)e.size << 48 ^ (uint64_t)(unsigned char)e.what;
  t->sum *= 0x100000001b3u;
}

void double_init(struct machine *m)
{
  struct traffic *t = &m->traffic;

  memset(m, 0, sizeof *m);
  t->base.core = t->fronts;
  const struct first_level empty = first_part(
      &(struct first_level){&t->empty[0], &t->empty[1], &t->empty_order, &t->empty_set, 0, 0, 0, {0}}, 0, 1, 2);
  for (unsigned i = 0; i < DOUBLE_CORES; i++) {
    t->fronts[i] = &t->front[i];
    t->front[i] =
        (struct core_front){.l1d = empty, .l1i = empty, .fs_per_instruction = 1000000, .fs_per_cycle = 1000000};
  }
}

void traffic_expect(const struct traffic *t, unsigned core, struct expected *e)
{
  (void)t, (void)core, (void)e;
}

void traffic_block_slow(struct traffic *t, struct core_front *front, uint64_t pc, uint32_t bytes)
{
  const unsigned core = (unsigned)(front - t->front);
  uint32_t instructions = (uint32_t)(t->front[core].instructions - t->counted[core]);

  t->counted[core] += instructions;
  t->blocks++;
  t->instructions += instructions;
  t->bytes += bytes;
  log_event(t, (struct double_event){'b', core, pc, bytes, instructions});
}

void pace_of(const struct traffic *t, const uint8_t parts[PACE_PARTS], uint32_t instructions, struct pace *ret)
{
  (void)t, (void)parts;
  *ret = (struct pace){.cycles = instructions << PACE_SHIFT};
}

uint32_t pace_shared(const struct traffic *t, uint32_t cycles, uint32_t instructions)
{
  (void)t, (void)instructions;
  return cycles;
}

void pace_mispredict(struct traffic *t, unsigned core, fs_t resolved)
{
  (void)t, (void)core, (void)resolved;
}

void pace_hold(struct traffic *t, unsigned core, uint32_t cycles)
{
  (void)t, (void)core, (void)cycles;
}

fs_t traffic_load_hit(struct traffic *t, struct core_front *front, uint64_t line, fs_t ready)
{
  (void)t, (void)front, (void)line;
  return ready;
}

void traffic_access_slow(struct traffic *t, unsigned core, uint64_t va, uint32_t size, enum access_kind kind)
{
  t->access[kind]++;
  t->access_bytes[kind] += size;
  log_event(t, (struct double_event){'a', core, va, size, (uint32_t)kind});
}

/* The address is a record. */
fs_t traffic_load_missed(struct traffic *t, struct core_front *front, uint64_t address, fs_t ready)
{
  (void)ready;
  front->accesses[ACCESS_LOAD]++;
  traffic_access_slow(t, (unsigned)(front - t->front), record_address(address), 1u << record_size_log2(address),
                      ACCESS_LOAD);
  return 0;
}

void traffic_store_missed(struct traffic *t, unsigned core, uint64_t va, uint32_t size)
{
  first_drop(&t->front[core].l1d, va >> 6, true);
  traffic_access_slow(t, core, va, size, ACCESS_STORE);
}

/* The double's cores never run separately. */
bool traffic_cores_go_apart(const struct traffic *t)
{
  (void)t;
  return false;
}
bool traffic_core_is_private(const struct traffic *t, unsigned core)
{
  (void)t, (void)core;
  return false;
}
bool traffic_access_is_private(const struct traffic *t, unsigned core, uint64_t va, uint32_t size,
                               enum access_kind kind)
{
  (void)t, (void)core, (void)va, (void)size, (void)kind;
  return false;
}
bool traffic_load_is_private(const struct traffic *t, const struct core_front *front, uint64_t line)
{
  (void)t, (void)front, (void)line;
  return false;
}
bool traffic_block_apart(struct traffic *t, unsigned core, uint64_t pc, uint32_t bytes)
{
  (void)t, (void)core, (void)pc, (void)bytes;
  return false;
}

fs_t traffic_now(const struct traffic *t)
{
  fs_t now = 0;

  for (unsigned i = 0; i < DOUBLE_CORES; i++)
    if (t->front[i].time > now)
      now = t->front[i].time;
  return now;
}

void traffic_advance(struct traffic *t, fs_t until_fs)
{
  t->advanced = until_fs;
}

/* Conditions have no effect in this double. */
int traffic_condition_add(struct traffic *t, const struct traffic_condition *condition)
{
  (void)t, (void)condition;
  return PMON_E_UNSUPPORTED;
}

struct stream_lack traffic_stream_lack(const struct traffic *t, const struct dma_stream *stream)
{
  (void)t;
  return stream->socket > 1  ? (struct stream_lack){"socket", stream->socket, 2}
         : stream->stack > 9 ? (struct stream_lack){"stack", stream->stack, 10}
         : stream->port > 7  ? (struct stream_lack){"port", stream->port, 8}
         : stream->node > 1  ? (struct stream_lack){"node", stream->node, 2}
                             : (struct stream_lack){NULL, 0, 0};
}

int traffic_dma_start(struct traffic *t, const struct dma_stream *stream)
{
  if (traffic_stream_lack(t, stream).what)
    return PMON_E_INVALID;
  t->streams++;
  t->stream_bytes_per_second = stream->bytes_per_second;
  return 0;
}

bool traffic_does(const struct traffic *t, enum device_action action)
{
  (void)t, (void)action;
  return true;
}

/* There is no machine behind this double: nothing can be injected. */
uint64_t machine_now_fs(const struct machine *m)
{
  return m->traffic.reached;
}

struct block *machine_block(struct machine *m, unsigned socket, const char *unit, unsigned instance)
{
  (void)m, (void)socket, (void)unit, (void)instance;
  return NULL;
}

void block_pulse_report(struct block *b, uint8_t code, uint64_t attr, uint16_t tid, fs_t at, uint32_t n)
{
  (void)b, (void)code, (void)attr, (void)tid, (void)at, (void)n;
}

void block_span_report(struct block *b, uint8_t code, uint64_t attr, uint16_t tid, fs_t from, fs_t to, uint32_t n)
{
  (void)b, (void)code, (void)attr, (void)tid, (void)from, (void)to, (void)n;
}

bool block_occurrence(const struct block *b, const uint64_t *filter, uint64_t ctl, uint64_t *ret_attr)
{
  (void)b, (void)filter;
  *ret_attr = ctl;
  return true;
}

uint16_t block_thread(const struct block *b, const uint64_t *filter, uint64_t ctl)
{
  (void)b, (void)filter, (void)ctl;
  return 0;
}

void machine_reached(struct machine *m, uint64_t fs)
{
  m->traffic.reached = fs;
}

void machine_rests(struct machine *m, uint64_t fs)
{
  m->traffic.reached = fs;
}

void traffic_core_idle(struct traffic *t, unsigned core)
{
  t->idle++;
  log_event(t, (struct double_event){.what = 'i', .core = core});
}

void traffic_core_end(struct traffic *t, unsigned core)
{
  (void)t, (void)core;
}

void traffic_stores_end(struct traffic *t, unsigned core)
{
  (void)core;
  t->stores_ended++;
}

bool traffic_core_combines(const struct traffic *t, unsigned core)
{
  (void)t, (void)core;
  return false;
}

void traffic_core_wake(struct traffic *t, unsigned core)
{
  t->awake++;
  log_event(t, (struct double_event){.what = 'w', .core = core});
}

/* The double's cores have one hardware thread. */
unsigned traffic_core_threads(const struct traffic *t)
{
  (void)t;
  return 1;
}

void traffic_core_enter(struct traffic *t, unsigned core, unsigned thread)
{
  (void)t, (void)core, (void)thread;
}

void traffic_core_join(struct traffic *t, unsigned core)
{
  (void)t, (void)core;
}

bool traffic_core_share(struct traffic *t, unsigned core, bool other, fs_t *ret_until)
{
  (void)t, (void)core, (void)other;
  *ret_until = UINT64_MAX;
  return false;
}

void traffic_core_sleep(struct traffic *t, unsigned core, fs_t until)
{
  (void)until;
  log_event(t, (struct double_event){.what = 's', .core = core});
}

struct traffic *machine_traffic(struct machine *m)
{
  return &m->traffic;
}

int traffic_pages(struct traffic *t, const struct pages_asked *asked)
{
  log_event(t, (struct double_event){'p', 0, asked->unit, asked->log2, asked->kind});
  return 0;
}

int traffic_memory_add(struct traffic *t, uint64_t va, uint64_t bytes)
{
  (void)t, (void)va, (void)bytes;
  return 0;
}
