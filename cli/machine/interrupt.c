/* SPDX-License-Identifier: MIT */
#include "cli/machine/interrupt.h"
#include <signal.h>
#include <stddef.h>

struct live_stop interrupt_stop;

static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
enum { SIGNALS = sizeof signals / sizeof *signals };
static struct sigaction before[SIGNALS];
static void (*at_signal)(void);

static void on_signal(int number)
{
  if (!interrupt_stop.number)
    interrupt_stop.number = number;
  interrupt_stop.count++;
  if (at_signal)
    at_signal();
}

void interrupt_begin(void (*action)(void))
{
  const struct sigaction handler = {.sa_handler = on_signal};

  at_signal = action;
  for (unsigned i = 0; i < SIGNALS; i++) {
    sigaction(signals[i], &handler, &before[i]);
    if (signals[i] == SIGHUP && before[i].sa_handler == SIG_IGN)
      sigaction(SIGHUP, &before[i], NULL);
  }
}

void interrupt_end(void)
{
  for (unsigned i = 0; i < SIGNALS; i++)
    sigaction(signals[i], &before[i], NULL);
}
