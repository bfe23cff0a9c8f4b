/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The cache lines that a thread has used since its last interval: a direct-mapped filter, with about as many lines of
 * data as an L2 and as many lines of code as an L1. An access to a line that the filter holds is not written; the line
 * is written again after another line has replaced it in the filter. So each line in use reaches the machine's caches
 * at least once per period, and stays in them.
 *
 * The filters of a process's threads are coherent. A line that two threads use, one of them with stores, is
 * shared from then on: no filter holds it, and each access to it is written, so that the machine decides in simulated
 * time which core owns it.
 */
#ifndef PLUGIN_FILTER_H
#define PLUGIN_FILTER_H

#include <stdbool.h>
#include <stdint.h>

enum {
  FILTER_LINE_SHIFT = 6,
  FILTER_INDEX_BITS = 13,
  FILTER_LINES = 1 << FILTER_INDEX_BITS,
  FILTER_CODE_BITS = 9,
  FILTER_CODE = 1 << FILTER_CODE_BITS
};

/*
 * Small, because it shares the host's L1 with the program's own data. Other threads read the data lines, and remove
 * lines, while the owner uses them: all accesses to data lines are atomic with relaxed order, which costs no more than
 * plain accesses. Only the owner accesses the code lines.
 */
struct filter {
  union {
    uint16_t line[FILTER_LINES];      /* tag << 2 | FILTER_STORED | FILTER_VALID; FILTER_NO_LINE */
    uint64_t lines[FILTER_LINES / 4]; /* four entries each, to clear the filter faster */
  };
  uint32_t code[FILTER_CODE]; /* tag << 1 | FILTER_VALID; FILTER_NO_LINE */
};
enum { FILTER_NO_LINE = 0, FILTER_VALID = 1, FILTER_STORED = 2 };

static inline uint16_t *filter_place(struct filter *f, uint64_t va)
{
  return &f->line[va >> FILTER_LINE_SHIFT & (FILTER_LINES - 1)];
}
/* The tag has 14 bits: two lines of one place have the same tag with a probability of 1 in 16,384. */
static inline uint32_t filter_entry(uint64_t va, bool store)
{
  const uint64_t upper = va >> (FILTER_LINE_SHIFT + FILTER_INDEX_BITS);

  return ((uint32_t)(upper ^ upper >> 14) * 4 + FILTER_VALID + (store ? FILTER_STORED : 0)) & UINT16_MAX;
}
/* True if the entry holds the line, stored to or not; loads need no more. */
static inline bool filter_entry_is(uint32_t entry, uint64_t va)
{
  return !((entry ^ filter_entry(va, false)) & (UINT16_MAX - FILTER_STORED));
}
static inline bool filter_has(struct filter *f, uint64_t va, bool store)
{
  const uint32_t entry = __atomic_load_n(filter_place(f, va), __ATOMIC_RELAXED);

  return store ? entry == filter_entry(va, true) : filter_entry_is(entry, va);
}

/* Records that the thread has used the line. */
static inline void filter_add(struct filter *f, uint64_t va, bool store)
{
  __atomic_store_n(filter_place(f, va), (uint16_t)filter_entry(va, store), __ATOMIC_RELAXED);
}

static inline uint32_t *filter_code_place(struct filter *f, uint64_t block)
{
  return &f->code[block >> FILTER_LINE_SHIFT & (FILTER_CODE - 1)];
}
/* The tag has 31 bits, which cover all of a program's addresses but the highest. */
static inline uint32_t filter_code_entry(uint64_t block)
{
  return (uint32_t)(block >> (FILTER_LINE_SHIFT + FILTER_CODE_BITS)) << 1 | FILTER_VALID;
}
static inline bool filter_has_code(struct filter *f, uint64_t block)
{
  return *filter_code_place(f, block) == filter_code_entry(block);
}

/* A filter that is always empty, for threads that write every access. */
extern struct filter filter_none;

/* Returns a filter for the calling thread, visible to other threads; NULL: too many threads, or no memory. */
struct filter *filter_claim(void);
/* Releases the thread's filter. NULL: does nothing. */
void filter_release(struct filter *f);
/* In a child process: releases all filters, since only the calling thread exists; it claims its filter again. */
void filters_fork(void);
/* Empties the filter. Lines known as shared stay shared: the other thread may not run for some time. */
void filter_clear(struct filter *f);
/* Removes the line from all filters, the thread's own included, after a store that bypasses the caches. */
void filter_drop(uint64_t va);
/* True if more than one thread has a filter. */
bool filter_has_others(void);
/* True if the line is shared with another thread alive, given that the thread with filter `mine` (or without one) now
 * loads the line or stores to it. */
bool filter_shared(const struct filter *mine, uint64_t va, bool store);

#endif
