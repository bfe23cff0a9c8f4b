/* SPDX-License-Identifier: MIT */
/* `pmon capture`: writes the uncore registers of a machine as text that pmon can load. */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cli/target/devices.h"
#include "cli/target/hardware.h"
#include "cli/target/target.h"

enum { CODE_MACHINE = CLI_OPTION_OWN, CODE_REPLAY, CODE_ROOT };

struct capture_options {
  struct hardware hardware;
  struct target_options target;
  const char *machine; /* the option that selects the emulated one; NULL: none */
  const char *out_path, *replay;
};

/* Returns an exit code, or -1 to continue. */
static int capture_read_options(struct cli *cli, int argc, char **argv, struct capture_options *o)
{
  int c, result = target_platform(cli, &o->target, cli->platform_name);
  optind = 0;
  while (result == CLI_DONE && (c = cli_getopt(cli, argc, argv)) != -1)
    switch (c) {
    case 'p': result = target_platform(cli, &o->target, cli->platform_name = optarg); break;
    case 'h': cli_help(cli); return CLI_DONE;
    case 'o': o->out_path = strcmp(optarg, "-") ? optarg : NULL; break;
    case CODE_MACHINE: o->machine = "--machine"; break;
    case CODE_REPLAY: o->replay = optarg; break;
    case CODE_ROOT: result = hardware_take_root(cli, &o->hardware, optarg); break;
    case TARGET_SET:
    case TARGET_PRESET:
    case TARGET_CAPTURE:
      o->machine = c == TARGET_SET ? "--set" : c == TARGET_PRESET ? "--preset" : "--capture";
      result = target_take(cli, &o->target, c, optarg);
      break;
    default: return CLI_USAGE;
    }
  if (result == CLI_DONE && optind < argc)
    result = cli_fail_unexpected(cli, argv[optind]);
  if (result == CLI_DONE)
    result = hardware_check_replay(cli, &o->hardware, o->replay, o->machine);
  return result == CLI_DONE ? -1 : result;
}

static int capture_write_text(struct cli *cli, const char *path, const char *text, size_t n)
{
  if (!path) {
    out_text(&cli->out, text);
    return CLI_DONE;
  }
  FILE *f = fopen(path, "we");
  const bool opened = f != NULL;
  bool good = f && fwrite(text, 1, n, f) == n;
  if (f && fclose(f))
    good = false;
  if (good)
    return CLI_DONE;
  cli_fail(cli, "%s: cannot be written: %s", path, strerror(errno));
  return opened ? CLI_FAILED : CLI_USAGE;
}

static bool capture_has_discovery(const struct cli *cli)
{
  struct pmon_unit_info unit = {.size = sizeof unit};
  for (uint32_t i = 0; !pmon_unit_describe(cli->platform, i, &unit); i++)
    if (unit.discovery != UINT32_MAX)
      return true;
  return false;
}

/* Reports an address space in which the package has no readable register, with the reason of the first failure. */
static void capture_report_space(struct cli *cli, struct pmon_backend *backend, uint32_t package, uint8_t space)
{
  struct pmon_unit_info unit = {.size = sizeof unit};
  struct pmon_address a;
  char why[400] = "";
  uint64_t value;
  for (uint32_t i = 0; !pmon_unit_describe(cli->platform, i, &unit); i++) {
    if (!unit.counters || pmon_register_address(cli->platform, &(struct pmon_register_id){.unit = i}, &a) ||
        a.space != space)
      continue;
    a.package = package;
    a.width_bits = space == PMON_SPACE_PCI ? 32 : a.width_bits;
    if (!backend->ops->read(backend, &a, &value))
      return;
    if (!*why)
      snprintf(why, sizeof why, "%s", backend->error_text ? backend->error_text : "they cannot be read");
  }
  if (*why)
    cli_note(cli, "package %" PRIu32 ": no registers of %s: %s", package, pmon_space_name(space), why);
}

/* Reports what the capture omits. For registers that cannot be read, the capture itself contains the reason. */
static void capture_report_missing(struct cli *cli, struct pmon_backend *backend,
                                   const struct pmon_capture_source *source)
{
  if (!source->cpu)
    cli_note(cli, "the processor is omitted: neither CPUID nor /proc/cpuinfo identifies it");
  if (!source->packages)
    cli_note(cli, "the packages' numbers and CPUs are omitted: sysfs does not list the topology");
  for (uint32_t package = 0; package < backend->packages; package++)
    for (uint8_t space = PMON_SPACE_MSR; space <= PMON_SPACE_MMIO; space++)
      capture_report_space(cli, backend, package, space);
  for (uint32_t package = 0; capture_has_discovery(cli) && package < backend->packages; package++) {
    struct pmon_discovery *page = NULL;
    const int status = pmon_discovery_read(backend, package, NULL, NULL, &page);
    if (status)
      cli_note(cli, "package %" PRIu32 ": the discovery page is incomplete: %s", package,
               status != PMON_E_SYNTAX && backend->error_text ? backend->error_text
                                                              : "the memory does not contain a discovery page");
    pmon_discovery_free(page);
  }
}

/* Adds the devices at the ports of I/O stacks: those of the host, or of the capture from which the machine was made. */
static int capture_add_devices(struct cli *cli, const struct capture_options *o, struct pmon_capture *taken)
{
  const struct pmon_capture *from = o->machine ? o->target.capture : o->hardware.replay;
  struct device_list list = {0};
  struct pmon_device d = {.size = sizeof d};
  int status = 0;
  for (uint32_t i = 0; from && !status && !pmon_capture_device(from, i, &d); i++)
    status = pmon_capture_add_device(taken, &d);
  if (!from && !o->machine && !devices_read_host(&o->hardware, cli->platform, &list))
    status = PMON_E_MEMORY;
  for (uint32_t i = 0; !status && i < list.n; i++) {
    status = pmon_capture_add_device(taken, &list.devices[i]);
    if (status == PMON_E_RANGE)
      cli_note(cli, "device %s is omitted: a capture cannot describe its location", list.devices[i].address);
    status = status == PMON_E_RANGE ? 0 : status;
  }
  devices_free(&list);
  return status;
}

/* Adds limits that the machine states outside its registers: those of the host, or of the capture from which the
 * machine was made. */
static int capture_add_limits(struct cli *cli, const struct capture_options *o, struct pmon_capture *taken)
{
  const struct pmon_capture *from = o->machine ? o->target.capture : o->hardware.replay;
  struct limit_list list = {0};
  struct pmon_limit limit;
  int status = 0;
  for (uint32_t i = 0; from && !status && !pmon_capture_machine_limit(from, i, &limit); i++)
    status = pmon_capture_add_machine_limit(taken, &limit);
  if (!from && !o->machine)
    limits_read_host(&o->hardware, cli->platform, NULL, &list);
  for (uint32_t i = 0; !status && i < list.n; i++)
    status = pmon_capture_add_machine_limit(taken, &list.limit[i]);
  return status;
}

static int capture_write(struct cli *cli, const struct capture_options *o, struct pmon_backend *backend)
{
  struct pmon_package packages[PMON_CAPTURE_PACKAGES] = {{0}};
  struct pmon_cpu cpu;
  struct pmon_capture_source source = {.size = sizeof source, .backend = backend};
  struct pmon_capture *taken = NULL;
  const bool host = !o->machine;
  if (host && hardware_packages(&o->hardware, packages, PMON_CAPTURE_PACKAGES) == backend->packages)
    source.packages = packages;
  if (host && hardware_cpu(&o->hardware, &cpu))
    source.cpu = &cpu;
  int status = pmon_capture_take(cli->platform, &source, &taken);
  if (status)
    return cli_fail(cli, "%s", status == PMON_E_RANGE ? "more than 64 packages" : "no memory"), CLI_FAILED;
  if (host)
    capture_report_missing(cli, backend, &source); /* including units that became inaccessible meanwhile */
  if (capture_add_devices(cli, o, taken) || capture_add_limits(cli, o, taken)) {
    pmon_capture_free(taken);
    return cli_fail_memory(cli);
  }
  const size_t n = pmon_capture_format(taken, NULL, 0);
  char *text = malloc(n + 1);
  if (text)
    pmon_capture_format(taken, text, n + 1);
  int result = text ? capture_write_text(cli, o->out_path, text, n) : cli_fail_memory(cli);
  free(text);
  pmon_capture_free(taken);
  return result;
}

/* Captures the emulated machine that the options describe. */
static int capture_machine(struct cli *cli, struct capture_options *o)
{
  struct target target;
  int result = cli_platform(cli) ? target_open_idle(cli, &o->target, &target) : CLI_USAGE;
  if (result != CLI_DONE)
    return result;
  result = capture_write(cli, o, target.backend);
  target_close(&target);
  return result;
}

static int capture_host(struct cli *cli, struct capture_options *o)
{
  struct pmon_backend *backend;
  int result = o->replay ? hardware_replay(cli, &o->hardware, o->replay) : CLI_DONE;
  if (result == CLI_DONE)
    result = hardware_open(cli, &o->hardware, &backend);
  if (result != CLI_DONE)
    return result;
  result = capture_write(cli, o, backend);
  hardware_close(backend);
  return result;
}

static const struct cli_option capture_options[] = {
    {"output", 'o', "FILE", "write to FILE instead of standard output", CLI_FILE, NULL},
    CLI_FLAG("machine", CODE_MACHINE, "capture the emulated machine"),
    {"replay", CODE_REPLAY, "FILE", "read a capture, and write it without its comments", CLI_FILE, NULL},
    {"root", CODE_ROOT, "DIR", "read the system's files below DIR instead of /", CLI_FILE, NULL},
    CLI_OPTION_END,
};

static int run_capture(struct cli *cli, int argc, char **argv)
{
  struct capture_options o = {.machine = NULL};
  hardware_init(&o.hardware, NULL);
  target_options_init(&o.target);
  int result = capture_read_options(cli, argc, argv, &o);
  if (result < 0)
    result = o.machine ? capture_machine(cli, &o) : capture_host(cli, &o);
  target_options_fini(&o.target);
  hardware_fini(&o.hardware);
  return result;
}

const struct cli_command capture_command = {
    .name = "capture",
    .arguments = "",
    .brief = "save the uncore registers of a machine as a file that pmon loads",
    .run = run_capture,
    .options = {{capture_options, NULL}, {target_shape_options, NULL}, {NULL, NULL}},
    .notes = "The file contains processor, packages, PCI functions, discovery pages and\n"
             "monitoring registers, but neither serial numbers nor host names. `pmon\n"
             "discover` and `pmon doctor` read it with --replay FILE; `pmon stat --capture\n"
             "FILE` measures on a machine like it.\n",
};
