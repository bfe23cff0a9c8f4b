/* SPDX-License-Identifier: MIT */
/*
 * Micro-benchmarks of a machine, as bench/probe.sh runs them: the latency of loads over a working set and from another
 * core's cache, the bandwidth of a thread's reads and copies, and binary searches. None measures time: the cost of a
 * step is the difference between runs with more and with fewer steps.
 * usage: probe KIND NUMBER...; bench/probe.sh has the kinds
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { LINE = 64, PAGE = 4096 };

static void *memory_get(size_t bytes)
{
  void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) {
    fputs("probe: no memory\n", stderr);
    exit(1);
  }
  return memory;
}

/* Follows `steps` dependent loads. The memory is all zeros, which the host keeps in one page until the first write; the
 * next place is computed from the last place and the loaded value. If the number of lines is a power of two, each line
 * comes once before any comes again. */
static uint64_t chain_follow(const char *memory, uint64_t lines, uint64_t at, uint64_t steps)
{
  while (steps--)
    at = (at * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407) +
          *(const volatile uint64_t *)(memory + at * LINE)) &
         (lines - 1);
  return at;
}

/* latency BYTES PASSES STEPS: `passes` times all lines (0: only a line of each page), then the steps. */
static uint64_t latency(const uint64_t *n)
{
  const char *memory = memory_get(n[0]);
  uint64_t at = 0;
  for (uint64_t page = 0; page < n[0]; page += PAGE)
    at |= *(const volatile uint64_t *)(memory + page);
  at = chain_follow(memory, n[0] / LINE, at, n[1] * (n[0] / LINE));
  return chain_follow(memory, n[0] / LINE, at, n[2]);
}

/* The kernels of STREAM (J. McCalpin), on three parts of the memory, and reading alone. */
static void kernel_read(double *own, size_t n)
{
  volatile double sink;
  double sum = 0;
  for (size_t i = 0; i < n; i += LINE / sizeof *own)
    sum += own[i];
  sink = sum;
  (void)sink;
}
static void kernel_copy(double *own, size_t n)
{
  memmove(own + n / 3, own, n / 3 * sizeof *own);
}
static void kernel_scale(double *own, size_t n)
{
  const size_t part = n / 3;
  for (size_t i = 0; i < part; i++)
    own[part + i] = 3 * own[i];
}
static void kernel_add(double *own, size_t n)
{
  const size_t part = n / 3;
  for (size_t i = 0; i < part; i++)
    own[2 * part + i] = own[i] + own[part + i];
}
static void kernel_triad(double *own, size_t n)
{
  const size_t part = n / 3;
  for (size_t i = 0; i < part; i++)
    own[2 * part + i] = own[i] + 3 * own[part + i];
}

/* read|copy|scale|add|triad BYTES TIMES THREADS: each thread has memory of its own. The threads begin together, after
 * each has passed through its memory once. */
static struct streams {
  void (*work)(double *own, size_t n);
  size_t bytes;
  uint64_t times;
  pthread_barrier_t begin;
} streams;
static void *stream_thread(void *unused)
{
  double *own = memory_get(streams.bytes);
  const size_t n = streams.bytes / sizeof *own;
  streams.work(own, n);
  pthread_barrier_wait(&streams.begin);
  for (uint64_t i = 0; i < streams.times; i++)
    streams.work(own, n);
  return unused;
}
static uint64_t stream(void (*work)(double *own, size_t n), const uint64_t *n)
{
  pthread_t thread[64];
  const unsigned threads = n[2] < 1 ? 1 : n[2] > 64 ? 64 : (unsigned)n[2];
  streams.work = work;
  streams.bytes = n[0];
  streams.times = n[1];
  pthread_barrier_init(&streams.begin, NULL, threads);
  for (unsigned i = 1; i < threads; i++)
    if (pthread_create(&thread[i], NULL, stream_thread, NULL))
      exit(1);
  stream_thread(NULL);
  for (unsigned i = 1; i < threads; i++)
    pthread_join(thread[i], NULL);
  return 0;
}

/* transfer BYTES STEPS: another thread follows dependent loads of lines that this one has written. */
static struct transfer {
  char *memory;
  uint64_t lines, steps;
} transfer;
static void *transfer_read(void *unused)
{
  transfer.steps = chain_follow(transfer.memory, transfer.lines, 0, transfer.steps);
  return unused;
}
static uint64_t transfer_measure(const uint64_t *n)
{
  pthread_t thread;
  transfer = (struct transfer){memory_get(n[0]), n[0] / LINE, n[1]};
  for (uint64_t i = 0; i < transfer.lines; i++)
    *(volatile uint64_t *)(transfer.memory + i * LINE) = 0;
  if (pthread_create(&thread, NULL, transfer_read, NULL))
    exit(1);
  pthread_join(thread, NULL);
  return transfer.steps;
}

/* search|search-even NUMBERS STEPS: binary searches for random numbers, with a branch or without. */
static uint64_t search(const uint64_t *n, bool even)
{
  uint64_t *sorted = memory_get(n[0] * sizeof *sorted), x = 88172645463325252u, sum = 0;
  for (uint64_t i = 0; i < n[0]; i++)
    sorted[i] = i * 2;
  for (uint64_t step = 0; step < n[1]; step++) {
    x ^= x << 13, x ^= x >> 7, x ^= x << 17;
    const uint64_t wanted = x % (2 * n[0]);
    const uint64_t *first = sorted;
    for (uint64_t half = n[0] / 2; half; half /= 2) {
      if (even)
        first += (0 - (uint64_t)(first[half] <= wanted)) & half;
      else if (first[half] <= wanted) {
        __asm__ volatile("" ::: "memory"); /* keeps the branch */
        first += half;
      }
    }
    sum += *first;
  }
  return sum;
}

static uint64_t probe_run(const char *kind, const uint64_t *n)
{
  static const struct {
    const char *name;
    void (*work)(double *own, size_t n);
  } kernels[] = {{"read", kernel_read},
                 {"copy", kernel_copy},
                 {"scale", kernel_scale},
                 {"add", kernel_add},
                 {"triad", kernel_triad}};
  for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
    if (!strcmp(kind, kernels[i].name))
      return stream(kernels[i].work, n);
  if (!strcmp(kind, "latency"))
    return latency(n);
  if (!strcmp(kind, "transfer"))
    return transfer_measure(n);
  if (!strncmp(kind, "search", 6))
    return search(n, kind[6] == '-');
  fprintf(stderr, "probe: no such kind: %s\n", kind);
  exit(1);
}

int main(int argc, char **argv)
{
  uint64_t n[3] = {0};
  for (int i = 2; i < argc && i < 5; i++)
    n[i - 2] = strtoull(argv[i], NULL, 0);
  return argc < 3 || probe_run(argv[1], n) == UINT64_MAX;
}
