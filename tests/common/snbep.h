/* SPDX-License-Identifier: MIT */
/* Shared by the tests of the E5-2600's traffic: settings of the machine, and counts as the boxes select them. */
#ifndef TESTS_COMMON_SNBEP_H
#define TESTS_COMMON_SNBEP_H

#include "tests/common/double.h"
#include "machine/snbep/attr.h"

static const char *const snbep_plain[] = {"platform=snbep", "llc.size=320K", "numa=interleave", NULL};

static inline uint64_t pulses(const struct machine *m, int s, const char *unit, uint8_t code, uint64_t attr)
{
  return double_sum(m, s, unit, code, attr).pulses;
}

/* For an event whose code needs, or must not have, the ninth bit. */
static inline uint64_t flits(const struct machine *m, int s, uint8_t code, uint64_t ext, uint64_t umask)
{
  const uint64_t with = pulses(m, s, "qpi", code, SNB_EXT | SNB_UMASK(umask));
  return ext ? with : pulses(m, s, "qpi", code, SNB_UMASK(umask)) - with;
}

#endif
