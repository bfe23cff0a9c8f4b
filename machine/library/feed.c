/* SPDX-License-Identifier: MIT */
#include "machine/library/feed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "machine/trace/ring.h"

enum { FEED_ACCESSES = 1024, FEED_WORDS = 2 * FEED_ACCESSES, INSTRUCTION_BYTES = 4 };

/* The address of the caller's instructions in the records: one line, because a callback has no code. */
static const uint64_t CODE_ADDRESS = 0x400000;

struct feed_thread {
  uint64_t words[FEED_WORDS];
  size_t first, n;
  bool ended;
};

struct feed_source {
  struct trace_source base;
  pmon_machine_feed feed;
  void *user;
  uint32_t n;
  struct feed_thread thread[];
};

static bool access_is_valid(const struct pmon_machine_access *a)
{
  if (a->kind == PMON_MACHINE_SLEEP)
    return !(a->address & ~RECORD_ADDRESS);
  return a->kind < PMON_MACHINE_ACCESS_KINDS && a->address < UINT64_C(1) << 47 && a->size_bytes &&
         a->size_bytes <= 64 && !(a->size_bytes & (a->size_bytes - 1)) && a->instructions <= RECORD_MAX_COUNT;
}

static uint64_t access_record(const struct pmon_machine_access *a)
{
  const uint64_t record = record_access(a->address, (unsigned)__builtin_ctz(a->size_bytes | 1u << 31), false, 0);
  switch (a->kind) {
  case PMON_MACHINE_WRITE: return record | RECORD_STORE;
  case PMON_MACHINE_PREFETCH: return record | RECORD_PREFETCH;
  case PMON_MACHINE_WRITE_PAST: return record | RECORD_STORE | RECORD_PAST_CACHES;
  case PMON_MACHINE_SLEEP: return record_access(a->address, 0, false, 0) | RECORD_SLEEP;
  default: return record;
  }
}

/* Calls the callback for more accesses of a thread. */
static int feed_refill(struct feed_source *f, uint32_t thread)
{
  struct feed_thread *t = &f->thread[thread];
  struct pmon_machine_access accesses[FEED_ACCESSES];
  const uint32_t n = f->feed(f->user, thread, accesses, FEED_ACCESSES);

  t->first = t->n = 0;
  t->ended = !n;
  if (n > FEED_ACCESSES) {
    snprintf(f->base.error, sizeof f->base.error, "the callback of thread %u returned %u accesses; its buffer holds %d",
             thread, n, FEED_ACCESSES);
    return PMON_E_RANGE;
  }
  for (uint32_t i = 0; i < n; i++) {
    const struct pmon_machine_access *a = &accesses[i];
    const uint32_t instructions = a->instructions ? a->instructions : 1;

    if (!access_is_valid(a)) {
      snprintf(f->base.error, sizeof f->base.error,
               "the callback of thread %u wrote an invalid access: address 0x%llx, %u bytes, kind %u", thread,
               (unsigned long long)a->address, a->size_bytes, a->kind);
      return PMON_E_RANGE;
    }
    t->words[t->n++] = record_block(CODE_ADDRESS, instructions * INSTRUCTION_BYTES, instructions);
    t->words[t->n++] = access_record(a);
  }
  return 0;
}

static int feed_poll(struct trace_source *s, unsigned *ret_threads, bool *ret_ended)
{
  *ret_threads = ((struct feed_source *)s)->n;
  *ret_ended = true;
  return 0;
}

/* The caller's function always answers: there is nothing to wait for. */
static int feed_await(struct trace_source *s, unsigned thread)
{
  (void)s;
  (void)thread;
  return 0;
}

static int feed_window(struct trace_source *s, unsigned thread, struct trace_window *ret_window)
{
  struct feed_source *f = (struct feed_source *)s;
  struct feed_thread *t = &f->thread[thread];
  int status = t->first == t->n && !t->ended ? feed_refill(f, thread) : 0;

  *ret_window = (struct trace_window){
      .record = t->words + t->first, .n = t->n - t->first, .state = t->ended ? TRACE_ENDED : TRACE_RUNNING};
  return status;
}

static void feed_consume(struct trace_source *s, unsigned thread, size_t n)
{
  ((struct feed_source *)s)->thread[thread].first += n;
}

static void feed_free(struct trace_source *s)
{
  free(s);
}

int feed_source_new(pmon_machine_feed feed, void *user, uint32_t threads, struct trace_source **ret_source)
{
  static const struct trace_source_ops ops = {feed_poll, feed_await, feed_window, feed_consume, feed_free, NULL};
  struct feed_source *f = calloc(1, sizeof *f + threads * sizeof *f->thread);

  if (!f)
    return PMON_E_MEMORY;
  f->base.ops = &ops;
  f->feed = feed;
  f->user = user;
  f->n = threads;
  *ret_source = &f->base;
  return 0;
}
