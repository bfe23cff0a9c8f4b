/* SPDX-License-Identifier: MIT */
#include "tests/hardware/sysfs_kernel.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { EVENTS = 4096, PMUS = 512, FIRST_TYPE = 30, CPUS = 4, CPUS_MOST = 8, SLOTS = 0x400, WAIT_NS = 1000000 };

static char root_now[200];
static const struct sysfs_event *expected;
static struct pmu {
  const char *name;
  bool core;
} pmus[PMUS];
static unsigned n_pmus;
static uint64_t clock_ns = 1000000000; /* CLOCK_MONOTONIC: advances only while pmon waits for the measured command */
static bool command_passed;            /* it did so for the current command */

static struct open_event {
  int fd, leader; /* leader: a file descriptor */
  int cpu;
  uint64_t slots; /* of core PMUs: the config, if the event counts slots */
  bool on;
  uint64_t per_window, count, since, time;
} events[EVENTS];

int __real_ioctl(int fd, unsigned long request, ...);
long __real_syscall(long number, ...);
ssize_t __real_read(int fd, void *buffer, size_t n);
int __real_close(int fd);
int __real_clock_gettime(clockid_t id, struct timespec *t);
int __real_ppoll(struct pollfd *fds, nfds_t n, const struct timespec *timeout, const sigset_t *mask);
long __wrap_syscall(long number, ...);
int __wrap_ioctl(int fd, unsigned long request, ...);
ssize_t __wrap_read(int fd, void *buffer, size_t n);
ssize_t __wrap___read_chk(int fd, void *buffer, size_t n, size_t room);
int __wrap_close(int fd);
int __wrap_clock_gettime(clockid_t id, struct timespec *t);
int __wrap_ppoll(struct pollfd *fds, nfds_t n, const struct timespec *timeout, const sigset_t *mask);

static void sysfs_fail(const char *what)
{
  perror(what);
  abort();
}

void sysfs_file(const char *name, const char *text)
{
  char path[500];
  snprintf(path, sizeof path, "%s/%s", root_now, name);
  for (char *c = path + 1; (c = strchr(c, '/')); c++) {
    *c = 0;
    if (mkdir(path, 0777) && errno != EEXIST)
      sysfs_fail(path);
    *c = '/';
  }
  FILE *f = fopen(path, "w");
  if (!f || fprintf(f, "%s\n", text) < 0 || fclose(f))
    sysfs_fail(path);
}

/* Units of one name share their formats by symbolic links: a server has thousands of these files. */
static void put_formats(const struct sysfs_unit *u)
{
  char file[200];
  for (unsigned i = 0; u->formats[i][0]; i++) {
    snprintf(file, sizeof file, "formats/%s/%s", u->name, u->formats[i][0]);
    sysfs_file(file, u->formats[i][1]);
  }
}

static void put_pmu(const struct sysfs_unit *u, const char *name)
{
  char file[200], type[16], at[500];
  snprintf(type, sizeof type, "%u", FIRST_TYPE + n_pmus);
  pmus[n_pmus++] = (struct pmu){u->name, u == &sysfs_cpu};
  snprintf(file, sizeof file, "sys/bus/event_source/devices/%s/type", name);
  sysfs_file(file, type);
  snprintf(file, sizeof file, "sys/bus/event_source/devices/%s/cpumask", name);
  if (u != &sysfs_cpu)
    sysfs_file(file, "0,2");
  snprintf(file, sizeof file, "../../../../../formats/%s", u->name);
  snprintf(at, sizeof at, "%s/sys/bus/event_source/devices/%s/format", root_now, name);
  if (symlink(file, at))
    sysfs_fail(at);
}

void sysfs_make(const struct sysfs_server *server, const char *root)
{
  char text[200], name[120];
  snprintf(root_now, sizeof root_now, "%s", root);
  n_pmus = 0;
  snprintf(text, sizeof text,
           "processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: %u\nmodel name\t: X\nstepping\t: "
           "%u\nflags\t\t: fpu",
           server->model, server->stepping);
  sysfs_file("proc/cpuinfo", text);
  sysfs_file("dev/null", "");
  sysfs_file("sys/devices/system/cpu/online", "0-3");
  sysfs_file("sys/devices/system/cpu/present", "0-3");
  for (unsigned cpu = 0; cpu < CPUS; cpu++) {
    snprintf(name, sizeof name, "sys/devices/system/cpu/cpu%u/topology/physical_package_id", cpu);
    sysfs_file(name, cpu < CPUS / 2 ? "0" : "1");
  }
  put_formats(&sysfs_cpu);
  put_pmu(&sysfs_cpu, "cpu");
  for (const struct sysfs_unit *u = server->units; u->name; u++) {
    put_formats(u);
    for (unsigned i = 0; i < u->n; i++) {
      snprintf(name, sizeof name, "uncore_%s_%u", u->name, i);
      put_pmu(u, name);
    }
    snprintf(name, sizeof name, "uncore_%s", u->name);
    if (!u->n)
      put_pmu(u, name);
  }
}

void sysfs_expect(const struct sysfs_event *list)
{
  expected = list;
}

int __wrap_clock_gettime(clockid_t id, struct timespec *t)
{
  if (id != CLOCK_MONOTONIC)
    return __real_clock_gettime(id, t);
  *t = (struct timespec){.tv_sec = (time_t)(clock_ns / 1000000000), .tv_nsec = (long)(clock_ns % 1000000000)};
  return 0;
}

/* The command takes 1 ms, however long it really runs. */
int __wrap_ppoll(struct pollfd *fds, nfds_t n, const struct timespec *timeout, const sigset_t *mask)
{
  const bool command =
      n == 1 && (timeout->tv_sec || timeout->tv_nsec); /* otherwise pmon only polls whether it has ended */
  const int ready = __real_ppoll(fds, n, command ? NULL : timeout, mask);
  /* pmon waits again after a signal, or if the command has ended but is not a zombie yet. */
  if (command && ready > 0 && !command_passed) {
    clock_ns += WAIT_NS;
    command_passed = true;
  }
  return ready;
}

static struct open_event *event_of_fd(int fd)
{
  for (unsigned i = 0; fd > 0 && i < EVENTS; i++)
    if (events[i].fd == fd)
      return &events[i];
  return NULL;
}

/* True if the event counts at the privilege levels of the suffix; perf's modifiers set the attributes alike. */
static bool is_of_levels(const char *suffix, const struct perf_event_attr *a)
{
  return a->exclude_user == !strcmp(suffix, ":k") && a->exclude_kernel == !strcmp(suffix, ":u") &&
         a->exclude_hv == (*suffix != 0);
}

/* Returns the expected event that matches. The event of config 0 probes whether events can be opened. */
static const struct sysfs_event *find_expected(const char *pmu, const struct perf_event_attr *a)
{
  static const struct sysfs_event probe = {"", 0, 0, 0, 0};
  if (!a->config && !a->config1 && !a->config2)
    return &probe;
  for (const struct sysfs_event *e = expected; e && e->pmu; e++)
    if (!strncmp(e->pmu, pmu, strcspn(e->pmu, ":")) && is_of_levels(e->pmu + strcspn(e->pmu, ":"), a) &&
        strlen(pmu) == strcspn(e->pmu, ":") && e->config == a->config && e->config1 == a->config1 &&
        e->config2 == a->config2)
      return e;
  return NULL;
}

/* True if the event of slots or of their fractions is valid: fractions count only in a group led by slots, for which a
 * core has one counter. */
static bool is_slots_event(const struct perf_event_attr *a, int cpu, int group)
{
  const struct open_event *leader = event_of_fd(group);
  if ((a->config & 0xffff) >= 0x8000)
    return leader && leader->slots == SLOTS && leader->cpu == cpu;
  for (unsigned i = 0; i < EVENTS; i++)
    if (events[i].fd && events[i].slots == SLOTS && events[i].cpu == cpu)
      return false;
  return group < 0;
}

static long open_event(const struct perf_event_attr *a, int pid, int cpu, int group)
{
  const struct pmu *pmu = a->type - FIRST_TYPE < n_pmus ? &pmus[a->type - FIRST_TYPE] : NULL;
  const struct sysfs_event *e = pmu ? find_expected(pmu->name, a) : NULL;
  struct open_event *new = events;
  const bool slots = pmu && pmu->core && a->config && !(a->config & 0xff);
  if (!e || (slots && !is_slots_event(a, cpu, group)) || pid != -1 || cpu < 0 || cpu >= CPUS_MOST ||
      (cpu % 2 && !pmu->core) || a->sample_period) {
    fprintf(stderr, "unexpected: %s config=0x%" PRIx64 ",config1=0x%" PRIx64 ",config2=0x%" PRIx64 "%s%s on CPU %d\n",
            pmu ? pmu->name : "no PMU", (uint64_t)a->config, (uint64_t)a->config1, (uint64_t)a->config2,
            a->exclude_user ? " without user" : "", a->exclude_kernel ? " without kernel" : "", cpu);
    errno = EINVAL;
    return -1;
  }
  while (new->fd)
    new ++;
  const int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (fd >= 0)
    *new = (struct open_event){
        .fd = fd, .leader = group < 0 ? fd : group, .cpu = cpu, .slots = slots ? a->config : 0, .per_window = e->count};
  return fd;
}

long __wrap_syscall(long number, ...)
{
  command_passed &= number != SYS_perf_event_open; /* events are opened before the command starts */
  const int n = number == SYS_futex ? 6 : number == SYS_perf_event_open ? 5 : 2; /* no more than were given */
  va_list ap;
  long a[6] = {0};
  va_start(ap, number);
  for (int i = 0; i < n; i++)
    a[i] = va_arg(ap, long);
  va_end(ap);
  if (number == SYS_perf_event_open)
    return open_event((const struct perf_event_attr *)a[0], (int)a[1], (int)a[2], (int)a[3]);
  return __real_syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

/* Enables or disables events: a window of counting begins or ends. */
int __wrap_ioctl(int fd, unsigned long request, ...)
{
  va_list ap;
  va_start(ap, request);
  void *argument = va_arg(ap, void *);
  va_end(ap);
  if (!event_of_fd(fd))
    return __real_ioctl(fd, request, argument);
  const bool on = request == PERF_EVENT_IOC_ENABLE;
  for (unsigned i = 0; i < EVENTS; i++) {
    struct open_event *e = &events[i];
    if (!e->fd || e->leader != fd || e->on == on)
      continue;
    e->count += on ? e->per_window : 0;
    e->time += on ? 0 : clock_ns - e->since;
    e->since = clock_ns;
    e->on = on;
  }
  return 0;
}

ssize_t __wrap_read(int fd, void *buffer, size_t n)
{
  uint64_t values[80];
  size_t k = 3;
  const struct open_event *leader = event_of_fd(fd);
  if (!leader)
    return __real_read(fd, buffer, n);
  for (unsigned i = 0; i < EVENTS && k < sizeof values / sizeof *values; i++)
    if (events[i].fd && events[i].leader == fd)
      values[k++] = events[i].count;
  values[0] = k - 3;
  values[1] = values[2] = leader->time + (leader->on ? clock_ns - leader->since : 0);
  if (n < k * sizeof *values) {
    errno = ENOSPC;
    return -1;
  }
  memcpy(buffer, values, k * sizeof *values);
  return (ssize_t)(k * sizeof *values);
}

ssize_t __wrap___read_chk(int fd, void *buffer, size_t n, size_t room)
{
  if (n > room)
    abort();
  return __wrap_read(fd, buffer, n);
}

int __wrap_close(int fd)
{
  struct open_event *e = event_of_fd(fd);
  if (e)
    e->fd = 0;
  return __real_close(fd);
}
