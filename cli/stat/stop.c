/* SPDX-License-Identifier: MIT */
#include "cli/stat/stop.h"

#include <signal.h>

struct live_stop stat_stop;
void (*stat_at_signal)(void);

static void on_signal(int number)
{
  stat_stop.number = stat_stop.number ? stat_stop.number : number;
  stat_stop.count++;
  if (stat_at_signal)
    stat_at_signal();
}

/*
 * These signals end a measurement early, after everything has been restored. A lost terminal and a closed output must
 * therefore not end the process, unless its parent had the signals ignored (nohup), or the exporter reloads at them.
 * When a command is measured, host_command_go() lets it continue without a reader.
 */
void stat_handle_signals(void)
{
  static const struct {
    int number;
    bool by_default; /* unless the signal is ignored, or has another handler */
  } ends[] = {{SIGINT, false}, {SIGTERM, false}, {SIGHUP, true}, {SIGPIPE, true}};
  const struct sigaction action = {.sa_handler = on_signal};
  struct sigaction before;
  for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
    if (!ends[i].by_default || sigaction(ends[i].number, NULL, &before) || before.sa_handler == SIG_DFL)
      sigaction(ends[i].number, &action, NULL);
}
