/* SPDX-License-Identifier: MIT */
/*
 * The kernel's own driver of the uncore, through perf_event_open: it programs the counters, and releases them. One
 * group for each PMU, package and round: a leader that is enabled, disabled and read for all of them.
 */
#include <errno.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "src/access/perf_pmu.h"
#include "src/access/perf_refused.h"
#include "src/base/array.h"

enum { GROUP_EVENTS = 32, GROUP_HEAD = 3 }; /* nr, time_enabled, time_running come before the counts */

struct event {
  int fd;
  uint32_t group, parts; /* parts: of a summed event, the number of consecutive ones that are its instances; else 1 */
  uint64_t last, delta;
};

struct group {
  char pmu[PERF_PMU_NAME];
  uint32_t package, cpu, leader, n; /* leader: number of its first event; n: how many it has */
  int64_t round;
  uint64_t enabled, running;     /* as of the last read */
  uint64_t d_enabled, d_running; /* between the last two */
};

struct perf {
  struct pmon_backend backend;
  struct pmon_counting counting;
  struct system system;
  struct event *events;
  struct group *groups;
  uint32_t n_events, n_groups, cap_events, cap_groups;
  int64_t round; /* that counts now; COUNTING_ALWAYS: none does */
  bool begun;
  struct {
    char pmu[PERF_PMU_NAME];
    uint32_t n;
    struct counting_term terms[COUNTING_TERMS];
    uint64_t config[3];
  } last;
  struct pmon_reason reason;
};

static struct perf *perf_backend(struct pmon_counting *c)
{
  return (struct perf *)(void *)c->backend;
}

static int open_event(const struct perf_event_attr *attr, uint32_t cpu, int leader)
{
  return (int)syscall(SYS_perf_event_open, attr, -1, (int)cpu, leader, PERF_FLAG_FD_CLOEXEC);
}

static int refuse_event(struct perf *p, const char *pmu, const uint64_t config[3], int error)
{
  p->backend.error_text = p->reason.text;
  return perf_refused(&(struct perf_refusal){&p->system, pmu, config, p->n_events, error}, &p->reason);
}

/* The group that such an event joins: the last one made, when it is of the same PMU, CPU, package and round. */
static struct group *find_group(struct perf *p, const struct perf_pmu *pmu, uint32_t cpu,
                                const struct counting_event *e)
{
  for (uint32_t i = p->n_groups; i-- > 0;) {
    struct group *g = &p->groups[i];
    if (g->package == e->package && g->round == e->round && (!(e->summed || e->thread) || g->cpu == cpu) &&
        !strcmp(g->pmu, pmu->name))
      return g->n < GROUP_EVENTS ? g : NULL;
  }
  return NULL;
}

/* A leader on its PMU's CPU for the package. The CPU may have gone offline since the topology was read: then it is the
 * one that took over. */
static int open_leader(struct perf *p, const struct perf_pmu *pmu, struct perf_event_attr *attr, struct group *g,
                       int *ret_fd)
{
  int status = perf_pmu_cpu(pmu, g->package, &g->cpu, &p->reason);
  attr->disabled = 1;
  *ret_fd = status ? -1 : open_event(attr, g->cpu, -1);
  if (status || *ret_fd >= 0 || errno != ENODEV)
    return status;
  const uint32_t before = g->cpu;
  system_look(&p->system);
  status = perf_pmu_cpu(pmu, g->package, &g->cpu, &p->reason);
  if (!status && g->cpu != before)
    *ret_fd = open_event(attr, g->cpu, -1);
  else
    errno = ENODEV;
  return status;
}

/* The same event comes for each instance of a unit in turn, and their PMUs have the same formats. */
static bool is_last(const struct perf *p, const struct counting_event *e)
{
  bool same = p->last.n == e->n_terms && p->last.n && !strcmp(p->last.pmu, e->pmu);
  for (uint32_t i = 0; same && i < e->n_terms; i++)
    same = p->last.terms[i].value == e->terms[i].value && !strcmp(p->last.terms[i].names, e->terms[i].names);
  return same;
}

static int perf_encode_terms(struct perf *p, const struct perf_pmu *pmu, const struct counting_event *e,
                             uint64_t config[3])
{
  if (!is_last(p, e)) {
    p->last.n = 0;
    int status = perf_pmu_encode(pmu, e, p->last.config, &p->reason);
    if (status)
      return status;
    snprintf(p->last.pmu, sizeof p->last.pmu, "%s", e->pmu);
    memcpy(p->last.terms, e->terms, e->n_terms * sizeof *e->terms);
    p->last.n = e->n_terms;
  }
  memcpy(config, p->last.config, sizeof p->last.config);
  return 0;
}

static int perf_check_event(struct perf *p, const struct counting_event *e, struct perf_pmu *pmu, uint64_t config[3])
{
  p->backend.error_text = p->reason.text;
  struct perf_member first;
  int status = e->summed || e->thread ? perf_pmu_member(&p->system, e, 0, &first, &p->reason)
                                      : perf_pmu_find(&p->system, e->pmu, e->instance, &first.pmu, &p->reason);
  if (!status && !e->summed && !e->thread)
    status = perf_pmu_cpu(&first.pmu, e->package, &first.cpu, &p->reason);
  *pmu = first.pmu;
  return status ? status : perf_encode_terms(p, pmu, e, config);
}

static int perf_check(struct pmon_counting *c, const struct counting_event *e)
{
  struct perf_pmu pmu;
  uint64_t config[3];
  return perf_check_event(perf_backend(c), e, &pmu, config);
}

/* Adds one event of one PMU; cpu: UINT32_MAX for the PMU's own for the package. */
static int add_member(struct perf *p, const struct counting_event *e, const struct perf_pmu *pmu, uint32_t cpu,
                      const uint64_t config[3])
{
  int status = array_grow(&p->events, p->n_events, &p->cap_events, sizeof *p->events), fd = -1;
  if (!status)
    status = array_grow(&p->groups, p->n_groups, &p->cap_groups, sizeof *p->groups);
  if (status) {
    p->backend.error_text = "no memory for events";
    return status;
  }
  struct perf_event_attr attr = {.type = pmu->type,
                                 .size = sizeof attr,
                                 .config = config[0],
                                 .config1 = config[1],
                                 .config2 = config[2],
                                 .read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED |
                                                PERF_FORMAT_TOTAL_TIME_RUNNING};
  struct group *g = find_group(p, pmu, cpu, e);
  if (g)
    fd = open_event(&attr, g->cpu, p->events[g->leader].fd);
  /* A group that does not fit onto the counters at once: the kernel multiplexes this event with it. */
  if (!g || (fd < 0 && errno == EINVAL)) {
    g = &p->groups[p->n_groups];
    *g = (struct group){.package = e->package, .cpu = cpu, .leader = p->n_events, .round = e->round};
    memcpy(g->pmu, pmu->name, sizeof g->pmu);
    attr.disabled = 1;
    if (e->summed || e->thread)
      fd = open_event(&attr, cpu, -1);
    else
      status = open_leader(p, pmu, &attr, g, &fd);
    p->n_groups += fd >= 0;
  }
  if (status || fd < 0)
    return status ? status : refuse_event(p, pmu->name, config, errno);
  p->events[p->n_events++] = (struct event){.fd = fd, .group = (uint32_t)(g - p->groups), .parts = 1};
  g->n++;
  return 0;
}

/* All instances of a package as one event. A CPU that goes offline meanwhile is left out. */
static int add_summed(struct perf *p, const struct counting_event *e, const uint64_t config[3])
{
  const uint32_t first = p->n_events;
  int status = 0;
  for (uint32_t i = 0; !status; i++) {
    struct perf_member member;
    struct pmon_reason end;
    if (perf_pmu_member(&p->system, e, i, &member, &end))
      break;
    status = add_member(p, e, &member.pmu, member.cpu, config);
    if (status == PMON_E_NO_DEVICE && p->n_events > first)
      status = 0;
  }
  if (!status)
    p->events[first].parts = p->n_events - first;
  return status;
}

static int perf_add(struct pmon_counting *c, const struct counting_event *e, uint32_t *ret_number)
{
  struct perf *p = perf_backend(c);
  struct perf_pmu pmu;
  uint64_t config[3];
  int status = perf_check_event(p, e, &pmu, config);
  *ret_number = p->n_events;
  if (status)
    return status;
  return e->summed || e->thread ? add_summed(p, e, config) : add_member(p, e, &pmu, UINT32_MAX, config);
}

static int perf_control_group(struct perf *p, const struct group *g, unsigned long request)
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
  return status;
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

static int read_group(struct perf *p, struct group *g)
{
  uint64_t values[GROUP_HEAD + GROUP_EVENTS];
  const size_t size = (GROUP_HEAD + g->n) * sizeof *values;
  const ssize_t n = read(p->events[g->leader].fd, values, size);
  if (n != (ssize_t)size || values[0] != g->n) {
    const char *why = n < 0 ? strerror(errno) : n ? "the transfer was cut short" : "the kernel gave the event up";
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
    if (p->events[i].group == (uint32_t)(g - p->groups)) {
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
  return status;
}

static struct counting_delta perf_get(const struct pmon_counting *c, uint32_t number)
{
  const struct perf *p = (const struct perf *)(const void *)c->backend;
  struct counting_delta sum = {0};
  for (uint32_t i = number; i < number + p->events[number].parts; i++) {
    const struct event *e = &p->events[i];
    sum.count += e->delta;
    sum.enabled_ns += p->groups[e->group].d_enabled;
    sum.running_ns += p->groups[e->group].d_running;
  }
  return sum;
}

static uint32_t perf_parts(const struct pmon_counting *c, uint32_t number)
{
  return ((const struct perf *)(const void *)c->backend)->events[number].parts;
}

static uint32_t perf_threads(const struct pmon_counting *c)
{
  return system_threads_per_core(&((const struct perf *)(const void *)c->backend)->system);
}

/* Members go before their leaders: the kernel would let those that are left count on by themselves. */
static void perf_clear(struct pmon_counting *c)
{
  struct perf *p = perf_backend(c);
  for (uint32_t i = 0; p->begun && i < p->n_groups; i++)
    if (p->groups[i].round == p->round || p->groups[i].round == COUNTING_ALWAYS)
      ioctl(p->events[p->groups[i].leader].fd, PERF_EVENT_IOC_DISABLE, 0);
  while (p->n_events)
    close(p->events[--p->n_events].fd);
  p->n_groups = 0;
  p->begun = false;
  p->round = COUNTING_ALWAYS;
}

static int no_register(struct pmon_backend *b)
{
  b->error_text = "Linux perf shows no registers";
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
  free(p->events);
  free(p->groups);
  free(p);
}

/* Whether the kernel lets us count on a whole CPU at all. What the event would be does not matter here. */
static int try_one(struct perf *p, const struct perf_pmu *pmu)
{
  struct perf_event_attr attr = {.type = pmu->type, .size = sizeof attr, .disabled = 1};
  const uint64_t config[3] = {0};
  int fd = open_event(&attr, p->system.packages[0].cpu, -1);
  if (fd >= 0)
    close(fd);
  return fd < 0 && (errno == EPERM || errno == EACCES || errno == ENOSYS) ? refuse_event(p, pmu->name, config, errno)
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
  int status = system_init(&p->system, system);
  p->backend = (struct pmon_backend){.ops = &ops, .packages = p->system.n_packages, .counting = &p->counting};
  p->counting = (struct pmon_counting){&counting, &p->backend};
  p->round = COUNTING_ALWAYS;
  if (!status)
    status = perf_pmu_any(&p->system, &pmu, &p->reason);
  if (!status)
    status = try_one(p, &pmu);
  if (!status) {
    *ret_backend = &p->backend;
    return 0;
  }
  if (reason)
    *reason = p->reason;
  backend_close(&p->backend);
  return status;
}
