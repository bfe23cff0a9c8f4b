/* SPDX-License-Identifier: MIT */
/* `pmon doctor`: what keeps the counters from counting, a line a cause, each with its remedy. */
#include <dirent.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "cli/hardware.h"

struct doctor {
  struct cli *cli;
  struct hardware h;
  bool root;                   /* the system's files are not this computer's */
  bool known;                  /* the processor has facts */
  uint32_t findings;
  struct pmon_backend *backend;
};

static void find(struct doctor *d, const char *cause, const char *remedy)
{
  d->findings++;
  hardware_print(d->cli, "! %s: %s\n", cause, remedy);
}

static bool read_text(const char *root, const char *name, char *text, size_t size)
{
  char path[600];
  snprintf(path, sizeof path, "%s/%s", root, name);
  FILE *f = fopen(path, "r");
  if (!f)
    return false;
  size_t n = fread(text, 1, size - 1, f);
  fclose(f);
  text[n] = 0;
  return n > 0;
}

/* The value behind `key` and a colon in cpuinfo. */
static const char *cpuinfo(const char *text, const char *key)
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

/* Whose processor it is: by CPUID here, by cpuinfo in a tree that was copied from elsewhere. */
static bool read_cpu(const struct doctor *d, struct pmon_cpu *cpu)
{
  static const char *const keys[] = {"cpu family", "model", "stepping"};
  char text[8192];
  if (!d->root)
    return pmon_cpu_read(cpu);
  if (!read_text(d->h.proc, "cpuinfo", text, sizeof text) || !cpuinfo(text, "vendor_id"))
    return false;
  *cpu = (struct pmon_cpu){0};
  snprintf(cpu->vendor, sizeof cpu->vendor, "%.*s", (int)strcspn(cpuinfo(text, "vendor_id"), "\n"),
           cpuinfo(text, "vendor_id"));
  for (int i = 0; i < 3; i++)
    if (cpuinfo(text, keys[i]))
      cpu->signature[i] = (uint32_t)strtoul(cpuinfo(text, keys[i]), NULL, 10);
  const char *flags = cpuinfo(text, "flags"), *word = flags ? strstr(flags, "hypervisor") : NULL;
  cpu->hypervisor = word && word < flags + strcspn(flags, "\n");
  return true;
}

static void check_cpu(struct doctor *d)
{
  struct pmon_cpu cpu;
  const struct pmon_platform *platform;
  if (!read_cpu(d, &cpu))
    return;
  d->known = !pmon_platform_find_cpu(d->cli->context, cpu.vendor, cpu.signature, &platform);
  if (d->known && !d->cli->platform_name)
    d->cli->platform = platform;
  if (cpu.hypervisor)
    find(d, "this is a virtual machine",
         "its hypervisor shows no uncore; measure on the host, or with --backend machine");
}

static void check_lockdown(struct doctor *d)
{
  char text[128];
  if (!read_text(d->h.sys, "kernel/security/lockdown", text, sizeof text) || strstr(text, "[none]"))
    return;
  find(d, "the kernel is locked down", "it lets nobody at MSRs and memory; switch Secure Boot off or boot with "
       "lockdown=none, or use the kernel's own PMUs");
}

static void check_paranoid(struct doctor *d)
{
  char text[32];
  if (read_text(d->h.proc, "sys/kernel/perf_event_paranoid", text, sizeof text) && atoi(text) > 0)
    find(d, "kernel.perf_event_paranoid is above 0", "uncore events of Linux perf then take CAP_PERFMON; as root: "
         "sysctl kernel.perf_event_paranoid=0");
}

/* The kernel's own PMUs of this hardware. */
static unsigned kernel_pmus(const struct doctor *d)
{
  char path[600];
  unsigned n = 0;
  snprintf(path, sizeof path, "%s/bus/event_source/devices", d->h.sys);
  DIR *dir = opendir(path);
  for (struct dirent *e; dir && (e = readdir(dir));)
    n += !strncmp(e->d_name, "uncore_", 7);
  if (dir)
    closedir(dir);
  return n;
}

static void check_doors(struct doctor *d)
{
  struct pmon_door_info info = {.size = sizeof info};
  struct pmon_reason reason;
  for (uint32_t i = 0; !pmon_door_describe(i, &info); i++) {
    struct pmon_backend *b = NULL;
    *reason.text = 0;
    if (!pmon_door_open(i, &d->h.system, &reason, &b))
      pmon_backend_close(b);
    else
      find(d, info.brief, *reason.text ? reason.text : "no memory");
  }
}

static void take_remark(void *user, const char *text)
{
  find(user, "discovery page", text);
}

static void check_discovery(struct doctor *d)
{
  for (uint32_t p = 0; p < d->backend->packages; p++) {
    struct pmon_discovery *page = NULL;
    if (!pmon_discovery_read(d->backend, p, take_remark, d, &page))
      pmon_discovery_compare(page, d->cli->platform, &(struct pmon_discovery_place){d->backend, p, true},
                             take_remark, d);
    pmon_discovery_free(page);
  }
}

static uint64_t field_bits(const struct doctor *d, const struct pmon_register_id *id, const char *name)
{
  struct pmon_field_info f = {.size = sizeof f};
  for (uint32_t i = 0; !pmon_field_describe(d->cli->platform, id->unit, id->reg, i, &f); i++)
    if (!strcasecmp(f.name, name))
      return (f.hi - f.lo >= 63 ? UINT64_MAX : (UINT64_C(1) << (f.hi - f.lo + 1)) - 1) << f.lo;
  return 0;
}

/* One register that lets counters count, and what it can say against it. */
static void check_register(struct doctor *d, const struct pmon_register_id *id, uint32_t role, uint32_t package)
{
  struct pmon_address a;
  uint64_t value;
  char name[80], cause[160];
  if (pmon_register_address(d->cli->platform, id, &a))
    return;
  a.package = package;
  a.width_bits = a.space == PMON_SPACE_PCI ? 32 : a.width_bits;
  if (d->backend->ops->read(d->backend, &a, &value))
    return;
  pmon_register_name(d->cli->platform, id, name, sizeof name);
  snprintf(cause, sizeof cause, "%s (instance %" PRIu32 ", package %" PRIu32 ")", name, id->instance, package);
  if (value == (a.width_bits == 32 ? UINT32_MAX : UINT64_MAX))
    find(d, cause, "reads all ones: the unit is powered down, or its device is hidden; its counts are unavailable");
  else if (role != PMON_ROLE_CTL && value & (field_bits(d, id, "frz") | field_bits(d, id, "frz_all")))
    find(d, cause, "is frozen: its counters stand still until whoever froze them ends, or pmon restore gives it back");
  else if (role == PMON_ROLE_CTL && value & field_bits(d, id, "ev_sel"))
    find(d, cause, "is programmed by somebody: end that, or measure with --force");
}

static void check_registers(struct doctor *d)
{
  struct pmon_unit_info unit = {.size = sizeof unit};
  struct pmon_register_info reg = {.size = sizeof reg};
  for (uint32_t u = 0; !pmon_unit_describe(d->cli->platform, u, &unit); u++)
    for (uint32_t r = 0; !pmon_register_describe(d->cli->platform, u, r, &reg); r++) {
      if (reg.role != PMON_ROLE_UNIT_CTL && reg.role != PMON_ROLE_GLOBAL_CTL && reg.role != PMON_ROLE_CTL)
        continue;
      for (uint32_t i = 0; i < unit.instances * reg.count * d->backend->packages; i++)
        check_register(d, &(struct pmon_register_id){.unit = u, .reg = r, .index = i % reg.count,
                                                     .instance = i / reg.count % unit.instances},
                       reg.role, i / reg.count / unit.instances);
    }
}

static int examine(struct doctor *d)
{
  check_cpu(d);
  const unsigned pmus = kernel_pmus(d);
  if (!d->known && !pmus) {
    hardware_print(d->cli, "%s\n", hardware_none);
    return CLI_NO_HARDWARE;
  }
  check_lockdown(d);
  if (pmus)
    check_paranoid(d);
  check_doors(d);
  if (d->known && cli_platform(d->cli) && !pmon_backend_direct_open(&d->h.system, NULL, &d->backend)) {
    check_discovery(d);
    check_registers(d);
    pmon_backend_close(d->backend);
  }
  if (pmus)
    hardware_print(d->cli, "the kernel's driver has %u uncore PMUs: it and register access must not be used at once\n",
                   pmus);
  if (!d->findings)
    hardware_print(d->cli, "nothing keeps the counters from counting\n");
  return d->findings ? CLI_NO_HARDWARE : CLI_DONE;
}

int cli_doctor(struct cli *cli, int argc, char **argv)
{
  static const struct option options[] = {{"platform", 1, NULL, 'p'}, {"help", 0, NULL, 'h'}, {"root", 1, NULL, 'r'},
                                          {NULL, 0, NULL, 0}};
  struct doctor d = {.cli = cli};
  int c;
  hardware_init(&d.h, NULL);
  optind = 0;
  while ((c = getopt_long(argc, argv, "p:h", options, NULL)) != -1)
    switch (c) {
    case 'p': cli->platform_name = optarg; break;
    case 'h': cli_help(cli); return CLI_DONE;
    case 'r': d.root = true; hardware_init(&d.h, optarg); break;
    default: return CLI_USAGE;
    }
  return examine(&d);
}
