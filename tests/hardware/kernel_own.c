/* SPDX-License-Identifier: MIT */
#include "tests/hardware/kernel_own.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/hardware/kernel.h"

const struct kernel_own kernel_own_events[] = {
    {"cpu", "instructions", "event=0xc0", "config:0-7", NULL, 0xc0, 0x309, true},
    {"cpu", "cpu-cycles", "event=0x3c", "config:0-7", NULL, 0x3c, 0x30a, true},
    {"cpu", "ref-cycles", "event=0x00,umask=0x03", "config:0-7", NULL, 0x300, 0x30b, true},
    {"msr", "aperf", "event=0x01", "config:0-63", NULL, 1, 0xe8, true},
    {"msr", "mperf", "event=0x02", "config:0-63", NULL, 2, 0xe7, true},
    {"msr", "smi", "event=0x04", "config:0-63", NULL, 4, 0x34, true},
    {"power", "energy-cores", "event=0x01", "config:0-7", "0,2", 1, 0x639, false},
    {"power", "energy-pkg", "event=0x02", "config:0-7", "0,2", 2, 0x611, false},
    {"power", "energy-ram", "event=0x03", "config:0-7", "0,2", 3, 0x619, false},
    {"cstate_core", "c3-residency", "event=0x01", "config:0-63", "0-3", 1, 0x3fc, true},
    {"cstate_core", "c6-residency", "event=0x02", "config:0-63", "0-3", 2, 0x3fd, true},
    {"cstate_core", "c7-residency", "event=0x03", "config:0-63", "0-3", 3, 0x3fe, true},
    {"cstate_pkg", "c2-residency", "event=0x00", "config:0-63", "0,2", 0, 0x60d, false},
    {"cstate_pkg", "c3-residency", "event=0x01", "config:0-63", "0,2", 1, 0x3f8, false},
    {"cstate_pkg", "c6-residency", "event=0x02", "config:0-63", "0,2", 2, 0x3f9, false},
    {"cstate_pkg", "c7-residency", "event=0x03", "config:0-63", "0,2", 3, 0x3fa, false},
    {0}};

static void own_file(const struct tree *t, const char *pmu, const char *file, const char *text)
{
  char path[256], line[96];
  kernel_path(path, sizeof path, pmu, file);
  snprintf(line, sizeof line, "%s\n", text);
  tree_file(t, path, line);
}

bool kernel_own_add(const struct tree *t, const struct kernel_own *o, uint32_t type)
{
  const bool first = o == kernel_own_events || strcmp(o->pmu, o[-1].pmu);
  char file[64], number[16];
  snprintf(number, sizeof number, "%" PRIu32, type);
  if (first) {
    own_file(t, o->pmu, "type", number);
    own_file(t, o->pmu, "format/event", o->format);
    own_file(t, o->pmu, "format/umask", "config:8-15");
  }
  if (first && o->cpumask)
    own_file(t, o->pmu, "cpumask", o->cpumask);
  snprintf(file, sizeof file, "events/%s", o->name);
  own_file(t, o->pmu, file, o->config);
  return first;
}

const struct kernel_own *kernel_own_find(const char *pmu, uint64_t code)
{
  for (const struct kernel_own *o = kernel_own_events; o->pmu; o++)
    if (!strcmp(o->pmu, pmu) && o->code == code)
      return o;
  return NULL;
}

static struct pmon_address own_address(int cpu, bool of_cpu, uint32_t msr)
{
  return (struct pmon_address){.package = (uint32_t)cpu / 2,
                               .space = PMON_SPACE_MSR,
                               .width_bits = 64,
                               .device = of_cpu ? (uint32_t)cpu % 2 + 1 : 0,
                               .offset = msr};
}

uint64_t kernel_own_read(const struct kernel_own *o, int cpu)
{
  const struct pmon_address a = own_address(cpu, o->of_cpu, o->msr);
  uint64_t value;
  struct pmon_address unit = own_address(cpu, false, 0x606);
  uint64_t bits;
  if (machine_read(tree_now->machine, &a, &value) || machine_read(tree_now->machine, &unit, &bits))
    abort();
  /* The kernel counts energy in units of 2^-32 J. */
  return strcmp(o->pmu, "power") ? value : value << (32 - (bits >> 8 & 31));
}

void kernel_own_begin(const struct kernel_own *o, int cpu)
{
  const struct pmon_address fixed = own_address(cpu, true, 0x38d), global = own_address(cpu, true, 0x38f);
  if (o->msr - 0x309 < 3 &&
      (machine_write(tree_now->machine, &fixed, 0x333) || machine_write(tree_now->machine, &global, UINT64_C(7) << 32)))
    abort();
}
