/* SPDX-License-Identifier: MIT */
/* How the machine makes each event of a platform move, or why it does not: what `pmon machine coverage` prints. */
#ifndef MACHINE_COVERAGE_H
#define MACHINE_COVERAGE_H

#include <stdbool.h>
#include <stddef.h>

struct machine_coverage {
  const char *unit, *event;
  const char *how;       /* "modelled", "stream" (told by the input alone), "constant", "not modelled" */
  const char *part;      /* the part of the machine that moves it, or the reason */
};

/* Row i of a platform; false behind the last. */
typedef bool (*machine_coverage_fn)(size_t i, struct machine_coverage *ret);

/* Montecito (machine/core/). */
bool core_coverage(size_t i, struct machine_coverage *ret);

#endif
