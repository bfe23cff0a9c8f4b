/* SPDX-License-Identifier: MIT */
/* A second implementation of the counters of a core's two threads, cycle by cycle without optimization, from the text
 * of 3.3.1 to 3.3.4, 4.2.1, 4.8.2 and 4.8.4. */
#ifndef TESTS_MACHINE_MONTECITO_NAIVE_H
#define TESTS_MACHINE_MONTECITO_NAIVE_H

#include <stdbool.h>
#include <stdint.h>

struct naive {
  uint64_t pmc[2][16], pmd[2][16], psr[2];
  unsigned active;
};

/* Executes one cycle in which event `code` of `thread` rises by `n` for the umask values in `umasks`. */
void naive_cycle(struct naive *s, unsigned code, unsigned umasks, unsigned n, unsigned thread);

#endif
