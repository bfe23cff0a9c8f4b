/* SPDX-License-Identifier: MIT */
#include "machine/trace/guest.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include <pmon/status.h>
#include "machine/trace/area.h"

struct guest {
  struct trace_source base;
  struct ring_area *area;
  int fd, wake;
  unsigned processors;
  bool stands, sleeps;
  uint64_t read[RING_THREADS]; /* number of words copied */
  struct guest_copy *copy;     /* one per processor */
};

enum { COPY_WORDS = 2048 };

/* The next words of a processor. */
struct guest_copy {
  size_t n, taken;
  uint64_t word[COPY_WORDS];
};

/* Returns the number of words of that processor that can be consumed. While the processors are stopped, unpublished
 * words count, too. */
static uint64_t guest_available(const struct guest *g, unsigned processor)
{
  const struct ring *r = &g->area->ring[processor];
  uint64_t end = __atomic_load_n(g->stands ? &r->head : &r->published, __ATOMIC_ACQUIRE);

  return end > g->read[processor] ? end - g->read[processor] : 0;
}

static int guest_poll(struct trace_source *s, unsigned *ret_threads, bool *ret_ended)
{
  *ret_threads = ((struct guest *)s)->processors;
  *ret_ended = false;
  return 0;
}

static bool guest_has_records(const struct guest *g)
{
  for (unsigned i = 0; i < g->processors; i++)
    if (g->copy[i].taken < g->copy[i].n || guest_available(g, i))
      return true;
  return false;
}

/* Does not wait, because the caller lets the processors continue. Requests the bell for the next record. */
static int guest_await(struct trace_source *s, unsigned thread)
{
  struct guest *g = (struct guest *)s;

  (void)thread;
  __atomic_store_n(&g->area->reader_waits, 1, __ATOMIC_RELAXED);
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  if (guest_has_records(g))
    return 0;
  return g->sleeps ? TRACE_SLEEP : TRACE_REST;
}

static int guest_window(struct trace_source *s, unsigned thread, struct trace_window *ret)
{
  struct guest *g = (struct guest *)s;
  struct ring *r = &g->area->ring[thread];
  struct guest_copy *copy = &g->copy[thread];

  if (copy->taken == copy->n) {
    const uint64_t from = g->read[thread];
    const ptrdiff_t n = ring_copy(r, from, from + guest_available(g, thread), copy->word, COPY_WORDS);

    if (n < 0) {
      snprintf(s->error, sizeof s->error, "the shared memory of the guest's accesses is damaged");
      return PMON_E_SYNTAX;
    }
    copy->n = (size_t)n;
    copy->taken = 0;
    g->read[thread] += copy->n;
    if (n)
      ring_give_room(r, g->read[thread]);
  }
  *ret = (struct trace_window){.record = copy->word + copy->taken,
                               .n = copy->n - copy->taken,
                               .state = copy->taken < copy->n ? TRACE_RUNNING : TRACE_BLOCKED};
  return 0;
}

static void guest_consume(struct trace_source *s, unsigned thread, size_t n)
{
  struct guest *g = (struct guest *)s;

  g->copy[thread].taken += n;
}

static void guest_free(struct trace_source *s)
{
  struct guest *g = (struct guest *)s;

  ring_area_free(g->fd, g->area);
  free(g->copy);
  if (g->wake >= 0)
    close(g->wake);
  free(g);
}

static const struct trace_source_ops ops = {guest_poll, guest_await, guest_window, guest_consume, guest_free, NULL};

int guest_open(unsigned processors, char *error, size_t error_size, struct guest **ret_guest)
{
  struct guest *g = calloc(1, sizeof *g);
  int rc;

  if (!g) {
    snprintf(error, error_size, "out of memory");
    return PMON_E_MEMORY;
  }
  g->base.ops = &ops;
  g->processors = processors;
  g->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  rc = ring_area_new(&g->fd, &g->area);
  if (rc == 0 && g->wake < 0)
    rc = PMON_E_IO;
  if (rc == 0 && !(g->copy = calloc(RING_THREADS, sizeof *g->copy)))
    rc = PMON_E_MEMORY;
  if (rc < 0) {
    snprintf(error, error_size, "cannot create shared memory for the guest's accesses: %s", strerror(errno));
    guest_free(&g->base);
    return rc;
  }
  *ret_guest = g;
  return 0;
}

struct trace_source *guest_source(struct guest *g)
{
  return &g->base;
}
int guest_memory_fd(const struct guest *g)
{
  return g->fd;
}
int guest_wake_fd(const struct guest *g)
{
  return g->wake;
}

void guest_quiet(struct guest *g)
{
  uint64_t rung;

  if (read(g->wake, &rung, sizeof rung) < 0)
    return; /* nothing was signalled */
}

void guest_follow(struct guest *g)
{
  __atomic_store_n(&g->area->reader_waits, 1, __ATOMIC_RELAXED);
  __atomic_store_n(&g->area->follow, 1, __ATOMIC_RELEASE);
}

bool guest_followed(const struct guest *g)
{
  return __atomic_load_n(&g->area->started, __ATOMIC_ACQUIRE);
}

void guest_stands(struct guest *g, bool stands)
{
  g->stands = stands;
}
void guest_sleeps(struct guest *g, bool sleeps)
{
  g->sleeps = sleeps;
}
