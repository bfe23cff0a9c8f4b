/* SPDX-License-Identifier: MIT */
/* The state of `pmon vm`, and its exit codes. */
#ifndef CLI_VM_COMMAND_H
#define CLI_VM_COMMAND_H

#include <limits.h>
#include "cli/common/cli.h"
#include "cli/target/devices.h"
#include "cli/target/target.h"
#include "cli/vm/artifacts.h"
#include "cli/vm/baseline.h"
#include "machine/check/check.h"
#include "vm/vm.h"

enum { WITH_MAX = 32, VM_HELPED = -1 };

/* Besides the command's own and CLI_USAGE (docs/vm.md). 124 and 125 are those of timeout(1) and of `git bisect run`,
 * which skips a commit that exits with 125. */
enum vm_exit { VM_EXIT_VIOLATION = 122, VM_EXIT_PANIC = 123, VM_EXIT_TIME_OUT = 124, VM_EXIT_INFRASTRUCTURE = 125 };

struct vm_command {
  struct cli *cli;
  struct target_options target;
  struct vm_options vm;
  struct device_list devices;     /* of the scenario and the capture */
  const char *with[WITH_MAX + 2]; /* the first is this program */
  unsigned n_with;
  const char *log_path, *json_path, *junit_path, *baseline_path, *artifacts_path, *symbols_path; /* NULL: none */
  char *own_log; /* the log's path in the folder of artifacts */
  char plugin[PATH_MAX];
  FILE *log;
  int output_error; /* errno of the first part of the command's output that could not be written; 0: none */
  struct checker *checker;
  struct baseline baseline;
  struct artifacts artifacts;
  struct callers *callers;                 /* NULL: nothing is checked */
  bool console, check, follow, processors; /* processors: --processors was given */
};

/* Reads the options and the command. CLI_DONE, CLI_USAGE, or VM_HELPED after --help. */
int vm_read_options(struct vm_command *v, int argc, char **argv);
int vm_fail_model(struct cli *cli, const char *name);
extern const struct cli_option vm_options[];

#endif
