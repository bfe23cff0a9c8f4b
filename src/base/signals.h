/* SPDX-License-Identifier: MIT */
/*
 * What a program's caller set up for its signals. A program starts with its caller's blocked and ignored signals, which
 * it may not expect: where SIGCHLD is ignored, the exit statuses of child processes are lost, and a blocked signal
 * neither ends a measurement nor reaches its handler. pmon takes the settings at its start, and restores them in the
 * program that it measures, as env and nohup pass them on: a program must run as it does without pmon, nohup must work
 * around the whole line, and `env --ignore-signal` before pmon means the program. (Linux perf has handlers for SIGCHLD
 * and SIGINT when it starts the program, so that an ignored SIGCHLD is lost.) In a header, as the machine's library and
 * pmon-access have no other way to it.
 */
#ifndef SRC_BASE_SIGNALS_H
#define SRC_BASE_SIGNALS_H

#include <signal.h>
#include <stddef.h>

struct signal_settings {
  sigset_t blocked, ignored;
};

/* At a program's start: stores the settings, and changes those that would break it: no signal is blocked, SIGCHLD has
 * its default action. Signals that are ignored stay so; who handles one decides whether that takes precedence. */
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

/* In a child process, before it executes the measured program: what signals_take() stored. NULL: does nothing. */
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
