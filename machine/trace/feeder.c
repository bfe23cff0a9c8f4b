/* SPDX-License-Identifier: MIT */
#include "machine/trace/feeder.h"

#include "machine/common/register_keep.h"
#include "machine/trace/feeder_blocks.h"
#include "machine/trace/feeder_parts.h"

/* Called while tracking, after a load of one of the two most recently used lines of its L1 set. */
static inline void feed_recent(struct feeder *fd, struct traffic *t, const struct core_front *front, uint64_t r,
                               uint64_t line)
{
  const struct on_way *way = &front->filling[line & 63];
  const bool arrives = way->line == line && way->done > front->time;

  if (arrives || dependence_waits(&fd->dependences))
    feed_late(fd, t, r, arrives);
}

/* Returns the place of a block; NULL: the record is a mark. */
static inline __attribute__((always_inline)) struct dependence_place *feed_place(struct feeder *fd, struct traffic *t,
                                                                                 uint64_t r)
{
  struct dependences *d = &fd->dependences;
  struct dependence_place *p = dependence_place(d, r);
  REGISTER_KEEP(p);

  if (__builtin_expect(p->record != r, 0)) {
    if (record_is_mark(r))
      return NULL;
    dependence_find(d, t, r, p);
  }
  return p;
}

/* Starts any block, and ends tracking if no data are in flight any more. false: the record is a mark. */
static __attribute__((noinline)) bool feed_block_any(struct feeder *fd, struct traffic *t, uint64_t r)
{
  struct core_front *front = traffic_front(t, fd->core);
  struct dependences *d = &fd->dependences;
  struct dependence_place *p = feed_place(fd, t, r);

  if (!p)
    return false;
  const uint64_t branch = d->now->after_branch;
  d->watches &= front->time < d->until;
  if (d->watches)
    dependence_next_block(d, p, front->time);
  else
    d->now = p;
  if (fd->alone)
    feed_block(fd, t, front, p, branch, r, fd->apart);
  else
    feed_slower(fd, t, front, p, branch);
  return true;
}

static __attribute__((noinline, cold)) bool feed_second_tired(const struct core_front *front, uint64_t line,
                                                              uint64_t lacks);

/* Makes the second most recently used line of an L1 set the most recent one. True if it serves an access (fast.h). */
static __attribute__((noinline)) bool feed_second(const struct core_front *front, uint64_t line, uint64_t lacks)
{
  if (first_tired(&front->l1d, line))
    return feed_second_tired(front, line, lacks);
  return (~first_exchange(&front->l1d, line) & (L1_WRITABLE | L1_DIRTY)) <= lacks;
}

static bool feed_second_tired(const struct core_front *front, uint64_t line, uint64_t lacks)
{
  first_number(&front->l1d, line);
  return feed_second(front, line, lacks);
}

/* Feeds an access of a single record, if it lies within one of the two most recently used lines of its L1 set. Inline,
 * so that the parameters cost nothing. */
static inline __attribute__((always_inline)) bool feed_near(struct feeder *fd, struct traffic *t,
                                                            struct core_front *front,
                                                            const struct record_shapes *shapes, uint64_t r,
                                                            bool watches)
{
  const uint64_t line = record_plain_line(shapes, r), kind = record_kind(r);

  if (!__builtin_expect(front_recent(front, line, shapes->lacks[kind]), 1) &&
      !(first_is_second(&front->l1d, line) && feed_second(front, line, shapes->lacks[kind])))
    return false;
  front->accesses[kind / (RECORD_SHAPES / 2)]++; /* ACCESS_LOAD, ACCESS_STORE */
  if (watches && kind < RECORD_SHAPES / 2)
    feed_recent(fd, t, front, r, line);
  return true;
}

/* Feeds any other access of a single record within a line; returns the next record, or `p` if it is not private. */
static inline const uint64_t *feed_far(struct feeder *fd, struct traffic *t, struct core_front *front,
                                       const uint64_t *p, bool apart)
{
  if (apart)
    return p + feed_line_apart(fd, t, front, p);
  feed_line(fd, t, front, p);
  return p + 1;
}

/* Apart: notes that the record at `p` is not private. */
static inline const uint64_t *feed_stop_at_shared(struct feeder *fd, const uint64_t *p)
{
  fd->at_shared = true;
  return p;
}

/* Feeds an access of a single record within a line. */
static __attribute__((noinline)) const uint64_t *feed_lone(struct feeder *fd, struct traffic *t, const uint64_t *p)
{
  const bool watches = fd->dependences.watches;
  struct core_front *front = traffic_front(t, fd->core);

  return feed_near(fd, t, front, record_shapes, *p, watches) ? p + 1 : feed_far(fd, t, front, p, fd->apart);
}

/* Feeds a record that may be one of several accesses of its instruction, has another manner, crosses a line, or is a
 * note; returns the next record. Returns `p` if the record is not private. Every call is a tail call, so that there are
 * no registers to save. */
static __attribute__((noinline)) const uint64_t *feed_other(struct feeder *fd, struct traffic *t, const uint64_t *p)
{
  if (record_may_join(*p, p[1]))
    return feeder_pieces(fd, t, fd->window, p);
  if (!record_is_alone(record_shapes, *p | RECORD_ALONE))
    return feeder_access_alone(fd, t, p);
  return feed_lone(fd, t, p);
}

/* Specialized loops. FEED_ANY: checks the feeder's state at each record. The other two require `alone`, and that loads
 * are in flight (WATCHED) or not (UNWATCHED). */
enum feed_way { FEED_ANY, FEED_UNWATCHED, FEED_WATCHED };
static inline enum feed_way feed_way(const struct feeder *fd)
{
  return !fd->alone ? FEED_ANY : fd->dependences.watches ? FEED_WATCHED : FEED_UNWATCHED;
}

/* Starts a block at which all data in flight have arrived; returns the next record. */
static __attribute__((noinline)) const uint64_t *feed_arrived(struct feeder *fd, struct traffic *t, const uint64_t *p)
{
  if (fd->apart && dependence_place(&fd->dependences, *p)->record != *p)
    return feed_stop_at_shared(fd, p); /* not known: must be looked up */
  return p + feed_block_any(fd, t, *p);
}

/* Returns the time at which feed_while() ends or, while loads are in flight, checks whether they still are. */
static inline fs_t feed_limit(const struct feeder *fd, const enum feed_way way)
{
  const fs_t until = fd->dependences.until;

  return way == FEED_WATCHED && until < fd->horizon ? until : fd->horizon;
}

/* Feeds the records from `p` to before the feeder's end, until the core reaches the horizon, or a mark, or another loop
 * is required, or, apart, a record is not private. Returns the next record. */
static inline __attribute__((always_inline)) const uint64_t *
feed_while(struct feeder *fd, struct traffic *t, const uint64_t *p, const enum feed_way way, const bool apart)
{
  struct core_front *front = traffic_front(t, fd->core);
  struct dependences *d = &fd->dependences;
  const struct record_shapes *shapes = &record_shapes[way == FEED_UNWATCHED];
  REGISTER_KEEP(shapes);

  fd->limit = feed_limit(fd, way);
  for (uint64_t r = *p;; r = *p) {
    while (!record_is_block(r)) {
      const bool watches = way == FEED_ANY ? d->watches : way == FEED_WATCHED;
      const bool within = record_is_within(shapes, r);

      if (within && feed_near(fd, t, front, shapes, r, watches)) {
        r = *++p;
        if (record_is_block(r))
          break;
        continue;
      }
      const uint64_t *const here = p;
      p = within && record_is_plain(r) ? feed_far(fd, t, front, p, apart) : feed_other(fd, t, p);
      if (apart && (p == here || (record_is_store(p[-1]) && !traffic_core_is_private(t, fd->core))))
        return feed_stop_at_shared(fd, p);
      if (way != FEED_WATCHED && feed_way(fd) != way)
        return p;
      r = *p;
    }
    if (p >= fd->end || front->time >= fd->limit) {
      if (way != FEED_WATCHED || p >= fd->end || front->time >= fd->horizon)
        return p;
      if (front->time >= d->until)
        return feed_arrived(fd, t, p);
      fd->limit = feed_limit(fd, way);
    }
    if (way == FEED_ANY) {
      if (!feed_block_any(fd, t, r))
        return p;
      p++;
      continue;
    }
    struct dependence_place *place;
    if (apart && (place = dependence_place(d, r))->record != r)
      return feed_stop_at_shared(fd, p); /* not known: must be looked up */
    if (!apart && !(place = feed_place(fd, t, r)))
      return p;
    p++;
    const uint64_t branch = d->now->after_branch;
    if (way == FEED_WATCHED)
      dependence_next_block(d, place, front->time);
    else
      d->now = place;
    if (!feed_block(fd, t, front, place, branch, r, apart))
      return p;
  }
}

#define FEED_WHILE(name, way, apart)                                                                                   \
  static __attribute__((noinline)) const uint64_t *name(struct feeder *fd, struct traffic *t, const uint64_t *p)       \
  {                                                                                                                    \
    return feed_while(fd, t, p, way, apart);                                                                           \
  }
FEED_WHILE(feed_any, FEED_ANY, false)
FEED_WHILE(feed_unwatched, FEED_UNWATCHED, false)
FEED_WHILE(feed_watched, FEED_WATCHED, false)
FEED_WHILE(feed_unwatched_apart, FEED_UNWATCHED, true)
FEED_WHILE(feed_watched_apart, FEED_WATCHED, true)

/* Does the same with the loop that is required at a time; for records that need not be private. */
static const uint64_t *feed_range(struct feeder *fd, struct traffic *t, const uint64_t *p)
{
  static const uint64_t *(*const by_way[])(struct feeder *, struct traffic *,
                                           const uint64_t *) = {feed_any, feed_unwatched, feed_watched};
  enum feed_way way;

  do {
    way = feed_way(fd);
    p = by_way[way](fd, t, p);
  } while (feed_way(fd) != way);
  return p;
}

size_t feeder_feed(struct feeder *fd, struct traffic *t, const struct trace_window *w, uint64_t horizon)
{
  struct core_front *front = traffic_front(t, fd->core);
  const size_t last = block_last(w);
  size_t i = 0;

  fd->window = w;
  fd->end = w->record + last;
  fd->horizon = horizon;
  if (fd->pending)
    feed_finish_pending(fd, t);
  feeder_pace(fd, t);
  if (fd->held.size && w->record[0] & (RECORD_BLOCK | RECORD_NOTE))
    feeder_flush(fd, t);
  else if (fd->held.size)
    i = feeder_parts(fd, t, w, 0);
  if (i < last) {
    i = (size_t)(feed_range(fd, t, w->record + i) - w->record);
    if (i < last)
      return i;
  }
  while (i < w->n) { /* accesses after the last block: the last of them may be incomplete */
    const uint64_t *p = w->record + i;
    if (record_is_block(*p)) {
      if (front->time >= horizon || !feed_block_any(fd, t, *p))
        break;
      i++;
    } else if (i + 1 == w->n || record_may_join(*p, p[1])) {
      i = feeder_parts(fd, t, w, i);
    } else {
      i = (size_t)(feed_other(fd, t, p) - w->record);
    }
  }
  return i;
}

size_t feeder_feed_private(struct feeder *fd, struct traffic *t, const struct trace_window *w, uint64_t horizon,
                           bool *ret_at_shared)
{
  const uint64_t *p = w->record;
  enum feed_way way;

  *ret_at_shared = true;
  feeder_pace(fd, t);
  fd->window = w;
  fd->end = p + block_last(w);
  fd->horizon = horizon;
  if (fd->held.size || p == fd->end || !fd->alone || !traffic_core_is_private(t, fd->core))
    return 0;
  fd->apart = fd->dependences.apart = true;
  fd->at_shared = false;
  do {
    way = feed_way(fd);
    p = (way == FEED_WATCHED ? feed_watched_apart : feed_unwatched_apart)(fd, t, p);
  } while (!fd->at_shared && feed_way(fd) != way);
  fd->apart = fd->dependences.apart = false;
  *ret_at_shared = fd->at_shared || p >= fd->end;
  return (size_t)(p - w->record);
}
