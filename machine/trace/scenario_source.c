/* SPDX-License-Identifier: MIT */
/* A scenario's threads as a source of records. */
#include <stdlib.h>
#include <pmon/status.h>
#include "machine/common/feed.h"
#include "machine/trace/ring.h"
#include "machine/trace/scenario.h"

#define WINDOW (1024u + STEP_NOTES)
#define CODE UINT64_C(0x400000)
#define CODE_STEP 64u                  /* each step is a loop in its own cache line */
#define CODE_CHAINS UINT64_C(0x600000) /* of steps with several chains: consecutive blocks, one per chain */
#define LOOP_BYTES 16u
#define LOOP_INSTRUCTIONS 4u
#define LINE 64u
#define CHAIN_APART 7919u /* lines, so that the chains do not access the same bank at the same time */
#define STEP_RECORDS 3u   /* maximum per iteration */
#define STEP_NOTES 3u     /* additional records of a step whose loads depend on each other */

struct actor {
  uint64_t record[WINDOW];
  unsigned n, taken;
  size_t step;   /* the current step, or n_steps */
  uint64_t done; /* completed accesses of the step */
  uint64_t random;
};

struct scenario_source {
  struct trace_source base;
  const struct scenario *s;
  unsigned *number; /* the scenario's thread numbers */
  struct actor *actor;
  unsigned n;
};

static uint64_t actor_random(uint64_t *state)
{
  *state ^= *state << 13;
  *state ^= *state >> 7;
  *state ^= *state << 17;
  return *state;
}

/* Returns the next element of an order that visits each of n elements once: a full-period linear congruential generator
 * over the next power of two, which skips the elements from n on. `*at` is its state. */
static uint64_t scattered_next(uint64_t *at, uint64_t n)
{
  uint64_t size = 1;

  while (size < n)
    size *= 2;
  do
    *at = (*at * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407)) & (size - 1);
  while (*at >= n);
  return *at;
}

static uint64_t step_record(enum scenario_action action, uint64_t va)
{
  switch (action) {
  case SCENARIO_WRITE: return record_access(va, 3, true, 0);
  case SCENARIO_PAST: return record_access(va, 3, true, 0) | RECORD_PAST_CACHES;
  case SCENARIO_PREFETCH: return record_access(va, 3, false, 0) | RECORD_PREFETCH;
  case SCENARIO_FLUSH: return record_access(va, 3, false, 0) | RECORD_FLUSH;
  case SCENARIO_FLUSH_OPT:
  case SCENARIO_WRITE_BACK:
  case SCENARIO_DEMOTE:
  case SCENARIO_WHOLE:
  case SCENARIO_HOPE: return record_access(va, action - SCENARIO_FLUSH_OPT, true, 0) | RECORD_FLUSH;
  default: return record_access(va, 3, false, 0);
  }
}

/* Returns the next line of a chase. The chains advance round-robin, each in its own part of the memory. All follow the
 * same order, each from a different start. */
static uint64_t chase_line(const struct scenario_step *step, struct actor *a)
{
  const uint64_t lines = step->span / LINE / step->chains, chain = a->done % step->chains;

  if (a->done % (lines * step->chains) == 0)
    a->random = 0; /* every pass uses the same order */
  if (chain == 0)
    scattered_next(&a->random, lines);
  return chain * lines + (a->random + chain * CHAIN_APART) % lines;
}

static uint64_t step_position(const struct scenario_step *step, struct actor *a)
{
  uint64_t per_pass = (step->span + step->stride - 1) / step->stride;

  switch (step->pattern) {
  case SCENARIO_RANDOM: return step->base + actor_random(&a->random) % (step->span / 8) * 8;
  case SCENARIO_CHASE: return step->base + chase_line(step, a) * LINE;
  case SCENARIO_COPY: /* load and store alternate; the copy lies after the original */
    return step->base + a->done / 2 % per_pass * step->stride + (a->done & 1) * ((step->span + 4095) & ~UINT64_C(4095));
  default: return step->base + a->done % per_pass * step->stride;
  }
}

/* Writes the notes of a chain's block before its first execution: each load gives the address of the chain's next load,
 * in a separate register per chain. */
static void step_note_dependent(const struct scenario_step *step, uint64_t block, struct actor *a)
{
  const unsigned chain = (unsigned)a->done, own = chain < NOTE_FLAGS ? chain : chain + 1;

  if (!step->dependent || a->done >= step->chains)
    return;
  a->record[a->n++] = record_note(NOTE_ACCESS, 0, UINT64_C(1) << own);
  a->record[a->n++] = record_note(NOTE_OUT, own, UINT64_C(1) << NOTE_REGISTERS);
  a->record[a->n++] = record_note_block(block);
}

/* Writes the records of one iteration of the step's loop. */
static void step_iteration(const struct scenario_step *step, size_t index, struct actor *a)
{
  uint64_t pc = CODE + index * CODE_STEP;

  if (step->far_code) /* advances through the step's memory by one line */
    pc = step->base + a->done * CODE_STEP % step->span;
  else if (step->chains > 1)
    pc = CODE_CHAINS + (index * SCENARIO_CHAINS + a->done % step->chains) * LOOP_BYTES;

  if (step->pattern == SCENARIO_SLEEP) {
    a->record[a->n++] = record_block(pc, LOOP_BYTES, LOOP_INSTRUCTIONS);
    a->record[a->n++] = record_access(step->count, 3, false, 0) | RECORD_SLEEP;
    a->done = step->count;
    return;
  }
  if (step->pattern == SCENARIO_SPIN) {
    uint64_t n = step->count - a->done < RECORD_MAX_COUNT ? step->count - a->done : RECORD_MAX_COUNT;

    a->record[a->n++] = record_block(pc, LOOP_BYTES, (uint32_t)n);
    a->done += n;
    return;
  }
  step_note_dependent(step, record_block(pc, LOOP_BYTES, LOOP_INSTRUCTIONS), a);
  a->record[a->n++] = record_block(pc, LOOP_BYTES, LOOP_INSTRUCTIONS);
  if (step->pattern == SCENARIO_COPY) {
    a->record[a->n++] = record_access(step_position(step, a), 3, false, 0);
    a->done++;
    a->record[a->n++] = record_access(step_position(step, a), 3, true, 1);
    a->done++;
    return;
  }
  a->record[a->n] = step_record(step->action, step_position(step, a));
  if (step->action == SCENARIO_MODIFY)
    a->record[a->n + 1] = a->record[a->n] | RECORD_STORE;
  a->n += step->action == SCENARIO_MODIFY ? 2 : 1;
  a->done++;
}

static void actor_begin_step(const struct scenario_source *src, struct actor *a, unsigned thread, size_t from)
{
  const struct scenario *s = src->s;

  a->step = from;
  while (a->step < s->n_steps && s->step[a->step].thread != src->number[thread])
    a->step++;
  a->done = 0;
  a->random = (s->seed * UINT64_C(0x9e3779b97f4a7c15) ^ (a->step + 1) * UINT64_C(0xbf58476d1ce4e5b9)) | 1;
}

static int scenario_source_window(struct trace_source *base, unsigned thread, struct trace_window *ret)
{
  struct scenario_source *src = (struct scenario_source *)base;
  struct actor *a = &src->actor[thread];

  if (a->taken == a->n) {
    a->taken = a->n = 0;
    while (a->n + STEP_RECORDS + STEP_NOTES <= WINDOW && a->step < src->s->n_steps) {
      const struct scenario_step *step = &src->s->step[a->step];

      step_iteration(step, a->step, a);
      if (a->done >= step->count)
        actor_begin_step(src, a, thread, a->step + 1);
    }
  }
  *ret = (struct trace_window){.record = a->record + a->taken,
                               .n = a->n - a->taken,
                               .state = a->step < src->s->n_steps ? TRACE_RUNNING : TRACE_ENDED};
  return 0;
}

static void scenario_source_consume(struct trace_source *base, unsigned thread, size_t n)
{
  ((struct scenario_source *)base)->actor[thread].taken += (unsigned)n;
}

static int scenario_source_poll(struct trace_source *base, unsigned *ret_threads, bool *ret_ended)
{
  *ret_threads = ((struct scenario_source *)base)->n;
  *ret_ended = true; /* all threads exist from the start */
  return 0;
}

static int scenario_source_await(struct trace_source *base, unsigned thread)
{
  (void)base, (void)thread; /* the records are always available */
  return 0;
}

static void scenario_source_free(struct trace_source *base)
{
  struct scenario_source *src = (struct scenario_source *)base;

  free(src->number);
  free(src->actor);
  free(src);
}

/* Maps the step's memory by pages of the step's kind: the smallest power of two that covers it. */
static int step_pages(const struct scenario_step *step, uint64_t bytes, struct traffic *t)
{
  struct pages_asked asked = {step->base >> PAGES_UNIT_SHIFT, step->pages == PAGES_1G ? 9 : 0, (uint8_t)step->pages};

  while (UINT64_C(1) << PAGES_UNIT_SHIFT << asked.log2 < bytes)
    asked.log2++;
  return step->pages == PAGES_NONE ? 0 : traffic_pages(t, &asked);
}

static int scenario_source_memory(const struct trace_source *base, struct traffic *t)
{
  const struct scenario *s = ((const struct scenario_source *)base)->s;
  int rc = 0;

  for (size_t i = 0; i < s->n_steps && !rc; i++) {
    const struct scenario_step *step = &s->step[i];
    const uint64_t bytes = step->span * (step->pattern == SCENARIO_COPY ? 2 : 1);

    if (bytes && !(rc = traffic_memory_add(t, step->base, bytes)))
      rc = step_pages(step, bytes, t);
  }
  return rc;
}

static const struct trace_source_ops source_ops = {scenario_source_poll,   scenario_source_await,
                                                   scenario_source_window, scenario_source_consume,
                                                   scenario_source_free,   NULL};

int scenario_source_new(const struct scenario *s, struct trace_source **ret_source)
{
  struct scenario_source *src = calloc(1, sizeof *src);

  if (src) {
    src->number = calloc(s->n_threads + 1, sizeof *src->number);
    src->actor = calloc(s->n_threads + 1, sizeof *src->actor);
  }
  if (!src || !src->number || !src->actor) {
    if (src)
      scenario_source_free(&src->base);
    return PMON_E_MEMORY;
  }
  src->base.ops = &source_ops;
  src->base.memory = scenario_source_memory;
  src->s = s;
  for (unsigned i = 0; i < s->n_threads; i++)
    if (s->thread[i].used) {
      src->number[src->n++] = i;
      actor_begin_step(src, &src->actor[src->n - 1], src->n - 1, 0);
    }
  *ret_source = &src->base;
  return 0;
}
