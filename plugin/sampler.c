/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plugin/sampler.h"

#include <inttypes.h>
#include <stdio.h>
#include "plugin/producer.h"
#include "plugin/sampled.h"
#include "plugin/trace.h"

/* SKIP: instructions that one skip record stands for, about. SKIPS_SHOWN: the records are published after so many skip
 * records, so that the reader does not wait longer for this thread. */
enum { SKIP = 512, SKIPS_SHOWN = 64 };

static struct {
  uint64_t whole, period, detail, settle, seed;
} plan;

struct sampler {
  struct filter *filter; /* NULL: this thread is not sampled */
  enum ring_phase phase;
  uint32_t serial;                   /* of the thread */
  uint32_t skips;                    /* skip records written */
  int64_t due;                       /* the next action is due when so many instructions of this phase are left */
  int64_t written;                   /* between intervals: instructions left at the last skip or block record */
  uint64_t interval, after_interval; /* number of the next interval; instructions of its period that follow it */
};
static __thread struct sampler sampler __attribute__((tls_model("initial-exec")));

/* While everything is written: accesses of groups that wait for earlier accesses of the block, in the order of
 * ordinals. */
static __thread struct {
  unsigned n;
  uint64_t record[RECORD_MAX_COUNT];
} later __attribute__((tls_model("initial-exec")));

__thread struct sampler_mine mine __attribute__((tls_model("initial-exec")));

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

/* left_get() returns the instructions left in this phase; left_set() sets them, and the number left at which the next
 * action is due. */
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
  sampled_thread_begins(ring_spill); /* it writes everything until it has a ring */
}

/* ---- phases ---- */

/* Returns where in its period an interval starts: random, by seed and thread (the finalizer of splitmix64). */
static uint64_t interval_place(const struct sampler *s, uint64_t number)
{
  uint64_t x = plan.seed * UINT64_C(0x9e3779b97f4a7c15) + number * UINT64_C(0xd1b54a32d192ed03) +
               s->serial * UINT64_C(0x8cb92ba72f3d8dd7);

  x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
  return (x ^ x >> 31) % (plan.period - plan.detail);
}

/* Starts the phase between two intervals; returns its length in instructions. The first interval
 * directly follows the part that is written whole. */
static uint64_t between_begin(struct sampler *s)
{
  const uint64_t place = interval_place(s, s->interval++), length = s->after_interval + place;

  s->after_interval = plan.period - plan.detail - place;
  filter_clear(s->filter);
  return length + 1;
}

/* Writes a skip record for the instructions executed until `left` were left. A thread that writes few records publishes
 * them from time to time, because the machine waits for the thread that is furthest behind. */
static void between_write(struct sampler *s, int64_t left)
{
  if (s->written > left)
    trace_write(record_skip((uint16_t)(s->written - left)));
  s->written = left;
  left_set(s, left_get(s), left > SKIP ? left - SKIP : 0);
  if (++s->skips % SKIPS_SHOWN == 0)
    trace_show();
}

/* Starts the next phase, before a block of `count` instructions. */
static void phase_next(struct sampler *s, uint32_t count)
{
  const enum ring_phase ended = s->phase;
  uint64_t length = 0;

  if (ended == RING_PHASE_BETWEEN)
    between_write(s, left_get(s) + count);
  s->phase = ended == RING_PHASE_UNIT     ? RING_PHASE_BETWEEN
             : ended == RING_PHASE_SETTLE ? RING_PHASE_UNIT
                                          : RING_PHASE_SETTLE; /* an interval sets the pace of the next phase */
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

/* ---- keeping accesses in order ---- */

void sampler_later_write(unsigned ordinal)
{
  unsigned n = 0;

  while (n < later.n && record_ordinal(later.record[n]) < ordinal)
    trace_write_address(later.record[n++]);
  later.n -= n;
  for (unsigned i = 0; n && i < later.n; i++)
    later.record[i] = later.record[i + n];
}

void sampler_later_add(uint64_t record)
{
  if (later.n == RECORD_MAX_COUNT)
    sampled_flush(); /* accesses of a block without a record: out of order rather than lost */
  unsigned i = later.n++;

  for (; i > 0 && record_ordinal(later.record[i - 1]) > record_ordinal(record); i--)
    later.record[i] = later.record[i - 1];
  later.record[i] = record;
}

void sampled_flush(void)
{
  sampler_later_write(RECORD_MAX_COUNT + 1);
}

void sampled_call(struct ring *r)
{
  sampled_flush();
  if (!sampler_between() || !filter_has_others())
    return;
  between_write(&sampler, left_get(&sampler));
  trace_await_reader(r);
}

/* ---- actions that are due ---- */

void sampler_block(unsigned vcpu, void *data)
{
  const uint64_t block = (uint64_t)(uintptr_t)data;
  struct sampler *s = &sampler;

  sampled_flush();
  if (s->filter && left_get(s) < 0)
    phase_next(s, record_count(block));
  if (!s->filter || s->phase != RING_PHASE_BETWEEN) {
    trace_block(vcpu, data);
    return;
  }
  const bool missed = !filter_has_code(s->filter, block);

  between_write(s, left_get(s) + (missed ? record_count(block) : 0));
  if (!missed)
    return;
  *filter_code_place(s->filter, block) = filter_code_entry(block);
  trace_write_address(block);
  s->written = left_get(s);
}

void sampler_line(uint64_t va, bool store, uint64_t record)
{
  if (filter_shared(mine.filter, va, store))
    between_write(&sampler, left_get(&sampler)); /* the machine decides in simulated time which core owns the line */
  else
    filter_add(mine.filter, va, store);
  trace_write_address(record);
}

void sampler_share(uint64_t va, bool store)
{
  filter_shared(sampler.filter, va, store);
}

void sampler_drop(uint64_t va)
{
  filter_drop(va);
  if (sampler_between())
    between_write(&sampler, left_get(&sampler)); /* so that stores of two loop iterations count as two instructions */
}
