/* SPDX-License-Identifier: MIT */
#include "machine/trace/round.h"

#include <stdlib.h>
#include <pmon/status.h>
#include "machine/trace/ring.h"
#include "machine/trace/workers.h"

/* Where fewer records than this are private, the thread goes on alone to the end of its time: to come back for as few
 * would cost more than they do. */
enum { ROUND_FEW = 8 };

static bool round_make_room(struct round *r, unsigned room)
{
  if (room <= r->room)
    return true;
  struct round_part *part = realloc(r->part, room * sizeof *part);
  unsigned *order = part ? realloc(r->order, room * sizeof *order) : NULL;

  r->part = part ? part : r->part;
  r->order = order ? order : r->order;
  r->room = order ? room : r->room;
  return order;
}

/* Whether the thread has records to feed, with which it takes part; or a failure of the source. */
static int round_add(struct round *r, const struct threads *threads, struct thread *th)
{
  struct round_part *p = &r->part[r->n];
  const int rc = r->source->ops->window(r->source, th->number, &p->window);

  if (rc < 0 || !p->window.n || record_is_mark(p->window.record[0]))
    return rc < 0 ? rc : 0;
  p->thread = th;
  threads_share(threads, r->traffic, th);
  r->n++;
  return 1;
}

int round_gather(struct round *r, const struct threads *threads, const struct thread *first)
{
  r->n = 0;
  if (!round_make_room(r, threads->alive))
    return PMON_E_MEMORY;
  for (unsigned i = 0; i < threads->alive; i++) {
    struct thread *th = threads->thread[threads->live[i]];

    if (th->status != THREAD_ACTIVE || thread_time(r->traffic, th) >= r->horizon)
      continue;
    const int rc = round_add(r, threads, th);
    if (rc < 0 || (rc == 0 && th == first)) {
      r->n = 0;
      return rc;
    }
  }
  return 0;
}

static void part_run_private(void *context, unsigned i)
{
  const struct round *r = context;
  struct round_part *p = &r->part[i];

  p->taken = feeder_feed_private(&p->thread->feeder, r->traffic, &p->window, r->horizon, &p->asks);
}

/* The part goes on with what it asks for, to the end of the block, or as long as stores wait to ask. */
static void part_run_asking(const struct round *r, struct round_part *p)
{
  const bool few = p->taken < ROUND_FEW;
  struct feeder *fd = &p->thread->feeder;
  size_t taken;

  do {
    const uint64_t time = thread_time(r->traffic, p->thread);
    const struct trace_window rest = {p->window.record + p->taken, p->window.n - p->taken, p->window.state};

    taken = feeder_feed(fd, r->traffic, &rest, few ? r->horizon : time + 1);
    p->taken += taken;
  } while (taken && p->taken < p->window.n && thread_time(r->traffic, p->thread) < r->horizon &&
           !traffic_core_is_private(r->traffic, fd->core));
}

/* The parts that ask, in the order of their times; how many they are. */
static unsigned round_order(struct round *r)
{
  unsigned n = 0;

  for (unsigned k = 0; k < r->n; k++) {
    struct round_part *p = &r->part[k];
    if (!p->asks)
      continue;
    p->time = thread_time(r->traffic, p->thread);
    unsigned i = n++;
    for (; i && r->part[r->order[i - 1]].time > p->time; i--)
      r->order[i] = r->order[i - 1];
    r->order[i] = k;
  }
  return n;
}

void round_run(struct round *r)
{
  workers_share(r->source->workers, part_run_private, r, r->n);
  const unsigned asking = round_order(r);
  for (unsigned i = 0; i < asking; i++)
    part_run_asking(r, &r->part[r->order[i]]);
  for (unsigned i = 0; i < r->n; i++)
    r->source->ops->consume(r->source, r->part[i].thread->number, r->part[i].taken);
}

void round_fini(struct round *r)
{
  free(r->part);
  free(r->order);
}
