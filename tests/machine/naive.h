/* SPDX-License-Identifier: MIT */
/*
 * A second implementation of the counters, directly from the text of the guide (1.3 to 1.6): it visits every cycle of
 * every clock, and computes each increment from all reports so far. Slow on purpose.
 */
#ifndef TESTS_MACHINE_NAIVE_H
#define TESTS_MACHINE_NAIVE_H

#include <stdbool.h>
#include <stdint.h>

enum { NAIVE_BLOCKS = 4, NAIVE_COUNTERS = 5, NAIVE_REPORTS = 4096 };

struct naive_report {
  uint64_t emitted, from, to;
  uint64_t attr;
  uint32_t n, block;
  uint16_t tid;
  uint8_t code;
  bool pulse, level, done;
};

struct naive_counter {
  uint64_t ctl, value;
  bool was, on;
  uint64_t since;
};

struct naive_block {
  uint64_t hz, cycle;                  /* cycle: number of the current one */
  unsigned socket, counters, position; /* counters without the fixed one, which is the last */
  bool fixed, frozen, tids, halves;    /* halves: event 1 without umask counts every second cycle */
  uint64_t tid, status;
  struct naive_counter counter[NAIVE_COUNTERS];
};

struct naive {
  uint64_t now;
  struct naive_block block[NAIVE_BLOCKS];
  bool frozen[2];
  uint64_t delay, due[2]; /* due: time at which a pending freeze stops the socket; 0: none is pending */
  uint64_t global[2][2];
  struct naive_report report[NAIVE_REPORTS];
  unsigned reports;
};

void naive_run(struct naive *n, uint64_t until);
/* Call after any change that stops or starts counters. */
void naive_settle(struct naive *n);
void naive_control(struct naive *n, unsigned block, unsigned counter, uint64_t ctl);

#endif
