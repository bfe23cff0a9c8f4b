/* SPDX-License-Identifier: MIT */
#include "machine/trace/feeder.h"

#include "machine/common/register_keep.h"
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

static __attribute__((noinline)) void feed_block_slow(const struct feeder *fd, struct traffic *t, uint64_t r)
{
  traffic_block_slow(t, fd->core, record_address(r), record_bytes(r));
}

/* Starts a block that has no known pace, holds up the core, or runs while the core's other hardware thread has half of
 * its width. */
static __attribute__((noinline)) void feed_special(struct feeder *fd, struct traffic *t, struct dependence_place *p)
{
  struct core_front *front = traffic_front(t, fd->core);
  const uint64_t r = p->record;

  if (p->flags & PACE_UNKNOWN) {
    if (p->cycles != fd->dependences.known)
      p->record &= NOTE_BLOCK_KEY; /* must be looked up again */
    front_block(t, front, fd->core, record_address(r), record_bytes(r), record_count(r));
    return;
  }
  front_block_pass(front, fd->shares ? pace_shared(t, p->cycles, p->instructions) : p->cycles, p->instructions);
  if (p->flags & PACE_SPLIT || !front_block_recent(front, record_address(r)))
    feed_block_slow(fd, t, r);
  if (p->flags & PACE_HOLDS)
    pace_hold(t, fd->core, p->holds);
}

/* Predicts the branch with which the previous block may have ended. */
static inline void feed_branch(struct feeder *fd, struct traffic *t, struct core_front *front, uint64_t r)
{
  const uint64_t branch = fd->last_branch;

  if (branch && !pace_predicts(front, branch >> DEPENDENCE_BRANCH_SHIFT, ((branch ^ r) << 16) != 0))
    pace_mispredict(t, fd->core, dependence_flags(&fd->dependences));
}

/* Starts a block without using its summary, or while the core's other hardware thread has half of the core's width. */
static __attribute__((noinline)) void feed_slower(struct feeder *fd, struct traffic *t, struct dependence_place *p)
{
  struct core_front *front = traffic_front(t, fd->core);
  const uint64_t r = p->record;

  if (!fd->paced) {
    front_block(t, front, fd->core, record_address(r), record_bytes(r), record_count(r));
    return;
  }
  feed_branch(fd, t, front, r);
  fd->last_branch = p->after_branch;
  feed_special(fd, t, p);
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

/* Apart: notes that a part of the current block's start is not private, so that the feeder is not done with it. Returns
 * false. */
static bool feed_set_pending(struct feeder *fd, enum feeder_pending pending)
{
  fd->pending = pending;
  fd->at_shared = true;
  return false;
}

/* Does the part of feed_special() that is private; true if that is everything. */
static __attribute__((noinline)) bool feed_split_apart(struct feeder *fd, struct traffic *t, struct dependence_place *p)
{
  if (p->flags & PACE_UNKNOWN)
    return feed_set_pending(fd, PENDING_ALL);
  front_block_pass(traffic_front(t, fd->core), p->cycles, p->instructions);
  if (!traffic_block_apart(t, fd->core, record_address(p->record), record_bytes(p->record)))
    return feed_set_pending(fd, PENDING_CODE);
  if (p->flags & PACE_HOLDS)
    pace_hold(t, fd->core, p->holds);
  return true;
}

/* Does the rest of the current block's start. */
static __attribute__((noinline)) void feed_finish_pending(struct feeder *fd, struct traffic *t)
{
  struct dependence_place *p = fd->dependences.now;

  if (fd->pending == PENDING_ALL) {
    feed_special(fd, t, p);
  } else {
    feed_block_slow(fd, t, p->record);
    if (p->flags & PACE_HOLDS)
      pace_hold(t, fd->core, p->holds);
  }
  fd->pending = PENDING_NONE;
}

/* Starts a block, whose place the dependences have as the current one. `alone` is the feeder's. false: `apart`, and a
 * part of the start is not done. */
static inline __attribute__((always_inline)) bool feed_block(struct feeder *fd, struct traffic *t,
                                                             struct core_front *front, struct dependence_place *p,
                                                             uint64_t r, bool alone, bool apart)
{
  if (!alone) {
    feed_slower(fd, t, p);
    return true;
  }
  feed_branch(fd, t, front, r);
  fd->last_branch = p->after_branch;
  if (__builtin_expect(p->flags & (PACE_UNKNOWN | PACE_HOLDS | PACE_SPLIT), 0)) {
    if (apart)
      return feed_split_apart(fd, t, p);
    if (p->flags & (PACE_UNKNOWN | PACE_HOLDS)) {
      feed_special(fd, t, p);
    } else {
      front_block_pass(front, p->cycles, p->instructions);
      feed_block_slow(fd, t, r);
    }
    return true;
  }
  front_block_pass(front, p->cycles, p->instructions);
  if (front_block_recent(front, record_address(r)))
    return true;
  if (apart)
    return traffic_block_apart(t, fd->core, record_address(r), record_bytes(r)) || feed_set_pending(fd, PENDING_CODE);
  feed_block_slow(fd, t, r);
  return true;
}

/* Does the same for any block, and ends tracking if no data are in flight any more. false: the record is a mark. */
static __attribute__((noinline)) bool feed_block_any(struct feeder *fd, struct traffic *t, uint64_t r)
{
  struct core_front *front = traffic_front(t, fd->core);
  struct dependences *d = &fd->dependences;
  struct dependence_place *p = feed_place(fd, t, r);

  if (!p)
    return false;
  d->watches &= front->time < d->until;
  if (d->watches)
    dependence_next_block(d, p, front->time);
  else
    d->now = p;
  feed_block(fd, t, front, p, r, fd->alone, fd->apart);
  return true;
}

/* How a record was fed. FED_AT_ONCE: an L1 hit, which leaves the feeder's feed_way() unchanged. FED_NOT: the record is
 * not private. */
enum fed { FED_AT_ONCE, FED, FED_NOT };

/* Feeds the access of a single record that stays within a line. */
static inline __attribute__((always_inline)) enum fed feed_alone(struct feeder *fd, struct traffic *t,
                                                                 const struct trace_window *w, struct core_front *front,
                                                                 const struct record_shapes *shapes, const uint64_t *p,
                                                                 bool watches, bool apart)
{
  const uint64_t r = *p, line = record_line(r);
  const uint64_t shape = record_shape(r);

  if (!front_near(front, line, shapes->lacks[shape])) {
    if (apart)
      return feed_line_apart(fd, t, w, p) ? FED : FED_NOT;
    feed_line(fd, t, w, p);
    return FED;
  }
  front->accesses[shape / (RECORD_SHAPES / 2)]++; /* ACCESS_LOAD, ACCESS_STORE */
  if (watches && shape < RECORD_SHAPES / 2)
    feed_recent(fd, t, front, r, line);
  return FED_AT_ONCE;
}

/* Apart: notes that the record at `p` is not private. */
static inline const uint64_t *feed_stop_at_shared(struct feeder *fd, const uint64_t *p)
{
  fd->at_shared = true;
  return p;
}

/* Feeds a record that may be one of several accesses of its instruction, has another manner, crosses a line, or is a
 * note; returns the next record. Returns `p` if the record is not private. */
static __attribute__((noinline)) const uint64_t *feed_other(struct feeder *fd, struct traffic *t,
                                                            const struct trace_window *w, const uint64_t *p)
{
  const uint64_t r = *p;

  if (record_may_join(r, p[1]))
    return feeder_pieces(fd, t, w, p);
  if (!record_is_alone(record_shapes, r | RECORD_ALONE)) {
    if (fd->apart && !feeder_access_is_private(fd, t, r))
      return p;
    feeder_access_alone(fd, t, w, (size_t)(p - w->record));
    return p + 1;
  }
  const bool watches = fd->dependences.watches;
  struct core_front *front = traffic_front(t, fd->core);
  return p + (feed_alone(fd, t, w, front, record_shapes, p, watches, fd->apart) != FED_NOT);
}

/* Specialized loops. FEED_ANY: checks the feeder's state at each record. The other two require `alone`, and that loads
 * are in flight (WATCHED) or not (UNWATCHED). */
enum feed_way { FEED_ANY, FEED_UNWATCHED, FEED_WATCHED };
static inline enum feed_way feed_way(const struct feeder *fd)
{
  return !fd->alone ? FEED_ANY : fd->dependences.watches ? FEED_WATCHED : FEED_UNWATCHED;
}

/* Feeds the records from `p` to before `end`, which is a block, until the core reaches `horizon`, or a mark, or another
 * loop is required, or, apart, a record is not private. Returns the next record. */
static inline __attribute__((always_inline)) const uint64_t *feed_while(struct feeder *fd, struct traffic *t,
                                                                        const struct trace_window *w, const uint64_t *p,
                                                                        const uint64_t *end, const fs_t horizon,
                                                                        const enum feed_way way, const bool apart)
{
  struct core_front *front = traffic_front(t, fd->core);
  struct dependences *d = &fd->dependences;
  const struct record_shapes *shapes = &record_shapes[way == FEED_UNWATCHED];
  REGISTER_KEEP(shapes);

  for (;;) {
    const uint64_t r = *p, *const here = p;

    if (!record_is_block(r) && record_is_alone(shapes, r)) {
      const bool watches = way == FEED_ANY ? d->watches : way == FEED_WATCHED;
      const enum fed fed = feed_alone(fd, t, w, front, shapes, p, watches, apart);
      p += fed != FED_NOT;
      if (fed == FED_AT_ONCE)
        continue;
    } else if (record_is_block(r)) {
      struct dependence_place *place;
      if (p >= end || front->time >= horizon)
        return p;
      if (apart && (place = dependence_place(d, r))->record != r)
        return feed_stop_at_shared(fd, p); /* not known: must be looked up */
      if (!apart && !(place = feed_place(fd, t, r)))
        return p;
      p++;
      if (way == FEED_ANY || (way == FEED_WATCHED && __builtin_expect(front->time >= d->until, 0))) {
        feed_block_any(fd, t, r);
        if (way == FEED_ANY)
          continue;
        return p;
      }
      if (way == FEED_WATCHED)
        dependence_next_block(d, place, front->time);
      else
        d->now = place;
      if (!feed_block(fd, t, front, place, r, true, apart))
        return p;
      continue;
    } else {
      p = feed_other(fd, t, w, p);
    }
    if (apart && (p == here || (record_is_store(p[-1]) && !traffic_core_is_private(t, fd->core))))
      return feed_stop_at_shared(fd, p);
    if (way != FEED_WATCHED && feed_way(fd) != way)
      return p;
  }
}

#define FEED_WHILE(name, way, apart)                                                                                   \
  static __attribute__((noinline)) const uint64_t *name(struct feeder *fd, struct traffic *t,                          \
                                                        const struct trace_window *w, const uint64_t *p,               \
                                                        const uint64_t *end, const fs_t horizon)                       \
  {                                                                                                                    \
    return feed_while(fd, t, w, p, end, horizon, way, apart);                                                          \
  }
FEED_WHILE(feed_any, FEED_ANY, false)
FEED_WHILE(feed_unwatched, FEED_UNWATCHED, false)
FEED_WHILE(feed_watched, FEED_WATCHED, false)
FEED_WHILE(feed_unwatched_apart, FEED_UNWATCHED, true)
FEED_WHILE(feed_watched_apart, FEED_WATCHED, true)

/* Feeds the records from `i` to before the window's last block, until the core reaches `horizon`; returns the index of
 * the next record. Six parameters, which stay in registers. */
static size_t feed_range(struct feeder *fd, struct traffic *t, const struct trace_window *w, size_t i, size_t last,
                         const fs_t horizon)
{
  static const uint64_t *(*const by_way[])(struct feeder *, struct traffic *, const struct trace_window *,
                                           const uint64_t *, const uint64_t *,
                                           fs_t) = {feed_any, feed_unwatched, feed_watched};
  const uint64_t *p = w->record + i, *end = w->record + last;
  enum feed_way way;

  do {
    way = feed_way(fd);
    p = by_way[way](fd, t, w, p, end, horizon);
  } while (feed_way(fd) != way);
  return (size_t)(p - w->record);
}

size_t feeder_feed(struct feeder *fd, struct traffic *t, const struct trace_window *w, uint64_t horizon)
{
  struct core_front *front = traffic_front(t, fd->core);
  const size_t last = block_last(w);
  size_t i = 0;

  if (fd->pending)
    feed_finish_pending(fd, t);
  feeder_pace(fd, t);
  if (fd->held.size && w->record[0] & (RECORD_BLOCK | RECORD_NOTE))
    feeder_flush(fd, t);
  else if (fd->held.size)
    i = feeder_parts(fd, t, w, 0);
  if (i < last) {
    i = feed_range(fd, t, w, i, last, horizon);
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
      i = (size_t)(feed_other(fd, t, w, p) - w->record);
    }
  }
  return i;
}

size_t feeder_feed_private(struct feeder *fd, struct traffic *t, const struct trace_window *w, uint64_t horizon,
                           bool *ret_at_shared)
{
  const uint64_t *p = w->record, *end = w->record + block_last(w);
  enum feed_way way;

  *ret_at_shared = true;
  feeder_pace(fd, t);
  if (fd->held.size || p == end || !fd->alone || !traffic_core_is_private(t, fd->core))
    return 0;
  fd->apart = fd->dependences.apart = true;
  fd->at_shared = false;
  do {
    way = feed_way(fd);
    p = (way == FEED_WATCHED ? feed_watched_apart : feed_unwatched_apart)(fd, t, w, p, end, horizon);
  } while (!fd->at_shared && feed_way(fd) != way);
  fd->apart = fd->dependences.apart = false;
  *ret_at_shared = fd->at_shared || p >= end;
  return (size_t)(p - w->record);
}
