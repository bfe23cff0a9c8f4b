/* SPDX-License-Identifier: MIT */
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <pmon/access.h>
#include "vm/kind.h"

/* Without the hypervisor's bit, or the driver does not load; with fsgsbase, or each switch of tasks writes an MSR. */
#define FLAGS ",vendor=GenuineIntel,family=6,-hypervisor,+fsgsbase,-x2apic,-tsc-deadline"

/*
 * From 6.9 on Linux counts only cores that are there (and no more CBos than these), and without a hypervisor's bit none
 * that may come later; 6.11 and later set memory-mapped units up when a socket's second processor comes.
 *
 * Buses and addresses are those of socket 0 in a machine of two. The E5-2600's bus is 7Fh, as its device numbers are;
 * Emerald Rapids' two and the accelerator stack's with the discovery device are numbered by the firmware, here as
 * machine/emr does. Its memory BARs lie where the machine's discovery page says: MEM0 to MEM3, a MB each, then the CXL
 * blocks.
 */
static const struct guest_kind kinds[] = {
    {.name = "snbep",
     .cpu = "SandyBridge,model=45,stepping=7" FLAGS,
     .counters = true,
     .next_buses = 0x80,
     .newer = {6, 9, 0},
     .n_buses = 1,
     .bus = {{63, 0x7f}}},
    {.name = "emr",
     .cpu = "SandyBridge,model=207,stepping=2" FLAGS,
     .express = true,
     .next_buses = 0x80,
     .newer = {6, 11, 2},
     .n_buses = 3,
     .bus = {{31, 0x7f}, {30, 0x7e}, {7, 0x67}},
     .bar_device = PMON_BAR_DISCOVERY,
     .next_areas = 0x8000000,
     .n_areas = 5,
     .area = {{0, 0xe8000000, 0x100000},
              {1, 0xe8100000, 0x100000},
              {2, 0xe8200000, 0x100000},
              {3, 0xe8300000, 0x100000},
              {PMON_BAR_CXL, 0xea000000, 0x100000}}},
};

const struct guest_kind *guest_kind_named(const char *platform)
{
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if (!strcmp(kinds[i].name, platform))
      return &kinds[i];
  return NULL;
}

unsigned guest_kind_processors(const struct guest_kind *kind, const char *release, unsigned cores)
{
  const struct kind_newer *newer = &kind->newer;
  unsigned major = 0, minor = 0;
  sscanf(release, "%u.%u", &major, &minor);
  if (major < newer->major || (major == newer->major && minor < newer->minor))
    return 1;
  return newer->processors ? newer->processors : cores;
}
