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
#include "cli/privileges.h"

enum { LAST_MEM_BAR = 3 };

/* What a register's value can say against its unit, and what to do. */
enum { STATE_OFF, STATE_FROZEN, STATE_TAKEN, STATES };

static const char *const remedies[STATES] = {
  [STATE_OFF] = "reads all ones: the unit is powered down, or its device is hidden; its counts are unavailable",
  [STATE_FROZEN] = "is frozen: its counters stand still until whoever froze them ends, or pmon restore gives it back",
  [STATE_TAKEN] = "is programmed by somebody: end that, or measure with --force"};

struct doctor {
  struct cli *cli;
  struct hardware h;
  bool known;                  /* the processor has facts */
  uint32_t findings;
  struct pmon_backend *backend;
  struct { uint32_t n; char first[160]; } seen[STATES];     /* registers by what is wrong with them */
};

static void find(struct doctor *d, const char *cause, const char *remedy)
{
  d->findings++;
  hardware_print(d->cli, "! %s: %s\n", cause, remedy);
}

static void check_cpu(struct doctor *d)
{
  struct pmon_cpu cpu;
  const struct pmon_platform *platform;
  if (!hardware_cpu(&d->h, &cpu))
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
  if (!hardware_text(d->h.sys, "kernel/security/lockdown", text, sizeof text) || strstr(text, "[none]"))
    return;
  find(d, "the kernel is locked down", "it lets nobody at MSRs and memory; switch Secure Boot off or boot with "
       "lockdown=none, or use the kernel's own PMUs");
}

/* Whether the kernel lets this user count on its PMUs; in a copied tree, what its files say of that. */
static void check_perf(struct doctor *d)
{
  char text[32];
  struct pmon_reason reason;
  struct pmon_backend *b = NULL;
  if (d->h.root) {
    if (hardware_text(d->h.proc, "sys/kernel/perf_event_paranoid", text, sizeof text) && atoi(text) > 0)
      find(d, "kernel.perf_event_paranoid is above 0", "uncore events of Linux perf then take CAP_PERFMON; as root: "
           "sysctl kernel.perf_event_paranoid=0");
  } else if (pmon_backend_perf_open(&d->h.system, &reason, &b))
    find(d, "Linux perf", reason.text);
  pmon_backend_close(b);
}

/* Units that the processor has, and the kernel's driver does not show. */
static void check_pmus(struct doctor *d)
{
  struct pmon_unit_info unit = {.size = sizeof unit};
  char missing[300] = "", path[160], text[16];
  size_t n = 0;
  for (uint32_t u = 0; d->known && cli_platform(d->cli) && !pmon_unit_describe(d->cli->platform, u, &unit); u++) {
    bool there = !*unit.perf;
    for (unsigned i = 0; !there && i <= unit.instances; i++) {
      if (i)
        snprintf(path, sizeof path, "bus/event_source/devices/%s_%u/type", unit.perf, i - 1);
      else
        snprintf(path, sizeof path, "bus/event_source/devices/%s/type", unit.perf);
      there = hardware_text(d->h.sys, path, text, sizeof text);
    }
    if (!there && n < sizeof missing)
      n += (size_t)snprintf(missing + n, sizeof missing - n, "%s%s", n ? ", " : "", unit.perf);
  }
  if (n)
    hardware_print(d->cli, "the kernel has no PMU for %s: these take register access (--backend direct)\n", missing);
}

/* Whether one is open. */
static bool check_doors(struct doctor *d)
{
  bool any = false;
  struct pmon_door_info info = {.size = sizeof info};
  struct pmon_reason reason;
  for (uint32_t i = 0; !pmon_door_describe(i, &info); i++) {
    struct pmon_backend *b = NULL;
    *reason.text = 0;
    const bool open = !pmon_door_open(i, &d->h.system, &reason, &b);
    any |= open;
    if (open)
      pmon_backend_close(b);
    else
      find(d, info.brief, *reason.text ? reason.text : "no memory");
  }
  return any;
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

/* Whether one register is in a state in which nothing counts, or somebody else does; -1: in none. */
static int register_state(const struct doctor *d, const struct pmon_register_id *id, uint32_t role,
                          const struct pmon_address *a)
{
  uint64_t value;
  if (d->backend->ops->read(d->backend, a, &value))
    return -1;
  if (value == (a->width_bits == 32 ? UINT32_MAX : UINT64_MAX))
    return STATE_OFF;
  if (role != PMON_ROLE_CTL && value & (field_bits(d, id, "frz") | field_bits(d, id, "frz_all")))
    return STATE_FROZEN;
  /* Where counting is enabled by a bit, an event alone is what is left behind by one who has ended. */
  const uint64_t enable = field_bits(d, id, "en");
  return role == PMON_ROLE_CTL && value & (enable ? enable : field_bits(d, id, "ev_sel")) ? STATE_TAKEN : -1;
}

static void check_register(struct doctor *d, const struct pmon_register_id *id, uint32_t role, uint32_t package)
{
  struct pmon_address a;
  char name[80];
  if (pmon_register_address(d->cli->platform, id, &a))
    return;
  a.package = package;
  a.width_bits = a.space == PMON_SPACE_PCI ? 32 : a.width_bits;
  const int at = register_state(d, id, role, &a);
  if (at < 0 || d->seen[at].n++)
    return;
  pmon_register_name(d->cli->platform, id, name, sizeof name);
  snprintf(d->seen[at].first, sizeof d->seen[at].first, "%s (instance %" PRIu32 ", package %" PRIu32 ")", name,
           id->instance, package);
}

/* A line a state, however many registers are in it. */
static void tell_states(struct doctor *d)
{
  char cause[200];
  for (int i = 0; i < STATES; i++) {
    if (!d->seen[i].n)
      continue;
    snprintf(cause, sizeof cause, "%s", d->seen[i].first);
    if (d->seen[i].n > 1)
      snprintf(cause, sizeof cause, "%s and %" PRIu32 " more", d->seen[i].first, d->seen[i].n - 1);
    find(d, cause, remedies[i]);
  }
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

/* A unit's controls on one package: how many instances have them in PCI configuration space or in memory, whether any
 * answers, and if none does, why. */
struct reach { uint32_t functions, in_memory; bool any; char why[400]; };

static void reach_unit(const struct doctor *d, uint32_t unit, uint32_t package, struct reach *r)
{
  struct pmon_register_info reg = {.size = sizeof reg};
  struct pmon_unit_info info = {.size = sizeof info};
  struct pmon_register_id id = {.unit = unit};
  struct pmon_address a;
  uint64_t value;
  *r = (struct reach){0};
  pmon_unit_describe(d->cli->platform, unit, &info);
  while (!pmon_register_describe(d->cli->platform, unit, id.reg, &reg) && reg.role != PMON_ROLE_UNIT_CTL)
    id.reg++;
  for (; id.instance < info.instances; id.instance++) {
    if (pmon_register_address(d->cli->platform, &id, &a))
      continue;
    const bool memory = a.space == PMON_SPACE_MMIO && a.device <= LAST_MEM_BAR;
    if (!memory && a.space != PMON_SPACE_PCI)
      continue;
    a.package = package;
    a.width_bits = 32;
    r->functions += !memory;
    r->in_memory += memory;
    if (!d->backend->ops->read(d->backend, &a, &value))
      r->any = true;
    else if (!*r->why && d->backend->error_text)
      snprintf(r->why, sizeof r->why, "%s", d->backend->error_text);
  }
}

/* Firmware can switch off the functions in which a unit's registers stand, and the kernel what leads to memory. */
static void check_reach(struct doctor *d)
{
  struct pmon_unit_info info = {.size = sizeof info};
  struct reach r;
  char cause[160];
  for (uint32_t p = 0; p < d->backend->packages; p++)
    for (uint32_t u = 0; !pmon_unit_describe(d->cli->platform, u, &info); u++) {
      reach_unit(d, u, p, &r);
      if (r.any || !(r.functions + r.in_memory))
        continue;
      if (r.functions)
        snprintf(cause, sizeof cause, "%s (package %" PRIu32 "): none of its %" PRIu32 " PCI functions is there",
                 info.name, p, r.functions);
      else
        snprintf(cause, sizeof cause, "%s (package %" PRIu32 ")", info.name, p);
      find(d, cause, r.functions ? "the firmware hides them, unless the processor has none: look for monitoring or "
                                   "uncore devices in its set-up" : r.why);
    }
}

/* What the kernel reads a PMU on must be an online CPU of each package. */
static void check_reading_cpus(struct doctor *d)
{
  struct pmon_package packages[64];
  char path[600], text[256], cause[200];
  const uint32_t n = hardware_packages(&d->h, packages, 64);
  snprintf(path, sizeof path, "%s/bus/event_source/devices", d->h.sys);
  DIR *dir = opendir(path);
  for (struct dirent *e; dir && (e = readdir(dir));) {
    if (strncmp(e->d_name, "uncore_", 7))
      continue;
    snprintf(path, sizeof path, "bus/event_source/devices/%.200s/cpumask", e->d_name);
    if (!hardware_text(d->h.sys, path, text, sizeof text))
      continue;
    const uint32_t covered = pmon_system_packages_of(&d->h.system, text);
    if (covered == n)
      continue;
    snprintf(cause, sizeof cause, "%.60s is read on CPUs %.*s, which are of %" PRIu32 " of %" PRIu32 " packages",
             e->d_name, (int)(strcspn(text, "\n") < 60 ? strcspn(text, "\n") : 60), text, covered, n);
    find(d, cause, "the wrong CPUs for reading: bring a CPU of each package online and load the kernel's driver again "
         "(modprobe -r intel_uncore; modprobe intel_uncore)");
    break;
  }
  if (dir)
    closedir(dir);
}

/* It holds a counter of each core, none of the uncore's. */
static void tell_watchdog(const struct doctor *d)
{
  char text[32];
  if (hardware_text(d->h.proc, "sys/kernel/nmi_watchdog", text, sizeof text) && atoi(text) > 0)
    hardware_print(d->cli, "the NMI watchdog holds a counter of each core (kernel.nmi_watchdog=0 frees it); uncore "
                   "counters are not touched by it\n");
}

static void examine_registers(struct doctor *d)
{
  if (!cli_platform(d->cli) || hardware_open(d->cli, &d->h, false, NULL, &d->backend) != CLI_DONE)
    return;
  check_discovery(d);
  check_reach(d);
  check_registers(d);
  tell_states(d);
  hardware_close(d->backend);
}

static int result(struct doctor *d)
{
  if (!d->findings)
    hardware_print(d->cli, "nothing keeps the counters from counting\n");
  return d->findings ? CLI_NO_HARDWARE : CLI_DONE;
}

static int examine_system(struct doctor *d)
{
  privileges_take_up();
  const unsigned pmus = hardware_kernel_pmus(&d->h);
  if (!d->known && !pmus) {
    hardware_print(d->cli, "%s\n", hardware_none);
    return CLI_NO_HARDWARE;
  }
  check_lockdown(d);
  if (pmus) {
    check_perf(d);
    check_reading_cpus(d);
  }
  if (check_doors(d) && d->known)
    examine_registers(d);
  if (pmus)
    check_pmus(d);
  else
    hardware_print(d->cli, "the kernel has no uncore PMUs (modprobe intel_uncore): registers are the only way\n");
  if (pmus)
    hardware_print(d->cli, "the kernel's driver has %u uncore PMUs: it and register access must not be used at once\n",
                   pmus);
  tell_watchdog(d);
  privileges_lay_aside();
  return result(d);
}

static int examine_capture(struct doctor *d, const char *path)
{
  int exit_code = hardware_replay(d->cli, &d->h, path);
  if (exit_code == CLI_DONE) {
    check_cpu(d);
    examine_registers(d);
    exit_code = result(d);
  }
  return exit_code;
}

int cli_doctor(struct cli *cli, int argc, char **argv)
{
  static const struct option options[] = {{"platform", 1, NULL, 'p'}, {"help", 0, NULL, 'h'}, {"root", 1, NULL, 'r'},
                                          {"replay", 1, NULL, 'R'},
                                          {NULL, 0, NULL, 0}};
  struct doctor d = {.cli = cli};
  const char *replay = NULL;
  int c;
  hardware_init(&d.h, NULL);
  optind = 0;
  while ((c = getopt_long(argc, argv, "p:h", options, NULL)) != -1)
    switch (c) {
    case 'p': cli->platform_name = optarg; break;
    case 'h': cli_help(cli); return CLI_DONE;
    case 'r': hardware_init(&d.h, optarg); break;
    case 'R': replay = optarg; break;
    default: return CLI_USAGE;
    }
  if (!replay)
    check_cpu(&d);
  int exit_code = replay ? examine_capture(&d, replay) : examine_system(&d);
  hardware_fini(&d.h);
  return exit_code;
}
