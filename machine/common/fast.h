/* SPDX-License-Identifier: MIT */
/*
 * The way of an access that finds its line most recent in the first level: no call, no division, no time. Consumers
 * of traces include this instead of calling feed.h's functions; anything else falls through to those.
 */
#ifndef MACHINE_COMMON_FAST_H
#define MACHINE_COMMON_FAST_H

#include <stdbool.h>
#include <stdint.h>
#include "machine/common/feed.h"
#include "machine/common/l1.h"

#define L1_WRITABLE 1u
#define L1_DIRTY 2u
#define FOLLOW_NONE UINT64_MAX

/* A line that is on its way to a cache, and when it is there. */
struct on_way {
  uint64_t line;
  fs_t done;
};

enum { PREDICTOR = 1 << 14 };

/* One core's front: first levels keyed by virtual line, with flags for data. */
struct core_front {
  uint64_t fetch_line; /* the line that instructions last came from */
  fs_t time;           /* not beside `instructions`: a compiler would add to both at once, which takes longer */
  uint64_t fs_per_cycle;
  uint64_t instructions;
  uint64_t stall_at;           /* instruction count at which the window or a queue may be full */
  uint64_t fs_per_instruction; /* without a summary of the block */
  uint64_t fetch_lines;
  uint64_t history, branches; /* of the last branches, whether they were taken; how many */
  struct first_level l1d, l1i;
  uint64_t asked; /* lines that its second level had not */
  fs_t ready;     /* when the address of the next access is known; 0: it is now */
  fs_t done;      /* when the data of the last load are there that the first level had not */
  fs_t follow;    /* loads wait for one that takes longer than this and gives their address; FOLLOW_NONE: for none */
  uint64_t accesses[ACCESS_KIND_N];
  fs_t parked;               /* time of the core's other hardware thread; 0: it has had none */
  uint32_t thread;           /* the hardware thread that these are of */
  uint8_t taken[PREDICTOR];  /* counters of the branch predictor (pace.h) */
  struct on_way filling[64]; /* virtual lines on their way to the first level, by their last bits */
};

struct traffic_front {
  struct core_front **core;
}; /* what struct traffic begins with */

static inline struct core_front *traffic_front(const struct traffic *t, unsigned core)
{
  return ((const struct traffic_front *)(const void *)t)->core[core];
}

/* The time of one of the core's hardware threads. */
static inline fs_t front_thread_time(const struct core_front *f, unsigned thread)
{
  return f->thread == thread ? f->time : f->parked;
}

/* Whether a virtual line is the most recent one of its place in the first level for data. */
static inline bool front_has(const struct core_front *f, uint64_t line)
{
  return *first_recent(&f->l1d, line) >> 2 == line;
}

/* Lines that accesses to come want and the first level has not, in the order of these: number k stands at
 * k % EXPECT_LINES, virtual until its page was found and read, then physical. `taken` were put in so far, the access of
 * `gone` has come, and `done` have been through each step. */
enum { EXPECT_LINES = 32 };
enum expect_step { EXPECT_TABLE, EXPECT_PAGE, EXPECT_SECOND, EXPECT_TAGS, EXPECT_STEPS };
struct expected {
  uint64_t taken, gone, done[EXPECT_STEPS];
  struct {
    uint64_t line;
    const struct page *page;
  } of[EXPECT_LINES];
};
/* For when the second level misses: called with each miss, so that what one step asked from the host's memory is there
 * at the next. Changes nothing but `e`. */
void traffic_expect(const struct traffic *t, unsigned core, struct expected *e);

void traffic_access_slow(struct traffic *t, unsigned core, uint64_t va, uint32_t size, enum access_kind kind);
/* A load or store within a line that the first level had not until first_fill() put it there. A load's address is
 * known at `ready` (0: now); returns when its data are there (0: they are). */
fs_t traffic_load_missed(struct traffic *t, struct core_front *front, uint64_t va, uint32_t size, fs_t ready);
void traffic_store_missed(struct traffic *t, unsigned core, uint64_t va, uint32_t size);
/* When the data of a load are there that the first level has: they may be on their way to it. Its address is known at
 * `ready`. */
fs_t traffic_load_hit(struct traffic *t, unsigned core, uint64_t va, fs_t ready);
void traffic_block_slow(struct traffic *t, unsigned core, uint64_t pc, uint32_t bytes);

/* private.c: what a core does with its own parts alone, so that others may do the same meanwhile. Whether cores have
 * such parts at all, with dependences of their blocks; whether a core may do it now: it runs, time
 * has not been set beyond its own, and no store waits to ask for its line. */
bool traffic_cores_go_apart(const struct traffic *t);
bool traffic_core_is_private(const struct traffic *t, unsigned core);
/* Whether an access is such; a load within a line that the first level has not. */
bool traffic_access_is_private(const struct traffic *t, unsigned core, uint64_t va, uint32_t size,
                               enum access_kind kind);
bool traffic_load_is_private(const struct traffic *t, const struct core_front *front, uint64_t line);
/* As traffic_block_slow(); false: not all of it is such. Then that is to follow, and finds done what is. */
bool traffic_block_apart(struct traffic *t, unsigned core, uint64_t pc, uint32_t bytes);

/* Whether a load or store within a line finds it most recent in the first level, and for a store dirty: then there is
 * nothing to do. `lacks`: the flags that it may do without. Without branches on what it is, which the host could not
 * foresee. */
#define FRONT_LACKS_LOAD (L1_WRITABLE | L1_DIRTY)
#define FRONT_LACKS_STORE 0u
static inline bool front_recent(const struct core_front *f, uint64_t line, uint64_t lacks)
{
  return (*first_recent(&f->l1d, line) ^ (line << 2 | L1_WRITABLE | L1_DIRTY)) <= lacks;
}

/* The same of the most recent line or the one before. */
static inline bool front_near(const struct core_front *f, uint64_t line, uint64_t lacks)
{
  return __builtin_expect(front_recent(f, line, lacks), 1) ||
         (first_swap(&f->l1d, line) && front_recent(f, line, lacks));
}

/* An access and a block; `f` is traffic_front() of the core. Inline, so that parameters cost nothing. */
static inline void front_access(struct traffic *t, struct core_front *f, unsigned core, uint64_t va, uint32_t size,
                                enum access_kind kind)
{
  const uint64_t line = va >> 6, entry = *first_recent(&f->l1d, line);
  f->accesses[kind]++;
  if ((va & 63) + size <= 64) {
    if (kind == ACCESS_LOAD && (entry ^ line << 2) <= (L1_WRITABLE | L1_DIRTY))
      return;
    if ((kind == ACCESS_STORE || kind == ACCESS_MODIFY) && entry == (line << 2 | L1_WRITABLE | L1_DIRTY))
      return;
  }
  traffic_access_slow(t, core, va, size, kind);
}

/* Its parameters: see front_access(). */
static inline void front_block(struct traffic *t, struct core_front *f, unsigned core, uint64_t pc, uint32_t bytes,
                               uint32_t instructions)
{
  const uint64_t line = pc >> 6;
  f->instructions += instructions;
  f->time += instructions * f->fs_per_instruction;
  f->fetch_lines++;
  if (f->instructions < f->stall_at && (pc & 63) + bytes <= 64 &&
      (line == f->fetch_line || *first_recent(&f->l1i, line) == line << 2))
    f->fetch_line = line;
  else
    traffic_block_slow(t, core, pc, bytes);
}

/* A block begins whose pace is known, in 1/256 of a cycle (pace.h). */
static inline void front_block_pass(struct core_front *f, uint32_t cycles, uint32_t instructions)
{
  f->instructions += instructions;
  f->time += cycles * f->fs_per_cycle >> 8;
  f->fetch_lines++;
}

/* The block lies within the line that was used last, or the most recent one of its place, and nothing is full. Inline,
 * because a call would cost as much; false: traffic_block_slow() has to follow. */
static inline bool front_block_recent(struct core_front *f, uint64_t pc)
{
  const uint64_t line = pc >> 6;
  if (f->instructions >= f->stall_at)
    return false;
  if (line == f->fetch_line)
    return true;
  if (*first_recent(&f->l1i, line) != line << 2)
    return false;
  f->fetch_line = line;
  return true;
}

static inline void traffic_access_fast(struct traffic *t, unsigned core, uint64_t va, uint32_t size,
                                       enum access_kind kind)
{
  front_access(t, traffic_front(t, core), core, va, size, kind);
}

static inline void traffic_block_fast(struct traffic *t, unsigned core, uint64_t pc, uint32_t bytes,
                                      uint32_t instructions)
{
  front_block(t, traffic_front(t, core), core, pc, bytes, instructions);
}

#endif
