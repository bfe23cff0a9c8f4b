/* SPDX-License-Identifier: MIT */
/* Usage: wait-for-signal PID-FILE READY [HANDLED]. Writes its process ID to the file, a line to the pipe READY, and
 * waits for a signal, whose action is the caller's; with HANDLED, it writes the number of the first one to that file,
 * and ends.
 *
 * A shell is no such program. dash handles SIGINT: one that comes before it opens a pipe takes effect after that only,
 * which may be never. Its trap for a signal that comes while it starts a process may send that process a signal which
 * has no effect yet: the process remains. */
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

static volatile sig_atomic_t handled;

static void on_signal(int number)
{
  handled = number;
}

static int put_number(const char *path, int number)
{
  FILE *f = fopen(path, "w");
  return f && fprintf(f, "%d\n", number) > 0 && !fclose(f) ? 0 : 1;
}

/* Blocked until the program waits for them: earlier signals are delivered then. */
static int handle_signals(sigset_t *ret_before)
{
  static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
  const struct sigaction action = {.sa_handler = on_signal};
  sigset_t set;
  int status = sigemptyset(&set);
  for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
    status |= sigaddset(&set, signals[i]) | sigaction(signals[i], &action, NULL);
  return status | sigprocmask(SIG_BLOCK, &set, ret_before);
}

int main(int argc, char **argv)
{
  sigset_t mask;
  const char *const handles = argc == 4 ? argv[3] : NULL;
  if (argc < 3 || argc > 4 || (handles && handle_signals(&mask)) || put_number(argv[1], (int)getpid()) ||
      put_number(argv[2], 0))
    return 1;
  while (!handled)
    if (handles)
      sigsuspend(&mask);
    else
      pause();
  return put_number(handles, handled);
}
