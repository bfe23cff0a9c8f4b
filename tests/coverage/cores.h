/* SPDX-License-Identifier: MIT */
/* Counts each row of Montecito's events (an event with one umask) alone, on all counters of all threads. */
#ifndef TESTS_COVERAGE_CORES_H
#define TESTS_COVERAGE_CORES_H

#include <stdbool.h>
#include <stdint.h>

struct montecito_event;
struct montecito_machine;

struct row {
  const struct montecito_event *e;
  const char *umask; /* NULL: the event has no umask */
  unsigned value;    /* value of the umask field */
};

/* Settings of the event address registers while their own events are counted: caches, TLBs, the ALAT. */
struct ears {
  uint64_t iear, dear;
};
enum { EARS = 3 };
extern const struct ears ears[EARS];

/* Returns a machine all of whose counters count the row. small: caches and TLBs of the minimum size, so that short
 * programs evict lines. */
struct montecito_machine *machine_counting(const struct row *row, unsigned threshold, const struct ears *ear,
                                           bool small);
uint64_t pmd_read(struct montecito_machine *m, uint32_t thread, unsigned pmd);
/* Returns the largest count of all counters of all threads. */
uint64_t largest_count(struct montecito_machine *m);

typedef void (*row_fn)(const struct row *row);
void each_row(row_fn fn);

#endif
