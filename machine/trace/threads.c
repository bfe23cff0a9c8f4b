/* SPDX-License-Identifier: MIT */
#include "machine/trace/threads.h"

#include <stdlib.h>
#include <string.h>
#include "machine/common/host_pages.h"

struct thread *threads_new(void)
{
  return pages_get(sizeof(struct thread));
}

bool threads_make_room(struct threads *s)
{
  if (s->n < s->room)
    return true;
  const unsigned room = s->room ? 2 * s->room : 16;
  struct thread **thread = realloc(s->thread, room * sizeof *thread);
  unsigned *live = thread ? realloc(s->live, room * sizeof *live) : NULL;
  struct order_entry *order = live ? realloc(s->order, room * sizeof *order) : NULL;

  s->thread = thread ? thread : s->thread;
  s->live = live ? live : s->live;
  s->order = order ? order : s->order;
  s->room = order ? room : s->room;
  return order;
}

/* ---- the order of time ---- */

static inline bool entry_is_before(const struct order_entry *a, const struct order_entry *b)
{
  if (a->time != b->time)
    return a->time < b->time;
  return a->turn != b->turn ? a->turn < b->turn : a->thread->number < b->thread->number;
}

static inline void order_put(struct threads *s, unsigned i, struct order_entry entry)
{
  s->order[i] = entry;
  entry.thread->place = i;
}

static void order_down(struct threads *s, unsigned i)
{
  const struct order_entry entry = s->order[i];

  for (unsigned child; (child = 2 * i + 1) < s->active; i = child) {
    child += child + 1 < s->active && entry_is_before(&s->order[child + 1], &s->order[child]);
    if (!entry_is_before(&s->order[child], &entry))
      break;
    order_put(s, i, s->order[child]);
  }
  order_put(s, i, entry);
}

static void order_up(struct threads *s, unsigned i)
{
  const struct order_entry entry = s->order[i];

  for (; i && entry_is_before(&entry, &s->order[(i - 1) / 2]); i = (i - 1) / 2)
    order_put(s, i, s->order[(i - 1) / 2]);
  order_put(s, i, entry);
}

/* Updates entry `i` until it is the least of its subtree. false: there is no such entry. */
static bool order_settle(struct threads *s, const struct traffic *t, unsigned i)
{
  if (i >= s->active)
    return false;
  for (;;) {
    struct order_entry *first = &s->order[i];
    const uint64_t time = thread_time(t, first->thread);

    if (time == first->time && first->thread->turn == first->turn)
      return true;
    first->time = time;
    first->turn = first->thread->turn;
    order_down(s, i);
  }
}

/* Returns the least time other than that of entry 0, which is up to date. */
static uint64_t order_second_time(struct threads *s, const struct traffic *t)
{
  const uint64_t left = order_settle(s, t, 1) ? s->order[1].time : UINT64_MAX;
  const uint64_t right = order_settle(s, t, 2) ? s->order[2].time : UINT64_MAX;

  return left < right ? left : right;
}

static void order_enter(struct threads *s, const struct traffic *t, struct thread *th)
{
  s->order[s->active] = (struct order_entry){thread_time(t, th), th->turn, th};
  order_up(s, s->active++);
}

static void order_leave(struct threads *s, const struct thread *th)
{
  const unsigned place = th->place;
  const struct order_entry last = s->order[--s->active];

  if (place == s->active)
    return;
  order_put(s, place, last);
  order_down(s, place);
  order_up(s, last.thread->place);
}

/* ---- the threads ---- */

void threads_add(struct threads *s, const struct traffic *t, struct thread *th)
{
  uint16_t *placed = s->placed[th->feeder.core];

  th->status = THREAD_IDLE;
  th->feeder.thread = traffic_core_threads(t) > 1 && placed[1] < placed[0];
  placed[th->feeder.thread]++;
  s->paired |= th->feeder.thread;
  s->idle++;
  s->thread[s->n] = th;
  s->live[s->alive++] = s->n++;
}

void threads_set_status(struct threads *s, const struct traffic *t, struct thread *th, enum thread_status status)
{
  const bool was = th->status == THREAD_ACTIVE, is = status == THREAD_ACTIVE;

  s->idle -= th->status == THREAD_IDLE;
  s->idle += status == THREAD_IDLE;
  th->status = status;
  if (was == is)
    return;
  if (is) {
    s->crowded += threads_active(s, th->feeder.core) > 0;
    s->running[th->feeder.core][th->feeder.thread]++;
    order_enter(s, t, th);
  } else {
    s->running[th->feeder.core][th->feeder.thread]--;
    s->crowded -= threads_active(s, th->feeder.core) > 0;
    order_leave(s, th);
  }
}

void threads_drop(struct threads *s, struct thread *th)
{
  unsigned i = 0;

  while (s->live[i] != th->number)
    i++;
  s->alive--;
  memmove(s->live + i, s->live + i + 1, (s->alive - i) * sizeof *s->live);
  s->placed[th->feeder.core][th->feeder.thread]--;
  s->thread[th->number] = NULL;
  pages_put(th, sizeof *th);
}

void threads_fini(struct threads *s)
{
  for (unsigned i = 0; i < s->alive; i++)
    pages_put(s->thread[s->live[i]], sizeof **s->thread);
  free(s->thread);
  free(s->live);
  free(s->order);
}

unsigned threads_active(const struct threads *s, unsigned core)
{
  return s->running[core][0] + s->running[core][1];
}

unsigned threads_active_beside(const struct threads *s, const struct thread *th, bool same)
{
  const unsigned n = s->running[th->feeder.core][same ? th->feeder.thread : !th->feeder.thread];

  return same && th->status == THREAD_ACTIVE ? n - 1 : n;
}

struct thread *threads_furthest_behind(struct threads *s, const struct traffic *t, uint64_t *ret_time,
                                       uint64_t *ret_next)
{
  *ret_time = *ret_next = UINT64_MAX;
  if (!order_settle(s, t, 0))
    return NULL;
  *ret_time = s->order[0].time;
  *ret_next = order_second_time(s, t);
  return s->order[0].thread;
}

uint64_t threads_other_time(struct threads *s, const struct traffic *t, const struct thread *th)
{
  if (!order_settle(s, t, 0))
    return UINT64_MAX;
  return s->order[0].thread == th ? order_second_time(s, t) : s->order[0].time;
}

uint64_t threads_share(const struct threads *s, struct traffic *t, struct thread *th)
{
  uint64_t until;

  if (!s->paired)
    return UINT64_MAX;
  traffic_core_enter(t, th->feeder.core, th->feeder.thread);
  th->feeder.shares = traffic_core_share(t, th->feeder.core, threads_active_beside(s, th, false), &until);
  return until;
}
