/* SPDX-License-Identifier: MIT */
#include "cli/hardware.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "machine/config.h"

const char hardware_none[] = "this computer has no uncore counters that can be reached here; the emulated machine "
                             "measures the same events: pmon stat --backend machine -- COMMAND";

void hardware_print(struct cli *cli, const char *format, ...)
{
  char text[600];
  va_list ap;
  va_start(ap, format);
  vsnprintf(text, sizeof text, format, ap);
  va_end(ap);
  out_text(&cli->out, text);
}

void hardware_init(struct hardware *h, const char *root)
{
  const char *from = root ? root : "";
  snprintf(h->dev, sizeof h->dev, "%.280s/dev", from);
  snprintf(h->sys, sizeof h->sys, "%.280s/sys", from);
  snprintf(h->proc, sizeof h->proc, "%.280s/proc", from);
  h->system = (struct pmon_system){.size = sizeof h->system, .dev = h->dev, .sys = h->sys, .proc = h->proc,
                                   .end_fd = -1};
}

bool hardware_known(struct cli *cli, const char **ret_platform)
{
  struct pmon_platform_info info = {.size = sizeof info};
  const struct pmon_platform *platform;
  struct pmon_cpu cpu;
  if (!pmon_cpu_read(&cpu) || pmon_platform_find_cpu(cli->context, cpu.vendor, cpu.signature, &platform))
    return false;
  pmon_platform_describe(platform, &info);
  *ret_platform = info.name;
  return true;
}

static int open_machine(struct cli *cli, struct machine **ret_machine, struct pmon_backend **ret_backend)
{
  struct pmon_platform_info info = {.size = sizeof info};
  struct machine_config config;
  char error[256] = "";
  pmon_platform_describe(cli->platform, &info);
  machine_config_init(&config);
  if (machine_config_preset(&config, info.name))
    return cli_fail(cli, "there is no emulated machine of platform %s", info.name);
  if (machine_new(&config, error, sizeof error, ret_machine))
    return cli_fail(cli, "%s", error), CLI_FAILED;
  if (!machine_backend_new(*ret_machine, ret_backend))
    return CLI_DONE;
  machine_free(*ret_machine);
  *ret_machine = NULL;
  return cli_fail(cli, "no memory"), CLI_FAILED;
}

int hardware_open(struct cli *cli, const struct hardware *h, bool machine, struct machine **ret_machine,
                  struct pmon_backend **ret_backend)
{
  struct pmon_reason reason = {""};
  *ret_machine = NULL;
  if (!cli_platform(cli))
    return CLI_USAGE;
  if (machine)
    return open_machine(cli, ret_machine, ret_backend);
  int status = pmon_backend_direct_open(&h->system, &reason, ret_backend);
  if (!status)
    return CLI_DONE;
  const char *name;
  /* On a processor that has none of it, no module would help. */
  const bool none = status == PMON_E_NO_DEVICE && !hardware_known(cli, &name);
  cli_fail(cli, "%s", none ? hardware_none : *reason.text ? reason.text : pmon_status_name(status));
  return status == PMON_E_MEMORY ? CLI_FAILED : CLI_NO_HARDWARE;
}
