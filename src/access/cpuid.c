/* SPDX-License-Identifier: MIT */
/* The processor's identity: the only place that executes CPUID for it, and that reads it from /proc/cpuinfo. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <pmon/hardware.h>
#include "src/access/system.h"
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

/* Returns the value after `key` and a colon in cpuinfo; NULL: none. */
static const char *cpuinfo_value(const char *text, const char *key)
{
  const char *at = text;
  while ((at = strstr(at, key))) {
    const char *colon = at + strlen(key);
    colon += strspn(colon, " \t");
    if ((at == text || at[-1] == '\n') && *colon == ':')
      return colon + 1 + strspn(colon + 1, " \t");
    at++;
  }
  return NULL;
}

bool system_cpu(const struct system *s, struct pmon_cpu *ret_cpu)
{
  static const char *const keys[] = {"cpu family", "model", "stepping"};
  char path[SYSTEM_PATH], text[8192];
  if (s->host)
    return pmon_cpu_read(ret_cpu);
  snprintf(path, sizeof path, "%s/cpuinfo", s->proc);
  FILE *f = fopen(path, "re");
  text[f ? fread(text, 1, sizeof text - 1, f) : 0] = 0;
  if (f)
    fclose(f);
  const char *vendor = cpuinfo_value(text, "vendor_id");
  *ret_cpu = (struct pmon_cpu){0};
  if (!vendor)
    return false;
  snprintf(ret_cpu->vendor, sizeof ret_cpu->vendor, "%.*s", (int)strcspn(vendor, "\n"), vendor);
  for (int i = 0; i < 3; i++)
    if (cpuinfo_value(text, keys[i]))
      ret_cpu->signature[i] = (uint32_t)strtoul(cpuinfo_value(text, keys[i]), NULL, 10);
  const char *flags = cpuinfo_value(text, "flags"), *word = flags ? strstr(flags, "hypervisor") : NULL;
  ret_cpu->hypervisor = word && word < flags + strcspn(flags, "\n");
  return true;
}

bool pmon_system_cpu(const struct pmon_system *system, struct pmon_cpu *ret_cpu)
{
  struct system s;
  return !system_init(&s, system, NULL) && system_cpu(&s, ret_cpu);
}
