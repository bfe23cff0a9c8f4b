/* SPDX-License-Identifier: MIT */
#include "machine/trace/threads.h"

#include <stdlib.h>
#include <string.h>

bool threads_make_room(struct threads *s)
{
  if (s->n < s->room)
    return true;
  const unsigned room = s->room ? 2 * s->room : 16;
  struct thread **thread = realloc(s->thread, room * sizeof *thread);
  unsigned *live = thread ? realloc(s->live, room * sizeof *live) : NULL;

  s->thread = thread ? thread : s->thread;
  s->live = live ? live : s->live;
  s->room = live ? room : s->room;
  return live;
}

void threads_drop(struct threads *s, struct thread *th)
{
  unsigned i = 0;

  while (s->live[i] != th->number)
    i++;
  s->alive--;
  memmove(s->live + i, s->live + i + 1, (s->alive - i) * sizeof *s->live);
  s->thread[th->number] = NULL;
  free(th);
}

unsigned threads_active(const struct threads *s, unsigned core)
{
  unsigned n = 0;

  for (unsigned i = 0; i < s->alive; i++) {
    const struct thread *th = s->thread[s->live[i]];

    n += th->status == THREAD_ACTIVE && th->feeder.core == core;
  }
  return n;
}

unsigned threads_active_beside(const struct threads *s, const struct thread *th, bool same)
{
  unsigned n = 0;

  for (unsigned i = 0; i < s->alive; i++) {
    const struct thread *other = s->thread[s->live[i]];

    n += other != th && other->status == THREAD_ACTIVE && other->feeder.core == th->feeder.core &&
         (other->feeder.thread == th->feeder.thread) == same;
  }
  return n;
}

void threads_place(struct threads *s, const struct traffic *t, struct thread *th)
{
  unsigned n[2] = {0};

  for (unsigned i = 0; i < s->alive; i++)
    if (s->thread[s->live[i]]->feeder.core == th->feeder.core)
      n[s->thread[s->live[i]]->feeder.thread]++;
  th->feeder.thread = traffic_core_threads(t) > 1 && n[1] < n[0];
  s->paired |= th->feeder.thread;
}

struct thread *threads_furthest_behind(const struct threads *s, const struct traffic *t, uint64_t *ret_time,
                                       uint64_t *ret_next)
{
  struct thread *best = NULL;
  uint64_t best_time = UINT64_MAX, next = UINT64_MAX;

  for (unsigned i = 0; i < s->alive; i++) {
    struct thread *th = s->thread[s->live[i]];
    uint64_t time;

    if (th->status != THREAD_ACTIVE)
      continue;
    time = thread_time(t, th);
    if (!best || time < best_time || (time == best_time && th->turn < best->turn)) {
      next = best_time;
      best = th;
      best_time = time;
    } else if (time < next) {
      next = time;
    }
  }
  *ret_time = best_time;
  *ret_next = next;
  return best;
}

uint64_t threads_other_time(const struct threads *s, const struct traffic *t, unsigned thread)
{
  uint64_t least = UINT64_MAX;

  for (unsigned i = 0; i < s->alive; i++) {
    const struct thread *th = s->thread[s->live[i]];

    if (th->number != thread && th->status == THREAD_ACTIVE) {
      const uint64_t time = thread_time(t, th);

      least = time < least ? time : least;
    }
  }
  return least;
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
