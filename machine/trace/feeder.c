/* SPDX-License-Identifier: MIT */
#include "machine/trace/feeder.h"

#include "machine/trace/feeder_parts.h"

/* A load of a line that was used last or before, while a load is under way: its data may be on their way, too, or its
 * address may have to wait. */
static __attribute__((noinline)) void feed_late(struct feeder *fd, struct traffic *t, uint64_t r, bool arrives)
{
  struct dependences *d = &fd->dependences;
  const struct core_front *front = traffic_front(t, fd->core);

  if (!dependence_waits(d)) {
    dependence_loaded(d, record_ordinal(r), front->filling[record_address(r) >> 6 & 63].done);
    return;
  }
  const fs_t ready = dependence_ready(d, record_ordinal(r));
  if (arrives || ready > front->time) {
    const fs_t done = traffic_load_hit(t, fd->core, record_address(r), ready);
    if (done > front->time)
      dependence_loaded(d, record_ordinal(r), done);
  }
}

/* While it watches: a load is done of a line that was used last or before in its place of the first level. */
static inline void feed_recent(struct feeder *fd, struct traffic *t, const struct core_front *front, uint64_t r,
                               uint64_t line)
{
  const struct on_way *way = &front->filling[line & 63];
  const bool arrives = way->line == line && way->done > front->time;

  if (arrives || dependence_waits(&fd->dependences))
    feed_late(fd, t, r, arrives);
}

/* A load within a line that the first level has not, of a record alone. */
static __attribute__((noinline)) void feed_load_missed(struct feeder *fd, struct traffic *t,
                                                       const struct trace_window *w, const uint64_t *record)
{
  struct core_front *front = traffic_front(t, fd->core);
  const uint64_t r = *record, asked = front->asked;

  first_fill(&front->l1d, record_address(r) >> 6);
  front->accesses[ACCESS_LOAD]++;
  const fs_t ready = feed_ready(fd, record_ordinal(r));
  fs_t done = traffic_load_missed(t, front, record_address(r), 1u << record_size_log2(r), ready);
  if (__builtin_expect(front->asked != asked, 0))
    feeder_prefetch_lines(fd, t, w, (size_t)(record + 1 - w->record));
  if (__builtin_expect(!done && fd->dependences.watches, 0))
    done = feed_hit(t, fd->core, record_address(r), ready);
  feed_late_at(fd, front, record_ordinal(r), done);
}

/* A load of a line that the first level has in that way, but that was not used last or before. */
static __attribute__((noinline)) void feed_load_found(struct feeder *fd, struct traffic *t, struct core_front *front,
                                                      const uint64_t r, uint32_t way)
{
  struct dependences *d = &fd->dependences;
  const uint64_t line = record_address(r) >> 6;

  first_again(&front->l1d, line, way);
  front->accesses[ACCESS_LOAD]++;
  if (!d->watches)
    return;
  const fs_t ready = dependence_waits(d) ? dependence_ready(d, record_ordinal(r)) : 0;
  const struct on_way *arrives = &front->filling[line & 63];
  if (ready <= front->time && !(arrives->line == line && arrives->done > front->time))
    return;
  const fs_t done = traffic_load_hit(t, fd->core, record_address(r), ready);
  if (done > front->time)
    dependence_loaded(d, record_ordinal(r), done);
}

/* A store within a line that the first level has not, or not for writing, of a record alone. */
static __attribute__((noinline)) void feed_store_missed(struct feeder *fd, struct traffic *t,
                                                        const struct trace_window *w, const uint64_t *record,
                                                        bool found)
{
  struct core_front *front = traffic_front(t, fd->core);
  const uint64_t r = *record, asked = front->asked;

  front->ready = feed_ready(fd, record_ordinal(r));
  front->accesses[ACCESS_STORE]++;
  if (found)
    traffic_access_slow(t, fd->core, record_address(r), 1u << record_size_log2(r), ACCESS_STORE);
  else
    traffic_store_missed(t, fd->core, record_address(r), 1u << record_size_log2(r));
  front->ready = 0;
  if (front->asked != asked)
    feeder_prefetch_lines(fd, t, w, (size_t)(record + 1 - w->record));
}

/* A store within a line that is not the most recent one, or not dirty, of a record alone. */
static __attribute__((noinline)) void feed_store(struct feeder *fd, struct traffic *t, const struct trace_window *w,
                                                 const uint64_t *record)
{
  struct core_front *front = traffic_front(t, fd->core);
  const uint64_t line = record_address(*record) >> 6;
  const bool found = first_touch(&front->l1d, line);

  if (found && *first_recent(&front->l1d, line) & L1_DIRTY)
    front->accesses[ACCESS_STORE]++;
  else
    feed_store_missed(fd, t, w, record, found);
}

static __attribute__((noinline, cold)) void feed_tired(struct feeder *fd, struct traffic *t,
                                                       const struct trace_window *w, const uint64_t *record);

/* A load or store within a line, of a record alone, that is not of the line used last or before in its place of the
 * first level, or a store to one that is not dirty. Every call is its last act, so that it has nothing to save. */
static __attribute__((noinline)) void feed_line(struct feeder *fd, struct traffic *t, const struct trace_window *w,
                                                const uint64_t *record)
{
  struct core_front *front = traffic_front(t, fd->core);
  const uint64_t r = *record, line = record_address(r) >> 6, i = line & front->l1d.mask;

  if (record_is_store(r)) {
    feed_store(fd, t, w, record);
    return;
  }
  if (first_tired(&front->l1d, line)) {
    feed_tired(fd, t, w, record);
    return;
  }
  const uint32_t way = first_find(&front->l1d, &front->l1d.set[i], line);
  if (way < FIRST_WAYS)
    feed_load_found(fd, t, front, r, way);
  else
    feed_load_missed(fd, t, w, record);
}

static void feed_tired(struct feeder *fd, struct traffic *t, const struct trace_window *w, const uint64_t *record)
{
  first_number(&traffic_front(t, fd->core)->l1d, record_address(*record) >> 6);
  feed_line(fd, t, w, record);
}

static __attribute__((noinline)) void feed_block_slow(const struct feeder *fd, struct traffic *t, uint64_t r)
{
  traffic_block_slow(t, fd->core, record_address(r), record_bytes(r));
}

/* A block begins of which no pace is known, or which holds the core, or whose core's other thread has half of its
 * width. */
static __attribute__((noinline)) void feed_special(struct feeder *fd, struct traffic *t, struct dependence_place *p)
{
  struct core_front *front = traffic_front(t, fd->core);
  const uint64_t r = p->record;

  if (p->flags & PACE_UNKNOWN) {
    if (p->cycles != fd->dependences.known)
      p->record &= NOTE_BLOCK_KEY; /* to be looked up again */
    front_block(t, front, fd->core, record_address(r), record_bytes(r), record_count(r));
    return;
  }
  front_block_pass(front, fd->shares ? pace_shared(t, p->cycles, p->instructions) : p->cycles, p->instructions);
  if (p->flags & PACE_SPLIT || !front_block_recent(front, record_address(r)))
    feed_block_slow(fd, t, r);
  if (p->flags & PACE_HOLDS)
    pace_hold(t, fd->core, p->holds);
}

/* The block before may have ended with a branch. */
static inline void feed_branch(struct feeder *fd, struct traffic *t, struct core_front *front, uint64_t r)
{
  const uint64_t through = fd->through;

  if (through && !pace_predicts(front, through >> DEPENDENCE_BRANCH_SHIFT, ((through ^ r) << 16) != 0))
    pace_mispredict(t, fd->core, dependence_flags(&fd->dependences));
}

/* A block begins whose pace is not followed, or whose core's other thread has half of its width. */
static __attribute__((noinline)) void feed_slower(struct feeder *fd, struct traffic *t, struct dependence_place *p)
{
  struct core_front *front = traffic_front(t, fd->core);
  const uint64_t r = p->record;

  if (!fd->paced) {
    front_block(t, front, fd->core, record_address(r), record_bytes(r), record_count(r));
    return;
  }
  feed_branch(fd, t, front, r);
  fd->through = p->behind;
  feed_special(fd, t, p);
}

/* The place of a block; NULL: it is a mark. */
static inline __attribute__((always_inline)) struct dependence_place *feed_place(struct feeder *fd, struct traffic *t,
                                                                                 uint64_t r)
{
  struct dependences *d = &fd->dependences;
  struct dependence_place *p = dependence_place(d, r);
  __asm__("" : "+r"(p)); /* in a register from here on, not worked out again at each use */

  if (__builtin_expect(p->record != r, 0)) {
    if (record_is_mark(r))
      return NULL;
    dependence_find(d, t, r, p);
  }
  return p;
}

/* A block begins that does not lie within a line, or something special. */
static __attribute__((noinline)) void feed_split(struct feeder *fd, struct traffic *t, struct dependence_place *p)
{
  if (p->flags & (PACE_UNKNOWN | PACE_HOLDS)) {
    feed_special(fd, t, p);
    return;
  }
  front_block_pass(traffic_front(t, fd->core), p->cycles, p->instructions);
  traffic_block_slow(t, fd->core, record_address(p->record), record_bytes(p->record));
}

/* A block begins, which the dependences know of. `alone` is that of the feeder. */
static inline __attribute__((always_inline)) void feed_block(struct feeder *fd, struct traffic *t,
                                                             struct core_front *front, struct dependence_place *p,
                                                             uint64_t r, bool alone)
{
  if (!alone) {
    feed_slower(fd, t, p);
    return;
  }
  feed_branch(fd, t, front, r);
  fd->through = p->behind;
  if (__builtin_expect(p->flags & (PACE_UNKNOWN | PACE_HOLDS | PACE_SPLIT), 0)) {
    feed_split(fd, t, p);
    return;
  }
  front_block_pass(front, p->cycles, p->instructions);
  if (!front_block_recent(front, record_address(r)))
    feed_block_slow(fd, t, r);
}

/* The same of any block, which may end the watch; false: it is a mark. */
static __attribute__((noinline)) bool feed_block_any(struct feeder *fd, struct traffic *t, uint64_t r)
{
  struct core_front *front = traffic_front(t, fd->core);
  struct dependences *d = &fd->dependences;
  struct dependence_place *p = feed_place(fd, t, r);

  if (!p)
    return false;
  d->watches &= front->time < d->until;
  if (d->watches)
    dependence_cross(d, p, front->time);
  else
    d->now = p;
  feed_block(fd, t, front, p, r, fd->alone);
  return true;
}

/* The access of a record alone, or a note; whether it was done at once, so that the feeder's ways stay. */
static inline __attribute__((always_inline)) bool feed_alone(struct feeder *fd, struct traffic *t,
                                                             const struct trace_window *w, struct core_front *front,
                                                             const struct record_shapes *shapes, const uint64_t *p,
                                                             bool watches)
{
  const uint64_t r = *p;
  uint64_t kind = r >> RECORD_SIZE_SHIFT, line = r << (64 - RECORD_SIZE_SHIFT);
  __asm__("" : "+r"(kind), "+r"(line)); /* else a compiler takes masks of 64 bits, which are more instructions */
  const uint64_t shape = kind % RECORD_SHAPES;

  line >>= 64 - RECORD_SIZE_SHIFT + 6;
  if (__builtin_expect(kind >> (RECORD_MANNER_SHIFT - RECORD_SIZE_SHIFT) || !(shapes->places[shape] >> (r & 63) & 1),
                       0)) {
    feeder_access_alone(fd, t, w, (size_t)(p - w->record));
    return false;
  }
  if (!front_near(front, line, shapes->lacks[shape])) {
    feed_line(fd, t, w, p);
    return false;
  }
  front->accesses[shape / (RECORD_SHAPES / 2)]++; /* ACCESS_LOAD, ACCESS_STORE */
  if (watches && !record_is_store(r))
    feed_recent(fd, t, front, r, line);
  return true;
}

/* How records are fed: as the feeder is at each; or where it is alone and watches, or does not, which is known then. */
enum feed_way { FEED_ANY, FEED_UNWATCHED, FEED_WATCHED };
static inline enum feed_way feed_way(const struct feeder *fd)
{
  return !fd->alone ? FEED_ANY : fd->dependences.watches ? FEED_WATCHED : FEED_UNWATCHED;
}

/* Feeds the records from `p` on to before `end`, which is a block, until the core reaches `horizon` or comes to a mark,
 * or the way is another one; returns the next record. */
static inline __attribute__((always_inline)) const uint64_t *feed_while(struct feeder *fd, struct traffic *t,
                                                                        const struct trace_window *w, const uint64_t *p,
                                                                        const uint64_t *end, const fs_t horizon,
                                                                        const enum feed_way way)
{
  struct core_front *front = traffic_front(t, fd->core);
  struct dependences *d = &fd->dependences;
  const struct record_shapes *shapes = &record_shapes;
  __asm__("" : "+r"(shapes)); /* not worked out anew for each */

  for (;;) {
    const uint64_t r = *p;

    if (record_is_block(r)) {
      struct dependence_place *place;
      if (p >= end || front->time >= horizon || !(place = feed_place(fd, t, r)))
        return p;
      p++;
      if (way == FEED_ANY || (way == FEED_WATCHED && __builtin_expect(front->time >= d->until, 0))) {
        feed_block_any(fd, t, r);
        if (way == FEED_ANY)
          continue;
        return p;
      }
      if (way == FEED_WATCHED)
        dependence_cross(d, place, front->time);
      else
        d->now = place;
      feed_block(fd, t, front, place, r, true);
      continue;
    }
    if (record_may_join(r, p[1]))
      p = feeder_pieces(fd, t, w, p);
    else if (feed_alone(fd, t, w, front, shapes, p++, way == FEED_ANY ? d->watches : way == FEED_WATCHED))
      continue;
    if (way != FEED_WATCHED && feed_way(fd) != way)
      return p;
  }
}

#define FEED_WHILE(name, way)                                                                                          \
  static __attribute__((noinline)) const uint64_t *name(struct feeder *fd, struct traffic *t,                          \
                                                        const struct trace_window *w, const uint64_t *p,               \
                                                        const uint64_t *end, const fs_t horizon)                       \
  {                                                                                                                    \
    return feed_while(fd, t, w, p, end, horizon, way);                                                                 \
  }
FEED_WHILE(feed_any, FEED_ANY)
FEED_WHILE(feed_unwatched, FEED_UNWATCHED)
FEED_WHILE(feed_watched, FEED_WATCHED)

/* Feeds the records from `i` to before the window's last block, until the core reaches `horizon`; returns the index of
 * the next record. Six parameters: they stay in registers. */
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
  while (i < w->n) { /* accesses behind the last block: the last of them may be incomplete */
    const uint64_t *p = w->record + i;
    if (record_is_block(*p)) {
      if (front->time >= horizon || !feed_block_any(fd, t, *p))
        break;
      i++;
    } else if (i + 1 == w->n || record_may_join(*p, p[1])) {
      i = feeder_parts(fd, t, w, i);
    } else {
      feed_alone(fd, t, w, front, &record_shapes, p, fd->dependences.watches);
      i++;
    }
  }
  return i;
}
