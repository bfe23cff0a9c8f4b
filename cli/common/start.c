/* SPDX-License-Identifier: MIT */
#include "cli/common/start.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

void start_open_standard_descriptors(void)
{
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
    if (fcntl(fd, F_GETFD) >= 0 || errno != EBADF)
      continue;
    /* Opens /dev/null as `fd`, the lowest free descriptor, in the mode in which it is not used, so that any use fails
     * with EBADF. */
    int opened = open("/dev/null", (fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) | O_CLOEXEC);
    if (opened < 0)
      opened = open("/", O_PATH | O_CLOEXEC); /* the root directory has no /dev */
    if (opened != fd)
      _exit(1);
  }
}

static void file_limit_reached(int number)
{
  (void)number; /* write() returns EFBIG, which its caller reports */
}

void start_handle_file_limit(void)
{
  struct sigaction before, action = {.sa_handler = file_limit_reached, .sa_flags = SA_RESTART};
  if (!sigaction(SIGXFSZ, NULL, &before) && before.sa_handler != SIG_IGN)
    sigaction(SIGXFSZ, &action, NULL);
}

int start_finish_output(int result)
{
  const int failed = fflush(stdout) ? errno : ferror(stdout) ? EIO : 0;
  if (!failed)
    return result;
  fprintf(stderr, "pmon: standard output: %s\n", strerror(failed));
  return result ? result : 1;
}
