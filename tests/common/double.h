/* SPDX-License-Identifier: MIT */
/*
 * Test double of the machine's PMON blocks: records every report and sums the reports by event and attribute.
 */
#ifndef TESTS_COMMON_DOUBLE_H
#define TESTS_COMMON_DOUBLE_H

#include "machine/emr/attr.h"
#include "machine/pmon/block.h"
#include "machine/common/totals.h"
#include "machine/common/traffic.h"

struct observed {
  uint64_t code, attr, pulses, spans, life_fs;
  fs_t last; /* time of the last pulse */
};

/* Returns a machine whose blocks machine_block() finds; with `deaf`, the blocks record nothing. */
struct machine *double_new(int deaf);
void double_free(struct machine *m);

/* Returns the sums over all reports of an event of `unit` whose attributes contain all bits of `attr`, on `socket` (-1:
 * all sockets). */
struct observed double_sum(const struct machine *m, int socket, const char *unit, uint8_t code, uint64_t attr);
/* As double_sum(), for one instance of the unit. */
struct observed double_sum_one(const struct machine *m, int socket, const char *unit, unsigned instance, uint8_t code,
                               uint64_t attr);
/* Returns a hash of all recorded reports. */
uint64_t double_digest(const struct machine *m);

/* Returns a traffic model with `settings` (NULL-ended) that reports to the double `m`; fails the test if the settings
 * are refused. */
struct traffic *double_traffic(struct machine *m, const char *const *settings);
uint64_t double_random(uint64_t *state);

#endif
