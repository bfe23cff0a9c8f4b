/* SPDX-License-Identifier: MIT */
/* Which platform a host is, and what is reported about a host that cannot be measured. */
#include <inttypes.h>
#include <string.h>
#include <strings.h>
#include "cli/target/hardware.h"

#define NONE "no uncore counters are accessible on this host; the emulated machine measures the same events: "
#define STAT "pmon stat --backend machine -- COMMAND"

const char hardware_none[] = NONE STAT;

/* For a platform that the machine does not emulate. */
static const char hardware_none_perf[] = "no uncore counters are accessible on this host; events of this platform are "
                                         "counted through Linux perf, on such a processor";

const char hardware_hidden[] = "this virtual machine has no uncore counters: measure on its host, or measure the same "
                               "events on the emulated machine: " STAT;

/* Reports that a host has no uncore counters; the remedy is the running command on the machine, if it has that. */
static void hardware_fail_none(struct cli *cli)
{
  if (cli_platform_is_perf_only(cli))
    cli_fail(cli, "%s", hardware_none_perf);
  else
    cli_fail(cli, NONE "%s", cli->command && cli->command->emulated ? cli->command->emulated : STAT);
}

/* Returns the name of the facts' platform for a processor; NULL: none. */
static const char *platform_of(struct cli *cli, const struct pmon_cpu *cpu)
{
  struct pmon_platform_info info = {.size = sizeof info};
  const struct pmon_platform *platform;
  if (pmon_platform_find_cpu(cli->context, cpu->vendor, cpu->signature, &platform))
    return NULL;
  pmon_platform_describe(platform, &info);
  return info.base;
}

bool hardware_known(struct cli *cli, const struct hardware *h, const char **ret_platform)
{
  struct pmon_cpu cpu;
  *ret_platform = hardware_cpu(h, &cpu) ? platform_of(cli, &cpu) : NULL;
  return *ret_platform;
}

/* Whether this host has a discovery page; with a platform, one that lists the platform's units. */
static bool shows_page(const struct hardware *h, const struct pmon_platform *platform)
{
  struct pmon_backend *b = NULL;
  struct pmon_discovery *page = NULL;
  int status = pmon_backend_direct_open(&h->system, NULL, &b);
  if (status)
    return false;
  struct pmon_backend *before = hardware_watch(b);
  bool shown = !pmon_discovery_read(b, 0, NULL, NULL, &page);
  if (shown && platform)
    shown = pmon_discovery_lists(page, platform);
  pmon_discovery_free(page);
  hardware_watch(before);
  pmon_backend_close(b);
  return shown;
}

bool hardware_has_page(const struct hardware *h)
{
  return shows_page(h, NULL);
}

/* Whether the measured platform is the one called `known`; NULL: that of a processor without facts. A platform without
 * processors whose events only Linux perf counts (Intel's files for a built-in platform) has no registers to
 * confuse. */
static bool is_platform(struct cli *cli, const struct hardware *h, const char *known)
{
  struct pmon_platform_info info = {.size = sizeof info};
  if (!cli_platform(cli) || pmon_platform_describe(cli->platform, &info))
    return false;
  if (known && !info.processors && cli_platform_is_perf_only(cli))
    return true;
  return known ? !strcasecmp(info.base, known) : cli_platform_is_user_supplied(cli) && shows_page(h, cli->platform);
}

bool hardware_is_host(struct cli *cli, const struct hardware *h)
{
  const char *known;
  cli_platform(cli); /* an imported platform makes its processor known */
  hardware_known(cli, h, &known);
  return is_platform(cli, h, known);
}

int hardware_check(struct cli *cli, const struct hardware *h)
{
  struct pmon_platform_info info = {.size = sizeof info};
  struct pmon_cpu cpu;
  if (!hardware_cpu(h, &cpu))
    return CLI_DONE;
  const char *known = platform_of(cli, &cpu);
  if (is_platform(cli, h, known) || pmon_platform_describe(cli->platform, &info))
    return CLI_DONE;
  if (known)
    cli_fail(
        cli,
        "-p %s: this processor is of platform %s, whose registers can have other meanings; use -p %s, or add --force",
        info.name, known, known);
  else if (hardware_has_page(h))
    cli_fail(cli,
             "-p %s: no tables for this processor (%s, family %" PRIu32 ", model %" PRIu32 "); " HARDWARE_OWN_TABLES,
             info.name, cpu.vendor, cpu.signature[0], cpu.signature[1]);
  else
    hardware_fail_none(cli);
  return CLI_NO_HARDWARE;
}

const char *hardware_other_platform(struct cli *cli, const struct hardware *h, const struct pmon_cpu *cpu)
{
  const char *known = platform_of(cli, cpu);
  return known && !is_platform(cli, h, known) ? known : NULL;
}

void hardware_report_emulated(struct cli *cli, const struct hardware *h)
{
  struct pmon_platform_info info = {.size = sizeof info};
  struct pmon_cpu cpu;
  const bool identified = hardware_cpu(h, &cpu), page = !(identified && platform_of(cli, &cpu)) && hardware_has_page(h);
  const char *other = identified ? hardware_other_platform(cli, h, &cpu) : NULL;
  if (other && !pmon_platform_describe(cli->platform, &info))
    cli_warn(cli,
             "-p %s: this processor is of platform %s: the values are EMULATED (--backend machine selects the "
             "emulated machine)",
             info.name, other);
  else
    cli_warn(cli, "%s",
             page
                 ? "this processor has no tables (" HARDWARE_OWN_TABLES "); the values are EMULATED"
                 : "no uncore counters are accessible on this host: the values are EMULATED (--backend machine selects "
                   "the emulated machine; pmon doctor explains the reason)");
}

int hardware_refuse(struct cli *cli, const struct hardware *h, int status, const struct pmon_reason *reason)
{
  const char *name;
  /* For a processor without uncore counters, no kernel module would help. */
  const bool none = status == PMON_E_NO_DEVICE && !hardware_known(cli, h, &name);
  if (none)
    hardware_fail_none(cli);
  else
    cli_fail(cli, "%s", *reason->text ? reason->text : cli_status_text(status));
  return status == PMON_E_MEMORY ? CLI_FAILED : CLI_NO_HARDWARE;
}
