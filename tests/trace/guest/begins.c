/* SPDX-License-Identifier: MIT */
/* Starts processes or threads, each after the end of the one before; each reads 16,384 lines of its own once. Or two
 * threads read such lines alternately, and pass turns by pipes. This is region `all`.
 * usage: begins process|thread|turn NUMBER */
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

/* The other thread of turns: has every second one. */
static int pipes[2][2];
static void *have_turns(void *n)
{
  char c = 0;

  if (write(pipes[1][1], &c, 1) != 1) /* it has begun */
    abort();
  for (int i = 1; i < *(int *)n; i += 2)
    if (read(pipes[0][0], &c, 1) == 1 && read_lines(memory[i]) == NULL && write(pipes[1][1], &c, 1) != 1)
      abort();
  return NULL;
}

static int run_turns(int n)
{
  pthread_t thread;
  char c = 0;
  int bad = pipe(pipes[0]) || pipe(pipes[1]) || pthread_create(&thread, NULL, have_turns, &n) ||
            read(pipes[1][0], &c, 1) != 1;

  for (int i = 0; i < n && !bad; i += 2) {
    read_lines(memory[i]);
    bad = i + 1 < n && (write(pipes[0][1], &c, 1) != 1 || read(pipes[1][0], &c, 1) != 1);
  }
  return bad || pthread_join(thread, NULL);
}

int main(int argc, char **argv)
{
  const int n = argc == 3 ? atoi(argv[2]) : 0;
  int bad = n < 1 || n > MOST;

  PMON_REGION_BEGIN("all");
  if (!bad && !strcmp(argv[1], "turn"))
    bad = run_turns(n);
  else
    for (int i = 0; i < n && !bad; i++)
      bad = strcmp(argv[1], "thread") ? run_process(memory[i]) : run_thread(memory[i]);
  PMON_REGION_END("all");
  return bad;
}
