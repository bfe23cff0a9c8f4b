/* SPDX-License-Identifier: MIT */
#include "cli/machine/mount.h"

#include <string.h>
#include <strings.h>
#include "machine/platform.h"
#include "vm/mount.h"

int cli_machine_mount(struct cli *cli, struct target_options *options)
{
  char *const *words = options->argv;
  char error[512] = "";
  struct target target;
  int result, code;

  if (!words)
    return cli_fail(cli, "mount needs a folder: pmon machine mount [OPTION...] FOLDER [COMMAND [ARGUMENT...]]");
  if (options->bundles || options->generate || (cli->platform_name && !strcasecmp(cli->platform_name, "montecito")))
    return cli_fail(cli, "Montecito's registers are no MSRs: there is nothing to mount");
  options->argv = NULL; /* the command is not what feeds the machine */
  if (options->scenario && options->trace)
    return cli_fail(cli, "--scenario and --trace: only one of them can feed the machine");
  result = options->scenario || options->trace ? target_open(cli, options, &target)
                                               : target_open_idle(cli, options, &target);
  if (result != CLI_DONE)
    return result;
  const struct mount_options o = {.platform = machine_platform(&options->config)->name,
                                  .machine = target.machine,
                                  .backend = target.backend,
                                  .sockets = (unsigned)options->config.value[CONFIG_SOCKETS],
                                  .cores = (unsigned)options->config.value[CONFIG_CORES],
                                  .folder = words[0],
                                  .argv = words[1] ? words + 1 : NULL};
  int status = mount_run(&o, error, sizeof error, &code);
  target_close(&target);
  if (!status)
    return code;
  cli_fail(cli, "%s", error);
  return status == PMON_E_IO ? CLI_FAILED : status == PMON_E_INVALID ? CLI_USAGE : CLI_NO_HARDWARE;
}
