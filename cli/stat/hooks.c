/* SPDX-License-Identifier: MIT */
#include "cli/stat/hooks.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "cli/stat/stop.h"
#include "cli/target/privileges.h"
#include "machine/trace/process.h"
#include "src/base/signals.h"

enum { LOOK_MS = 20, NOT_FOUND = 127 };

static _Noreturn void hook_exec(const struct cli *cli, const char *option, const char *command)
{
  if (!privileges_return()) {
    cli_print_error("pmon stat: %s: cannot drop privileges, so the command is not started\n", option);
    _exit(NOT_FOUND);
  }
  signals_restore(cli->signals);
  char *const words[] = {"sh", "-c", (char *)(uintptr_t)command, NULL};
  execv("/bin/sh", words);
  cli_print_error("pmon stat: %s: /bin/sh: %s\n", option, strerror(errno));
  _exit(NOT_FOUND);
}

/* Waits for the command's end. A signal that comes meanwhile is passed to the command; after an earlier one had ended
 * the measurement, it kills the command. `before`: the number of signals when the command was started. False: a signal
 * came. A signal just before a wait does not interrupt it: therefore each wait is short. */
static bool hook_await(const struct cli *cli, pid_t pid, sig_atomic_t before, int *ret_status)
{
  struct process_stop stop = {.signals = cli->signals};
  struct pollfd end = {.fd = (int)syscall(SYS_pidfd_open, pid, 0), .events = POLLIN};
  bool ended = false;
  while (stat_stop.count == before && !(ended = waitpid(pid, ret_status, WNOHANG) != 0))
    poll(&end, 1, LOOK_MS);
  if (end.fd >= 0)
    close(end.fd);
  if (ended)
    return true;
  process_request_stop(&stop, pid, stat_stop.number);
  process_await_end(&stop, pid, &stat_stop.count);
  return false;
}

int stat_hook_run(const struct cli *cli, const char *option, const char *command)
{
  int status = 0;
  if (!command)
    return CLI_DONE;
  const sig_atomic_t before = stat_stop.count; /* the command may signal this process at once */
  const pid_t pid = signals_fork();
  if (pid == 0)
    hook_exec(cli, option, command);
  if (pid < 0)
    return cli_fail(cli, "%s: cannot start the command: %s", option, strerror(errno)), CLI_FAILED;
  if (!hook_await(cli, pid, before, &status)) {
    cli_fail(cli, "%s: signal %d: stopped while `%s` was running", option, (int)stat_stop.number, command);
    return CLI_SIGNALLED + (int)stat_stop.number;
  }
  if (WIFSIGNALED(status))
    cli_fail(cli, "%s: `%s` was terminated by signal %d (%s); the measurement ends", option, command, WTERMSIG(status),
             strsignal(WTERMSIG(status)));
  else if (status)
    cli_fail(cli, "%s: `%s` exited with status %d; the measurement ends", option, command, WEXITSTATUS(status));
  return status ? CLI_FAILED : CLI_DONE;
}
