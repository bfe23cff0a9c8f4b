/* SPDX-License-Identifier: MIT */
/*
 * Preloaded before the C library (LD_PRELOAD): the process gets a signal at the last moment before another program
 * takes its place. SIGNAL_AT=execve: SIGTERM, if an emulator is executed with an argument "victim". SIGNAL_AT=execvp:
 * the parent gets SIGTERM, and the call waits until the parent has passed it on. SIGNAL_AT=bind: SIGTERM, after a
 * socket has got its address.
 */
#include <dlfcn.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

static bool is_wanted(const char *call)
{
  const char *at = getenv("SIGNAL_AT");
  return at && !strcmp(at, call);
}

static bool has_victim(char *const argv[])
{
  for (; *argv; argv++)
    if (!strcmp(*argv, "victim"))
      return true;
  return false;
}

int execve(const char *path, char *const argv[], char *const environment[])
{
  static int (*next)(const char *, char *const[], char *const[]);
  void *found = dlsym(RTLD_NEXT, "execve");
  memcpy(&next, &found, sizeof next);
  if (is_wanted("execve") && strstr(path, "qemu") && has_victim(argv))
    kill(getpid(), SIGTERM);
  return next(path, argv, environment);
}

int execvp(const char *file, char *const argv[])
{
  static int (*next)(const char *, char *const[]);
  void *found = dlsym(RTLD_NEXT, "execvp");
  memcpy(&next, &found, sizeof next);
  if (is_wanted("execvp")) {
    sigset_t term, before;
    sigemptyset(&term);
    sigaddset(&term, SIGTERM);
    sigprocmask(SIG_BLOCK, &term, &before);
    kill(getppid(), SIGTERM);
    sigsuspend(&before);
    sigprocmask(SIG_SETMASK, &before, NULL);
  }
  return next(file, argv);
}

int bind(int fd, const struct sockaddr *address, socklen_t size)
{
  const int result = (int)syscall(SYS_bind, fd, address, size);
  if (is_wanted("bind"))
    kill(getpid(), SIGTERM);
  return result;
}
