/* SPDX-License-Identifier: MIT */
/* An event as the contents of a struct perf_event_attr, in the same steps as in the perf backend. */
#include <pmon/perf.h>
#include <stdio.h>
#include <string.h>
#include "src/access/perf_pmu.h"
#include "src/base/sized.h"
#include "src/event/event.h"
#include "src/session/perf_terms.h"

static int attr_fail(struct pmon_reason *reason, int status, const char *text)
{
  snprintf(reason->text, sizeof reason->text, "%s", text);
  return status;
}

static int attr_fill(const struct system *system, const struct counting_event *event, struct pmon_perf_attr *ret_attr,
                     struct pmon_reason *reason)
{
  struct perf_pmu pmu;
  struct perf_member member;
  uint64_t config[PERF_WORDS];
  int status = event->thread ? perf_pmu_member(system, event, 0, &member, reason)
                             : perf_pmu_find(system, event->pmu, event->instance, &pmu, reason);
  if (!status && event->thread) {
    pmu = member.pmu;
    ret_attr->cpu = member.cpu;
  } else if (!status) {
    status = perf_pmu_cpu(&pmu, event->package, &ret_attr->cpu, reason);
  }
  if (!status)
    status = perf_pmu_encode(&pmu, event, config, reason);
  if (status)
    return status;
  ret_attr->type = pmu.type;
  ret_attr->config = config[0];
  ret_attr->config1 = config[1];
  ret_attr->config2 = config[2];
  ret_attr->exclude_user = (config[PERF_EXCLUDE] & PERF_EXCLUDE_USER) != 0;
  ret_attr->exclude_kernel = (config[PERF_EXCLUDE] & PERF_EXCLUDE_KERNEL) != 0;
  memcpy(ret_attr->pmu, pmu.name, sizeof ret_attr->pmu);
  return 0;
}

/* The kernel chooses the counter; the fields are encoded for the first one that can count the event. */
static uint32_t first_counter(const struct pmon_event *event)
{
  const uint32_t counters = pmon_event_counters(event);
  return counters ? (uint32_t)__builtin_ctz(counters) : 0;
}

int pmon_event_perf_attr(const struct pmon_event *event, const struct pmon_system *system,
                         const struct pmon_scope *scope, struct pmon_perf_attr *attr, struct pmon_reason *reason)
{
  struct pmon_reason unused;
  struct pmon_perf_attr full = {0};
  struct system host;
  struct terms terms;
  reason = reason ? reason : &unused;
  if (!event || !scope || !attr || !sized_of(attr))
    return attr_fail(reason, PMON_E_INVALID, "an event, a scope and an attr with its size are needed");
  if (scope->package == PMON_ALL || scope->instance == PMON_ALL ||
      !(scope->instance < 64 && pmon_event_instances(event) >> scope->instance & 1))
    return attr_fail(reason, PMON_E_RANGE, "the event does not count on this instance of its unit");
  int status = system_init(&host, system, reason);
  if (status)
    return status;
  status = terms_of_event(event, scope, first_counter(event), &terms);
  if (status)
    return attr_fail(reason, status,
                     status == PMON_E_NO_DEVICE ? "the kernel has no PMU for this unit"
                                                : "the event cannot be encoded for the kernel");
  status = attr_fill(&host, &terms.event, &full, reason);
  if (!status)
    status = sized_fill(attr, &full, sizeof full);
  return status;
}
