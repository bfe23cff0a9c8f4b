/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a thread used since its last interval: a filter with one place for each line of data, about as many as a second
 * level has, and of code as many as a first level has. What was there once is kept back until a line of the same place
 * replaces it: each line that is used reaches the machine's caches at least once in a period, so that they do not
 * forget it.
 *
 * The filters of a process's threads are coherent. A line that a thread stores to while another one has it is shared
 * from then on: no filter has it, and each access to it is written, so that the machine decides in simulated time whose
 * it is.
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
 * Small, since it shares the host's first level with the program's own data. Other threads look at the lines of data,
 * and take lines away, while the thread uses them: all accesses to these are atomic, and ordered by nothing, which
 * costs no more than plain ones. Code is the thread's alone.
 */
struct filter {
  union {
    uint16_t line[FILTER_LINES];      /* tag << 2 | FILTER_STORED | FILTER_VALID; FILTER_NO_LINE */
    uint64_t lines[FILTER_LINES / 4]; /* four of them, to empty them faster */
  };
  uint32_t code[FILTER_CODE]; /* tag << 1 | FILTER_VALID; FILTER_NO_LINE */
};
enum { FILTER_NO_LINE = 0, FILTER_VALID = 1, FILTER_STORED = 2 };

static inline uint16_t *filter_place(struct filter *f, uint64_t va)
{
  return &f->line[va >> FILTER_LINE_SHIFT & (FILTER_LINES - 1)];
}
/* Of a tag's 14 bits two lines of one place have all in common once in 16,384 times. */
static inline uint32_t filter_entry(uint64_t va, bool store)
{
  const uint64_t upper = va >> (FILTER_LINE_SHIFT + FILTER_INDEX_BITS);

  return ((uint32_t)(upper ^ upper >> 14) * 4 + FILTER_VALID + (store ? FILTER_STORED : 0)) & UINT16_MAX;
}
/* Whether an entry is of the line, stored to or not: loads need no more. */
static inline bool filter_entry_is(uint32_t entry, uint64_t va)
{
  return !((entry ^ filter_entry(va, false)) & (UINT16_MAX - FILTER_STORED));
}
static inline bool filter_has(struct filter *f, uint64_t va, bool store)
{
  const uint32_t entry = __atomic_load_n(filter_place(f, va), __ATOMIC_RELAXED);

  return store ? entry == filter_entry(va, true) : filter_entry_is(entry, va);
}

/* The thread has used the line. */
static inline void filter_add(struct filter *f, uint64_t va, bool store)
{
  __atomic_store_n(filter_place(f, va), (uint16_t)filter_entry(va, store), __ATOMIC_RELAXED);
}

static inline uint32_t *filter_code_place(struct filter *f, uint64_t block)
{
  return &f->code[block >> FILTER_LINE_SHIFT & (FILTER_CODE - 1)];
}
/* The tag has 31 bits: all of a program's addresses but the highest. */
static inline uint32_t filter_code_entry(uint64_t block)
{
  return (uint32_t)(block >> (FILTER_LINE_SHIFT + FILTER_CODE_BITS)) << 1 | FILTER_VALID;
}
static inline bool filter_has_code(struct filter *f, uint64_t block)
{
  return *filter_code_place(f, block) == filter_code_entry(block);
}

/* A filter that has nothing, for threads that write everything; it stays so. */
extern struct filter filter_none;

/* A filter for the calling thread, which other threads see; NULL: too many, or no memory. */
struct filter *filter_claim(void);
/* The thread needs it no longer. NULL: does nothing. */
void filter_release(struct filter *f);
/* In a child process: only the calling thread has gone on, and claims its filter again. */
void filters_fork(void);
/* Empties the filter. Lines that are known as shared stay so: another thread may not run for some time. */
void filter_clear(struct filter *f);
/* A store that bypasses the caches drops the line from all filters, also the thread's own. */
void filter_drop(uint64_t va);
/* Whether more than one thread has a filter. */
bool filter_has_others(void);
/* Whether the line is shared, with another one alive, now that the thread with filter `mine` (or none) loads it or
 * stores to it. */
bool filter_shared(const struct filter *mine, uint64_t va, bool store);

#endif
