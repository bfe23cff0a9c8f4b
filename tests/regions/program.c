/* SPDX-License-Identifier: MIT */
/*
 * A program with regions whose memory accesses are known: each region reads a known number of 64-byte lines that
 * nothing has read before. The argument selects what the program does.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <pmon/region.h>

enum { LINE = 64, MOST_LINES = 1 << 16 };

static char *memory;
static size_t next_line;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Reads n lines, each for the first time. */
static void read_lines(size_t n)
{
  pthread_mutex_lock(&lock);
  const volatile char *from = memory + next_line * LINE;
  next_line += n;
  pthread_mutex_unlock(&lock);
  for (size_t i = 0; i < n; i++)
    (void)from[i * LINE];
}

static void simple(void)
{
  read_lines(500);
  PMON_REGION_BEGIN("first");
  read_lines(1000);
  PMON_REGION_END("first");
  read_lines(700);
  PMON_REGION_BEGIN("second, with \"quotes\" and 100%");
  read_lines(3000);
  PMON_REGION_END("second, with \"quotes\" and 100%");
}

/* Runs a loop of two instructions n times. */
static void count_down(unsigned long n)
{
#ifdef __x86_64__
  __asm__ volatile("1: dec %0\n\tjnz 1b" : "+r"(n)::"cc");
#else
  while (n)
    __asm__ volatile("" : "+r"(n) : "r"(n--));
#endif
}

/* Two regions that differ by 10000 iterations of a loop. */
static void loops(void)
{
  PMON_REGION_BEGIN("short");
  count_down(1000);
  PMON_REGION_END("short");
  PMON_REGION_BEGIN("other");
  count_down(11000);
  PMON_REGION_END("other");
}

static void nested(void)
{
  PMON_REGION_BEGIN("outer");
  read_lines(1000);
  for (int i = 0; i < 10; i++) {
    PMON_REGION_BEGIN("inner");
    read_lines(200);
    PMON_REGION_END("inner");
  }
  PMON_REGION_END("outer");
}

static void overlapping(void)
{
  PMON_REGION_BEGIN("left");
  read_lines(1000);
  PMON_REGION_BEGIN("right");
  read_lines(2000);
  PMON_REGION_END("left");
  read_lines(4000);
  PMON_REGION_END("right");
}

static void recursive(int depth)
{
  PMON_REGION_BEGIN("recursive");
  read_lines(500);
  if (depth)
    recursive(depth - 1);
  PMON_REGION_END("recursive");
}

static void named(void)
{
  for (int i = 0; i < 3; i++) {
    char name[16];

    snprintf(name, sizeof name, "step %d", i);
    pmon_region_begin(name);
    read_lines(1000 * (size_t)(i + 1));
    pmon_region_end(name);
  }
  pmon_region_begin(" step 0"); /* another name */
  read_lines(500);
  pmon_region_end(" step 0");
}

static void unbalanced(void)
{
  PMON_REGION_END("never began");
  PMON_REGION_BEGIN("never ends");
  read_lines(1000);
}

/* Barriers keep one thread in its region while the other waits, so that they never read concurrently. */
static pthread_barrier_t barrier;

static void *thread(void *data)
{
  const int mine = *(const int *)data;

  for (int i = 0; i < 2; i++) {
    pthread_barrier_wait(&barrier);
    if (i != mine)
      continue;
    PMON_REGION_BEGIN("shared");
    read_lines(mine ? 4000 : 1000);
    PMON_REGION_END("shared");
  }
  pthread_barrier_wait(&barrier);
  return NULL;
}

static void *thread_that_ends(void *data)
{
  (void)data;
  unbalanced();
  return NULL;
}

static void threads(void *(*run)(void *), unsigned n)
{
  static const int number[2] = {0, 1};
  pthread_t other[2];

  pthread_barrier_init(&barrier, NULL, n);
  for (unsigned i = 0; i < n; i++)
    if (pthread_create(&other[i], NULL, run, (void *)(uintptr_t)&number[i]))
      exit(1);
  for (unsigned i = 0; i < n; i++)
    pthread_join(other[i], NULL);
}

int main(int argc, char **argv)
{
  const char *what = argc > 1 ? argv[1] : "";

  memory = mmap(NULL, (size_t)MOST_LINES * LINE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    return 1;
  memset(memory, 1, LINE);
  if (!strcmp(what, "simple"))
    simple();
  else if (!strcmp(what, "loops"))
    loops();
  else if (!strcmp(what, "nested"))
    nested();
  else if (!strcmp(what, "overlapping"))
    overlapping();
  else if (!strcmp(what, "recursive"))
    recursive(3);
  else if (!strcmp(what, "named"))
    named();
  else if (!strcmp(what, "unbalanced"))
    unbalanced();
  else if (!strcmp(what, "threads"))
    threads(thread, 2);
  else if (!strcmp(what, "thread-ends")) {
    threads(thread_that_ends, 1);
    read_lines(20000);
  } else
    return 2;
  return 0;
}
