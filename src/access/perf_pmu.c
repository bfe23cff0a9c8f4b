/* SPDX-License-Identifier: MIT */
#include "src/access/perf_pmu.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "src/base/bits.h"
#include "src/base/real.h"
#include "src/base/sized.h"

enum { RANGES = 4, THREADS_MOST = 1024 };

#define DEVICES "bus/event_source/devices"

/* The position of a term: bits of one config word, lowest first. */
struct format {
  unsigned word, n, width;
  struct {
    unsigned lo, hi;
  } range[RANGES];
};

bool perf_pmu_is_uncore(const char *name)
{
  return !strncmp(name, "uncore_", 7);
}

static bool pmu_text(const struct perf_pmu *pmu, const char *file, char *text, size_t size)
{
  char path[256];
  return snprintf(path, sizeof path, DEVICES "/%s/%s", pmu->name, file) < (int)sizeof path &&
         system_text(pmu->system->sys, path, text, size);
}

/* True if errno shows that reading the file was denied, rather than that it does not exist; with the reason. Call it
 * directly after the failure. */
static bool is_denied(const struct perf_pmu *pmu, const char *file, struct pmon_reason *reason)
{
  if (errno != EACCES && errno != EPERM)
    return false;
  snprintf(reason->text, sizeof reason->text,
           "cannot read %.180s/" DEVICES
           "/%s/%.60s: %s; it is normally readable for all users: a container or a security module denies access",
           pmu->system->sys, pmu->name, file, strerror(errno));
  return true;
}

static bool perf_load_pmu(struct perf_pmu *pmu)
{
  char text[32], *end;
  if (!pmu_text(pmu, "type", text, sizeof text))
    return false;
  pmu->type = (uint32_t)strtoul(text, &end, 10);
  return end != text && !*end;
}

int perf_pmu_find(const struct system *system, const char *name, uint32_t instance, struct perf_pmu *ret_pmu,
                  struct pmon_reason *reason)
{
  *ret_pmu = (struct perf_pmu){.system = system};
  snprintf(ret_pmu->name, sizeof ret_pmu->name, "%.48s_%" PRIu32, name, instance);
  if (perf_load_pmu(ret_pmu))
    return 0;
  if (is_denied(ret_pmu, "type", reason))
    return PMON_E_PERMISSION;
  snprintf(ret_pmu->name, sizeof ret_pmu->name, "%.48s", name);
  if (!instance && perf_load_pmu(ret_pmu))
    return 0;
  if (!instance && is_denied(ret_pmu, "type", reason))
    return PMON_E_PERMISSION;
  snprintf(reason->text, sizeof reason->text,
           "the kernel has no PMU %s_%" PRIu32 "%s%s; its driver %s, and may not know this processor", name, instance,
           instance ? "" : " or ", instance ? "" : name,
           perf_pmu_is_uncore(name) ? "is the module intel_uncore" : "is not loaded");
  return PMON_E_NO_DEVICE;
}

int perf_pmu_dies(const struct perf_pmu *pmu, uint32_t package, struct perf_dies *ret_dies, struct pmon_reason *reason)
{
  char list[1024];
  *ret_dies = (struct perf_dies){0};
  if (package < pmu->system->n_packages && pmu_text(pmu, "cpumask", list, sizeof list)) {
    uint32_t cpu;
    while (ret_dies->n < PERF_DIES &&
           (cpu = system_nth_cpu_of_package(pmu->system, list, package, ret_dies->n)) != UINT32_MAX)
      ret_dies->cpu[ret_dies->n++] = cpu;
  } else if (package < pmu->system->n_packages) {
    if (is_denied(pmu, "cpumask", reason))
      return PMON_E_PERMISSION;
    ret_dies->cpu[ret_dies->n++] = pmu->system->packages[package].cpu;
  }
  if (ret_dies->n)
    return 0;
  snprintf(reason->text, sizeof reason->text,
           "no CPU counts %s for package %" PRIu32 " (its cpumask lists no CPU of that package)", pmu->name, package);
  return PMON_E_NO_DEVICE;
}

int perf_pmu_cpu(const struct perf_pmu *pmu, uint32_t package, uint32_t *ret_cpu, struct pmon_reason *reason)
{
  struct perf_dies dies;
  int status = perf_pmu_dies(pmu, package, &dies, reason);
  if (!status)
    *ret_cpu = dies.cpu[0];
  return status;
}

static int compare_numbers(const void *a, const void *b)
{
  const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return x < y ? -1 : x > y;
}

uint32_t perf_pmu_numbers(const struct system *system, const char *name, uint32_t *numbers, uint32_t most)
{
  char path[SYSTEM_PATH], *end;
  const size_t length = strlen(name);
  uint32_t n = 0;
  bool plain = false;
  snprintf(path, sizeof path, "%s/" DEVICES, system->sys);
  DIR *dir = opendir(path);
  for (struct dirent *e; dir && (e = readdir(dir)) && n < most;) {
    const char *rest = strncmp(e->d_name, name, length) ? NULL : e->d_name + length;
    plain = plain || (rest && !*rest);
    if (!rest || *rest != '_' || rest[1] < '0' || rest[1] > '9')
      continue;
    numbers[n] = (uint32_t)strtoul(rest + 1, &end, 10);
    n += !*end;
  }
  if (dir)
    closedir(dir);
  if (!n && plain)
    numbers[n++] = 0;
  qsort(numbers, n, sizeof *numbers, compare_numbers);
  return n;
}

/* Finds a hardware thread of a package, in the PMU's own list of CPUs or else among the online CPUs. */
static int perf_find_thread(const struct perf_pmu *pmu, const struct counting_event *event, uint32_t i,
                            uint32_t *ret_cpu, struct pmon_reason *reason)
{
  const uint32_t number = event->instance + i * COUNTING_THREADS;
  uint32_t cpus[THREADS_MOST];
  char list[1024];
  const bool listed = pmu_text(pmu, "cpumask", list, sizeof list);
  const uint32_t n = system_threads(pmu->system, event->package, listed ? list : NULL, cpus, THREADS_MOST);
  if (number < n && number < THREADS_MOST) {
    *ret_cpu = cpus[number];
    return 0;
  }
  snprintf(reason->text, sizeof reason->text,
           "package %" PRIu32 " has no CPU with index %" PRIu32 " for the kernel's %s", event->package, number,
           pmu->name);
  return PMON_E_NO_DEVICE;
}

int perf_pmu_member(const struct system *system, const struct counting_event *event, uint32_t i,
                    struct perf_member *ret_member, struct pmon_reason *reason)
{
  char list[1024];
  if (event->thread) {
    const int found = perf_pmu_find(system, event->pmu, 0, &ret_member->pmu, reason);
    return found ? found : perf_find_thread(&ret_member->pmu, event, i, &ret_member->cpu, reason);
  }
  int status = perf_pmu_find(system, event->pmu, 0, &ret_member->pmu, reason);
  if (status)
    return status;
  if (!system_text(system->sys, "devices/system/cpu/online", list, sizeof list))
    snprintf(list, sizeof list, "%" PRIu32,
             event->package < system->n_packages ? system->packages[event->package].cpu : 0);
  ret_member->cpu = system_nth_cpu_of_package(system, list, event->package, i);
  if (ret_member->cpu != UINT32_MAX)
    return 0;
  snprintf(reason->text, sizeof reason->text, "package %" PRIu32 " has no more CPUs", event->package);
  return PMON_E_NO_DEVICE;
}

/* Parses a format such as `config1:0-7,21`. */
static bool parse_format(const char *text, struct format *f)
{
  int n = 0;
  unsigned word = 0;
  *f = (struct format){0};
  if (sscanf(text, "config%u:%n", &word, &n) == 1 && n)
    f->word = word;
  else if (sscanf(text, "config:%n", &n) != 0 || !n)
    return false;
  for (const char *at = text + n; f->n < RANGES; at++) {
    char *end;
    const unsigned long lo = strtoul(at, &end, 10), hi = *end == '-' ? strtoul(end + 1, &end, 10) : lo;
    if (end == at || hi < lo || hi > 63)
      return false;
    f->range[f->n].lo = (unsigned)lo;
    f->range[f->n++].hi = (unsigned)hi;
    f->width += (unsigned)(hi - lo) + 1;
    at = end;
    if (*at != ',')
      return f->word < 3 && !*at;
  }
  return false;
}

/* True for names that are not formats: `config1` and `config2` are a whole word, as in perf; two others are the bits of
 * struct perf_event_attr that perf's event modifiers set. */
static bool is_own_word(const char *name, size_t n, struct format *f)
{
  static const char *const bits[] = {"exclude_user", "exclude_kernel"};
  for (unsigned i = 0; i < sizeof bits / sizeof *bits; i++)
    if (n == strlen(bits[i]) && !memcmp(name, bits[i], n)) {
      *f = (struct format){.word = PERF_EXCLUDE, .n = 1, .width = 1, .range = {{i, i}}};
      return true;
    }
  if (n != 7 || memcmp(name, "config", 6) || (name[6] != '1' && name[6] != '2'))
    return false;
  *f = (struct format){.word = (unsigned)(name[6] - '0'), .n = 1, .width = 64, .range = {{0, 63}}};
  return true;
}

/* Finds the format of the first of a term's names that the PMU has. PMON_E_UNSUPPORTED: none; PMON_E_PERMISSION: with
 * the reason. */
static int find_format(const struct perf_pmu *pmu, const struct counting_term *term, struct format *f,
                       struct pmon_reason *reason)
{
  for (const char *name = term->names; *name;) {
    const size_t n = strcspn(name, ",");
    if (is_own_word(name, n, f))
      return 0;
    char file[COUNTING_NAMES + 8], text[128];
    snprintf(file, sizeof file, "format/%.*s", (int)n, name);
    errno = 0;
    if (n && pmu_text(pmu, file, text, sizeof text) && parse_format(text, f))
      return 0;
    if (is_denied(pmu, file, reason))
      return PMON_E_PERMISSION;
    name += n + (name[n] == ',');
  }
  return PMON_E_UNSUPPORTED;
}

static bool perf_place_term(const struct format *f, uint64_t value, uint64_t config[PERF_WORDS])
{
  for (unsigned i = 0; i < f->n; i++) {
    const unsigned width = f->range[i].hi - f->range[i].lo + 1;
    config[f->word] |= bits_place(value, f->range[i].hi, f->range[i].lo);
    value = width < 64 ? value >> width : 0;
  }
  return !value;
}

/* Finds the format of occ_sel: the power control unit's event files have its two bits, 15:14, as part of the umask. */
static int find_occupancy(const struct perf_pmu *pmu, struct counting_term *term, struct format *f,
                          struct pmon_reason *reason)
{
  const bool umask = !strcmp(term->names, "umask") || !strncmp(term->names, "umask,", 6);
  if (!umask || term->value & 0x3f || term->value >> 8)
    return PMON_E_UNSUPPORTED;
  *term = (struct counting_term){.names = "occ_sel", .value = term->value >> 6, .width_bits = 2, .lo = -1};
  return find_format(pmu, term, f, reason);
}

/* Encodes the terms of one of the kernel's own events, `event=0x00,umask=0x03`. */
static int perf_encode_named(const struct perf_pmu *pmu, const char *name, uint64_t config[PERF_WORDS],
                             struct pmon_reason *reason)
{
  char file[64], text[96];
  int status = PMON_E_UNSUPPORTED;
  snprintf(file, sizeof file, "events/%.48s", name);
  const bool there = pmu_text(pmu, file, text, sizeof text);
  if (!there && is_denied(pmu, file, reason))
    return PMON_E_PERMISSION;
  for (char *term = there ? text : NULL, *next; term && *term; term = next) {
    struct counting_term one = {.width_bits = 64, .lo = -1};
    struct format f;
    next = term + strcspn(term, ",");
    if (*next)
      *next++ = 0;
    const char *equals = strchr(term, '=');
    if (!equals)
      return PMON_E_UNSUPPORTED;
    snprintf(one.names, sizeof one.names, "%.*s", (int)(equals - term), term);
    status = find_format(pmu, &one, &f, reason);
    if (!status && !perf_place_term(&f, strtoull(equals + 1, NULL, 0), config))
      status = PMON_E_UNSUPPORTED;
    if (status)
      break;
  }
  if (status == PMON_E_UNSUPPORTED)
    snprintf(reason->text, sizeof reason->text,
             "the kernel's %s has no event %s: its driver does not support it on this processor", pmu->name, name);
  return status;
}

int perf_pmu_encode(const struct perf_pmu *pmu, const struct counting_event *event, uint64_t config[PERF_WORDS],
                    struct pmon_reason *reason)
{
  memset(config, 0, PERF_WORDS * sizeof *config);
  if (event->kernel_event && event->n_terms) {
    snprintf(reason->text, sizeof reason->text, "the kernel's %s counts %s only without %.*s=0x%" PRIx64, pmu->name,
             event->kernel_event, (int)strcspn(event->terms[0].names, ","), event->terms[0].names,
             event->terms[0].value);
    return PMON_E_UNSUPPORTED;
  }
  if (event->kernel_event)
    return perf_encode_named(pmu, event->kernel_event, config, reason);
  for (uint32_t i = 0; i < event->n_terms; i++) {
    struct counting_term own = event->terms[i], *term = &own;
    struct format f;
    int found = find_format(pmu, term, &f, reason);
    if (found == PMON_E_UNSUPPORTED)
      found = find_occupancy(pmu, term, &f, reason);
    const bool there = !found;
    if (found == PMON_E_PERMISSION)
      return found;
    /* A format wider than the hardware's field is an error in the format (Linux has 14-51 for the E5-2600's occ_edge,
     * bit 31). The config word has the control register's bits, so that the position is known. */
    if (there && f.width > term->width_bits && term->lo >= 0 && !f.word)
      config[0] |= term->value << term->lo;
    else if (!there || !perf_place_term(&f, term->value, config)) {
      snprintf(reason->text, sizeof reason->text,
               "the kernel's %s has no term for %s=0x%" PRIx64 ": this needs register access (--backend direct)",
               pmu->name, term->names, term->value);
      return PMON_E_UNSUPPORTED;
    }
  }
  return 0;
}

int perf_pmu_any(const struct system *system, struct perf_pmu *ret_pmu, struct pmon_reason *reason)
{
  char path[SYSTEM_PATH];
  struct pmon_reason denied = {""};
  int status = PMON_E_NO_DEVICE;
  snprintf(path, sizeof path, "%s/" DEVICES, system->sys);
  DIR *dir = opendir(path);
  for (struct dirent *e; status && dir && (e = readdir(dir));)
    if (perf_pmu_is_uncore(e->d_name)) {
      status = perf_pmu_find(system, e->d_name, 0, ret_pmu, reason);
      if (status == PMON_E_PERMISSION)
        denied = *reason;
    }
  if (dir)
    closedir(dir);
  if (status && *denied.text) {
    *reason = denied;
    return PMON_E_PERMISSION;
  }
  if (status)
    snprintf(reason->text, sizeof reason->text,
             "the kernel has no uncore PMUs (%.200s): load the driver (modprobe intel_uncore); it does not load in a "
             "virtual machine or on an unknown processor",
             path);
  return status;
}

int pmon_kernel_event_find(const struct pmon_system *options, const char *pmu, const char *name,
                           struct pmon_kernel_event *ret_event)
{
  struct pmon_kernel_event full = {.scale = 1};
  struct pmon_reason unused;
  struct perf_pmu found;
  struct system system;
  char file[160], text[48];
  const int status = system_init(&system, options, NULL);
  if (status)
    return status;
  if (strchr(name, '/') || strchr(pmu, '/'))
    return PMON_E_UNKNOWN;
  found = (struct perf_pmu){.system = &system};
  snprintf(found.name, sizeof found.name, "%.60s", pmu);
  if (!perf_load_pmu(&found) && perf_pmu_find(&system, pmu, 0, &found, &unused))
    return PMON_E_UNKNOWN;
  snprintf(file, sizeof file, "events/%.100s", name);
  if (!pmu_text(&found, file, full.terms, sizeof full.terms))
    return PMON_E_UNKNOWN;
  snprintf(file, sizeof file, "events/%.100s.scale", name);
  if (pmu_text(&found, file, text, sizeof text))
    full.scale = real_parse(text, NULL);
  snprintf(file, sizeof file, "events/%.100s.unit", name);
  if (!pmu_text(&found, file, full.unit, sizeof full.unit))
    *full.unit = 0;
  return sized_fill(ret_event, &full, sizeof full);
}
