/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plugin/sampled.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "plugin/producer.h"
#include "plugin/trace.h"

/* Lines of the filters, one place for each: about what a second level has, and a first level for code. What was there
 * once since the last interval is kept back until a line of the same place replaces it: each line that is used reaches
 * the machine's caches at least once in a period, so that they do not forget it. */
enum { LINE_SHIFT = 6, INDEX_BITS = 13, CODE_LINES = 512 };
#define NO_LINE UINT32_MAX
/* Instructions that one record skips, about. */
enum { SKIP = 512 };

static struct {
  uint64_t whole, period, detail, settle, seed;
} plan;

struct sampler {
  enum ring_phase phase;
  int64_t written;                /* instructions left at the last skip or block, between intervals */
  uint64_t interval, behind;      /* number of the next interval; instructions of its period behind it */
  uint32_t line[1 << INDEX_BITS]; /* the line's upper bits << 1 | whether it was stored to */
  uint64_t code[CODE_LINES];
};
static struct sampler sampler;
static uint32_t no_line[1] = {NO_LINE};
static uint64_t no_code[1];

/* What callbacks look at. `s`: NULL: this thread is not sampled. */
static __thread struct {
  struct sampler *s;
  int64_t left, due; /* instructions of this phase to come; with so many left, or fewer, there is something to do */
  uint32_t *line;    /* where lines are not filtered, one place that has none */
  uint64_t *code;
  uint64_t line_mask, code_mask;
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

static void filter_set(bool on)
{
  mine.line = on ? mine.s->line : no_line;
  mine.code = on ? mine.s->code : no_code;
  mine.line_mask = on ? (1 << INDEX_BITS) - 1 : 0;
  mine.code_mask = on ? CODE_LINES - 1 : 0;
}

void sampled_thread_begins(const struct ring *r)
{
  mine.s = r != ring_spill && !r->serial && !sampler.interval ? &sampler : NULL;
  mine.left = mine.s ? (int64_t)plan.whole : 0;
  mine.due = INT64_MAX;
  filter_set(false);
}

/* ---- phases ---- */

/* Where in its period an interval begins: at random, by the seed (the finalizer of splitmix64). */
static uint64_t interval_place(uint64_t number)
{
  uint64_t x = plan.seed * UINT64_C(0x9e3779b97f4a7c15) + number * UINT64_C(0xd1b54a32d192ed03);

  x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
  return (x ^ x >> 31) % (plan.period - plan.detail);
}

/* From an interval's end to the next interval: its length. The first one is at the end of what is written whole. */
static uint64_t between_begin(struct sampler *s)
{
  const uint64_t place = interval_place(s->interval++), length = s->behind + place;

  s->behind = plan.period - plan.detail - place;
  memset(s->line, 0xff, sizeof s->line);
  memset(s->code, 0, sizeof s->code);
  return length + 1;
}

/* Writes that the instructions up to `left` were executed. */
static void between_write(struct sampler *s, int64_t left)
{
  if (s->written > left)
    trace_write(record_skip((uint16_t)(s->written - left)));
  s->written = left;
  mine.due = left > SKIP ? left - SKIP : 0;
}

/* The phase has ended before a block of `count` instructions. */
static void phase_next(struct sampler *s, uint32_t count)
{
  const enum ring_phase ended = s->phase;
  uint64_t length = 0;

  if (ended == RING_PHASE_BETWEEN)
    between_write(s, mine.left + count);
  s->phase = ended == RING_PHASE_UNIT     ? RING_PHASE_BETWEEN
             : ended == RING_PHASE_SETTLE ? RING_PHASE_UNIT
                                          : RING_PHASE_SETTLE; /* an interval shows the pace of what follows it */
  switch (s->phase) {
  case RING_PHASE_SETTLE: length = plan.settle; break;
  case RING_PHASE_UNIT: length = plan.detail - plan.settle; break;
  default: length = between_begin(s); break;
  }
  mine.left += (int64_t)length;
  mine.due = INT64_MAX;
  s->written = mine.left + count;
  filter_set(s->phase == RING_PHASE_BETWEEN);
  trace_write(record_mark((uint32_t)(RECORD_PHASE + s->phase), false));
}

/* ---- callbacks ---- */

static __attribute__((noinline)) void block_due(unsigned vcpu, uint64_t block)
{
  struct sampler *s = mine.s;

  if (s && mine.left < 0)
    phase_next(s, record_count(block));
  if (!s || s->phase != RING_PHASE_BETWEEN) {
    mine.left -= s ? 0 : mine.left;
    trace_block(vcpu, (void *)(uintptr_t)block);
    return;
  }
  const uint64_t line = record_address(block) >> LINE_SHIFT;
  uint64_t *code = &mine.code[line & mine.code_mask];
  const bool missed = *code != line;

  between_write(s, mine.left + (missed ? record_count(block) : 0));
  if (!missed)
    return;
  *code = line;
  trace_write(block);
  s->written = mine.left;
}

static void sampled_block(unsigned vcpu, void *data)
{
  const uint64_t block = (uint64_t)(uintptr_t)data, line = record_address(block) >> LINE_SHIFT;

  mine.left -= record_count(block);
  if (__builtin_expect(mine.left <= mine.due, 0) || mine.code[line & mine.code_mask] != line)
    block_due(vcpu, block);
}

/* An access whose line the filter has not, which from now on has `entry` at its place; data as trace_data(). */
struct missed {
  void *data;
  uint32_t *place, entry;
};
static __attribute__((noinline)) void access_write(uint32_t info, uint64_t va, const struct missed *m)
{
  if (!mine.s || mine.s->phase != RING_PHASE_BETWEEN) {
    trace_store(0, info, va, m->data);
    return;
  }
  *m->place = m->entry;
  trace_write(trace_access(info, va, m->data));
}

static inline uint32_t line_entry(uint64_t line, bool store)
{
  return (uint32_t)(line >> INDEX_BITS) << 1 | store;
}

static void sampled_load(unsigned vcpu, uint32_t info, uint64_t va, void *data)
{
  const uint64_t line = (va & RECORD_ADDRESS) >> LINE_SHIFT;
  uint32_t *place = &mine.line[line & mine.line_mask];

  (void)vcpu;
  if ((*place ^ line_entry(line, false)) > 1)
    access_write(info, va, &(struct missed){data, place, line_entry(line, false)});
}

static void sampled_store(unsigned vcpu, uint32_t info, uint64_t va, void *data)
{
  const uint64_t line = (va & RECORD_ADDRESS) >> LINE_SHIFT;
  uint32_t *place = &mine.line[line & mine.line_mask];

  (void)vcpu;
  if (*place != line_entry(line, true))
    access_write(info, va, &(struct missed){data, place, line_entry(line, true)});
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
