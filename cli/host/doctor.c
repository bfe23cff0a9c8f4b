/* SPDX-License-Identifier: MIT */
/* `pmon doctor`: reports why counters do not count, one reason per line, each with its remedy. */
#include <dirent.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "cli/host/doctor.h"

enum { MOST_LOOKED_AT = 64 }; /* maximum number of a unit's PMUs that are checked */

/* Prints a message: wrapped at the terminal's width, or as one line if there is no terminal. */
/* Determines the vendor and model of the processor. */
static void doctor_read_cpu(struct doctor *d)
{
  const struct pmon_platform *platform;
  if (!hardware_cpu(&d->h, &d->cpu))
    return;
  d->known = !pmon_platform_find_cpu(d->cli->context, d->cpu.vendor, d->cpu.signature, &platform);
  if (!d->known && !d->cli->platform_name && !d->h.replay) {
    cli_default_platform(d->cli); /* loads an imported platform that matches the processor */
    d->known = !pmon_platform_find_cpu(d->cli->context, d->cpu.vendor, d->cpu.signature, &platform);
  }
  if (d->known && !d->cli->platform_name)
    d->cli->platform = platform;
}

/* Prints the first line on a host for whose processor pmon has no tables: which processor it is, and which ones pmon
 * supports. */
static void doctor_report_unsupported(struct doctor *d)
{
  const struct pmon_platform *p;
  struct pmon_platform_info info = {.size = sizeof info};
  char names[512] = "";
  size_t n = 0;
  for (uint32_t i = 0; (p = pmon_platform_get(d->cli->context, i)) && n < sizeof names; i++) {
    pmon_platform_describe(p, &info);
    n += (size_t)snprintf(names + n, sizeof names - n, "%s%s", n ? ", " : "", info.name);
  }
  if (*d->cpu.vendor)
    doctor_print(d,
                 "this processor (%s, family %" PRIu32 ", model %" PRIu32 ", stepping %" PRIu32
                 ") is not supported: pmon has tables for %s",
                 d->cpu.vendor, d->cpu.signature[0], d->cpu.signature[1], d->cpu.signature[2], names);
  if (!strcmp(d->cpu.vendor, "GenuineIntel"))
    doctor_print(d, "pmon import DIRECTORY adds Intel's servers, from a checkout of Intel's perfmon repository");
  if (!*d->cpu.vendor)
    doctor_print(d, "this processor is unknown: neither CPUID nor /proc/cpuinfo identifies it; pmon has tables for %s",
                 names);
}

/* Reports a processor without facts: the remedy depends on whether it has a discovery page. */
static void doctor_report_unknown(struct doctor *d, bool page)
{
  char cause[120];
  if (!*d->cpu.vendor) {
    doctor_find(d, "this processor", "neither CPUID nor /proc/cpuinfo identifies it; name its platform with -p NAME");
    return;
  }
  snprintf(cause, sizeof cause, "this processor (%s, family %" PRIu32 ", model %" PRIu32 ", stepping %" PRIu32 ")",
           d->cpu.vendor, d->cpu.signature[0], d->cpu.signature[1], d->cpu.signature[2]);
  doctor_find(d, cause,
              page ? "pmon has no tables for it; " HARDWARE_OWN_TABLES ", and pmon import "
                     "--as FILE.platform gives names to its events"
                   : "pmon has no tables for it, and it has no discovery page: measure with --backend machine");
}

static void check_lockdown(struct doctor *d)
{
  char text[128];
  if (!hardware_text(d->h.sys, "kernel/security/lockdown", text, sizeof text) || strstr(text, "[none]"))
    return;
  doctor_find(
      d, "the kernel is locked down",
      "MSR and memory access is blocked; disable Secure Boot, boot with lockdown=none, or use the kernel's own PMUs");
}

/* Checks whether the kernel permits this user to count on its PMUs; in a copied tree, from its files. */
static void check_perf(struct doctor *d)
{
  char text[32];
  struct pmon_reason reason = {"no memory"};
  struct pmon_backend *b = NULL;
  if (d->h.root) {
    if (hardware_text(d->h.proc, "sys/kernel/perf_event_paranoid", text, sizeof text) && atoi(text) > 0)
      doctor_find(d, "kernel.perf_event_paranoid is above 0",
                  "Linux perf then requires CAP_PERFMON for uncore events, above 2 CAP_SYS_ADMIN on Debian's kernels; "
                  "as root: sysctl kernel.perf_event_paranoid=0");
  } else if (pmon_backend_perf_open(&d->h.system, &reason, &b))
    doctor_find(d, "Linux perf", reason.text);
  pmon_backend_close(b);
}

/* Reports units of the processor that the kernel's driver does not provide. */
static void check_pmus(struct doctor *d)
{
  struct pmon_unit_info unit = {.size = sizeof unit};
  char missing[300] = "", path[600];
  size_t n = 0;
  int n_path;
  const bool all = d->known && cli_platform_is_perf_only(d->cli);
  for (uint32_t u = 0; d->known && cli_platform(d->cli) && !pmon_unit_describe(d->cli->platform, u, &unit); u++) {
    /* PMUs of cores and power belong to other drivers; some units exist on few of a platform's processors. */
    bool there = strncmp(unit.perf, "uncore_", 7) != 0 || (unit.perf_only && !all);
    for (unsigned i = 0; !there && i <= (unit.instances < MOST_LOOKED_AT ? MOST_LOOKED_AT : unit.instances); i++) {
      n_path = snprintf(path, sizeof path, "%s/bus/event_source/devices/%s", d->h.sys, unit.perf);
      if (i)
        snprintf(path + n_path, sizeof path - (size_t)n_path, "_%u", i - 1);
      there = !access(path, F_OK);
    }
    if (!there && n < sizeof missing)
      n += (size_t)snprintf(missing + n, sizeof missing - n, "%s%s", n ? ", " : "", unit.perf);
  }
  if (n)
    doctor_print(d, "the kernel has no PMU for %s: %s", missing,
                 all ? "their events cannot be counted" : "use register access for these (--backend direct)");
}

/* Whether the processor has registers that need this access method; one without facts may have them. */
static bool access_method_is_needed(struct doctor *d, const char *access_method)
{
  const bool has_facts = d->known || cli_platform_is_user_supplied(d->cli);
  struct pmon_register_id id = {.unit = 0};
  struct pmon_unit_info unit = {.size = sizeof unit};
  struct pmon_register_info reg = {.size = sizeof reg};
  struct pmon_address a;
  if (!has_facts || !cli_platform(d->cli))
    return true;
  for (; !pmon_unit_describe(d->cli->platform, id.unit, &unit); id.unit++)
    for (id.reg = 0; !pmon_register_describe(d->cli->platform, id.unit, id.reg, &reg); id.reg++)
      if (!pmon_register_address(d->cli->platform, &id, &a) && !strcmp(pmon_space_name(a.space), access_method))
        return true;
  return false;
}

/* Reports access methods that cannot be used. Returns whether at least one can. */
static bool check_access_methods(struct doctor *d)
{
  bool any = false;
  struct pmon_access_method_info info = {.size = sizeof info};
  struct pmon_reason reason;
  for (uint32_t i = 0; !pmon_access_method_describe(i, &info); i++) {
    struct pmon_backend *b = NULL;
    if (!access_method_is_needed(d, info.name))
      continue;
    *reason.text = 0;
    const bool open = !pmon_access_method_open(i, &d->h.system, &reason, &b);
    const bool values = !strcmp(info.name, pmon_space_name(PMON_SPACE_RESCTRL)); /* the kernel's: not registers */
    any |= open && !values;
    for (uint8_t space = PMON_SPACE_MSR; space <= PMON_SPACE_MMIO; space++)
      d->shut |= (uint32_t)(!open && !strcmp(pmon_space_name(space), info.name)) << space;
    pmon_backend_close(b);
    const char *why = *reason.text ? reason.text : "no memory";
    if (!open && values)
      doctor_print(d, "the values of unit resctrl are not available: %s", why);
    else if (!open)
      doctor_find(d, info.brief, why);
  }
  return any;
}

/* Checks that in each package the CPU through which the kernel reads a PMU is online. */
static void check_reading_cpus(struct doctor *d)
{
  struct pmon_package packages[64];
  char path[600], text[1024], cause[200];
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
    snprintf(cause, sizeof cause,
             "%.60s is read on CPUs %.*s, which belong to only %" PRIu32 " of %" PRIu32 " packages", e->d_name,
             (int)(strcspn(text, "\n") < 60 ? strcspn(text, "\n") : 60), text, covered, n);
    doctor_find(d, cause,
                "the other packages cannot be read: bring a CPU of each package online and reload the kernel's driver "
                "(modprobe -r intel_uncore; modprobe intel_uncore)");
    break;
  }
  if (dir)
    closedir(dir);
}

/* Reports the NMI watchdog, which uses a counter of each core, but none of the uncore. */
static void doctor_report_watchdog(struct doctor *d)
{
  char text[32];
  if (hardware_text(d->h.proc, "sys/kernel/nmi_watchdog", text, sizeof text) && atoi(text) > 0)
    doctor_print(d, "the NMI watchdog uses a counter of each core (kernel.nmi_watchdog=0 frees it); it does not use "
                    "uncore counters");
}

/* Reports a virtual machine. `any`: at least one uncore register can be read. */
static void doctor_report_hypervisor(struct doctor *d, bool any)
{
  if (d->cpu.hypervisor && any)
    doctor_print(d, "this is a virtual machine: its counters may include the activity of other guests");
  else if (d->cpu.hypervisor)
    doctor_find(d, "this is a virtual machine",
                "the hypervisor does not expose uncore counters; measure on the host, or with --backend machine");
}

static int doctor_result(struct doctor *d)
{
  if (!d->findings)
    doctor_print(d, "all counters are available");
  return d->findings ? CLI_NO_HARDWARE : CLI_DONE;
}

/* Examines a host whose processor is known only by the kernel's names. */
static int examine_perf(struct doctor *d, unsigned pmus)
{
  struct pmon_platform_info info = {.size = sizeof info};
  pmon_platform_describe(cli_platform(d->cli), &info);
  doctor_print(d, "platform %s: its events are counted through Linux perf only", info.name);
  check_lockdown(d);
  if (pmus) {
    check_perf(d);
    check_reading_cpus(d);
    check_pmus(d);
  } else {
    doctor_find(d, "the kernel has no uncore PMUs",
                "load its driver (modprobe intel_uncore); a virtual machine has none");
  }
  doctor_report_watchdog(d);
  return doctor_result(d);
}

/* Reports that another processor's tables were selected. What its units lack is then no evidence about this
 * processor. */
static bool find_other_platform(struct doctor *d)
{
  struct pmon_platform_info info = {.size = sizeof info};
  const char *other = hardware_other_platform(d->cli, &d->h, &d->cpu);
  char cause[80], remedy[200];
  if (!other || pmon_platform_describe(d->cli->platform, &info))
    return false;
  snprintf(cause, sizeof cause, "-p %.64s", info.name);
  snprintf(remedy, sizeof remedy, "this processor is of platform %.64s: omit -p, or use -p %.64s", other, other);
  doctor_find(d, cause, remedy);
  return true;
}

static int examine_system(struct doctor *d)
{
  const unsigned pmus = hardware_kernel_pmus(&d->h);
  const bool page = !d->known && hardware_has_page(&d->h);
  if (d->known && cli_platform_is_perf_only(d->cli))
    return examine_perf(d, pmus);
  if (!d->known && !pmus && !page) {
    doctor_report_unsupported(d);
    doctor_print(d, "%s", d->cpu.hypervisor ? hardware_hidden : hardware_none);
    return CLI_NO_HARDWARE;
  }
  if (!d->known)
    doctor_report_unknown(d, page);
  else if (find_other_platform(d))
    return doctor_result(d);
  check_lockdown(d);
  if (pmus) {
    check_perf(d);
    check_reading_cpus(d);
  }
  const bool registers =
      check_access_methods(d) && (d->known || cli_platform_is_user_supplied(d->cli)) && doctor_check_all_registers(d);
  doctor_report_hypervisor(d, pmus || page || registers);
  if (pmus)
    check_pmus(d);
  else
    doctor_print(d, "the kernel has no uncore PMUs (modprobe intel_uncore)%s",
                 registers ? ": only register access is available" : ", and registers are not accessible either");
  if (pmus)
    doctor_print(d, "the kernel's driver has %u uncore PMUs: do not use it and register access at the same time", pmus);
  doctor_report_watchdog(d);
  return doctor_result(d);
}

static int examine_capture(struct doctor *d, const char *path)
{
  uint32_t words;
  int exit_code = hardware_replay(d->cli, &d->h, path);
  if (exit_code == CLI_DONE) {
    doctor_read_cpu(d);
    if (*d->cpu.vendor && !d->known && !cli_platform_is_user_supplied(d->cli))
      doctor_report_unknown(d, pmon_capture_page(d->h.replay, 0, &words) != NULL);
    else
      doctor_report_hypervisor(d, doctor_check_all_registers(d));
    exit_code = doctor_result(d);
  }
  return exit_code;
}

static const struct cli_option doctor_options[] = {
    {"replay", CLI_OPTION_REPLAY, "FILE", "examine a captured machine (pmon capture)", CLI_FILE, NULL},
    {"root", CLI_OPTION_ROOT, "DIR", "read the system's files below DIR instead of /", CLI_FILE, NULL},
    CLI_OPTION_END,
};

static int run_doctor(struct cli *cli, int argc, char **argv)
{
  struct doctor d = {.cli = cli};
  const char *replay = NULL;
  int c;
  hardware_init(&d.h, NULL);
  optind = 0;
  while ((c = cli_getopt(cli, argc, argv)) != -1)
    switch (c) {
    case 'p': cli->platform_name = optarg; break;
    case 'h': cli_help(cli); return CLI_DONE;
    case CLI_OPTION_ROOT:
      if (hardware_take_root(cli, &d.h, optarg) != CLI_DONE)
        return CLI_USAGE;
      break;
    case CLI_OPTION_REPLAY: replay = optarg; break;
    default: return CLI_USAGE;
    }
  if (optind < argc)
    return cli_fail_unexpected(cli, argv[optind]);
  if (hardware_check_replay(cli, &d.h, replay, NULL) != CLI_DONE)
    return CLI_USAGE;
  if (cli->platform_name && !cli_platform(cli))
    return CLI_USAGE;
  if (!replay)
    doctor_read_cpu(&d);
  int exit_code = replay ? examine_capture(&d, replay) : examine_system(&d);
  hardware_fini(&d.h);
  return exit_code;
}

const struct cli_command doctor_command = {
    .name = "doctor",
    .arguments = "",
    .brief = "explain why counters are unavailable here and how to enable them",
    .run = run_doctor,
    .options = {{doctor_options, NULL}, {NULL, NULL}},
};
