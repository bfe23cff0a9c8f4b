/* SPDX-License-Identifier: MIT */
/*
 * The fast path of an access that hits the most recently used line of its L1 set: no call, no division, no simulated
 * time. Consumers of traces include this instead of calling feed.h's functions; any other access falls through to
 * those.
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

/* A line in flight to a cache, and the time at which it arrives. */
struct on_way {
  uint64_t line;
  fs_t done;
};

enum { PREDICTOR = 1 << 14 };

/* The front of a core: its L1 caches, indexed by virtual line. Data lines have the flags L1_WRITABLE and L1_DIRTY. */
struct core_front {
  uint64_t fetch_line; /* line of the last instructions fetched */
  fs_t time;           /* not adjacent to `instructions`: a compiler would add to both at once, which takes longer */
  uint64_t fs_per_cycle;
  uint64_t instructions;
  uint64_t stall_at;           /* instruction count at which the reorder window or a queue may be full */
  uint64_t fs_per_instruction; /* in blocks without a summary (pace.h) */
  uint64_t fetch_lines;
  uint64_t history, branches; /* outcomes of the last branches, a bit each (1: taken); number of branches */
  struct first_level l1d, l1i;
  uint64_t asked; /* number of lines requested by L2 */
  fs_t due;       /* before this time, devices, conditions and the machine's time require nothing of the core */
  fs_t ready;     /* time at which the address of the next access is known; 0: already */
  fs_t done;      /* time at which the data of all loads of core_load() have arrived */
  fs_t follow;    /* loads wait for a load that gives their address if it takes longer than this; FOLLOW_NONE: never */
  uint64_t accesses[ACCESS_KIND_N];
  fs_t parked;               /* time of the core's other hardware thread; 0: it has had none */
  uint32_t thread;           /* the hardware thread whose state this is */
  struct on_way filling[64]; /* virtual lines in flight to L1, by their low 6 bits */
  uint8_t taken[PREDICTOR];  /* counters of the branch predictor (pace.h) */
};

struct traffic_front {
  struct core_front **core;
}; /* the beginning of struct traffic */

static inline struct core_front *traffic_front(const struct traffic *t, unsigned core)
{
  return ((const struct traffic_front *)(const void *)t)->core[core];
}

enum { FRONT_VA_BITS = 48 };
/* Returns the line of a virtual address, whose bits from FRONT_VA_BITS on are ignored. They are shifted out, because a
 * compiler would use a 64-bit mask, which takes more instructions. */
static inline uint64_t front_line(uint64_t address)
{
  uint64_t line = address << (64 - FRONT_VA_BITS);
  REGISTER_KEEP(line);
  return line >> (64 - FRONT_VA_BITS + 6);
}

/* Returns the time of one of the core's hardware threads. */
static inline fs_t front_thread_time(const struct core_front *f, unsigned thread)
{
  return f->thread == thread ? f->time : f->parked;
}

/* True if a virtual line is the most recently used one of its L1D set. */
static inline bool front_has(const struct core_front *f, uint64_t line)
{
  return *first_recent(&f->l1d, line) >> 2 == line;
}

/* Lines of upcoming accesses that miss L1, in the order of these accesses. Line k is entry k % EXPECT_LINES; it is
 * virtual until its page has been found and read, then physical. `taken` lines have been added so far, the accesses to
 * `gone` lines have been performed, and `done` lines have passed each step. */
enum { EXPECT_LINES = 32 };
enum expect_step { EXPECT_TABLE, EXPECT_PAGE, EXPECT_SECOND, EXPECT_TAGS, EXPECT_STEPS };
struct expected {
  uint64_t taken, gone, done[EXPECT_STEPS];
  struct {
    uint64_t line;
    const struct page *page;
  } of[EXPECT_LINES];
};
/* Call this at each L2 miss: it takes a few lines through each step, so that the host memory that one step prefetches
 * has arrived at the next miss. Changes only `e`. */
void traffic_expect(const struct traffic *t, unsigned core, struct expected *e);

void traffic_access_slow(struct traffic *t, unsigned core, uint64_t va, uint32_t size, enum access_kind kind);
/* A load within one line that misses L1. `address`: its virtual address, known at `ready` (0: now), of which the bits
 * from FRONT_VA_BITS on are ignored. Inserts the line into L1, whose set needs no renumbering. Returns the time at
 * which its data arrive (0: they have arrived). */
fs_t traffic_load_missed(struct traffic *t, struct core_front *front, uint64_t address, fs_t ready);
/* A store within one line that missed L1; first_fill() has already inserted the line. */
void traffic_store_missed(struct traffic *t, unsigned core, uint64_t va, uint32_t size);
/* Returns the time at which the data of a load of a virtual line that hits L1 arrive: the line may still be in flight
 * to L1. The load's address is known at `ready`. */
fs_t traffic_load_hit(struct traffic *t, struct core_front *front, uint64_t line, fs_t ready);
void traffic_block_slow(struct traffic *t, struct core_front *front, uint64_t pc, uint32_t bytes);

/* private.c: private accesses concern only one core's caches, so host threads may simulate them for several cores at
 * once. traffic_cores_go_apart(): the machine has private accesses, and dependences of blocks are modelled.
 * traffic_core_is_private(): the core may perform one now, because it runs, the machine's time is not beyond its own,
 * and no store waits to request its line. */
bool traffic_cores_go_apart(const struct traffic *t);
bool traffic_core_is_private(const struct traffic *t, unsigned core);
/* True if an access is private. traffic_load_is_private(): for a load of a line that misses L1. */
bool traffic_access_is_private(const struct traffic *t, unsigned core, uint64_t va, uint32_t size,
                               enum access_kind kind);
bool traffic_load_is_private(const struct traffic *t, const struct core_front *front, uint64_t line);
/* As traffic_block_slow(), while its lines are private. False: one is not. Then traffic_block_slow() has to follow; the
 * lines fetched so far hit. */
bool traffic_block_apart(struct traffic *t, unsigned core, uint64_t pc, uint32_t bytes);

/* True if a load or store within a line hits the most recently used line of its L1 set, which for a store is dirty:
 * nothing else remains to be done. `lacks`: flags that the access does not need. No branch depends on the kind of
 * access, which the host could not predict. */
#define FRONT_LACKS_LOAD (L1_WRITABLE | L1_DIRTY)
#define FRONT_LACKS_STORE 0u
static inline bool front_recent(const struct core_front *f, uint64_t line, uint64_t lacks)
{
  return (*first_recent(&f->l1d, line) ^ (line << 2 | L1_WRITABLE | L1_DIRTY)) <= lacks;
}

/* As front_recent(), for the two most recently used lines. */
static inline bool front_near(const struct core_front *f, uint64_t line, uint64_t lacks)
{
  return __builtin_expect(front_recent(f, line, lacks), 1) ||
         (first_swap(&f->l1d, line) && front_recent(f, line, lacks));
}

/* Perform an access; begin a block. `f` is traffic_front() of the core. Inline, so that the parameters cost nothing. */
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
static inline void front_block(struct traffic *t, struct core_front *f, uint64_t pc, uint32_t bytes,
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
    traffic_block_slow(t, f, pc, bytes);
}

/* Begins a block whose pace is known: `cycles` in 1/256 of a cycle (pace.h). */
static inline void front_block_pass(struct core_front *f, uint32_t cycles, uint32_t instructions)
{
  f->instructions += instructions;
  f->time += cycles * f->fs_per_cycle >> 8;
  f->fetch_lines++;
}

/* For a block within one line: true if that is the last line used or the most recently used one of its L1I set, and no
 * queue can be full. False: traffic_block_slow() has to follow. Inline, because a call would cost as much. */
static inline bool front_block_recent(struct core_front *f, uint64_t line)
{
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
  front_block(t, traffic_front(t, core), pc, bytes, instructions);
}

#endif
