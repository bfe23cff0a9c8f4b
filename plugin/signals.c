/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Signals that the program's caller ignores. QEMU has handlers of its own for signals whose default action ends a
 * process, also where its caller ignores them: it only notes that the program ignores them. At execve() the host's
 * kernel resets handlers, so that the next program, under another emulator or without one, would have the default
 * action. So that they stay ignored, the host ignores them in this process, as it does once a program ignores a signal
 * by itself; QEMU replaces this when the program sets another action.
 *
 * Not so SIGSEGV and SIGBUS, for which QEMU always has handlers, whatever the program sets: the host's memory
 * protection stops writes to translated code. What the program sets for them is read from its system calls, and
 * the next emulator's plugin takes it as an argument. A program that is executed without an emulator has the default.
 */
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include "plugin/targets.h"
#include "plugin/trace.h"

enum { IGNORED = 1 }; /* SIG_IGN of all these targets, whose numbers of the two signals are the host's */

static sigset_t ignored; /* when the plugin was loaded, which is before QEMU sets its handlers */
static bool restored;
static const int memory_signal[] = {SIGSEGV, SIGBUS};
static unsigned memory_ignored; /* a bit for each of these */
static const struct target *target;
/* Of the system call that this thread makes: the bit of its signal, and whether it is to be ignored. */
static __thread unsigned call_signal, call_ignored;

static unsigned memory_bit(uint64_t number)
{
  for (unsigned i = 0; i < sizeof memory_signal / sizeof *memory_signal; i++)
    if (number == (uint64_t)memory_signal[i])
      return 1u << i;
  return 0;
}

static bool is_ignored(int number)
{
  struct sigaction is;
  return !sigaction(number, NULL, &is) && is.sa_handler == SIG_IGN;
}

void signals_install(const struct target *of_program, unsigned also_ignored)
{
  target = of_program;
  sigemptyset(&ignored);
  for (int number = 1; number < NSIG; number++) {
    const unsigned bit = memory_bit((uint64_t)number);

    if (also_ignored & bit)
      signal(number, SIG_IGN); /* as QEMU is to find it */
    if (bit)
      memory_ignored |= is_ignored(number) ? bit : 0;
    else if (is_ignored(number))
      sigaddset(&ignored, number);
  }
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

void signals_call(int64_t number, uint64_t a1, uint64_t a2)
{
  const int64_t *call = target ? target->call : NULL;
  const unsigned bit = memory_bit(a1);
  uint64_t handler = 0;

  call_signal = 0;
  if (!call || !bit || number < 0 ||
      (number != call[CALL_RT_SIGACTION] && number != call[CALL_SIGACTION] && number != call[CALL_SIGNAL]))
    return;
  if (number == call[CALL_SIGNAL])
    handler = a2;
  else if (!a2 || follow_read(a2, &handler, target->pointer_bytes) < target->pointer_bytes) /* it begins with it */
    return;
  call_signal = bit;
  call_ignored = handler == IGNORED ? bit : 0;
}

void signals_return(int64_t result)
{
  if (call_signal && result >= 0) {
    __atomic_fetch_and(&memory_ignored, ~call_signal, __ATOMIC_RELAXED);
    __atomic_fetch_or(&memory_ignored, call_ignored, __ATOMIC_RELAXED);
  }
  call_signal = 0;
}

unsigned signals_ignored(void)
{
  return __atomic_load_n(&memory_ignored, __ATOMIC_RELAXED);
}
