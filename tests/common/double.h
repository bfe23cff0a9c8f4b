/* SPDX-License-Identifier: MIT */
/*
 * Stands in for the machine's PMON blocks: hears everything, and adds it up by event and attribute.
 */
#ifndef TESTS_COMMON_DOUBLE_H
#define TESTS_COMMON_DOUBLE_H

#include "machine/emr/attr.h"
#include "machine/pmon/block.h"
#include "machine/common/totals.h"
#include "machine/common/traffic.h"

struct observed {
  uint64_t code, attr, pulses, spans, life_fs;
  fs_t last; /* pulse's time */
};

/* Makes what machine_block() answers from; hears nothing when `deaf`. */
struct machine *double_new(int deaf);
void double_free(struct machine *m);

/* What `socket` (-1: all) observed of an event of `unit` whose attributes hold all bits of `attr`. */
struct observed double_sum(const struct machine *m, int socket, const char *unit, uint8_t code, uint64_t attr);
/* The same of one instance. */
struct observed double_sum_one(const struct machine *m, int socket, const char *unit, unsigned instance, uint8_t code,
                               uint64_t attr);
/* A number that differs when anything that was observed differs. */
uint64_t double_digest(const struct machine *m);

/* A machine of `settings` (NULL-ended), traffic and double together; fails the test when it cannot be made. */
struct traffic *double_traffic(struct machine *m, const char *const *settings);
uint64_t double_random(uint64_t *state);

#endif
