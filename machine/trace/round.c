/* SPDX-License-Identifier: MIT */
#include "machine/trace/round.h"

#include <stdlib.h>
#include <pmon/status.h>
#include "machine/trace/ring.h"
#include "machine/trace/workers.h"

/* If fewer records than this are private, the thread continues alone to its horizon: another round for so few records
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

/* Adds the thread to the round if it has records to feed: 1, otherwise 0, or the failure of the source. */
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

  p->taken = feeder_feed_private(&p->thread->feeder, r->traffic, &p->window, r->horizon, &p->at_shared);
}

/* Feeds the part's access that is not private, to the end of its block, and further while the core's stores wait to
 * request their lines. */
static void part_run_shared(const struct round *r, struct round_part *p)
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

/* Sorts the parts whose next access is not private by time; returns their number. */
static unsigned round_order(struct round *r)
{
  unsigned n = 0;

  for (unsigned k = 0; k < r->n; k++) {
    struct round_part *p = &r->part[k];
    if (!p->at_shared)
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
  const unsigned n_shared = round_order(r);
  for (unsigned i = 0; i < n_shared; i++)
    part_run_shared(r, &r->part[r->order[i]]);
  for (unsigned i = 0; i < r->n; i++)
    r->source->ops->consume(r->source, r->part[i].thread->number, r->part[i].taken);
}

void round_fini(struct round *r)
{
  free(r->part);
  free(r->order);
}
