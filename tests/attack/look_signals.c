/* SPDX-License-Identifier: MIT */
/* Prints the signals that it inherited as ignored or blocked; exit status 3. */
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

int main(void)
{
  sigset_t blocked;
  struct sigaction is;
  sigprocmask(SIG_BLOCK, NULL, &blocked);
  for (int number = 1; number < NSIG; number++) {
    const bool ignored = !sigaction(number, NULL, &is) && is.sa_handler == SIG_IGN;
    const bool waits = sigismember(&blocked, number) == 1;
    if (ignored || waits)
      printf("%s%s%s\n", sigabbrev_np(number), ignored ? " ignored" : "", waits ? " blocked" : "");
  }
  return 3;
}
