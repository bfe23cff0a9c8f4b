/* SPDX-License-Identifier: MIT */
#ifndef PMON_ENCODE_RULES_H
#define PMON_ENCODE_RULES_H

#include <pmon/encode.h>
#include "src/facts/db.h"
#include "src/platform/platform.h"

/* A register's contents: the rows of its unit and of itself, its index in its row (UINT32_MAX: unknown), the event that
 * it selects (NULL: none), and the values of other registers (NULL: not known). */
struct encode_value {
  const struct pmon_platform *platform;
  const struct db *db;
  uint32_t unit, reg, index;
  uint64_t value;
  const struct pmon_event_info *event;
  const struct pmon_image *beside;
};

/* Returns the next rule, from *at on (0 at first), that the value violates whatever the unknown registers hold; advice
 * is skipped. NULL: no more. */
const struct db_rule *encode_next_violation(const struct encode_value *value, uint32_t *at);

#endif
