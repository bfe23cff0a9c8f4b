/* SPDX-License-Identifier: MIT */
/*
 * Host memory for the machine's tables. It is zeroed, costs nothing until it is touched, and has small pages: a short
 * program uses few of them, but in all parts of the tables, so with huge pages the host would have to find and clear
 * all of the tables' memory for each program. A program that misses for long gets huge pages, because most look-ups
 * would otherwise make the host walk its page tables.
 */
#ifndef MACHINE_COMMON_HOST_PAGES_H
#define MACHINE_COMMON_HOST_PAGES_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

/* Returns `bytes` bytes of zeroed memory; NULL: no memory. */
void *pages_get(size_t bytes);
/* Frees memory of pages_get(), with the same `bytes`. NULL does nothing. */
void pages_put(void *pages, size_t bytes);

#define HUGE_TABLES 4u

/* Tables of pages_get() whose small pages a host thread turns into huge ones while the machine runs: those of the first
 * `now` bytes at once, the rest as they are touched. */
struct huge_pages {
  struct {
    void *pages;
    size_t bytes, now;
  } table[HUGE_TABLES];
  unsigned n;
  bool begun, running;
  pthread_t thread;
};

/* Starts this thread; later calls do nothing. Without MADV_COLLAPSE (Linux before 6.1), or if the thread cannot be
 * created, the pages stay as they are. */
void huge_pages_begin(struct huge_pages *h);
/* Waits for the thread. Call this before pages_put() of the tables, in the process that started the thread: a child of
 * fork() has no such thread. */
void huge_pages_end(struct huge_pages *h);

#endif
