/* SPDX-License-Identifier: MIT */
/*
 * Measures how fast a recorded trace is replayed: by the reader alone, and by the reference machine with two
 * sockets.
 * usage: bench_replay FILE [TIMES [HOST-THREADS]]
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "machine/config.h"
#include "machine/machine.h"
#include "machine/trace/ring.h"
#include "machine/trace/source.h"
#include "machine/trace/workload.h"

static double bench_replay_seconds(void)
{
  struct timespec t;

  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static _Noreturn void die(const char *error)
{
  fprintf(stderr, "bench_replay: %s\n", error);
  exit(2);
}

static unsigned host_threads = 1;

static struct trace_source *open_trace(const char *path)
{
  char error[TRACE_ERROR_SIZE];
  struct trace_source *s;

  if (trace_open(path, error, sizeof error, &s) < 0)
    die(error);
  trace_source_ahead(s, host_threads);
  return s;
}

/* Makes one pass over the current blocks of all threads, and counts accesses. False at the end. */
static bool bench_replay_take(struct trace_source *s, uint64_t *accesses)
{
  unsigned threads;
  bool ended, any = false;

  if (s->ops->poll(s, &threads, &ended) < 0)
    die(s->error);
  for (unsigned i = 0; i < threads; i++) {
    struct trace_window w;

    if (s->ops->window(s, i, &w) < 0)
      die(s->error);
    for (size_t k = 0; k < w.n; k++)
      *accesses += !record_is_block(w.record[k]);
    any |= w.n != 0;
    ended &= !w.n && w.state == TRACE_ENDED;
    s->ops->consume(s, i, w.n);
  }
  if (!any && !ended && s->ops->await(s, TRACE_ANY) < 0)
    die(s->error);
  return !ended;
}

static double bench_replay_read_all(const char *path, uint64_t *accesses)
{
  struct trace_source *s = open_trace(path);
  double begin = bench_replay_seconds();

  *accesses = 0;
  while (bench_replay_take(s, accesses))
    ;
  trace_source_free(s);
  return bench_replay_seconds() - begin;
}

static double run_all(const char *path)
{
  char error[TRACE_ERROR_SIZE];
  struct placement *placement;
  struct machine_workload *w;
  struct machine_config config;
  struct machine *m;
  bool ended;
  double begin;

  machine_config_init(&config);
  if (machine_new(&config, error, sizeof error, &m) < 0 ||
      placement_new(NULL, (unsigned)config.value[CONFIG_SOCKETS], (unsigned)config.value[CONFIG_CORES], error,
                    sizeof error, &placement) < 0)
    die(error);
  if (trace_workload_new(open_trace(path), placement, &w) < 0)
    die("out of memory");
  machine_attach(m, w);
  begin = bench_replay_seconds();
  if (machine_run(m, UINT64_MAX, &ended, error, sizeof error) < 0)
    die(error);
  begin = bench_replay_seconds() - begin;
  machine_free(m);
  return begin;
}

int main(int argc, char **argv)
{
  int times = argc > 2 ? atoi(argv[2]) : 3;
  double reader = 1e9, whole = 1e9;
  uint64_t accesses = 0;

  host_threads = argc > 3 ? (unsigned)atoi(argv[3]) : 1;
  if (argc < 2 || times < 1 || !host_threads)
    die("usage: bench_replay FILE [TIMES [HOST-THREADS]]");
  for (int i = 0; i < times; i++) {
    double r = bench_replay_read_all(argv[1], &accesses), m = run_all(argv[1]);

    reader = r < reader ? r : reader;
    whole = m < whole ? m : whole;
  }
  printf("%s: %.1f million accesses, best of %d\n", argv[1], (double)accesses * 1e-6, times);
  printf("  reader alone        %8.1f million accesses/s\n", (double)accesses / reader * 1e-6);
  printf("  two-socket machine  %8.1f million accesses/s\n", (double)accesses / whole * 1e-6);
  return 0;
}
