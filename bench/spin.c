/* SPDX-License-Identifier: MIT */
/* Two threads that pass a token to each other, or take a lock alternately, and work while they hold it: shows how the
 * order in which the host ran them affects simulated time.
 * usage: bench_spin spin|lock|mutex TURNS WORK */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static _Alignas(64) atomic_uint token;
static _Alignas(64) atomic_flag flag = ATOMIC_FLAG_INIT;
static _Alignas(64) pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static _Alignas(64) volatile unsigned long shared;
static const char *kind;
static unsigned long turns, work;

/* A loop of `work` iterations, then an increment of the shared number. */
static void work_do(void)
{
  unsigned long x = shared;

  for (unsigned long i = 0; i < work; i++)
    __asm__ volatile("" : "+r"(x));
  shared = x + 1;
}

static void *thread_run(void *argument)
{
  const unsigned self = argument != NULL;

  for (unsigned long i = 0; i < turns; i++)
    if (!strcmp(kind, "spin")) {
      while (atomic_load_explicit(&token, memory_order_acquire) != self)
        __builtin_ia32_pause();
      work_do();
      atomic_store_explicit(&token, !self, memory_order_release);
    } else if (!strcmp(kind, "lock")) {
      while (atomic_flag_test_and_set_explicit(&flag, memory_order_acquire))
        __builtin_ia32_pause();
      work_do();
      atomic_flag_clear_explicit(&flag, memory_order_release);
    } else {
      pthread_mutex_lock(&mutex);
      work_do();
      pthread_mutex_unlock(&mutex);
    }
  return NULL;
}

int main(int argc, char **argv)
{
  pthread_t other;

  if (argc != 4) {
    fprintf(stderr, "usage: %s spin|lock|mutex TURNS WORK\n", argv[0]);
    return 1;
  }
  kind = argv[1];
  turns = strtoul(argv[2], NULL, 0);
  work = strtoul(argv[3], NULL, 0);
  if (pthread_create(&other, NULL, thread_run, (void *)kind))
    return 1;
  thread_run(NULL);
  pthread_join(other, NULL);
  return shared == 2 * turns ? 0 : 1;
}
