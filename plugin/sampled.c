/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plugin/sampled.h"

#include <inttypes.h>
#include <stdio.h>
#include "plugin/filter.h"
#include "plugin/producer.h"
#include "plugin/trace.h"

/* Instructions that one record skips, about; and records, after which other threads' reader must not wait longer. */
enum { SKIP = 512, SKIPS_SHOWN = 64 };

static struct {
  uint64_t whole, period, detail, settle, seed;
} plan;

struct sampler {
  struct filter *filter; /* NULL: this thread is not sampled */
  enum ring_phase phase;
  uint32_t serial;           /* of the thread */
  uint32_t skips;            /* records written */
  int64_t due;               /* with so many instructions left of this phase there is something to do */
  int64_t written;           /* instructions left at the last skip or block, between intervals */
  uint64_t interval, behind; /* number of the next interval; instructions of its period behind it */
};
static __thread struct sampler sampler __attribute__((tls_model("initial-exec")));

/* What callbacks look at. */
static __thread struct {
  struct filter *filter; /* the thread's between intervals, else filter_none */
  int64_t left;          /* instructions of this phase until those of `due` */
} mine __attribute__((tls_model("initial-exec")));

bool sampled_parse(const char *text)
{
  int end = 0;
  return sscanf(text, "%" SCNu64 ":%" SCNu64 ":%" SCNu64 ":%" SCNu64 ":%" SCNu64 "%n", &plan.whole, &plan.period,
                &plan.detail, &plan.settle, &plan.seed, &end) == 5 &&
         !text[end] && plan.settle < plan.detail && plan.detail < plan.period && plan.period <= INT32_MAX;
}

bool sampled_wanted(void)
{
  return plan.period;
}

/* Instructions of this phase to come, and those with which there is something to do. */
static int64_t left_get(const struct sampler *s)
{
  return mine.left + s->due;
}
static void left_set(struct sampler *s, int64_t left, int64_t due)
{
  mine.left = left - due;
  s->due = due;
}

void sampled_thread_begins(const struct ring *r)
{
  const bool sampled = r != ring_spill;

  sampled_thread_ends();
  sampler = (struct sampler){.filter = sampled ? filter_claim() : NULL, .serial = sampled ? r->serial : 0};
  left_set(&sampler, (int64_t)plan.whole, 0);
}

void sampled_thread_ends(void)
{
  filter_release(sampler.filter);
  sampler.filter = NULL;
  mine.filter = &filter_none;
}

void sampled_fork(void)
{
  filters_fork();
  sampler.filter = NULL;
  sampled_thread_begins(ring_spill); /* its records are whole until it has a ring */
}

/* ---- phases ---- */

/* Where in its period an interval begins: at random, by seed and thread (the finalizer of splitmix64). */
static uint64_t interval_place(const struct sampler *s, uint64_t number)
{
  uint64_t x = plan.seed * UINT64_C(0x9e3779b97f4a7c15) + number * UINT64_C(0xd1b54a32d192ed03) +
               s->serial * UINT64_C(0x8cb92ba72f3d8dd7);

  x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
  return (x ^ x >> 31) % (plan.period - plan.detail);
}

/* From an interval's end to the next interval: its length. The first one is at the end of what is written whole. */
static uint64_t between_begin(struct sampler *s)
{
  const uint64_t place = interval_place(s, s->interval++), length = s->behind + place;

  s->behind = plan.period - plan.detail - place;
  filter_clear(s->filter);
  return length + 1;
}

/* Writes that the instructions up to `left` were executed. A thread that writes little shows it from time to time: the
 * machine continues with the thread that is furthest behind, and waits for it. */
static void between_write(struct sampler *s, int64_t left)
{
  if (s->written > left)
    trace_write(record_skip((uint16_t)(s->written - left)));
  s->written = left;
  left_set(s, left_get(s), left > SKIP ? left - SKIP : 0);
  if (++s->skips % SKIPS_SHOWN == 0)
    trace_show();
}

/* The phase has ended before a block of `count` instructions. */
static void phase_next(struct sampler *s, uint32_t count)
{
  const enum ring_phase ended = s->phase;
  uint64_t length = 0;

  if (ended == RING_PHASE_BETWEEN)
    between_write(s, left_get(s) + count);
  s->phase = ended == RING_PHASE_UNIT     ? RING_PHASE_BETWEEN
             : ended == RING_PHASE_SETTLE ? RING_PHASE_UNIT
                                          : RING_PHASE_SETTLE; /* an interval shows the pace of what follows it */
  switch (s->phase) {
  case RING_PHASE_SETTLE: length = plan.settle; break;
  case RING_PHASE_UNIT: length = plan.detail - plan.settle; break;
  default: length = between_begin(s); break;
  }
  left_set(s, left_get(s) + (int64_t)length, INT32_MAX);
  s->written = left_get(s) + count;
  mine.filter = s->phase == RING_PHASE_BETWEEN ? s->filter : &filter_none;
  trace_write(record_mark((uint32_t)(RECORD_PHASE + s->phase), false));
}

/* ---- callbacks: the common case touches few registers, and jumps to the others ---- */

static __attribute__((noinline)) void block_due(unsigned vcpu, void *data)
{
  const uint64_t block = (uint64_t)(uintptr_t)data, line = record_address(block) >> FILTER_LINE_SHIFT;
  struct sampler *s = &sampler;

  if (s->filter && left_get(s) < 0)
    phase_next(s, record_count(block));
  if (!s->filter || s->phase != RING_PHASE_BETWEEN) {
    trace_block(vcpu, data);
    return;
  }
  uint64_t *code = &s->filter->code[line % FILTER_CODE];
  const bool missed = *code != line;

  between_write(s, left_get(s) + (missed ? record_count(block) : 0));
  if (!missed)
    return;
  *code = line;
  trace_write_address(block);
  s->written = left_get(s);
}

static void sampled_block(unsigned vcpu, void *data)
{
  const uint64_t block = (uint64_t)(uintptr_t)data, line = record_address(block) >> FILTER_LINE_SHIFT;

  mine.left -= record_count(block);
  if (__builtin_expect(mine.left <= 0, 0) || mine.filter->code[line % FILTER_CODE] != line)
    block_due(vcpu, data);
}

/* An access whose line the filter has not. */
static void access_missed(uint32_t info, uint64_t va, void *data, bool store)
{
  const bool is_shared = filter_shared(sampler.filter, va, store);

  if (mine.filter == &filter_none) {
    trace_store(0, info, va, data);
    return;
  }
  if (is_shared)
    between_write(&sampler, left_get(&sampler)); /* the machine decides by time whose it is */
  else
    *filter_place(mine.filter, va) = filter_entry(va, store);
  trace_write_address(trace_access(info, va, data));
}

static __attribute__((noinline)) void load_missed(unsigned vcpu, uint32_t info, uint64_t va, void *data)
{
  (void)vcpu;
  access_missed(info, va, data, false);
}

static __attribute__((noinline)) void store_missed(unsigned vcpu, uint32_t info, uint64_t va, void *data)
{
  (void)vcpu;
  access_missed(info, va, data, true);
}

static void sampled_load(unsigned vcpu, uint32_t info, uint64_t va, void *data)
{
  if ((*filter_place(mine.filter, va) ^ filter_entry(va, false)) > 1)
    load_missed(vcpu, info, va, data);
}

static void sampled_store(unsigned vcpu, uint32_t info, uint64_t va, void *data)
{
  if (*filter_place(mine.filter, va) != filter_entry(va, true))
    store_missed(vcpu, info, va, data);
}

void sampled_register_block(struct qemu_plugin_tb *tb, struct qemu_plugin_insn *first, void *block)
{
  if (tb)
    qemu_plugin_register_vcpu_tb_exec_cb(tb, sampled_block, PLUGIN_NO_REGISTERS, block);
  else
    qemu_plugin_register_vcpu_insn_exec_cb(first, sampled_block, PLUGIN_NO_REGISTERS, block);
}

void sampled_register_access(struct qemu_plugin_insn *insn, void *data)
{
  const bool past = (uintptr_t)data & (uintptr_t)RECORD_PAST_CACHES;

  qemu_plugin_register_vcpu_mem_cb(insn, sampled_load, PLUGIN_NO_REGISTERS, PLUGIN_READS, data);
  qemu_plugin_register_vcpu_mem_cb(insn, past ? trace_store : sampled_store, PLUGIN_NO_REGISTERS, PLUGIN_WRITES, data);
}
