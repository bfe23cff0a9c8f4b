/* SPDX-License-Identifier: MIT */
#include "cli/target/limits.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <pmon/hardware.h>
#include "cli/target/hardware.h"
#include "cli/target/port_links.h"
#include "machine/config.h"
#include "machine/smbios.h"
#include "src/base/real.h"
#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

static const char ddr[] = "ddr", link_rate[] = "link", lanes[] = "lanes", uncore[] = "uncore", core[] = "core",
                  bus[] = "bus";

enum { PACKAGES = 8, DIES = 4, TABLE_MOST = 1 << 20 };

/* The unit of ratios in registers, unless the processor reports another (CPUID 16h). */
#define USUAL_BUS_HZ 1e8

/* Returns the first limit of that name; 0: there is none. */
static double limits_find(const struct limit_list *list, const char *name)
{
  uint32_t i = 0;
  while (i < list->n && strcmp(list->limit[i].name, name) != 0)
    i++;
  return i < list->n ? list->limit[i].number : 0;
}

/* Fields of registers. Their number counts units of `scale`, 0: of the bus's frequency. If the field's values have
 * names, the number is the one at the beginning of the name. */
static const struct limit_field {
  const char *limit, *unit, *reg, *field;
  double scale;
} fields[] = {
    {uncore, "ufreq", "MSR_UNCORE_RATIO_LIMIT", "event_count", 0},
    {core, "rapl", "MSR_TURBO_RATIO_LIMIT", "ratio0", 0},
    {link_rate, "upi", "UPI_RATE_STATUS", "UPI_rate", 1e9},
    {link_rate, "qpi", "QPI_RATE_STATUS", "qpi_rate", 1e9},
};

static bool find_field(const struct pmon_platform *p, const struct limit_field *f, struct pmon_register_id *ret_id,
                       struct pmon_field_info *ret_field)
{
  struct pmon_register_info reg = {.size = sizeof reg};
  *ret_id = (struct pmon_register_id){0};
  if (pmon_unit_find(p, f->unit, &ret_id->unit))
    return false;
  while (!pmon_register_describe(p, ret_id->unit, ret_id->reg, &reg) && strcmp(reg.name, f->reg) != 0)
    ret_id->reg++;
  *ret_field = (struct pmon_field_info){.size = sizeof *ret_field};
  for (uint32_t i = 0; !pmon_field_describe(p, ret_id->unit, ret_id->reg, i, ret_field); i++)
    if (!strcmp(ret_field->name, f->field))
      return true;
  return false;
}

/* Returns the number at the beginning of a value's name; 0: it has no name, or is that of a link's slow mode. */
static double named_number(const struct pmon_platform *p, const char *values, uint64_t value)
{
  struct pmon_values_info list = {.size = sizeof list};
  struct pmon_value_info row = {.size = sizeof row};
  char *end;
  uint32_t i = 0;
  while (!pmon_values_describe(p, i, &list) && strcmp(list.name, values) != 0)
    i++;
  for (uint32_t r = 0; value && !pmon_value_describe(p, i, r, &row); r++)
    if (row.value == value)
      return real_parse(row.name, &end);
  return 0;
}

static void read_field(const struct pmon_platform *p, struct pmon_backend *b, const struct limit_field *f,
                       struct limit_list *list)
{
  struct pmon_unit_info unit = {.size = sizeof unit};
  struct pmon_register_id id;
  struct pmon_field_info field;
  if (!find_field(p, f, &id, &field) || pmon_unit_describe(p, id.unit, &unit))
    return;
  const double bus_hz = limits_find(list, bus), scale = f->scale > 0 ? f->scale : bus_hz > 0 ? bus_hz : USUAL_BUS_HZ;
  for (uint32_t package = 0; package < b->packages && package < PACKAGES; package++)
    for (id.instance = 0; id.instance < unit.instances; id.instance++) {
      struct pmon_address a;
      uint64_t value;
      if (pmon_register_address(p, &id, &a))
        continue;
      a.package = package;
      if (b->ops->read(b, &a, &value) || value == UINT64_MAX || (a.width_bits == 32 && value == UINT32_MAX))
        continue;
      value = value >> field.lo & (~UINT64_C(0) >> (63 - (field.hi - field.lo)));
      limits_add(list, f->limit, package,
                 scale * (*field.values ? named_number(p, field.values, value) : (double)value));
    }
}

/* Adds the limits in the platform's registers: rate of links, ratios of uncore and cores. Registers that cannot be read
 * add nothing. */
static void limits_read_registers(const struct pmon_platform *platform, struct pmon_backend *backend,
                                  struct limit_list *list)
{
  for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
    read_field(platform, backend, &fields[i], list);
}

static double number_of(const struct hardware *h, const char *name)
{
  char text[64], *end;
  return hardware_text(h->sys, name, text, sizeof text) ? real_parse(text, &end) : 0;
}

/* Adds the highest frequencies, in kHz, of the drivers intel_uncore_frequency and cpufreq. */
static void read_frequencies(const struct hardware *h, const struct pmon_package *packages, uint32_t n,
                             struct limit_list *list)
{
  char name[160];
  for (uint32_t i = 0; i < n; i++) {
    for (unsigned die = 0; die < DIES; die++) {
      snprintf(name, sizeof name, "devices/system/cpu/intel_uncore_frequency/package_%02u_die_%02u/max_freq_khz",
               packages[i].id, die);
      limits_add(list, uncore, i, 1e3 * number_of(h, name));
    }
    snprintf(name, sizeof name, "devices/system/cpu/cpu%u/cpufreq/cpuinfo_max_freq", packages[i].cpu);
    limits_add(list, core, i, 1e3 * number_of(h, name));
  }
}

/* Adds the processor's highest frequency and its bus frequency, in MHz: CPUID 16h (Intel SDM volume 2A), on this host
 * by the instruction, below a root by a copy of Linux' cpuid device, whose offsets are leaves. Some hypervisors leave
 * the leaf 0. */
static void read_processor(const struct hardware *h, const struct pmon_package *packages, uint32_t n,
                           struct limit_list *list)
{
  enum { LEAF = 0x16 };
  for (uint32_t i = 0; i < n; i++) {
    uint32_t words[4] = {0};
    char path[400];
    snprintf(path, sizeof path, "%.280s/cpu/%u/cpuid", h->dev, packages[i].cpu);
    const int fd = h->root ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
    if (h->root && (fd < 0 || pread(fd, words, sizeof words, LEAF) != (ssize_t)sizeof words))
      memset(words, 0, sizeof words);
    if (fd >= 0)
      close(fd);
#if defined(__x86_64__) || defined(__i386__)
    if (!h->root && !__get_cpuid(LEAF, &words[0], &words[1], &words[2], &words[3]))
      memset(words, 0, sizeof words);
#endif
    limits_add(list, core, i, 1e6 * (words[1] & 0xffff));
    limits_add(list, bus, i, 1e6 * (words[2] & 0xffff));
  }
}

/* Reads the processor's registers in addition to Linux perf, which counts: MSRs and configuration space, if they can be
 * opened. */
static void read_registers_beside(const struct hardware *h, const struct pmon_platform *platform,
                                  struct limit_list *list)
{
  struct pmon_access_method_info info = {.size = sizeof info};
  for (uint32_t i = 0; !pmon_access_method_describe(i, &info); i++) {
    struct pmon_backend *b = NULL;
    if (strcmp(info.name, "mmio") && !pmon_access_method_open(i, &h->system, NULL, &b))
      limits_read_registers(platform, b, list);
    pmon_backend_close(b);
  }
}

/* Reads the SMBIOS table, which the kernel shows to root. */
static void read_table(const struct hardware *h, uint32_t packages, struct limit_list *list)
{
  char path[400];
  snprintf(path, sizeof path, "%.280s/firmware/dmi/tables/DMI", h->sys);
  FILE *f = fopen(path, "re");
  uint8_t *table = f ? malloc(TABLE_MOST) : NULL;
  if (table)
    limits_read_smbios(table, fread(table, 1, TABLE_MOST, f), packages, list);
  free(table);
  if (f)
    fclose(f);
}

void limits_read_host(const struct hardware *h, const struct pmon_platform *platform, struct pmon_backend *backend,
                      struct limit_list *list)
{
  struct pmon_package packages[PACKAGES];
  uint32_t n = hardware_packages(h, packages, PACKAGES);
  n = n < PACKAGES ? n : PACKAGES;
  read_processor(h, packages, n, list);
  if (backend && backend->counting)
    read_registers_beside(h, platform, list);
  else if (backend)
    limits_read_registers(platform, backend, list);
  read_frequencies(h, packages, n, list);
  limits_read_ports(h, platform, list);
  read_table(h, n, list);
}

void limits_read_machine(const struct machine_config *config, const struct pmon_platform *platform,
                         struct pmon_backend *backend, struct limit_list *list)
{
  uint8_t table[MACHINE_SMBIOS_MOST];
  limits_read_registers(platform, backend, list);
  limits_add(list, lanes, PMON_ALL, (double)config->value[CONFIG_UPI_LANES]);
  if (limits_find(list, ddr) <= 0)
    limits_read_smbios(table, machine_smbios(config, table), backend->packages, list);
}
