/* SPDX-License-Identifier: MIT */
/*
 * The host's memory for the machine's tables. It is zeroed, costs nothing until it is touched, and comes in small
 * pages: the tags of a program's few lines are spread over all sets of all slices, so that huge pages would have the
 * host clear, and find, all of the tables' memory for each program. A program that misses for long gets huge pages,
 * since the host walks its page tables for most look-ups otherwise.
 */
#ifndef MACHINE_COMMON_HOST_PAGES_H
#define MACHINE_COMMON_HOST_PAGES_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

/* NULL: there is none. */
void *pages_get(size_t bytes);
/* `bytes` as they were asked for. NULL does nothing. */
void pages_put(void *pages, size_t bytes);

#define HUGE_TABLES 4u

/* Tables of pages_get() whose small pages become huge ones, by a thread, while the machine goes on: of the first `now`
 * bytes at once, of the rest as they are touched. */
struct huge_pages {
  struct {
    void *pages;
    size_t bytes, now;
  } table[HUGE_TABLES];
  unsigned n;
  bool begun, running;
  pthread_t thread;
};

/* Without MADV_COLLAPSE (Linux before 6.1), or without a thread, pages stay as they are. Once: later calls do nothing.
 */
void huge_pages_begin(struct huge_pages *h);
/* Before pages_put() of the tables, in the process that began it: a child of fork() has no such thread. */
void huge_pages_end(struct huge_pages *h);

#endif
