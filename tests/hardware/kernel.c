/* SPDX-License-Identifier: MIT */
#include "tests/hardware/kernel.h"
#include "tests/hardware/kernel_own.h"
#include "tests/hardware/kernel_pmus.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { EVENTS = 1024, OWN = 0xff, COUNTERS = 8 };

struct kernel kernel;
static struct event {
  int fd, leader, cpu, counter; /* leader: number in events; counter -1: on none */
  unsigned pmu;
  uint64_t config[3];
  bool on;
  uint64_t raw, count, since, enabled, running;
} events[EVENTS];

int __real_open64(const char *path, int flags, ...);
long __real_syscall(long number, ...);
int __real_ioctl(int fd, unsigned long request, ...);
ssize_t __real_read(int fd, void *buffer, size_t n);
int __real_close(int fd);
long __wrap_syscall(long number, ...);
int __wrap_ioctl(int fd, unsigned long request, ...);
ssize_t __wrap_read(int fd, void *buffer, size_t n);
ssize_t __wrap___read_chk(int fd, void *buffer, size_t n, size_t room); /* read() with _FORTIFY_SOURCE */
int __wrap_close(int fd);

/* Returns the MSR event of another driver; NULL: the event is of an uncore PMU. */
static const struct kernel_own *own_event_of(const struct event *e)
{
  return kernel_pmus.at[e->pmu].own ? kernel_own_find(kernel_pmus.at[e->pmu].name, e->config[0]) : NULL;
}

static uint64_t kernel_get(const struct event *e, enum pmon_role role, uint32_t number)
{
  struct pmon_address a;
  uint64_t low = 0, high = 0;
  if (own_event_of(e))
    return kernel_own_read(own_event_of(e), e->cpu);
  if (!kernel_address_of(&kernel_pmus.at[e->pmu], role, number, &a))
    abort();
  a.package = (uint32_t)e->cpu / 2;
  if (a.space == PMON_SPACE_PCI && a.width_bits == 64) {
    a.width_bits = 32;
    int status = machine_read(tree_now->machine, &a, &low);
    a.offset += 4;
    if (status || machine_read(tree_now->machine, &a, &high))
      abort();
    return high << 32 | low;
  }
  if (machine_read(tree_now->machine, &a, &low))
    abort();
  return low;
}

static void kernel_put(const struct event *e, enum pmon_role role, uint32_t number, uint64_t value)
{
  struct pmon_address a;
  if (!kernel_address_of(&kernel_pmus.at[e->pmu], role, number, &a))
    abort();
  a.package = (uint32_t)e->cpu / 2;
  if (a.space == PMON_SPACE_PCI && a.width_bits == 64) {
    a.width_bits = 32;
    a.offset += 4;
    if (machine_write(tree_now->machine, &a, value >> 32))
      abort();
    a.offset -= 4;
    value &= UINT32_MAX;
  }
  if (machine_write(tree_now->machine, &a, value))
    abort();
}

void kernel_make(const struct tree *t, const struct pmon_platform *p, const char *none)
{
  kernel = (struct kernel){.offline_cpu = -1};
  memset(events, 0, sizeof events);
  kernel_make_pmus(t, p, none);
}

bool kernel_event(unsigned i, uint64_t config[3])
{
  for (unsigned k = 0; k < EVENTS; k++)
    if (events[k].fd && !i--) {
      memcpy(config, events[k].config, sizeof events[k].config);
      return true;
    }
  return false;
}

/* Returns the kernel's clock: the machine's time, or the host's if the machine's time is the program's work, or if the
 * test says so. */
static uint64_t now(void)
{
  struct timespec t;
  tree_advance();
  if ((tree_now->work_ns || kernel.host_time) && !clock_gettime(CLOCK_MONOTONIC, &t))
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
  return machine_now_fs(tree_now->machine) / 1000000;
}

static enum pmon_role counter_role(const struct event *e)
{
  return e->config[0] == OWN ? PMON_ROLE_FIXED_CTR : PMON_ROLE_CTR;
}

static uint32_t counter_number(const struct event *e)
{
  return e->config[0] == OWN ? 0 : (uint32_t)e->counter;
}

static bool is_taken(const struct event *of, int counter)
{
  for (unsigned i = 0; i < EVENTS; i++)
    if (events[i].fd && &events[i] != of && events[i].pmu == of->pmu && events[i].cpu == of->cpu && events[i].on &&
        events[i].counter == counter && events[i].config[0] != OWN)
      return true;
  return false;
}

/* Assigns the event to a counter and starts it, with Linux' register writes. */
static void begin_event(struct event *e)
{
  struct pmon_unit_info unit = {.size = sizeof unit};
  const struct kernel_own *own = own_event_of(e);
  pmon_unit_describe(kernel_pmus.platform, kernel_pmus.at[e->pmu].unit, &unit);
  e->on = true;
  e->since = now();
  e->counter = own ? 0 : -1;
  if (own) {
    kernel_own_begin(own, e->cpu);
    e->raw = kernel_own_read(own, e->cpu);
    return;
  }
  for (int k = 0; k < (int)unit.counters - (int)kernel.busy && e->counter < 0 && !kernel.held; k++)
    if (e->config[0] == OWN || !is_taken(e, k))
      e->counter = k;
  if (e->counter < 0)
    return;
  if (e->config[0] == OWN) {
    kernel_put(e, PMON_ROLE_FIXED_CTL, 0, UINT64_C(1) << 22);
  } else {
    if (e->config[1] && !strcmp(unit.name, "cbo"))
      kernel_put(e, PMON_ROLE_FILTER, 0, e->config[1]);
    kernel_put(e, PMON_ROLE_CTL, (uint32_t)e->counter, e->config[0] | (kernel_pmus.has_enable ? UINT64_C(1) << 22 : 0));
  }
  e->raw = kernel_get(e, counter_role(e), counter_number(e));
}

static void update(struct event *e)
{
  if (!e->on)
    return;
  const uint64_t passed = e->cpu == kernel.offline_cpu ? 0 : now() - e->since;
  e->since = now();
  e->enabled += passed;
  if (e->counter < 0 || e->cpu == kernel.offline_cpu)
    return;
  const uint64_t raw = kernel_get(e, counter_role(e), counter_number(e));
  e->running += passed;
  e->count += raw - e->raw;
  e->raw = raw;
}

static void end_event(struct event *e)
{
  update(e);
  if (e->on && e->counter >= 0 && !own_event_of(e))
    kernel_put(e, e->config[0] == OWN ? PMON_ROLE_FIXED_CTL : PMON_ROLE_CTL, counter_number(e), 0);
  e->on = false;
}

/* True if this call fails; errno is set. */
static bool fails(void)
{
  errno = kernel.error;
  return ++kernel.calls == kernel.fail_call;
}

static unsigned group_size(int leader)
{
  unsigned n = 0;
  for (unsigned i = 0; i < EVENTS; i++)
    n += events[i].fd && events[i].leader == leader && events[i].config[0] != OWN;
  return n;
}

static struct event *of_fd(int fd)
{
  for (unsigned i = 0; i < EVENTS; i++)
    if (events[i].fd == fd && fd > 0)
      return &events[i];
  return NULL;
}

/* Returns the error with which Linux refuses an uncore event; 0: accepted. */
static int refusal(const struct perf_event_attr *attr, int pid, int cpu, const struct event *leader)
{
  struct pmon_unit_info unit = {.size = sizeof unit};
  if (attr->type < KERNEL_FIRST_TYPE || attr->type >= KERNEL_FIRST_TYPE + kernel_pmus.n)
    return ENOENT;
  if (cpu == kernel.offline_cpu) {
    if (kernel.went_offline)
      kernel.went_offline();
    return ENODEV;
  }
  if (kernel.most_open && kernel.open >= kernel.most_open)
    return EMFILE;
  const struct kernel_pmu *pmu = &kernel_pmus.at[attr->type - KERNEL_FIRST_TYPE];
  if (pmu->own) {
    const struct event of = {.pmu = attr->type - KERNEL_FIRST_TYPE, .config = {attr->config}};
    return own_event_of(&of) ? 0 : EINVAL;
  }
  pmon_unit_describe(kernel_pmus.platform, pmu->unit, &unit);
  if (pid != -1 || attr->sample_period || attr->exclude_kernel || attr->inherit ||
      (leader && (leader->cpu != cpu || leader->pmu != attr->type - KERNEL_FIRST_TYPE)))
    return EINVAL;
  if (kernel.whole_groups && leader && attr->config != OWN &&
      group_size((int)(leader - events)) >= unit.counters - kernel.busy)
    return EINVAL;
  return 0;
}

static long open_event(const struct perf_event_attr *attr, int pid, int cpu, int group_fd)
{
  struct event *leader = of_fd(group_fd), *e = events;
  kernel.opens++;
  if (fails())
    return -1;
  int error = refusal(attr, pid, cpu, leader);
  int fd = error ? -1 : __real_open64("/dev/null", O_RDONLY | O_CLOEXEC);
  while (e->fd)
    e++;
  if (fd < 0) {
    errno = error;
    return -1;
  }
  *e = (struct event){.fd = fd,
                      .leader = (int)((leader ? leader : e) - events),
                      .cpu = cpu,
                      .counter = -1,
                      .pmu = attr->type - KERNEL_FIRST_TYPE,
                      .config = {attr->config, attr->config1, attr->config2}};
  kernel.open++;
  return fd;
}

long __wrap_syscall(long number, ...)
{
  const int n = number == SYS_futex             ? 6
                : number == SYS_perf_event_open ? 5
                                                : 2; /* no more arguments than the caller passed */
  va_list ap;
  long a[6] = {0};
  va_start(ap, number);
  for (int i = 0; i < n; i++)
    a[i] = va_arg(ap, long);
  va_end(ap);
  if (number == SYS_perf_event_open && tree_now)
    return open_event((const struct perf_event_attr *)a[0], (int)a[1], (int)a[2], (int)a[3]);
  return __real_syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

int __wrap_ioctl(int fd, unsigned long request, ...)
{
  va_list ap;
  va_start(ap, request);
  void *argument = va_arg(ap, void *);
  va_end(ap);
  struct event *e = of_fd(fd);
  if (!e)
    return __real_ioctl(fd, request, argument);
  if (fails())
    return -1;
  const bool on = request == PERF_EVENT_IOC_ENABLE;
  kernel.enables += on;
  kernel.disables += !on;
  for (unsigned i = 0; i < EVENTS; i++)
    if (events[i].fd && events[i].leader == e - events) {
      if (on && !events[i].on)
        begin_event(&events[i]);
      if (!on)
        end_event(&events[i]);
    }
  return 0;
}

ssize_t __wrap_read(int fd, void *buffer, size_t n)
{
  uint64_t values[64];
  struct event *e = of_fd(fd);
  size_t k = 3;
  if (!e)
    return __real_read(fd, buffer, n);
  kernel.reads++;
  if (fails() && kernel.error)
    return -1;
  const bool cut = kernel.calls == kernel.fail_call;
  for (unsigned i = 0; i < EVENTS; i++)
    if (events[i].fd && events[i].leader == e - events) {
      update(&events[i]);
      values[k++] = events[i].count;
    }
  values[0] = k - 3;
  values[1] = e->enabled;
  values[2] = e->running;
  if (n < k * sizeof *values) {
    errno = ENOSPC;
    return -1;
  }
  memcpy(buffer, values, k * sizeof *values);
  return (ssize_t)(cut ? sizeof *values : k * sizeof *values);
}

ssize_t __wrap___read_chk(int fd, void *buffer, size_t n, size_t room)
{
  if (n > room)
    abort();
  return __wrap_read(fd, buffer, n);
}

int __wrap_close(int fd)
{
  struct event *e = of_fd(fd);
  if (e) {
    end_event(e);
    e->fd = 0;
    kernel.open--;
  }
  return __real_close(fd);
}
