/* SPDX-License-Identifier: MIT */
/*
 * Limits of what a core has outstanding at once: instructions and loads after its oldest outstanding load (reorder
 * window, load queue), stores that wait for their line (store buffer), lines in flight to L1 (fill buffers). Each limit
 * is a parameter. A full queue is noticed when a block begins. The only check there is against core_front.stall_at, the
 * lowest instruction count at which a queue could be full: almost all instructions have at most one load or store.
 * Private to the room.
 */
#ifndef MACHINE_COMMON_QUEUES_H
#define MACHINE_COMMON_QUEUES_H

#include "machine/common/core.h"

enum { BLOCK_MOST = 63 }; /* instructions of a block */

static inline uint64_t queue_loads(const struct core_front *f)
{
  return f->accesses[ACCESS_LOAD] + f->accesses[ACCESS_MODIFY];
}

static inline uint64_t queue_stores(const struct core_front *f)
{
  return f->accesses[ACCESS_STORE] + f->accesses[ACCESS_MODIFY];
}

static inline uint64_t queue_room(uint64_t limit, uint64_t used)
{
  return used < limit ? limit - used : 0;
}

/* Return the room for instructions in the reorder window, for loads in the load queue, for stores in the store buffer.
 * Valid while loads, or stores, are outstanding. */
static inline uint64_t window_room(const struct traffic *t, const struct core *c)
{
  return queue_room(t->window >> c->shares,
                    c->front.instructions - c->queues.window[c->queues.window_first].instruction);
}
static inline uint64_t loads_room(const struct traffic *t, const struct core *c)
{
  return queue_room(t->loads >> c->shares, queue_loads(&c->front) - c->queues.window[c->queues.window_first].loads);
}
static inline uint64_t stores_room(const struct traffic *t, const struct core *c)
{
  return queue_room(t->stores >> c->shares, queue_stores(&c->front) - c->queues.store[c->queues.store_first].number);
}

/* stores.c: a store that misses L1, or hits a line that L1 may not write, takes an entry of the store buffer. It
 * requests its line when the core's time reaches the time at which a fill buffer is free. */
void core_store(struct traffic *t, struct core *c, uint64_t virtual, uint64_t line);
/* Makes the stores that can request their lines by `until` do so. */
void stores_ask_slowly(struct traffic *t, struct core *c, fs_t until);
static inline void stores_ask(struct traffic *t, struct core *c, fs_t until)
{
  if (until >= c->queues.ask_at)
    stores_ask_slowly(t, c, until);
}
/* Makes all stores request their lines, where nothing follows that would advance the core's time. */
void stores_end(struct traffic *t, struct core *c);

/* As core_wait(), while stores request their lines. */
static inline void queues_wait(struct traffic *t, struct core *c, fs_t *stall, fs_t until)
{
  stores_ask(t, c, until);
  core_wait(c, stall, until);
}

static inline void window_retire(struct traffic *t, struct core *c)
{
  queues_wait(t, c, &c->totals.load_stall_fs, c->queues.window[c->queues.window_first].done);
  c->queues.window_first = (c->queues.window_first + 1) % 64;
  c->queues.window_n--;
}

static inline void store_retire(struct traffic *t, struct core *c)
{
  while (c->queues.store_n == c->queues.unasked) /* loads may have taken the buffer meanwhile */
    stores_ask(t, c, fs_later(c->queues.ask_at, c->front.time));
  queues_wait(t, c, &c->totals.store_stall_fs, c->queues.store[c->queues.store_first].done);
  c->queues.store_first = (c->queues.store_first + 1) % STORES;
  c->queues.store_n--;
}

/* True if the oldest store has its line. */
static inline bool store_done(const struct core *c)
{
  return c->queues.store_n > c->queues.unasked && c->queues.store[c->queues.store_first].done <= c->front.time;
}

/* Makes room for a store in the store buffer: retires completed stores, and waits for the oldest one only where all
 * entries are stores that miss. */
static inline void store_enter(struct traffic *t, struct core *c)
{
  while (c->queues.store_n && (store_done(c) || c->queues.store_n >= t->stores))
    store_retire(t, c);
}

/* Sets front.stall_at. `inside`: loads or stores that the block may still have, at most. */
static inline void stall_set(const struct traffic *t, struct core *c, uint64_t inside)
{
  uint64_t left = UINT64_MAX;
  if (c->queues.window_n) {
    const uint64_t instructions = window_room(t, c), loads = queue_room(loads_room(t, c), inside);
    left = instructions < loads ? instructions : loads;
  }
  if (c->queues.store_n) {
    const uint64_t stores = queue_room(stores_room(t, c), inside);
    left = stores < left ? stores : left;
  }
  if (c->queues.unasked) { /* soon enough for a core that executes one instruction per cycle */
    const fs_t now = c->front.time, at = c->queues.ask_at;
    const uint64_t cycles = at > now ? (at - now) / c->front.fs_per_cycle : 0;
    left = cycles < left ? cycles : left;
  }
  c->front.stall_at = left < UINT64_MAX ? c->front.instructions + left : UINT64_MAX;
}

/* Removes the oldest loads from the window if their data have arrived. Stores that are due to request their lines by
 * now have done so. */
static inline void window_leave(struct core *c)
{
  struct core_queues *q = &c->queues;
  uint32_t first = q->window_first, n = q->window_n;
  for (; n && q->window[first].done <= c->front.time; n--)
    first = (first + 1) % 64;
  q->window_first = first;
  q->window_n = n;
}

/* Begins a block of `bytes` bytes: waits while a queue is full. */
static inline void queues_check(struct traffic *t, struct core *c, uint32_t bytes)
{
  stores_ask(t, c, c->front.time);
  for (window_leave(c); c->queues.window_n && (!window_room(t, c) || !loads_room(t, c)); window_leave(c))
    window_retire(t, c);
  while (c->queues.store_n && (store_done(c) || !stores_room(t, c)))
    store_retire(t, c);
  stall_set(t, c, bytes < BLOCK_MOST ? bytes : BLOCK_MOST);
}

/* Writes a load that is outstanding until `done` after the last one of the window. */
static inline void window_write(struct core *c, fs_t done)
{
  const unsigned next = (c->queues.window_first + c->queues.window_n) % 64;
  c->queues.window[next].instruction = c->front.instructions;
  MEMORY_KEEP(c->queues.window[next].instruction); /* otherwise gcc joins it with `loads` in a vector register */
  c->queues.window[next].loads = queue_loads(&c->front) - 1;
  c->queues.window[next].done = done;
}

/* stores.c: adds a load to an empty or full window. Returns `done`. */
fs_t window_add_slowly(struct traffic *t, struct core *c, fs_t done);

/* Adds a load whose data arrive at `done` to the window, unless they arrive before the core could have to wait for
 * them. Returns `done`, so that callers can end with this. */
static inline fs_t window_add(struct traffic *t, struct core *c, fs_t done)
{
  if (done <= c->front.time + c->window_fs)
    return done;
  if (__builtin_expect(!(c->queues.window_n % 64), 0))
    return window_add_slowly(t, c, done);
  window_write(c, done);
  c->queues.window_n++;
  return done;
}

/* Adds a store whose line arrives at `done`, after store_enter(). It leaves the buffer after the stores before it,
 * which have requested their lines. */
static inline void store_add(const struct traffic *t, struct core *c, fs_t done)
{
  const unsigned last = (c->queues.store_first + c->queues.store_n++) % STORES;
  c->queues.store_done = fs_later(c->queues.store_done, done);
  c->queues.store[last].number = queue_stores(&c->front) - 1;
  c->queues.store[last].done = c->queues.store_done;
  if (c->queues.store_n == 1)
    stall_set(t, c, BLOCK_MOST);
}

/* Takes the next buffer. */
static inline fs_t *buffer_take(struct fill_buffers *b, enum fill_kind kind)
{
  fs_t *buffer = b->next[kind];
  b->next[kind] = __builtin_expect(buffer == b->last[kind], 0) ? b->until[kind] : buffer + 1;
  return buffer;
}

/* stores.c: where the next buffer is not free at `at`, makes one the next that is, or else the one that is free
 * first. */
void buffer_find(struct fill_buffers *b, enum fill_kind kind, fs_t at);

/* Returns the time at which all loads and stores so far are done. */
static inline fs_t queues_done(struct traffic *t, struct core *c)
{
  stores_end(t, c);
  fs_t until = fs_later(c->front.time, c->queues.store_done);
  for (unsigned i = 0; i < c->queues.window_n; i++)
    until = fs_later(until, c->queues.window[(c->queues.window_first + i) % 64].done);
  for (unsigned i = 0; i < t->mlp; i++)
    until = fs_later(until, fs_later(c->fill.until[FILL_READY][i], c->fill.until[FILL_WAITING][i]));
  return until;
}

#endif
