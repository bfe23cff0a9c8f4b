/* SPDX-License-Identifier: MIT */
#include "cli/machine/interrupt.h"
#include <stddef.h>

static const int signals[INTERRUPT_SIGNALS] = {SIGINT, SIGTERM, SIGHUP};

void interrupt_begin(void (*handler)(int number), struct interrupt_saved *ret_saved)
{
  const struct sigaction action = {.sa_handler = handler};

  for (unsigned i = 0; i < INTERRUPT_SIGNALS; i++) {
    sigaction(signals[i], &action, &ret_saved->before[i]);
    if (signals[i] == SIGHUP && ret_saved->before[i].sa_handler == SIG_IGN)
      sigaction(SIGHUP, &ret_saved->before[i], NULL);
  }
}

void interrupt_end(const struct interrupt_saved *saved)
{
  for (unsigned i = 0; i < INTERRUPT_SIGNALS; i++)
    sigaction(signals[i], &saved->before[i], NULL);
}
