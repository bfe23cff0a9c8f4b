/* SPDX-License-Identifier: MIT */
#include "cli/target/helper.h"

#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef PMON_ACCESS_PROGRAM
#define PMON_ACCESS_PROGRAM "/usr/libexec/pmon/pmon-access"
#endif

/* Runs the helper, with the socket as its standard input, in a process for which the caller does not wait. */
static _Noreturn void helper_exec(int socket)
{
  char program[] = PMON_ACCESS_PROGRAM, *argv[] = {program, NULL}, *environment[] = {NULL};
  const pid_t pid = fork();
  if (pid)
    _exit(pid < 0);
  if (dup2(socket, STDIN_FILENO) == STDIN_FILENO)
    execve(program, argv, environment);
  _exit(127);
}

int helper_open(const struct pmon_system *system, bool tree, struct pmon_reason *reason,
                struct pmon_backend **ret_backend)
{
  int ends[2];
  const int status = pmon_backend_direct_open(system, reason, ret_backend);
  if (status != PMON_E_PERMISSION || tree || access(PMON_ACCESS_PROGRAM, X_OK) ||
      socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
    return status;
  const pid_t pid = fork();
  if (!pid)
    helper_exec(ends[1]);
  close(ends[1]);
  if (pid > 0)
    waitpid(pid, NULL, 0);
  const int through = pid > 0 ? pmon_backend_helper_open(ends[0], system, reason, ret_backend) : status;
  if (through)
    close(ends[0]);
  return through;
}
