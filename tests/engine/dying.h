/* SPDX-License-Identifier: MIT */
/* A backend whose process seems to die: it passes the first writes to another backend; then reads and writes fail. */
#ifndef TESTS_ENGINE_DYING_H
#define TESTS_ENGINE_DYING_H

#include <pmon/access.h>

struct dying {
  struct pmon_backend backend;
  struct pmon_backend *to;
  uint64_t writes; /* that are still passed */
};

/* Closing the backend leaves `to` open. */
void dying_init(struct dying *d, struct pmon_backend *to, uint64_t writes);

#endif
