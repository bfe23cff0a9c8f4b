/* SPDX-License-Identifier: MIT */
/*
 * The kernel's uncore driver, through perf_event_open: it programs the counters, and releases them. There is one group
 * for each PMU, package and round: its leader is enabled, disabled and read for the whole group.
 */
#include <errno.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "src/access/perf.h"
#include "src/access/tsc.h"

static int perf_control_group(struct perf *p, const struct perf_group *g, unsigned long request)
{
  if (!ioctl(p->events[g->leader].fd, request, 0))
    return 0;
  snprintf(p->reason.text, sizeof p->reason.text, "cannot %s the counters of %s on CPU %" PRIu32 ": %s",
           request == PERF_EVENT_IOC_ENABLE ? "start" : "stop", g->pmu, g->cpu, strerror(errno));
  p->backend.error_text = p->reason.text;
  return system_status(errno);
}

static int perf_start(struct pmon_counting *c, uint32_t round)
{
  struct perf *p = perf_backend(c);
  const bool first = !p->begun;
  int status = 0;
  p->round = round;
  p->begun = true;
  for (uint32_t i = 0; !status && i < p->n_groups; i++)
    if (p->groups[i].round == p->round || (first && p->groups[i].round == COUNTING_ALWAYS))
      status = perf_control_group(p, &p->groups[i], PERF_EVENT_IOC_ENABLE);
  return status ? status : perf_values_start(p, first);
}

static int perf_stop(struct pmon_counting *c)
{
  struct perf *p = perf_backend(c);
  int status = 0;
  for (uint32_t i = 0; !status && i < p->n_groups; i++)
    if (p->groups[i].round == p->round)
      status = perf_control_group(p, &p->groups[i], PERF_EVENT_IOC_DISABLE);
  return status;
}

static int read_group(struct perf *p, struct perf_group *g)
{
  uint64_t values[GROUP_HEAD + GROUP_EVENTS];
  const size_t size = (GROUP_HEAD + g->n) * sizeof *values;
  const ssize_t n = read(p->events[g->leader].fd, values, size);
  if (n != (ssize_t)size || values[0] != g->n) {
    const char *why = n < 0 ? strerror(errno)
                      : n   ? "the transfer was incomplete"
                            : "the kernel put the event into error state";
    snprintf(p->reason.text, sizeof p->reason.text, "cannot read the counters of %s on CPU %" PRIu32 ": %s", g->pmu,
             g->cpu, why);
    p->backend.error_text = p->reason.text;
    return n < 0 ? system_status(errno) : PMON_E_IO;
  }
  g->d_enabled = values[1] - g->enabled;
  g->d_running = values[2] - g->running;
  g->enabled = values[1];
  g->running = values[2];
  for (uint32_t i = g->leader, k = GROUP_HEAD; k < GROUP_HEAD + g->n; i++)
    if (p->events[i].group == (uint32_t)(g - p->groups) && p->events[i].fd >= 0) {
      p->events[i].delta = values[k] - p->events[i].last;
      p->events[i].last = values[k++];
    }
  return 0;
}

static int perf_read(struct pmon_counting *c)
{
  struct perf *p = perf_backend(c);
  int status = 0;
  for (uint32_t i = 0; !status && i < p->n_groups; i++)
    if (p->groups[i].round == p->round || p->groups[i].round == COUNTING_ALWAYS)
      status = read_group(p, &p->groups[i]);
  return status ? status : perf_values_read(p);
}

static struct counting_delta perf_get(const struct pmon_counting *c, uint32_t number)
{
  const struct perf *p = (const struct perf *)(const void *)c->backend;
  struct counting_delta sum = {0};
  for (uint32_t i = number; i < number + p->events[number].parts; i++) {
    const struct perf_event *e = &p->events[i];
    if (e->part == PERF_LEADS)
      continue;
    if (e->part == PERF_VALUE)
      return (struct counting_delta){e->delta, e->value.counted_ns, e->value.counted_ns};
    sum.count += e->part == PERF_AS_LEADER ? p->events[p->groups[e->group].leader].delta : e->delta;
    sum.enabled_ns += p->groups[e->group].d_enabled;
    sum.running_ns += p->groups[e->group].d_running;
  }
  return sum;
}

static uint32_t perf_parts(const struct pmon_counting *c, uint32_t number)
{
  const struct perf *p = (const struct perf *)(const void *)c->backend;
  uint32_t n = 0;
  for (uint32_t i = number; i < number + p->events[number].parts; i++)
    n += p->events[i].part != PERF_LEADS;
  return n;
}

static uint32_t perf_threads(const struct pmon_counting *c)
{
  return system_threads_per_core(&((const struct perf *)(const void *)c->backend)->system);
}

/* Closes members before their leaders: after its leader is closed, a member would count on by itself. */
static void perf_clear(struct pmon_counting *c)
{
  struct perf *p = perf_backend(c);
  for (uint32_t i = 0; p->begun && i < p->n_groups; i++)
    if (p->groups[i].round == p->round || p->groups[i].round == COUNTING_ALWAYS)
      ioctl(p->events[p->groups[i].leader].fd, PERF_EVENT_IOC_DISABLE, 0);
  while (p->n_events)
    if (p->events[--p->n_events].fd >= 0)
      close(p->events[p->n_events].fd);
  p->n_groups = 0;
  p->begun = false;
  p->round = COUNTING_ALWAYS;
}

static int no_register(struct pmon_backend *b)
{
  b->error_text = "Linux perf gives no access to registers";
  return PMON_E_UNSUPPORTED;
}

static int perf_refuse_read(struct pmon_backend *b, const struct pmon_address *a, uint64_t *ret_value)
{
  (void)a;
  (void)ret_value;
  return no_register(b);
}

static int perf_refuse_write(struct pmon_backend *b, const struct pmon_address *a, uint64_t value)
{
  (void)a;
  (void)value;
  return no_register(b);
}

static int perf_wait(struct pmon_backend *b, uint64_t until_ns, uint64_t *ret_now_ns, bool *ret_ended)
{
  return system_wait(&((struct perf *)(void *)b)->system, until_ns, ret_now_ns, ret_ended);
}

static void backend_close(struct pmon_backend *b)
{
  struct perf *p = (struct perf *)(void *)b;
  perf_clear(&p->counting);
  pmon_backend_close(p->resctrl);
  free(p->events);
  free(p->groups);
  free(p);
}

/* Checks whether the kernel permits counting on a whole CPU at all. The event does not matter here. */
static int check_permission(struct perf *p, const struct perf_pmu *pmu)
{
  struct perf_event_attr attr = {.type = pmu->type, .size = sizeof attr, .disabled = 1};
  const uint64_t config[PERF_WORDS] = {0};
  int fd = perf_open_event(&attr, p->system.packages[0].cpu, -1);
  if (fd >= 0)
    close(fd);
  return fd < 0 && (errno == EPERM || errno == EACCES || errno == ENOSYS) ? perf_refused(p, pmu->name, config, errno)
                                                                          : 0;
}

int pmon_backend_perf_open(const struct pmon_system *system, struct pmon_reason *reason,
                           struct pmon_backend **ret_backend)
{
  static const struct pmon_backend_ops ops = {sizeof ops,        "perf",    perf_refuse_read,
                                              perf_refuse_write, perf_wait, backend_close};
  static const struct pmon_counting_ops counting = {perf_check, perf_add,   perf_start,   perf_stop, perf_read,
                                                    perf_get,   perf_parts, perf_threads, perf_clear};
  struct perf *p = calloc(1, sizeof *p);
  struct perf_pmu pmu;
  if (!p)
    return PMON_E_MEMORY;
  int status = system_init(&p->system, system, &p->reason);
  p->backend =
      (struct pmon_backend){.ops = &ops, .packages = p->system.n_packages, .counting = &p->counting, .host = true};
  p->counting = (struct pmon_counting){&counting, &p->backend};
  p->round = COUNTING_ALWAYS;
  if (!status)
    status = perf_pmu_any(&p->system, &pmu, &p->reason);
  if (!status)
    status = check_permission(p, &pmu);
  if (!status) {
    p->backend.tsc_hz = tsc_of_system(&p->system);
    *ret_backend = &p->backend;
    return 0;
  }
  if (reason)
    *reason = p->reason;
  backend_close(&p->backend);
  return status;
}
