/* SPDX-License-Identifier: MIT */
#include "cli/page/gnuplot.h"
#include <errno.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* Runs gnuplot with a script as its input and a file as its output. Returns 0, or an errno. */
static int gnuplot_spawn(int script, int output, int *ret_wait)
{
  extern char **environ;
  char name[] = "gnuplot", defaults[] = "-d", *const argv[] = {name, defaults, NULL};
  posix_spawn_file_actions_t actions;
  pid_t child;
  int error = posix_spawn_file_actions_init(&actions);
  if (error)
    return error;
  posix_spawn_file_actions_adddup2(&actions, script, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  error = posix_spawnp(&child, name, &actions, NULL, argv, environ);
  posix_spawn_file_actions_destroy(&actions);
  while (!error && waitpid(child, ret_wait, 0) < 0)
    error = errno == EINTR ? 0 : errno;
  return error;
}

/* Copies the file from its beginning. Returns 0, or an errno. */
static int gnuplot_copy(int from, FILE *to)
{
  char bytes[65536];
  ssize_t n;
  if (lseek(from, 0, SEEK_SET))
    return errno;
  while ((n = read(from, bytes, sizeof bytes)) > 0)
    if (fwrite(bytes, 1, (size_t)n, to) != (size_t)n)
      return errno;
  return n || fflush(to) ? errno : 0;
}

int gnuplot_run(int script, FILE *to, int *ret_wait)
{
  const int picture = memfd_create("picture", MFD_CLOEXEC);
  int error = picture < 0 ? errno : gnuplot_spawn(script, picture, ret_wait);
  if (!error && !*ret_wait)
    error = gnuplot_copy(picture, to);
  if (picture >= 0)
    close(picture);
  return error;
}
