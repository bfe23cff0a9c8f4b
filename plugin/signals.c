/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Signals that the program's caller ignores. QEMU installs its own handlers for signals whose default action terminates
 * a process, even if the caller ignores them: it only remembers that the program ignores them. At execve() the host's
 * kernel resets handlers, so the next program, under another emulator or without one, would get the default action. To
 * keep the signals ignored, the plugin makes the host ignore them in this process, as QEMU does when a program ignores
 * a signal by itself; QEMU replaces this when the program sets another action.
 *
 * SIGSEGV and SIGBUS are exceptions: QEMU always needs its handlers for them, because the host's memory protection
 * stops writes to translated code. The plugin reads from the system calls what the program sets for them, and passes it
 * to the next emulator's plugin as an argument. A program that is executed without an emulator gets the default action.
 *
 * A signal that comes before execve() must not be lost. QEMU's handler stores it and blocks all signals until QEMU
 * delivers it, after the system call; the next program would start without the signal and with all signals blocked.
 */
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "plugin/targets.h"
#include "plugin/trace.h"

enum { IGNORED = 1 }; /* SIG_IGN on all these targets; their numbers of the two signals are the host's */

static sigset_t ignored; /* at the time the plugin was loaded, before QEMU installs its handlers */
static bool restored;
static const int memory_signal[] = {SIGSEGV, SIGBUS};
static unsigned memory_ignored; /* ignored memory signals: one bit each */
static const struct target *target;
/* The bit of the signal that this thread's current system call sets, and whether it is set to ignored. */
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
      signal(number, SIG_IGN); /* so that QEMU finds it ignored */
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
  else if (!a2 || follow_read(a2, &handler, target->pointer_bytes) < target->pointer_bytes) /* its first field */
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

static bool mask_change(uint64_t mask, uint64_t *ret_before)
{
  return !syscall(SYS_rt_sigprocmask, SIG_SETMASK, &mask, ret_before, sizeof mask); /* the kernel's set, not libc's */
}

/* The C library keeps signal 32 for itself and never blocks it: only QEMU's handler does. */
bool signals_hold(uint64_t *ret_blocked)
{
  const uint64_t not_held = UINT64_C(1) << (SIGSEGV - 1) | UINT64_C(1) << (SIGBUS - 1), of_library = UINT64_C(1) << 31;

  *ret_blocked = 0;
  if (!mask_change(~not_held, ret_blocked))
    return true;
  if (!(*ret_blocked & of_library))
    return true;
  signals_release(*ret_blocked);
  return false;
}

void signals_release(uint64_t blocked)
{
  uint64_t before;

  mask_change(blocked, &before);
}

unsigned signals_ignored(void)
{
  return __atomic_load_n(&memory_ignored, __ATOMIC_RELAXED);
}
