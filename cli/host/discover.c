/* SPDX-License-Identifier: MIT */
/* `pmon discover`: compares the units on the hardware's discovery page with those of the tables. */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cli/target/hardware.h"

struct discover {
  struct cli *cli;
  bool machine, json, help;
  const char *out_path, *replay; /* NULL: none */
  bool repair;                   /* the platform of the tables is written to out_path, with the page's addresses */
  struct pmon_backend *backend;
  uint32_t package, diagnostics;
};

static void discover_on_diagnostic(void *user, const char *text)
{
  struct discover *d = user;
  d->diagnostics++;
  if (d->json)
    cli_print_error("pmon discover: package %" PRIu32 ": %s\n", d->package, text);
  else
    hardware_print(d->cli, "  ! %s\n", text);
}

static const char *discover_unit_name(const struct discover *d, uint32_t type)
{
  static struct pmon_unit_info info;
  info.size = sizeof info;
  for (uint32_t i = 0; !pmon_unit_describe(d->cli->platform, i, &info); i++)
    if (info.discovery == type)
      return info.name;
  return "?";
}

static void discover_print_json(const struct discover *d, const struct pmon_discovered_unit *u)
{
  hardware_print(d->cli,
                 "{\"package\":%" PRIu32 ",\"unit\":\"%s\",\"type\":%" PRIu32 ",\"id\":%" PRIu32
                 ",\"space\":\"%s\",\"address\":\"0x%" PRIx64 "\",\"counters\":%" PRIu32 ",\"width\":%" PRIu32
                 ",\"ctl\":%" PRIu32 ",\"ctr\":%" PRIu32 ",\"status\":%" PRIu32 ",\"status_position\":%" PRIu32 "}\n",
                 d->package, discover_unit_name(d, u->type), u->type, u->id, pmon_space_name(u->space), u->address,
                 u->counters, u->width_bits, u->ctl_offset, u->ctr_offset, u->status_offset, u->status_position);
}

/* Prints the global registers: their addresses, and the number and size of the page's entries. */
static void discover_print_global(const struct discover *d, const struct pmon_discovery *page)
{
  struct pmon_discovery_info g = {.size = sizeof g};
  pmon_discovery_describe(page, &g);
  const uint32_t last = g.status_bits ? (g.status_bits - 1) / 64 : 0;
  const uint64_t status = g.global_ctl + g.status_offset;
  if (d->json) {
    hardware_print(d->cli,
                   "{\"package\":%" PRIu32 ",\"unit\":null,\"space\":\"%s\",\"global_ctl\":\"0x%" PRIx64
                   "\",\"global_status\":\"0x%" PRIx64 "\",\"status_registers\":%" PRIu32 ",\"status_bits\":%" PRIu32
                   ",\"stride\":%" PRIu32 ",\"blocks\":%" PRIu32 "}\n",
                   d->package, pmon_space_name(g.space), g.global_ctl, status, last + 1, g.status_bits, g.stride_bytes,
                   g.units);
    return;
  }
  hardware_print(d->cli,
                 "  global control %s 0x%" PRIx64 ", global status 0x%" PRIx64 " to 0x%" PRIx64 " (%" PRIu32
                 " bits)\n  %" PRIu32 " block%s, entries of %" PRIu32 " bytes\n",
                 pmon_space_name(g.space), g.global_ctl, status, status + last, g.status_bits, g.units,
                 g.units == 1 ? "" : "s", g.stride_bytes);
}

/* Writes the positions in the global status of all blocks of a type: "2-65", "66, 70, 74". */
static void discover_positions(const struct pmon_discovery *page, uint32_t type, char *text, size_t size)
{
  const struct pmon_discovered_unit *u;
  uint32_t first = UINT32_MAX, last = 0;
  size_t n = 0;
  text[0] = 0;
  for (uint32_t i = 0; n < size; i++) {
    u = pmon_discovery_unit(page, i);
    if (u && u->type != type)
      continue;
    if (u && first != UINT32_MAX && u->status_position == last + 1) {
      last++;
      continue;
    }
    if (first != UINT32_MAX)
      n += (size_t)snprintf(text + n, size - n, last > first ? "%s%" PRIu32 "-%" PRIu32 : "%s%" PRIu32, n ? ", " : "",
                            first, last);
    if (!u)
      return;
    first = last = u->status_position;
  }
}

/* Prints one line for each type. */
static void discover_print_units(const struct discover *d, const struct pmon_discovery *page)
{
  const struct pmon_discovered_unit *u, *v;
  char positions[512];
  discover_print_global(d, page);
  for (uint32_t i = 0; (u = pmon_discovery_unit(page, i)); i++) {
    uint32_t before = 0, n = 0;
    for (uint32_t k = 0; (v = pmon_discovery_unit(page, k)); k++) {
      before += k < i && v->type == u->type;
      n += v->type == u->type;
    }
    discover_positions(page, u->type, positions, sizeof positions);
    if (d->json)
      discover_print_json(d, u);
    else if (!before)
      hardware_print(d->cli,
                     "  %-8s type %-3" PRIu32 " %3" PRIu32 " units, %-4s %2" PRIu32 " counters of %" PRIu32
                     " bits from 0x%" PRIx64 "\n           global status position %s\n",
                     discover_unit_name(d, u->type), u->type, n, pmon_space_name(u->space), u->counters, u->width_bits,
                     u->address, positions);
  }
}

static size_t discover_make_part(const struct discover *d, const struct pmon_discovery *page, const char *name,
                                 int part, char *text, size_t size)
{
  const struct pmon_discovery_place place = {sizeof place, d->backend, d->package, false};
  if (!d->repair)
    return pmon_discovery_platform(page, (enum pmon_platform_part)part, name, text, size);
  const struct pmon_repair_text out = {sizeof out, (enum pmon_platform_part)part, name, text, size};
  return pmon_discovery_repair(page, d->cli->platform, &place, &out);
}

static int discover_write_part(const struct discover *d, const struct pmon_discovery *page, const char *stem, int part)
{
  static const char *const suffixes[] = {"platform", "reg", "unit"};
  const char *base = strrchr(stem, '/') ? strrchr(stem, '/') + 1 : stem;
  const size_t n = discover_make_part(d, page, base, part, NULL, 0);
  char *text = malloc(n + 1), path[600];
  if (!text)
    return cli_fail_memory(d->cli);
  discover_make_part(d, page, base, part, text, n + 1);
  snprintf(path, sizeof path, "%.560s.%s", stem, suffixes[part]);
  FILE *f = fopen(path, "we");
  const bool opened = f != NULL;
  bool good = f && fwrite(text, 1, n, f) == n;
  if (f && fclose(f))
    good = false;
  free(text);
  if (good)
    return CLI_DONE;
  cli_fail(d->cli, "%s: cannot be written: %s", path, strerror(errno));
  return opened ? CLI_FAILED : CLI_USAGE;
}

/* SUFFIX is the length of ".platform". */
enum { SUFFIX = 9, STEM = 560 };

static int discover_check_output(const struct discover *d)
{
  const size_t n = d->out_path ? strlen(d->out_path) : 0;
  if (d->out_path && (n <= SUFFIX || n >= STEM || strcmp(d->out_path + n - SUFFIX, ".platform")))
    return cli_fail(d->cli, "%s: expected a name that ends in .platform", d->out_path);
  return CLI_DONE;
}

static int discover_write_platform(const struct discover *d, const struct pmon_discovery *page)
{
  char stem[STEM];
  int result = CLI_DONE;
  snprintf(stem, sizeof stem, "%.*s", (int)(strlen(d->out_path) - SUFFIX), d->out_path);
  for (int part = 0; result == CLI_DONE && part < 3; part++)
    if (!d->repair || part != PMON_PART_REGISTERS)
      result = discover_write_part(d, page, stem, part);
  return result;
}

/* Reports what a platform file cannot express: units beyond the 64 that events can select, and types without tables. */
static int discover_report_rest(struct discover *d, const struct pmon_discovery *page)
{
  const struct pmon_discovery_place place = {sizeof place, d->backend, d->package, true};
  if (pmon_context_load(d->cli->context, d->out_path))
    return cli_fail_context(d->cli, NULL);
  const int left = pmon_discovery_compare(page, pmon_platform_get(d->cli->context, 0), &place, NULL, NULL);
  if (left > 0)
    cli_note(d->cli, "%s: %d difference%s, in units whose type has no tables or beyond the first 64 of their type",
             d->out_path, left, left == 1 ? " remains" : "s remain");
  return CLI_DONE;
}

/* Whether the tables are those of processors without a discovery page. Tables of a processor that only Linux perf
 * counts do not show whether it has a page. */
static bool discover_is_pageless(const struct discover *d)
{
  struct pmon_unit_info unit = {.size = sizeof unit};
  bool pageless = !cli_platform_is_perf_only(d->cli);
  for (uint32_t i = 0; pageless && !pmon_unit_describe(d->cli->platform, i, &unit); i++)
    pageless = unit.discovery == UINT32_MAX;
  return pageless;
}

static int discover_package(struct discover *d, struct pmon_backend *backend)
{
  struct pmon_discovery *page = NULL;
  d->backend = backend;
  struct pmon_discovery_place place = {sizeof place, backend, d->package, false};
  if (!d->json)
    hardware_print(d->cli, "package %" PRIu32 "\n", d->package);
  int status = pmon_discovery_read(backend, d->package, discover_on_diagnostic, d, &page);
  if (status == PMON_E_SYNTAX)
    return CLI_FAILED;
  if (status && discover_is_pageless(d)) {
    struct pmon_platform_info info = {.size = sizeof info};
    pmon_platform_describe(d->cli->platform, &info);
    cli_fail(d->cli,
             "package %" PRIu32 ": the processors of %s have no discovery page; pmon units -p %s lists the units "
             "of its tables",
             d->package, info.name, info.name);
    return CLI_NO_HARDWARE;
  }
  if (status) {
    cli_fail(d->cli, "package %" PRIu32 ": %s", d->package,
             backend->error_text ? backend->error_text : cli_status_text(status));
    return CLI_NO_HARDWARE;
  }
  discover_print_units(d, page);
  pmon_discovery_compare(page, d->cli->platform, &place, discover_on_diagnostic, d);
  int result = d->out_path && d->package == 0 ? discover_write_platform(d, page) : CLI_DONE;
  if (d->repair && d->package == 0 && result == CLI_DONE)
    result = discover_report_rest(d, page);
  pmon_discovery_free(page);
  return result;
}

/* Prints the platform that provides the names for a processor without tables. */
static void discover_report_names(const struct discover *d, const struct hardware *h)
{
  struct pmon_platform_info info = {.size = sizeof info};
  struct pmon_cpu cpu;
  const char *known;
  if (d->machine || d->json || cli_platform_is_user_supplied(d->cli) || !hardware_cpu(h, &cpu) ||
      hardware_known(d->cli, h, &known) || pmon_platform_describe(d->cli->platform, &info))
    return;
  hardware_print(d->cli, "this processor has no tables: unit types have the names of %s and are compared with it\n",
                 info.name);
}

enum { CODE_REPAIR = CLI_OPTION_OWN };

static const struct cli_option discover_options[] = {
    CLI_FLAG("machine", CLI_OPTION_MACHINE, "examine the emulated machine"),
    {"output", 'o', "FILE", "FILE.platform: write the page as a platform file, for a processor without tables",
     CLI_NEW_FILE, NULL},
    {"repair", CODE_REPAIR, "FILE",
     "FILE.platform: write the platform with the units that differ replaced by those of the page", CLI_NEW_FILE, NULL},
    {"replay", CLI_OPTION_REPLAY, "FILE", "examine a captured machine (pmon capture)", CLI_FILE, NULL},
    {"root", CLI_OPTION_ROOT, "DIR", "read the system's files below DIR instead of /", CLI_FILE, NULL},
    CLI_OPTION_END,
};

static int discover_read_options(struct discover *d, struct hardware *h, int argc, char **argv)
{
  int c;
  optind = 0;
  while ((c = cli_getopt(d->cli, argc, argv)) != -1)
    switch (c) {
    case 'p': d->cli->platform_name = optarg; break;
    case 'h': d->help = true; return CLI_DONE;
    case CLI_OPTION_MACHINE: d->machine = true; break;
    case CLI_OPTION_JSON: d->json = true; break;
    case 'o': d->out_path = optarg; break;
    case CLI_OPTION_ROOT:
      if (hardware_take_root(d->cli, h, optarg) != CLI_DONE)
        return CLI_USAGE;
      break;
    case CLI_OPTION_REPLAY: d->replay = optarg; break;
    case CODE_REPAIR:
      d->out_path = optarg;
      d->repair = true;
      break;
    default: return CLI_USAGE;
    }
  if (optind < argc)
    return cli_fail_unexpected(d->cli, argv[optind]);
  const int result = hardware_check_replay(d->cli, h, d->replay, d->machine ? "--machine" : NULL);
  return result == CLI_DONE ? discover_check_output(d) : result;
}

/* Examines the page of each package. */
static int discover_pages(struct discover *d, struct hardware *h)
{
  struct machine *machine = NULL;
  struct pmon_backend *backend;
  int result = d->replay ? hardware_replay(d->cli, h, d->replay) : CLI_DONE;
  if (result == CLI_DONE)
    result = d->machine ? hardware_open_machine(d->cli, &machine, &backend) : hardware_open(d->cli, h, &backend);
  if (result != CLI_DONE)
    return result;
  discover_report_names(d, h);
  for (; result == CLI_DONE && d->package < backend->packages; d->package++)
    result = discover_package(d, backend);
  if (!d->json && result == CLI_DONE)
    hardware_print(d->cli,
                   d->diagnostics ? "%" PRIu32 " difference%s\n" : "no differences between the page and the tables\n",
                   d->diagnostics, d->diagnostics == 1 ? "" : "s");
  hardware_close(backend);
  machine_free(machine);
  return result;
}

static int run_discover(struct cli *cli, int argc, char **argv)
{
  struct discover d = {.cli = cli};
  struct hardware h;
  hardware_init(&h, NULL);
  int result = discover_read_options(&d, &h, argc, argv);
  if (result == CLI_DONE && d.help)
    cli_help(cli);
  else if (result == CLI_DONE)
    result = discover_pages(&d, &h);
  hardware_fini(&h);
  return result;
}

const struct cli_command discover_command = {
    .name = "discover",
    .arguments = "",
    .brief = "compare the units that the hardware lists with the tables",
    .run = run_discover,
    .options = {{discover_options, NULL}, {cli_json_option, NULL}, {NULL, NULL}},
};
