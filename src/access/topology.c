/* SPDX-License-Identifier: MIT */
/* The topology: which CPUs are online, and in which package each is. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "src/access/system.h"

enum { CPUS = 65536, LIST_SIZE = 4096 };

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

uint32_t system_packages_of_list(const struct system *s, const char *cpus)
{
  char online[LIST_SIZE];
  unsigned long first, last, from, to;
  uint64_t seen = 0;
  if (!online_list(s, online, sizeof online))
    return 0;
  while (next_range(&cpus, &first, &last))
    for (const char *list = online; next_range(&list, &from, &to);)
      for (unsigned long cpu = first > from ? first : from; cpu <= last && cpu <= to; cpu++) {
        const int package = package_of(s, cpu);
        seen |= package >= 0 ? UINT64_C(1) << package : 0;
      }
  return (uint32_t)__builtin_popcountll(seen);
}
