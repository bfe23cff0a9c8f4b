/* SPDX-License-Identifier: MIT */
/* Opens the registers of a host, of a captured machine, or of the emulated one. */
#include "cli/target/hardware.h"
#include "cli/target/helper.h"
#include "cli/target/target.h"
#include "machine/config.h"

int hardware_open_machine(struct cli *cli, struct machine **ret_machine, struct pmon_backend **ret_backend)
{
  struct pmon_platform_info info = {.size = sizeof info};
  struct machine_config config;
  char error[256] = "";
  if (!cli_platform(cli))
    return CLI_USAGE;
  pmon_platform_describe(cli->platform, &info);
  machine_config_init(&config);
  if (machine_config_preset(&config, info.base)) {
    const int result = target_check_model(cli, &(struct target_options){0});
    return result ? result : cli_fail(cli, "-p %s: the platform has no emulated machine", info.name);
  }
  if (machine_new(&config, error, sizeof error, ret_machine))
    return cli_fail(cli, "%s", error), CLI_FAILED;
  if (!machine_backend_new(*ret_machine, ret_backend))
    return CLI_DONE;
  machine_free(*ret_machine);
  *ret_machine = NULL;
  return cli_fail_memory(cli);
}

int hardware_open(struct cli *cli, const struct hardware *h, struct pmon_backend **ret_backend)
{
  struct pmon_reason reason = {""};
  if (!cli_platform(cli))
    return CLI_USAGE;
  if (h->replay)
    return pmon_backend_capture_new(h->replay, cli->platform, ret_backend) ? cli_fail_memory(cli) : CLI_DONE;
  int status = helper_open(&h->system, h->root, &reason, ret_backend);
  if (!status)
    hardware_watch(*ret_backend);
  return status ? hardware_refuse(cli, h, status, &reason) : CLI_DONE;
}
