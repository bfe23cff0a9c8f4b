/* SPDX-License-Identifier: MIT */
/* Threads (or processes) for --sample-intervals, each with a million steps or more.
 * usage: sampled_threads private|shared|handed|streamed|turns|processes THREADS STEPS
 * private    each thread adds up an array of its own, all meet every 100,000 steps
 * shared     the same, and every 16th step adds to a word that all threads have
 * handed     an array goes from thread to thread, each writes it: its lines move from core to core
 * streamed   an array goes from thread to thread, each reads it and fills it past the caches
 * turns      the first thread fills a small array in 2,048 steps, then the others add it up twice
 * processes  each is a process that the first one starts, one after the other */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __x86_64__
#include <emmintrin.h>
#endif

enum { WORDS = 1 << 16, MEET = 100000, TURN = 2048, THREADS_MOST = 16 };

static enum { PRIVATE, SHARED, HANDED, STREAMED, TURNS, PROCESSES } kind;
static unsigned threads;
static uint64_t steps, word __attribute__((aligned(64)));
static uint64_t *arrays[THREADS_MOST];
static pthread_barrier_t meeting;

static void word_stream(uint64_t *at, uint64_t value)
{
#ifdef __x86_64__
  _mm_stream_si64((long long *)at, (long long)value);
#else
  *(volatile uint64_t *)at = value;
#endif
}

/* Reads the array, then fills it. */
static uint64_t steps_streamed(uint64_t *array)
{
  uint64_t sum = 0;

  for (uint64_t i = 0; i < MEET / 2; i++)
    sum += ((volatile uint64_t *)array)[i];
  for (uint64_t i = 0; i < MEET / 2; i++)
    word_stream(&array[i], sum + i);
  return sum;
}

/* Steps of a thread between two barriers. */
static uint64_t steps_until_meeting(uint64_t *array, uint64_t begin)
{
  uint64_t x = begin * 2654435761u + 1, sum = 0;

  for (uint64_t i = 0; i < MEET; i++) {
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    sum += array[x % WORDS]++;
    if (kind == SHARED && i % 16 == 0)
      __atomic_add_fetch(&word, 1, __ATOMIC_RELAXED);
  }
  return sum;
}

static void turns_take(unsigned me)
{
  volatile uint64_t *array = arrays[0];

  for (uint64_t done = 0; done < steps; done += TURN) {
    for (unsigned i = 0; i < TURN && !me; i++)
      array[i] = done + i;
    pthread_barrier_wait(&meeting);
    for (unsigned i = 0; i < 2 * TURN && me; i++)
      (void)array[i % TURN];
    pthread_barrier_wait(&meeting);
  }
}

static void *thread_steps(void *number)
{
  const unsigned me = (unsigned)(uintptr_t)number;
  uint64_t sum = 0;

  if (kind == TURNS)
    turns_take(me);
  for (uint64_t done = 0, turn = 0; done < steps && kind != TURNS; done += MEET, turn++) {
    uint64_t *array = arrays[kind == HANDED || kind == STREAMED ? (me + turn) % threads : me];

    sum += kind == STREAMED ? steps_streamed(array) : steps_until_meeting(array, done + me);
    if (threads > 1 && kind != PROCESSES)
      pthread_barrier_wait(&meeting);
  }
  return (void *)(uintptr_t)sum;
}

int main(int argc, char **argv)
{
  static const char *const kinds[] = {"private", "shared", "handed", "streamed", "turns", "processes"};
  pthread_t thread[THREADS_MOST];

  while (argc == 4 && kind <= PROCESSES && strcmp(argv[1], kinds[kind]) != 0)
    kind++;
  threads = argc == 4 ? (unsigned)strtoul(argv[2], NULL, 0) : 0;
  if (kind > PROCESSES || threads < 1 || threads > THREADS_MOST)
    return 2;
  steps = strtoull(argv[3], NULL, 0);
  pthread_barrier_init(&meeting, NULL, threads);
  for (unsigned i = 0; i < threads; i++)
    arrays[i] = calloc(WORDS, sizeof **arrays);
  for (unsigned i = 0; i < threads; i++)
    if (kind != PROCESSES) {
      pthread_create(&thread[i], NULL, thread_steps, (void *)(uintptr_t)i);
    } else {
      const pid_t child = fork();

      if (!child)
        _exit(thread_steps((void *)(uintptr_t)i) == NULL);
      waitpid(child, NULL, 0);
    }
  for (unsigned i = 0; i < threads && kind != PROCESSES; i++)
    pthread_join(thread[i], NULL);
  printf("%llu\n", (unsigned long long)word);
  return 0;
}
