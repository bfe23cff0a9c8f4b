/* SPDX-License-Identifier: MIT */
/*
 * Signal settings inherited from a program's caller. A program starts with its caller's blocked and ignored signals,
 * which it may not expect: if SIGCHLD is ignored, the exit statuses of child processes are lost, and a blocked signal
 * neither ends a measurement nor reaches its handler. pmon stores the settings at its start, and restores them in the
 * program that it measures, as env and nohup pass them on: a program must run as it does without pmon, nohup must work
 * for the whole command line, and `env --ignore-signal` before pmon applies to the program. (Linux perf has handlers
 * for SIGCHLD and SIGINT when it starts the program, so that an ignored SIGCHLD is lost.) This is a header because the
 * machine's library and pmon-access cannot link it otherwise.
 */
#ifndef SRC_BASE_SIGNALS_H
#define SRC_BASE_SIGNALS_H

#include <signal.h>
#include <stddef.h>
#include <unistd.h>

struct signal_settings {
  sigset_t blocked, ignored;
};

/* Called at a program's start: stores the settings, and changes those that would break the program: no signal is
 * blocked, SIGCHLD has its default action. Other signals that are ignored stay ignored; code that installs a handler
 * decides whether the handler takes precedence. */
static inline void signals_take(struct signal_settings *ret)
{
  struct sigaction is;
  sigset_t none;
  sigemptyset(&none);
  ret->ignored = none;
  for (int number = 1; number < NSIG; number++)
    if (!sigaction(number, NULL, &is) && is.sa_handler == SIG_IGN)
      sigaddset(&ret->ignored, number);
  signal(SIGCHLD, SIG_DFL);
  sigprocmask(SIG_SETMASK, &none, &ret->blocked);
}

/* fork(), after which the child has this process's ignored and blocked signals, but no handlers: a handler of this
 * process would take a signal that is meant for the program which the child is about to execute. */
static inline pid_t signals_fork(void)
{
  struct sigaction is;
  sigset_t all, before;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, &before);
  const pid_t pid = fork();
  for (int number = 1; !pid && number < NSIG; number++)
    if (!sigaction(number, NULL, &is) && is.sa_handler != SIG_IGN)
      signal(number, SIG_DFL);
  sigprocmask(SIG_SETMASK, &before, NULL);
  return pid;
}

/* Called in a child process before it executes the measured program: restores the settings of signals_take(). NULL:
 * does nothing. */
static inline void signals_restore(const struct signal_settings *settings)
{
  struct sigaction is;
  if (!settings)
    return;
  for (int number = 1; number < NSIG; number++)
    if (sigismember(&settings->ignored, number) == 1)
      signal(number, SIG_IGN);
    else if (!sigaction(number, NULL, &is) && is.sa_handler == SIG_IGN)
      signal(number, SIG_DFL);
  sigprocmask(SIG_SETMASK, &settings->blocked, NULL);
}

#endif
