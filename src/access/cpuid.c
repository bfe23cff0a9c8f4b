/* SPDX-License-Identifier: MIT */
/* The only place that executes CPUID for the processor's identity. */
#include <string.h>
#include <pmon/hardware.h>
#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>

bool pmon_cpu_read(struct pmon_cpu *ret_cpu)
{
  unsigned a, b, c, d;
  if (!__get_cpuid(0, &a, &b, &c, &d))
    return false;
  memcpy(ret_cpu->vendor, &b, 4);
  memcpy(ret_cpu->vendor + 4, &d, 4);
  memcpy(ret_cpu->vendor + 8, &c, 4);
  ret_cpu->vendor[12] = 0;
  if (!__get_cpuid(1, &a, &b, &c, &d))
    return false;
  ret_cpu->signature[0] = (a >> 8 & 15) + ((a >> 8 & 15) == 15 ? a >> 20 & 255 : 0);
  ret_cpu->signature[1] = (a >> 4 & 15) + (a >> 12 & 0xf0);
  ret_cpu->signature[2] = a & 15;
  ret_cpu->hypervisor = c >> 31;
  return true;
}
#else
bool pmon_cpu_read(struct pmon_cpu *ret_cpu)
{
  memset(ret_cpu, 0, sizeof *ret_cpu);
  return false;
}
#endif
