/* SPDX-License-Identifier: MIT */
/* The `pmon` command: the table of its subcommands, and what is done before and after one of them. */
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "cli/common/cli.h"
#include "cli/common/other_tools.h"
#include "cli/common/start.h"
#include "cli/pmon.h"
#include "cli/target/privileges.h"
#include "src/base/nearest.h"
#include "src/base/signals.h"

const struct cli_command *const cli_commands[] = {
    &list_command,         &search_command,     &units_command,
    &registers_command,    &metrics_command,    &show_command,
    &encode_command,       &decode_command,     &explain_command,
    &stat_command,         &sample_command,     &report_command,
    &diff_command,         &top_command,        &exporter_command,
    &restore_command,      &machine_command,    &vm_command,
    &bench_driver_command, &bench_tool_command, &import_command,
    &discover_command,     &capture_command,    &doctor_command,
    &completion_command,   &complete_command,   NULL,
};

/* Flushes standard output. Returns CLI_FAILED after printing an error if that fails, else `result`. */
static int cli_finish(struct cli *cli, int result)
{
  out_finish(&cli->out);
  if (result == CLI_SIGNALLED + SIGPIPE)
    return result;
  if (cli->out.error) {
    cli_fail(cli, "standard output: %s", strerror(cli->out.error));
    return CLI_FAILED;
  }
  return result;
}

static int unknown_command(struct cli *cli, const char *name)
{
  struct nearest near = {.name = text_of(name)};
  char hint[200];
  const char *other = other_tools_command(name);
  if (other)
    return cli_fail(cli, "%s: no such command; %s", name, other);
  for (uint32_t i = 0; cli_commands[i]; i++)
    if (!cli_commands[i]->hidden)
      nearest_add(&near, text_of(cli_commands[i]->name), i, 0);
  nearest_format(&near, hint, sizeof hint);
  return cli_fail(cli, "%s: no such command%s", name, near.n ? hint : "; `pmon --help` lists the commands");
}

static int run_command(struct cli *cli, int argc, char **argv)
{
  cli->command = cli_command_find(cli_commands, argv[0]);
  if (!cli->command)
    return unknown_command(cli, argv[0]);
  if (pmon_context_new(&cli->context) != PMON_OK) {
    fputs("pmon: no memory\n", stderr);
    return CLI_FAILED;
  }
  int result = cli_finish(cli, cli->command->run(cli, argc, argv));
  pmon_context_free(cli->context);
  cli_free_lists(cli);
  return result;
}

static int run_arguments(int argc, char **argv, const struct signal_settings *signals)
{
  static struct cli cli;
  int c;
  cli.commands = cli_commands;
  cli.signals = signals;
  cli.out.fd = STDOUT_FILENO;
  cli_take_color(&cli, "auto");
  optind = 0;
  while ((c = cli_getopt(&cli, argc, argv)) != -1) {
    switch (c) {
    case 'p': cli.platform_name = optarg; break;
    case CLI_OPTION_COLOR:
      if (cli_take_color(&cli, optarg) != CLI_DONE)
        return CLI_USAGE;
      break;
    case 'h': cli_print_help(stdout, cli_commands); return CLI_DONE;
    case CLI_OPTION_VERSION: printf("pmon %s\n", pmon_version()); return CLI_DONE;
    default: return CLI_USAGE;
    }
  }
  if (optind == argc) {
    cli_print_help(stderr, cli_commands);
    return CLI_USAGE;
  }
  if (strcmp(argv[optind], "help") == 0) {
    const struct cli_command *about = optind + 1 < argc ? cli_command_find(cli_commands, argv[optind + 1]) : NULL;
    if (!about && optind + 1 < argc)
      return unknown_command(&cli, argv[optind + 1]);
    if (about)
      cli_print_command_help(stdout, about);
    else
      cli_print_help(stdout, cli_commands);
    return CLI_DONE;
  }
  return run_command(&cli, argc - optind, argv + optind);
}

/* Ends like a process whose reader has gone, after registers are restored and temporary files are removed. */
static void end_by_sigpipe(void)
{
  signal(SIGPIPE, SIG_DFL);
  raise(SIGPIPE);
}

int pmon_main(int argc, char **argv)
{
  struct signal_settings signals;
  start_open_standard_descriptors();
  if (privileges_are_borrowed()) {
    fputs("pmon: refused to run with privileges that its caller does not have (set-user-ID, set-group-ID or file "
          "capabilities); remove them from the file\n",
          stderr);
    _exit(CLI_NO_HARDWARE); /* so that no handler of a library runs with these privileges either */
  }
  signals_take(&signals);
  start_handle_file_limit();
  const int result = start_finish_output(run_arguments(argc, argv, &signals));
  if (result == CLI_SIGNALLED + SIGPIPE)
    end_by_sigpipe();
  return result;
}
