/* SPDX-License-Identifier: MIT */
/* Starts processes or threads, each after the end of the one before; each reads 16,384 lines of its own once. They are
 * region `all`.
 * usage: begins process|thread NUMBER */
#define PMON_REGION_EMULATED_ONLY
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <pmon/region.h>

enum { LINES = 1 << 14, MOST = 16 };
static char memory[MOST][LINES * 64];

static void *read_lines(void *from)
{
  for (unsigned i = 0; i < LINES; i++)
    *(volatile char *)((char *)from + i * 64ul);
  return NULL;
}

static int run_process(char *from)
{
  int status = 1;

  if (fork() == 0) {
    read_lines(from);
    _exit(0);
  }
  return wait(&status) < 0 || status;
}

static int run_thread(char *from)
{
  pthread_t thread;

  return pthread_create(&thread, NULL, read_lines, from) || pthread_join(thread, NULL);
}

int main(int argc, char **argv)
{
  const int n = argc == 3 ? atoi(argv[2]) : 0;
  int bad = n < 1 || n > MOST;

  PMON_REGION_BEGIN("all");
  for (int i = 0; i < n && !bad; i++)
    bad = strcmp(argv[1], "thread") ? run_process(memory[i]) : run_thread(memory[i]);
  PMON_REGION_END("all");
  return bad;
}
