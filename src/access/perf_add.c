/* SPDX-License-Identifier: MIT */
/* Opens the kernel's events: chooses the PMUs and CPUs on which an event counts, its config words, and its group. */
#include <errno.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "src/access/perf.h"
#include "src/base/array.h"

enum { PMUS_MOST = 512, SLOTS = 0x400, FIRST_FRACTION = 0x8000 }; /* event 0 of cores, umasks 4 and from 80h on */

int perf_open_event(const struct perf_event_attr *attr, uint32_t cpu, int leader)
{
  return (int)syscall(SYS_perf_event_open, attr, -1, (int)cpu, leader, PERF_FLAG_FD_CLOEXEC);
}

/* Writes why the kernel does not permit counting on a whole CPU. To Linux, levels above 2 are the same as 2; Debian's
 * kernels require CAP_SYS_ADMIN there (observed with 6.1), and start with 3. */
static void explain_permission(struct perf *p)
{
  char level[16] = "?";
  if (!system_text(p->system.proc, "sys/kernel/perf_event_paranoid", level, sizeof level))
    snprintf(level, sizeof level, "?");
  const int n = atoi(level);
  snprintf(p->reason.text, sizeof p->reason.text,
           "the kernel requires %s to count on a whole CPU (kernel.perf_event_paranoid is %s)%s: as root "
           "`sysctl kernel.perf_event_paranoid=0`, or %sgive pmon CAP_PERFMON",
           n > 2 ? "CAP_PERFMON, or CAP_SYS_ADMIN on Debian," : "CAP_PERFMON", level,
           n > 0 ? "" : ", or a container's filter forbids perf_event_open", n > 2 ? "=2 and " : "");
}

/* Translates an errno of perf_event_open to a status and a remedy. */
int perf_refused(struct perf *p, const char *pmu, const uint64_t config[PERF_WORDS], int error)
{
  struct pmon_reason *r = &p->reason;
  p->backend.error_text = r->text;
  switch (error) {
  case EACCES:
  case EPERM: explain_permission(p); return PMON_E_PERMISSION;
  case EMFILE:
  case ENFILE:
    snprintf(r->text, sizeof r->text,
             "each event needs a file descriptor, and none is left after %" PRIu32
             " events: raise the limit (ulimit -n), or measure fewer events",
             p->n_events);
    return PMON_E_IO;
  case ENOENT:
  case ENODEV:
  case ENXIO:
    snprintf(r->text, sizeof r->text, "the kernel's PMU %s no longer exists, or its CPU went offline", pmu);
    return PMON_E_NO_DEVICE;
  case EINVAL:
  case EOPNOTSUPP:
    snprintf(r->text, sizeof r->text,
             "the kernel's %s does not count config=0x%" PRIx64 ",config1=0x%" PRIx64 ",config2=0x%" PRIx64, pmu,
             config[0], config[1], config[2]);
    return PMON_E_UNSUPPORTED;
  default:
    snprintf(r->text, sizeof r->text, "perf_event_open for %s: %s", pmu, strerror(error));
    return error == ENOMEM ? PMON_E_MEMORY : error == ENOSYS ? PMON_E_NO_DEVICE : PMON_E_IO;
  }
}

/* Returns the group that an event joins: the last one made for the same PMU, CPU, package and round; NULL: none, or it
 * is full. */
static struct perf_group *find_group(struct perf *p, const struct perf_member *on, const struct counting_event *e,
                                     bool slots)
{
  for (uint32_t i = p->n_groups; i-- > 0;) {
    struct perf_group *g = &p->groups[i];
    if (g->package == e->package && g->round == e->round && g->slots == slots &&
        (on->cpu == UINT32_MAX || g->cpu == on->cpu) && !strcmp(g->pmu, on->pmu.name))
      return g->n < GROUP_EVENTS ? g : NULL;
  }
  return NULL;
}

/* Opens a leader on its PMU's CPU for the package. If that CPU has gone offline since the topology was read, uses the
 * one that has taken over. */
static int open_leader(struct perf *p, const struct perf_pmu *pmu, struct perf_event_attr *attr, struct perf_group *g,
                       int *ret_fd)
{
  int status = perf_pmu_cpu(pmu, g->package, &g->cpu, &p->reason);
  attr->disabled = 1;
  *ret_fd = status ? -1 : perf_open_event(attr, g->cpu, -1);
  if (status || *ret_fd >= 0 || errno != ENODEV)
    return status;
  const uint32_t before = g->cpu;
  system_look(&p->system);
  status = perf_pmu_cpu(pmu, g->package, &g->cpu, &p->reason);
  if (!status && g->cpu != before)
    *ret_fd = perf_open_event(attr, g->cpu, -1);
  else
    errno = ENODEV;
  return status;
}

/* True if the event's terms are those encoded last: the same event is added for each instance of a unit in turn, and
 * their PMUs have the same formats. */
static bool is_last(const struct perf *p, const struct counting_event *e)
{
  bool same = p->last.n == e->n_terms && p->last.n && !strcmp(p->last.pmu, e->pmu);
  for (uint32_t i = 0; same && i < e->n_terms; i++)
    same = p->last.terms[i].value == e->terms[i].value && !strcmp(p->last.terms[i].names, e->terms[i].names);
  return same;
}

static int perf_encode_terms(struct perf *p, const struct perf_pmu *pmu, const struct counting_event *e,
                             uint64_t config[PERF_WORDS])
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

/* Finds the PMU, config words and CPUs of an event's first instance. */
static int perf_check_event(struct perf *p, const struct counting_event *e, struct perf_pmu *pmu,
                            uint64_t config[PERF_WORDS], struct perf_dies *dies)
{
  struct perf_member first;
  uint32_t number = e->instance;
  const bool of_cpus = e->thread || (e->summed && !perf_pmu_is_uncore(e->pmu));
  p->backend.error_text = p->reason.text;
  if (e->summed && !of_cpus && !perf_pmu_numbers(&p->system, e->pmu, &number, 1))
    number = 0;
  int status = of_cpus ? perf_pmu_member(&p->system, e, 0, &first, &p->reason)
                       : perf_pmu_find(&p->system, e->pmu, number, &first.pmu, &p->reason);
  if (!status && !of_cpus)
    status = perf_pmu_dies(&first.pmu, e->package, dies, &p->reason);
  *pmu = first.pmu;
  return status ? status : perf_encode_terms(p, pmu, e, config);
}

int perf_check(struct pmon_counting *c, const struct counting_event *e)
{
  struct perf_pmu pmu;
  struct perf_dies dies;
  uint64_t config[PERF_WORDS];
  struct pmon_address at;
  if (perf_is_value(e))
    return perf_value_check(perf_backend(c), e, &at);
  return perf_check_event(perf_backend(c), e, &pmu, config, &dies);
}

static int perf_reserve(struct perf *p)
{
  int status = array_grow(&p->events, p->n_events, &p->cap_events, sizeof *p->events);
  if (!status)
    status = array_grow(&p->groups, p->n_groups, &p->cap_groups, sizeof *p->groups);
  if (status)
    p->backend.error_text = "no memory for events";
  return status;
}

static struct perf_event_attr perf_attr(const struct perf_pmu *pmu, const uint64_t config[PERF_WORDS])
{
  return (struct perf_event_attr){.type = pmu->type,
                                  .size = sizeof(struct perf_event_attr),
                                  .config = config[0],
                                  .config1 = config[1],
                                  .config2 = config[2],
                                  .exclude_user = (config[PERF_EXCLUDE] & PERF_EXCLUDE_USER) != 0,
                                  .exclude_kernel = (config[PERF_EXCLUDE] & PERF_EXCLUDE_KERNEL) != 0,
                                  .exclude_hv = config[PERF_EXCLUDE] != 0,
                                  .read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED |
                                                 PERF_FORMAT_TOTAL_TIME_RUNNING};
}

/* Makes a group with its leader; on->cpu UINT32_MAX: the PMU's own CPU for the package. `part`: the part of the
 * leader. */
static int add_group(struct perf *p, const struct counting_event *e, const struct perf_member *on,
                     const uint64_t config[PERF_WORDS], enum perf_part part)
{
  const uint32_t cpu = on->cpu;
  struct perf_event_attr attr = perf_attr(&on->pmu, config);
  int status = perf_reserve(p), fd = -1;
  if (status)
    return status;
  struct perf_group *g = &p->groups[p->n_groups];
  *g = (struct perf_group){
      .package = e->package, .cpu = cpu, .leader = p->n_events, .round = e->round, .slots = part == PERF_LEADS};
  memcpy(g->pmu, on->pmu.name, sizeof g->pmu);
  attr.disabled = 1;
  if (cpu != UINT32_MAX)
    fd = perf_open_event(&attr, cpu, -1);
  else
    status = open_leader(p, &on->pmu, &attr, g, &fd);
  if (status || fd < 0)
    return status ? status : perf_refused(p, on->pmu.name, config, errno);
  g->n = 1;
  p->events[p->n_events++] = (struct perf_event){.fd = fd, .part = part, .group = p->n_groups++, .parts = 1};
  return 0;
}

/* Makes the group on that CPU whose leader counts slots, if there is none yet. The kernel counts fractions of slots
 * only in a group with such a leader, and a core has only one counter for it. */
static int make_slots(struct perf *p, const struct counting_event *e, const struct perf_member *on)
{
  static const uint64_t config[PERF_WORDS] = {SLOTS};
  return find_group(p, on, e, true) ? 0 : add_group(p, e, on, config, PERF_LEADS);
}

/* True if the event counts slots of a core, or a fraction of them: Linux, arch/x86/events/perf_event.h,
 * is_slots_event() and is_metric_event(). */
static bool is_of_slots(const struct perf_pmu *pmu, const uint64_t config[PERF_WORDS], bool *ret_all)
{
  const uint64_t event = config[0] & 0xffff;
  *ret_all = event == SLOTS;
  return !perf_pmu_is_uncore(pmu->name) && !strncmp(pmu->name, "cpu", 3) && !config[PERF_EXCLUDE] &&
         (*ret_all || (event >= FIRST_FRACTION && !(event & 0xff)));
}

/* Adds one event of one PMU on its CPU. */
static int add_member(struct perf *p, const struct counting_event *e, const struct perf_member *on,
                      const uint64_t config[PERF_WORDS])
{
  bool all;
  const bool slots = is_of_slots(&on->pmu, config, &all);
  int status = slots ? make_slots(p, e, on) : 0, fd = -1;
  if (!status)
    status = perf_reserve(p); /* before the group is found: groups may move */
  if (status)
    return status;
  struct perf_group *g = find_group(p, on, e, slots);
  struct perf_event_attr attr = perf_attr(&on->pmu, config);
  if (g && !(slots && all))
    fd = perf_open_event(&attr, g->cpu, p->events[g->leader].fd);
  /* The group does not fit onto the counters: the kernel multiplexes the new group with it. */
  if (!slots && (!g || (fd < 0 && errno == EINVAL)))
    return add_group(p, e, on, config, PERF_COUNTED);
  if (fd < 0 && !(slots && all))
    return perf_refused(p, on->pmu.name, config, errno);
  g->n += fd >= 0;
  p->events[p->n_events++] = (struct perf_event){
      .fd = fd, .part = fd < 0 ? PERF_AS_LEADER : PERF_COUNTED, .group = (uint32_t)(g - p->groups), .parts = 1};
  return 0;
}

/* Adds one PMU's event for a package, on each of its dies. */
static int add_pmu(struct perf *p, const struct counting_event *e, const struct perf_pmu *pmu,
                   const struct perf_dies *dies, const uint64_t config[PERF_WORDS])
{
  const uint32_t first = p->n_events;
  int status = 0;
  if (dies->n < 2 && !e->summed)
    return add_member(p, e, &(struct perf_member){*pmu, UINT32_MAX}, config);
  for (uint32_t i = 0; !status && i < dies->n; i++) {
    status = add_member(p, e, &(struct perf_member){*pmu, dies->cpu[i]}, config);
    if (status == PMON_E_NO_DEVICE && p->n_events > first)
      status = 0;
  }
  return status;
}

/* Adds the event on the PMUs of all instances of a unit. */
static int add_instances(struct perf *p, const struct counting_event *e, const uint64_t config[PERF_WORDS])
{
  uint32_t numbers[PMUS_MOST];
  const uint32_t first = p->n_events, n = perf_pmu_numbers(&p->system, e->pmu, numbers, PMUS_MOST);
  int status = 0;
  for (uint32_t i = 0; !status && i < n; i++) {
    struct perf_pmu pmu;
    struct perf_dies dies;
    status = perf_pmu_find(&p->system, e->pmu, numbers[i], &pmu, &p->reason);
    if (!status)
      status = perf_pmu_dies(&pmu, e->package, &dies, &p->reason);
    if (!status)
      status = add_pmu(p, e, &pmu, &dies, config);
    if (status == PMON_E_NO_DEVICE && p->n_events > first)
      status = 0;
  }
  return status;
}

/* Adds the event on the package's CPUs. A CPU that goes offline meanwhile is left out. */
static int add_cpus(struct perf *p, const struct counting_event *e, const uint64_t config[PERF_WORDS])
{
  const uint32_t first = p->n_events;
  int status = 0;
  for (uint32_t i = 0; !status; i++) {
    struct perf_member member;
    struct pmon_reason end;
    if (perf_pmu_member(&p->system, e, i, &member, &end))
      break;
    status = add_member(p, e, &member, config);
    if (status == PMON_E_NO_DEVICE && p->n_events > first)
      status = 0;
  }
  return status;
}

int perf_add(struct pmon_counting *c, const struct counting_event *e, uint32_t *ret_number)
{
  struct perf *p = perf_backend(c);
  struct perf_pmu pmu;
  struct perf_dies dies;
  uint64_t config[PERF_WORDS];
  if (perf_is_value(e))
    return perf_value_add(p, e, ret_number);
  int status = perf_check_event(p, e, &pmu, config, &dies);
  *ret_number = p->n_events;
  if (status)
    return status;
  status = e->thread || (e->summed && !perf_pmu_is_uncore(e->pmu)) ? add_cpus(p, e, config)
           : e->summed                                             ? add_instances(p, e, config)
                                                                   : add_pmu(p, e, &pmu, &dies, config);
  if (!status && p->n_events == *ret_number) {
    snprintf(p->reason.text, sizeof p->reason.text, "the kernel lists no PMU %.60s_N", e->pmu);
    status = PMON_E_NO_DEVICE;
  }
  if (!status)
    p->events[*ret_number].parts = p->n_events - *ret_number;
  return status;
}
