/* SPDX-License-Identifier: MIT */
/* Sessions through the kernel's PMUs, in the emulated machine's time. */
#ifndef TESTS_HARDWARE_PERF_SESSION_H
#define TESTS_HARDWARE_PERF_SESSION_H

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <pmon/perf.h>
#include "tests/hardware/frame.h"
#include "machine/common/feed.h"
#include "machine/machine.h"
#include "tests/hardware/kernel.h"

enum { RUN_US = 100 };

static const char *const two_cores[] = {"cores=2", NULL};

static inline void perf_begin(const char *name, const char *none)
{
  frame_begin(name);
  kernel_make(&tree, platform, none);
}

static inline void perf_end(void)
{
  assert_int_equal(kernel.open, 0);
  frame_end();
}

/* Waits in the machine's time. */
static inline int machine_wait(struct pmon_backend *b, uint64_t until_ns, uint64_t *ret_now_ns, bool *ret_ended)
{
  char error[256];
  (void)b;
  bool ended;
  int status = machine_run(tree.machine, until_ns * 1000000, &ended, error, sizeof error);
  *ret_now_ns = machine_now_fs(tree.machine) / 1000000;
  *ret_ended = false;
  return status;
}

static struct pmon_backend_ops timed;

static inline struct pmon_backend *open_perf(void)
{
  struct pmon_reason reason = {""};
  struct pmon_backend *b = NULL;
  if (pmon_backend_perf_open(&tree.system, &reason, &b))
    fail_msg("%s", reason.text);
  assert_int_equal(b->packages, 2);
  timed = *b->ops;
  timed.wait = machine_wait;
  b->ops = &timed;
  return b;
}

/* Runs a session from its start to `us` microseconds later; values: for all packages. */
static inline int perf_measure(struct pmon_backend *b, struct pmon_plan *plan, unsigned us, struct pmon_value *values)
{
  struct pmon_session *s = NULL;
  bool ended;
  int status = pmon_session_new(plan, b, NULL, &s);
  if (status)
    return status;
  status = pmon_session_start(s);
  if (!status)
    status = pmon_session_run(s, pmon_session_now_ns(s) + us * UINT64_C(1000), &ended);
  for (uint32_t i = 0; !status && values && pmon_plan_event(plan, i); i++)
    assert_int_equal(pmon_session_event(s, i, &(struct pmon_scope){PMON_ALL, PMON_ALL}, &values[i]), 0);
  int closed = pmon_session_close(s);
  return status ? status : closed;
}

static const char many[] = "cbo/CLOCKTICKS/,cbo/RING_AD_USED.UP_EVEN/,cbo/RING_AD_USED.UP_ODD/,"
                           "cbo/RING_AD_USED.DOWN_EVEN/,"
                           "cbo/RING_AD_USED.DOWN_ODD/,ha/CLOCKTICKS/,imc/CAS_COUNT.RD/,ubox/CLOCKTICKS/";

#endif
