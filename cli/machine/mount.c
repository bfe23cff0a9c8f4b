/* SPDX-License-Identifier: MIT */
#include "cli/machine/mount.h"

#include "machine/model.h"
#include "vm/mount.h"

int cli_machine_mount(struct cli *cli, struct target_options *options, bool lenient)
{
  char *const *words = options->argv;
  char error[512] = "";
  struct target target;
  int result, code;

  if (!words)
    return cli_fail_missing(cli, "DIR");
  const struct processor_model *model = target_model(cli);
  if (options->bundles || options->generate || (model && !model->guest))
    return cli_fail(cli, "-p %s: its registers are not MSRs, so they cannot be mounted; add -p %s",
                    model ? model->name : model_for_input(MODEL_BUNDLES)->name, model_default()->name);
  options->argv = NULL; /* the command is not the machine's workload */
  if (options->scenario && options->trace)
    return cli_fail(cli, "--scenario, --trace: the machine has one workload; omit one of them");
  result = options->scenario || options->trace ? target_open(cli, options, &target)
                                               : target_open_idle(cli, options, &target);
  if (result != CLI_DONE)
    return result;
  machine_set_faults(target.machine, !lenient);
  const struct mount_options o = {.platform = model_of(&options->config)->name,
                                  .machine = target.machine,
                                  .backend = target.backend,
                                  .sockets = (unsigned)options->config.value[CONFIG_SOCKETS],
                                  .cores = (unsigned)options->config.value[CONFIG_CORES],
                                  .config = &options->config,
                                  .folder = words[0],
                                  .signals = cli->signals,
                                  .argv = words[1] ? words + 1 : NULL};
  int status = mount_run(&o, error, sizeof error, &code);
  target_close(&target);
  if (!status)
    return code;
  cli_fail(cli, "%s", error);
  return status == PMON_E_IO ? CLI_FAILED : status == PMON_E_INVALID ? CLI_USAGE : CLI_NO_HARDWARE;
}
