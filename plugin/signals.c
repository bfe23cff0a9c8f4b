/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Signals that the program's caller ignores. QEMU has handlers of its own for signals whose default action ends a
 * process, also where its caller ignores them: it only notes that the program ignores them. At execve() the host's
 * kernel resets handlers, so that the next program, under another emulator or without one, would have the default
 * action. So that they stay ignored, the host ignores them in this process, as it does once a program ignores a signal
 * by itself; QEMU replaces this when the program sets another action.
 */
#include <signal.h>
#include <stddef.h>
#include "plugin/trace.h"

static sigset_t ignored; /* when the plugin was loaded, which is before QEMU sets its handlers */
static bool restored;

/* Faults of the emulated code reach QEMU as these. */
static bool is_of_emulator(int number)
{
  return number == SIGSEGV || number == SIGBUS || number == SIGILL || number == SIGFPE || number == SIGTRAP;
}

void signals_install(void)
{
  struct sigaction is;
  sigemptyset(&ignored);
  for (int number = 1; number < NSIG; number++)
    if (!is_of_emulator(number) && !sigaction(number, NULL, &is) && is.sa_handler == SIG_IGN)
      sigaddset(&ignored, number);
}

void signals_look(void)
{
  if (restored)
    return;
  restored = true;
  for (int number = 1; number < NSIG; number++)
    if (sigismember(&ignored, number) == 1)
      signal(number, SIG_IGN);
}
