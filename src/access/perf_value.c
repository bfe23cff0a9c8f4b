/* SPDX-License-Identifier: MIT */
/*
 * Events that are values of the kernel's resctrl (resctrl.h) instead of perf events: they always count, and a read is
 * the difference from the value at the start of the round or at the previous read; of a level, the value itself.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include "src/access/method.h"
#include "src/access/perf.h"
#include "src/access/resctrl.h"
#include "src/base/array.h"

static const char pmu_name[] = "resctrl";

bool perf_is_value(const struct counting_event *e)
{
  return !strcmp(e->pmu, pmu_name) && e->kernel_event;
}

static uint64_t value_clock_ns(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Reads the event's value. Without a value at this time the event has none from now on, until the next read. */
static int value_read(struct perf *p, struct perf_event *e)
{
  uint64_t value = 0;
  const int status = p->resctrl->ops->read(p->resctrl, &e->value.at, &value);
  e->value.known = !status && value != UINT64_MAX;
  e->value.now = value & ~RESCTRL_VALID;
  if (status)
    p->backend.error_text = p->resctrl->error_text;
  return status;
}

int perf_value_check(struct perf *p, const struct counting_event *e, struct pmon_address *ret_address)
{
  uint64_t value;
  int status = p->resctrl ? 0 : access_method_resctrl.open(&p->system, &p->reason, &p->resctrl);
  *ret_address = (struct pmon_address){.package = e->package,
                                       .space = PMON_SPACE_RESCTRL,
                                       .width_bits = 64,
                                       .offset = resctrl_event_of(e->kernel_event)};
  p->backend.error_text = p->reason.text;
  if (status || !(status = p->resctrl->ops->read(p->resctrl, ret_address, &value)))
    return status;
  p->backend.error_text = p->resctrl->error_text;
  return status;
}

int perf_value_add(struct perf *p, const struct counting_event *e, uint32_t *ret_number)
{
  struct perf_event one = {.fd = -1, .part = PERF_VALUE, .group = UINT32_MAX, .parts = 1};
  int status = perf_value_check(p, e, &one.value.at);
  one.value.level = e->level;
  one.value.round = e->round;
  if (!status && (status = array_grow(&p->events, p->n_events, &p->cap_events, sizeof *p->events)) != 0)
    p->backend.error_text = "no memory for events";
  if (status)
    return status;
  *ret_number = p->n_events;
  p->events[p->n_events++] = one;
  return 0;
}

int perf_values_start(struct perf *p, bool first)
{
  int status = 0;
  for (uint32_t i = 0; !status && i < p->n_events; i++) {
    struct perf_event *e = &p->events[i];
    if (e->part != PERF_VALUE || (e->value.round != p->round && !(first && e->value.round == COUNTING_ALWAYS)))
      continue;
    status = value_read(p, e);
    e->value.read_ns = value_clock_ns();
  }
  return status;
}

int perf_values_read(struct perf *p)
{
  int status = 0;
  for (uint32_t i = 0; !status && i < p->n_events; i++) {
    struct perf_event *e = &p->events[i];
    if (e->part != PERF_VALUE || (e->value.round != p->round && e->value.round != COUNTING_ALWAYS))
      continue;
    const struct perf_value before = e->value;
    const uint64_t now_ns = value_clock_ns();
    status = value_read(p, e);
    e->value.read_ns = now_ns;
    const bool counted = e->value.known && (e->value.level || (before.known && e->value.now >= before.now));
    e->delta = !counted ? 0 : e->value.level ? e->value.now : e->value.now - before.now;
    e->value.counted_ns = counted ? now_ns - before.read_ns : 0;
  }
  return status;
}
