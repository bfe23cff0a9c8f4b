/* SPDX-License-Identifier: MIT */
#include "cli/target/root_buses.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Source of device numbers and offsets: Intel PCM, pcm-iio (facts on Emerald Rapids, 5.8). */
enum {
  DIES = 8,
  STACKS = 64,
  BUS_IDS = 32,
  VENDOR = 0x8086,
  BUS_DEVICE = 0x09a6, /* bus numbers of the package */
  BUS_VALID = 0x1a0,   /* a bit for each bus number */
  BUS_LOW = 0x190,     /* numbers 0 to 15, a byte each; */
  BUS_HIGH = 0x1c0,    /* and 16 to 31 */
  POWER_DEVICE = 0x325b,
  CAPID4 = 0x94,
};

const struct root_bus *root_buses_find(const struct root_buses *buses, unsigned domain, unsigned bus)
{
  for (uint32_t i = 0; i < buses->n; i++)
    if (buses->bus[i].domain == domain && buses->bus[i].bus == bus)
      return &buses->bus[i];
  return NULL;
}

static void root_buses_add(struct root_buses *b, struct root_bus bus)
{
  if (b->n < sizeof b->bus / sizeof *b->bus)
    b->bus[b->n++] = bus;
}

/* Reads uncore_iio_N/dieK: the root bus, DDDD:BB, of the stack in the K-th die (Linux,
 * Documentation/ABI/testing/sysfs-devices-mapping). */
static void root_buses_of_kernel(const struct hardware *h, const struct pmon_unit_info *unit, struct root_buses *b)
{
  for (unsigned stack = 0; stack < unit->instances && stack < STACKS; stack++)
    for (unsigned die = 0; die < DIES; die++) {
      struct root_bus bus = {.package = die, .instance = stack};
      char name[160], text[64];
      snprintf(name, sizeof name, "bus/event_source/devices/%s_%u/die%u", unit->perf, stack, die);
      if (hardware_text(h->sys, name, text, sizeof text) && sscanf(text, "%4x:%2x", &bus.domain, &bus.bus) == 2)
        root_buses_add(b, bus);
    }
}

/* Returns the facts' list for this processor; NULL: there is none. */
static const char *bus_list(const struct pmon_unit_info *unit, uint32_t model, unsigned chop, bool *ret_unsure)
{
  for (const char *at = unit->root_buses; *at; at += strcspn(at, " "), at += strspn(at, " ")) {
    unsigned of_model, of_chop;
    if (sscanf(at, "%x.%u", &of_model, &of_chop) != 2 || of_model != model || of_chop != chop)
      continue;
    const char *equals = strchr(at, '=');
    *ret_unsure = equals[-1] == '?';
    return equals + 1;
  }
  return NULL;
}

/* Returns the `number`-th instance of a list; UINT32_MAX: the list has none there. */
static uint32_t list_instance(const char *list, unsigned number)
{
  for (; number && *list && *list != ' '; number--) {
    list += strcspn(list, ", ");
    list += *list == ',';
  }
  return number || *list < '0' || *list > '9' ? UINT32_MAX : (uint32_t)strtoul(list, NULL, 10);
}

static bool function_number(const struct hardware *h, const char *function, const char *file, unsigned *ret)
{
  char name[320], text[32];
  snprintf(name, sizeof name, "bus/pci/devices/%.64s/%s", function, file);
  return hardware_text(h->sys, name, text, sizeof text) && sscanf(text, "%x", ret) == 1;
}

static bool is_function_of(const struct hardware *h, const char *function, unsigned device)
{
  unsigned id;
  return function_number(h, function, "vendor", &id) && id == VENDOR && function_number(h, function, "device", &id) &&
         id == device;
}

static bool read_word(struct root_buses *b, int fd, unsigned offset, uint32_t *ret)
{
  const bool good = fd >= 0 && pread(fd, ret, sizeof *ret, (off_t)offset) == (ssize_t)sizeof *ret;
  b->denied = b->denied || !good; /* without privileges, only the first 64 bytes can be read */
  return good;
}

static int open_config(const struct hardware *h, struct root_buses *b, const char *function)
{
  char path[600];
  snprintf(path, sizeof path, "%.280s/bus/pci/devices/%.64s/config", h->sys, function);
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  b->denied = b->denied || (fd < 0 && (errno == EACCES || errno == EPERM));
  return fd;
}

/* Finds the package of a function: that of the CPUs near it. */
static bool function_package(const struct hardware *h, const char *function, uint32_t *ret_package)
{
  struct pmon_package packages[64];
  char name[160], text[1024];
  unsigned id;
  snprintf(name, sizeof name, "bus/pci/devices/%.64s/local_cpulist", function);
  if (!hardware_text(h->sys, name, text, sizeof text) || *text < '0' || *text > '9')
    return false;
  snprintf(name, sizeof name, "devices/system/cpu/cpu%lu/topology/physical_package_id", strtoul(text, NULL, 10));
  if (!hardware_text(h->sys, name, text, sizeof text) || sscanf(text, "%u", &id) != 1)
    return false;
  const uint32_t n = hardware_packages(h, packages, 64);
  for (*ret_package = 0; *ret_package < n && *ret_package < 64; ++*ret_package)
    if (packages[*ret_package].id == id)
      return true;
  return false;
}

static void take_bus_numbers(const struct hardware *h, struct root_buses *b, const char *function, const char *list)
{
  struct root_bus bus = {0};
  uint32_t valid, word = 0;
  const int fd = open_config(h, b, function);
  if (read_word(b, fd, BUS_VALID, &valid) && sscanf(function, "%x:", &bus.domain) == 1 &&
      function_package(h, function, &bus.package))
    for (unsigned i = 0; i < BUS_IDS; i++) {
      const unsigned offset = i < BUS_IDS / 2 ? BUS_LOW + (i & ~3u) : BUS_HIGH + ((i - BUS_IDS / 2) & ~3u);
      bus.instance = valid >> i & 1 ? list_instance(list, i) : UINT32_MAX;
      if (bus.instance == UINT32_MAX || !read_word(b, fd, offset, &word))
        continue;
      bus.bus = word >> 8 * (i % 4) & 0xff;
      root_buses_add(b, bus);
    }
  if (fd >= 0)
    close(fd);
}

/* Reads the size of the die from CAPID4; false: the function does not show it. */
static bool read_chop(const struct hardware *h, struct root_buses *b, const char *function, unsigned *ret_chop)
{
  uint32_t word;
  if (!is_function_of(h, function, POWER_DEVICE))
    return false;
  const int fd = open_config(h, b, function);
  const bool good = read_word(b, fd, CAPID4, &word);
  if (good)
    *ret_chop = word >> 6 & 3;
  if (fd >= 0)
    close(fd);
  return good;
}

static int compare_functions(const struct dirent **a, const struct dirent **b)
{
  return strcmp((*a)->d_name, (*b)->d_name);
}

static void root_buses_of_processor(const struct hardware *h, const struct pmon_unit_info *unit, struct root_buses *b)
{
  struct dirent **entries = NULL;
  struct pmon_cpu cpu;
  char path[300];
  unsigned chop = 0;
  bool found = false;
  snprintf(path, sizeof path, "%.280s/bus/pci/devices", h->sys);
  const int n = hardware_cpu(h, &cpu) ? scandir(path, &entries, NULL, compare_functions) : 0;
  for (int i = 0; i < n && !found; i++)
    found = read_chop(h, b, entries[i]->d_name, &chop);
  const char *list = found ? bus_list(unit, cpu.signature[1], chop, &b->unsure) : NULL;
  for (int i = 0; i < n; i++) {
    if (list && is_function_of(h, entries[i]->d_name, BUS_DEVICE))
      take_bus_numbers(h, b, entries[i]->d_name, list);
    free(entries[i]);
  }
  free(entries);
}

void root_buses_read(const struct hardware *h, const struct pmon_unit_info *unit, struct root_buses *ret_buses)
{
  *ret_buses = (struct root_buses){0};
  root_buses_of_kernel(h, unit, ret_buses);
  if (ret_buses->n) {
    ret_buses->source = ROOT_BUSES_KERNEL;
  } else if (*unit->root_buses) {
    root_buses_of_processor(h, unit, ret_buses);
    ret_buses->source = ret_buses->n ? ROOT_BUSES_PROCESSOR : ROOT_BUSES_NONE;
  }
}
