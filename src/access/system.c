/* SPDX-License-Identifier: MIT */
#include "src/access/system.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "src/base/sized.h"

enum { CPUS = 65536, LIST_SIZE = 4096 };

bool system_text(const char *root, const char *name, char *text, size_t size)
{
  char path[SYSTEM_PATH];
  if (snprintf(path, sizeof path, "%s/%s", root, name) >= (int)sizeof path)
    return false;
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return false;
  ssize_t n = read(fd, text, size - 1);
  close(fd);
  if (n < 0)
    return false;
  text[n] = 0;
  text[strcspn(text, "\n")] = 0;
  return true;
}

int system_status(int error)
{
  switch (error) {
  case EPERM:
  case EACCES: return PMON_E_PERMISSION;
  case ENOENT:
  case ENXIO:
  case ENODEV:
  case ENOTDIR: return PMON_E_NO_DEVICE;
  case ENOMEM: return PMON_E_MEMORY;
  default: return PMON_E_IO;
  }
}

int system_open(const struct system_file *file, struct pmon_reason *reason, int *ret_fd)
{
  char path[SYSTEM_PATH];
  if (snprintf(path, sizeof path, "%s/%s", file->root, file->name) >= (int)sizeof path)
    return PMON_E_RANGE;
  /* A device of the host is not opened through a symbolic link; a tree of files may have links. */
  const bool device = !strcmp(file->root, "/dev"), host = device || !strcmp(file->root, "/sys");
  struct stat st;
  int fd = open(path, file->flags | O_CLOEXEC | (host ? O_NOFOLLOW : 0));
  if (fd >= 0 && device && (fstat(fd, &st) || !S_ISCHR(st.st_mode))) {
    close(fd);
    fd = -1;
    errno = ENODEV;
  }
  if (fd >= 0) {
    *ret_fd = fd;
    return 0;
  }
  const int error = errno, status = system_status(error);
  if (reason)
    snprintf(reason->text, sizeof reason->text, "cannot open %.180s: %s%s%s", path, strerror(error),
             status == PMON_E_IO ? "" : "; this needs ", status == PMON_E_IO ? "" : file->needs);
  return status;
}

/* Parses the first range of a list such as `0-3,8`, and advances the list. */
static bool next_range(const char **list, unsigned long *ret_first, unsigned long *ret_last)
{
  char *end;
  if (**list < '0' || **list > '9')
    return false;
  *ret_first = *ret_last = strtoul(*list, &end, 10);
  if (*end == '-')
    *ret_last = strtoul(end + 1, &end, 10);
  *list = *end == ',' ? end + 1 : end;
  return *ret_last >= *ret_first && *ret_last < CPUS;
}

static int package_id(const struct system *s, unsigned long cpu)
{
  char name[96], text[32];
  snprintf(name, sizeof name, "devices/system/cpu/cpu%lu/topology/physical_package_id", cpu);
  return system_text(s->sys, name, text, sizeof text) ? atoi(text) : -1;
}

/* Reads the online CPUs of a CPU's package as a list; the second file name is that of kernels before 5.2. */
static bool siblings(const struct system *s, unsigned long cpu, char *text, size_t size)
{
  static const char *const files[] = {"package_cpus_list", "core_siblings_list"};
  char name[96];
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    snprintf(name, sizeof name, "devices/system/cpu/cpu%lu/topology/%s", cpu, files[i]);
    if (system_text(s->sys, name, text, size))
      return true;
  }
  return false;
}

/* CPUs whose package is already known from another CPU. */
struct seen {
  uint64_t bits[CPUS / 64];
};

static bool is_seen(const struct seen *seen, unsigned long cpu)
{
  return seen->bits[cpu / 64] >> cpu % 64 & 1;
}

/* Returns the number of CPUs in the package of a CPU, including itself, and marks them. */
static uint32_t count_siblings(const struct system *s, unsigned long cpu, struct seen *seen)
{
  char text[LIST_SIZE];
  unsigned long first, last;
  uint32_t n = 0;
  seen->bits[cpu / 64] |= UINT64_C(1) << cpu % 64;
  if (!siblings(s, cpu, text, sizeof text))
    return 1;
  for (const char *list = text; next_range(&list, &first, &last);)
    for (unsigned long k = first; k <= last; k++, n++)
      seen->bits[k / 64] |= UINT64_C(1) << k % 64;
  return n ? n : 1;
}

static void add_cpu(struct system *s, unsigned long cpu, struct seen *seen)
{
  const int id = is_seen(seen, cpu) ? -1 : package_id(s, cpu);
  uint32_t at = 0, n;
  if (id < 0)
    return;
  n = count_siblings(s, cpu, seen);
  while (at < s->n_packages && s->packages[at].id < (uint32_t)id)
    at++;
  if (at < s->n_packages && s->packages[at].id == (uint32_t)id) {
    s->packages[at].online_cpus += n;
    return;
  }
  if (s->n_packages == SYSTEM_PACKAGES)
    return;
  memmove(&s->packages[at + 1], &s->packages[at], (s->n_packages - at) * sizeof *s->packages);
  s->packages[at] = (struct pmon_package){(uint32_t)id, (uint32_t)cpu, n};
  s->n_packages++;
}

/* Reads the online CPUs as a list; if that is not possible, the present CPUs, of which offline ones have no package. */
static bool online_list(const struct system *s, char *text, size_t size)
{
  return system_text(s->sys, "devices/system/cpu/online", text, size) ||
         system_text(s->sys, "devices/system/cpu/present", text, size);
}

void system_look(struct system *s)
{
  char text[LIST_SIZE];
  unsigned long first, last;
  struct seen seen = {{0}};
  s->n_packages = 0;
  if (online_list(s, text, sizeof text))
    for (const char *list = text; next_range(&list, &first, &last);)
      for (unsigned long cpu = first; cpu <= last; cpu++)
        add_cpu(s, cpu, &seen);
  if (!s->n_packages)
    s->packages[s->n_packages++] = (struct pmon_package){0, 0, 1};
}

/* Returns the status of unusable options, and writes its text. */
static int refuse_options(int status, struct pmon_reason *reason)
{
  if (reason)
    snprintf(reason->text, sizeof reason->text, "struct pmon_system: %s",
             status == PMON_E_INVALID ? "its size is not set"
             : status == PMON_E_RANGE ? "the name of a base directory or group is longer than 255 bytes"
                                      : "a member is set that this version of the library does not have");
  return status;
}

int system_init(struct system *s, const struct pmon_system *options, struct pmon_reason *reason)
{
  struct pmon_system full = {.end_fd = -1};
  int status = options ? sized_take(&full, sizeof full, options) : 0;
  if (status)
    return refuse_options(status, reason);
  *s = (struct system){.end_fd = full.end_fd};
  if (snprintf(s->dev, SYSTEM_ROOT, "%s", full.dev ? full.dev : "/dev") >= SYSTEM_ROOT ||
      snprintf(s->sys, SYSTEM_ROOT, "%s", full.sys ? full.sys : "/sys") >= SYSTEM_ROOT ||
      snprintf(s->proc, SYSTEM_ROOT, "%s", full.proc ? full.proc : "/proc") >= SYSTEM_ROOT ||
      snprintf(s->group, SYSTEM_ROOT, "%s", full.resctrl_group ? full.resctrl_group : "") >= SYSTEM_ROOT)
    return refuse_options(PMON_E_RANGE, reason);
  s->host = !strcmp(s->dev, "/dev") && !strcmp(s->sys, "/sys") && !strcmp(s->proc, "/proc");
  system_look(s);
  return 0;
}

static int package_of(const struct system *s, unsigned long cpu)
{
  const int id = package_id(s, cpu);
  for (uint32_t i = 0; id >= 0 && i < s->n_packages; i++)
    if (s->packages[i].id == (uint32_t)id)
      return (int)i;
  return -1;
}

/* True if a list has all CPUs of a range; adjacent CPUs are in one range of the list. */
static bool has_range(const char *list, unsigned long first, unsigned long last)
{
  unsigned long from, to;
  while (next_range(&list, &from, &to))
    if (from <= first && last <= to)
      return true;
  return false;
}

int system_package_of_all(const struct system *s, const char *list)
{
  char own[LIST_SIZE];
  unsigned long first, last;
  const char *rest = list;
  const int package = next_range(&rest, &first, &last) ? package_of(s, first) : -1;
  const bool known = package >= 0 && siblings(s, first, own, sizeof own);
  while (package >= 0 && next_range(&list, &first, &last))
    if (known && !has_range(own, first, last))
      return -1;
    else
      for (unsigned long cpu = first; !known && cpu <= last; cpu++)
        if (package_of(s, cpu) != package)
          return -1;
  return package;
}

uint32_t system_nth_cpu_of_package(const struct system *s, const char *list, uint32_t package, uint32_t n)
{
  unsigned long first, last;
  while (next_range(&list, &first, &last))
    for (unsigned long cpu = first; cpu <= last; cpu++)
      if (package_of(s, cpu) == (int)package && n-- == 0)
        return (uint32_t)cpu;
  return UINT32_MAX;
}

uint32_t system_threads(const struct system *s, uint32_t package, const char *list, uint32_t *cpus, uint32_t most)
{
  char text[LIST_SIZE];
  unsigned long first, last;
  uint32_t n = 0;
  const bool known = package < s->n_packages && siblings(s, s->packages[package].cpu, text, sizeof text);
  if (package >= s->n_packages || (!known && !online_list(s, text, sizeof text)))
    return 0;
  for (const char *at = text; next_range(&at, &first, &last);)
    for (unsigned long cpu = first; cpu <= last; cpu++)
      if ((!list || has_range(list, cpu, cpu)) && (known || package_of(s, cpu) == (int)package)) {
        if (n < most)
          cpus[n] = (uint32_t)cpu;
        n++;
      }
  return n;
}

uint32_t system_threads_per_core(const struct system *s)
{
  char path[96], text[LIST_SIZE];
  unsigned long first, last;
  uint32_t n = 0;
  snprintf(path, sizeof path, "devices/system/cpu/cpu%" PRIu32 "/topology/thread_siblings_list", s->packages[0].cpu);
  if (!system_text(s->sys, path, text, sizeof text))
    return 0;
  for (const char *list = text; next_range(&list, &first, &last);)
    n += (uint32_t)(last - first) + 1;
  return n;
}

uint32_t pmon_system_packages(const struct pmon_system *system, struct pmon_package *packages, uint32_t n)
{
  struct system s;
  if (system_init(&s, system, NULL))
    return 0;
  for (uint32_t i = 0; i < n && i < s.n_packages; i++)
    packages[i] = s.packages[i];
  return s.n_packages;
}

uint32_t system_other_cpu(const struct system *s, uint32_t package, uint32_t but)
{
  char text[LIST_SIZE];
  unsigned long first, last;
  if (siblings(s, but, text, sizeof text)) { /* the file is absent once the CPU is offline */
    for (const char *list = text; next_range(&list, &first, &last);)
      if (first != but || last != but)
        return (uint32_t)(first != but ? first : first + 1);
    return UINT32_MAX;
  }
  if (online_list(s, text, sizeof text))
    for (const char *list = text; next_range(&list, &first, &last);)
      for (unsigned long cpu = first; cpu <= last; cpu++)
        if (cpu != but && package_id(s, cpu) == (int)s->packages[package].id)
          return (uint32_t)cpu;
  return UINT32_MAX;
}

bool system_online(const struct system *s, uint32_t cpu)
{
  char text[LIST_SIZE];
  unsigned long first, last;
  if (system_text(s->sys, "devices/system/cpu/online", text, sizeof text))
    for (const char *list = text; next_range(&list, &first, &last);)
      if (cpu >= first && cpu <= last)
        return true;
  return false;
}

uint32_t pmon_system_packages_of(const struct pmon_system *system, const char *cpus)
{
  struct system s;
  char online[LIST_SIZE];
  unsigned long first, last, from, to;
  uint64_t seen = 0;
  if (system_init(&s, system, NULL) || !online_list(&s, online, sizeof online))
    return 0;
  while (next_range(&cpus, &first, &last))
    for (const char *list = online; next_range(&list, &from, &to);)
      for (unsigned long cpu = first > from ? first : from; cpu <= last && cpu <= to; cpu++) {
        const int id = package_id(&s, cpu);
        for (uint32_t i = 0; i < s.n_packages; i++)
          seen |= id >= 0 && s.packages[i].id == (uint32_t)id ? UINT64_C(1) << i : 0;
      }
  return (uint32_t)__builtin_popcountll(seen);
}

static uint64_t now_ns(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

int system_wait(const struct system *s, uint64_t until_ns, uint64_t *ret_now_ns, bool *ret_ended)
{
  struct pollfd end = {.fd = s->end_fd, .events = POLLIN};
  uint64_t now = now_ns();
  bool ended = false;
  for (;;) {
    const uint64_t left = until_ns > now ? until_ns - now : 0;
    struct timespec t = {.tv_sec = (time_t)(left / 1000000000u), .tv_nsec = (long)(left % 1000000000u)};
    if (t.tv_sec > 3600)
      t.tv_sec = 3600;
    int n = ppoll(&end, s->end_fd >= 0, &t, NULL);
    ended = n > 0;
    now = now_ns();
    /* A signal ends the wait early, so that its handler can run. */
    if (n || now >= until_ns)
      break;
  }
  *ret_now_ns = now;
  *ret_ended = ended;
  return 0;
}
