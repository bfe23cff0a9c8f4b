/* SPDX-License-Identifier: MIT */
/* Counting each row of Montecito's events (an event with one umask) alone, on all counters of all threads. */
#ifndef TESTS_COVERAGE_CORES_H
#define TESTS_COVERAGE_CORES_H

#include <stdbool.h>
#include <stdint.h>

struct montecito_event;
struct montecito_machine;

struct row {
  const struct montecito_event *e;
  const char *umask; /* NULL: none */
  unsigned value;    /* of the umask field */
};

/* What the address registers sample while their own events are counted: caches, TLBs, the ALAT. */
struct ears {
  uint64_t iear, dear;
};
enum { EARS = 3 };
extern const struct ears ears[EARS];

/* A machine whose counters all count the row. small: caches and TLBs of the least size, so that short programs displace
 * lines. */
struct montecito_machine *machine_counting(const struct row *row, unsigned threshold, const struct ears *ear,
                                           bool small);
uint64_t pmd_read(struct montecito_machine *m, uint32_t thread, unsigned pmd);
/* Of all counters of all threads. */
uint64_t largest_count(struct montecito_machine *m);

typedef void (*row_fn)(const struct row *row);
void each_row(row_fn fn);

#endif
