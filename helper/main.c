/* SPDX-License-Identifier: MIT */
/*
 * pmon-access: accesses the monitoring registers of this host for users who lack the permission. It is the only program
 * of pmon that may have privileges of its own (docs/security.md). It takes no arguments, no environment and no files:
 * its standard input is a socket that pmon made.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>
#include "helper/serve.h"
#include "src/base/signals.h"

enum { USAGE = 2 };

#ifdef HELPER_TREE /* the tests' copy: registers in a tree of files, which its caller can choose as little as /dev */
static const struct pmon_system tree = {.size = sizeof tree,
                                        .dev = HELPER_TREE "/dev",
                                        .sys = HELPER_TREE "/sys",
                                        .proc = HELPER_TREE "/proc",
                                        .end_fd = -1};
#define HELPER_SYSTEM &tree
#else
#define HELPER_SYSTEM NULL
#endif

/* Signals to a process group, as of a terminal or of timeout, and to a service are for pmon, which still needs the
 * registers to restore them. This program ends when pmon closes the socket. */
static void ignore_endings(void)
{
  static const int endings[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
  for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
    signal(endings[i], SIG_IGN);
}

int main(int argc, char **argv)
{
  struct signal_settings signals;
  (void)argv;
  signals_take(&signals); /* a blocked SIGBUS would not reach its handler */
  ignore_endings();
  clearenv();
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
    if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDWR) != fd)
      return USAGE;
  if (close_range(STDERR_FILENO + 1, ~0U, 0) || chdir("/"))
    return USAGE;
  umask(077);
  prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
  if (argc != 1 || !helper_check_socket(STDIN_FILENO)) {
    fputs("pmon-access is started by pmon\n", stderr);
    return USAGE;
  }
  _exit(helper_serve(STDIN_FILENO, HELPER_SYSTEM));
}
