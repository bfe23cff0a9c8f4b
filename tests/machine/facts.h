/* SPDX-License-Identifier: MIT */
/* The fact files for tests that compare them with the machine: set-up and tear-down of a group of tests. */
#ifndef TESTS_MACHINE_FACTS_H
#define TESTS_MACHINE_FACTS_H

#include <pmon/pmon.h>

struct facts {
  struct pmon_context *context;
  const struct pmon_platform *platform;
};

static inline int set_up(void **state)
{
  static struct facts f;
  *state = &f;
  return pmon_context_new(&f.context) || pmon_platform_find(f.context, "emr", &f.platform) ? -1 : 0;
}

static inline int tear_down(void **state)
{
  pmon_context_free(((struct facts *)*state)->context);
  return 0;
}

#endif
