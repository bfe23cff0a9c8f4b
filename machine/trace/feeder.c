/* SPDX-License-Identifier: MIT */
#include "machine/trace/feeder.h"

#include "machine/trace/dependence_watch.h"
#include "machine/trace/feeder_access.h"

/* When the data of a load are there that the first level has; 0: they are. They may be on their way to it, or the load
 * waits for its address. */
static inline fs_t feed_hit(struct traffic *t, unsigned core, const struct feeder_access *a, fs_t ready)
{
  const struct core_front *front = traffic_front(t, core);
  const struct on_way *way = &front->filling[a->va >> 6 & 63];
  const bool arrives = way->line == a->va >> 6 && way->done > front->time;

  return arrives || ready > front->time ? traffic_load_hit(t, core, a->va, ready) : 0;
}

/* A load was performed that may have data later (front->done; 0: the first level has the line): what depends on it
 * waits. */
static inline void load_done(struct feeder *fd, struct traffic *t, const struct feeder_access *a, fs_t ready)
{
  struct core_front *front = traffic_front(t, fd->core);
  struct dependences *d = &fd->dependences;

  if (!front->done && d->watches)
    front->done = feed_hit(t, fd->core, a, ready);
  if (front->done <= front->time)
    return;
  if (d->watches)
    dependence_loaded(d, a->ordinal, front->done);
  else if (front->done - front->time > front->follow)
    dependence_begin(d, a->ordinal, front->done);
}

/* Performs an access, which starts when its address is known. */
static void access_perform(struct feeder *fd, struct traffic *t, const struct feeder_access *a)
{
  struct core_front *front = traffic_front(t, fd->core);
  const struct dependences *d = &fd->dependences;
  const fs_t ready = d->watches && dependence_waits(d) ? dependence_ready(&fd->dependences, a->ordinal) : 0;

  front->ready = ready;
  front->done = 0;
  front_access(t, front, fd->core, a->va, a->size, a->kind);
  front->ready = 0;
  if (a->kind == ACCESS_LOAD || a->kind == ACCESS_MODIFY)
    load_done(fd, t, a, ready);
}

void feeder_flush(struct feeder *fd, struct traffic *t)
{
  if (fd->held.size)
    access_perform(fd, t, &fd->held);
  fd->held.size = 0;
}

/* Performs the access of the records before `w->record[i]`. */
static void access_make(struct feeder *fd, struct traffic *t, const struct trace_window *w, size_t i,
                        const struct feeder_access *a)
{
  struct core_front *front = traffic_front(t, fd->core);
  const uint64_t asked = front->asked;

  access_perform(fd, t, a);
  if (front->asked != asked)
    feeder_prefetch_lines(fd, t, w, i);
}

/* Whether blocks take the time that follows from their instructions. */
static void feeder_pace(struct feeder *fd, const struct traffic *t)
{
  dependence_update(&fd->dependences);
  const struct dependence_table *table = fd->dependences.table;
  fd->paced = table && table->summaries && traffic_front(t, fd->core)->follow != FOLLOW_NONE;
  fd->alone = fd->paced && !fd->shares;
}

static void feed_note(struct feeder *fd, const struct traffic *t, uint64_t note)
{
  dependence_note(&fd->dependences, note);
  feeder_pace(fd, t);
}

/* Collects an access and the following records that can belong to it; returns the index of the next record. An
 * access that may be incomplete is kept back. */
static __attribute__((noinline)) size_t feed_parts(struct feeder *fd, struct traffic *t, const struct trace_window *w,
                                                   size_t i)
{
  struct feeder_access held = fd->held;

  if (record_is_note(w->record[i])) {
    feed_note(fd, t, w->record[i]);
    return i + 1;
  }
  do {
    const uint64_t r = w->record[i++];
    const struct feeder_access a = access_of(r);

    if (!access_join(&held, a)) {
      if (held.size)
        access_make(fd, t, w, i, &held);
      held = a;
    }
    while (held.kind == a.kind && i < w->n && record_continues(r, &held, w->record[i])) { /* most accesses are
                                                                                           * consecutive pieces */
      held.size += a.size;
      i++;
    }
  } while (i < w->n && record_may_join(w->record[i - 1], w->record[i]));
  if (i < w->n) {
    access_make(fd, t, w, i, &held);
    held.size = 0;
  }
  fd->held = held;
  return i;
}

/* Performs the access of `w->record[i]` alone. */
static __attribute__((noinline)) void feed_access(struct feeder *fd, struct traffic *t, const struct trace_window *w,
                                                  size_t i)
{
  const struct feeder_access a = access_of(w->record[i]);

  if (record_is_note(w->record[i]))
    feed_note(fd, t, w->record[i]);
  else
    access_make(fd, t, w, i + 1, &a);
}

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

/* A load or store is done of a line that was used last or before in its place of the first level. */
static inline void feed_recent(struct feeder *fd, struct traffic *t, struct core_front *front, uint64_t r)
{
  const uint64_t line = record_address(r) >> 6;
  const struct on_way *way = &front->filling[line & 63];

  front->accesses[r >> RECORD_STORE_SHIFT & 1]++; /* ACCESS_LOAD, ACCESS_STORE */
  if (__builtin_expect(!fd->dependences.watches, 1) || record_is_store(r))
    return;
  const bool arrives = way->line == line && way->done > front->time;
  if (arrives || dependence_waits(&fd->dependences))
    feed_late(fd, t, r, arrives);
}

/* The records from `p` on of one access: it is a load or store within a line that was used last or before, in pieces of
 * one size, and no load while one is under way: of that a piece has no time of its own. Returns the record behind it;
 * NULL: it is something else, and nothing is done. */
static __attribute__((noinline)) const uint64_t *feed_pieces(struct feeder *fd, struct traffic *t, const uint64_t *p)
{
  struct core_front *front = traffic_front(t, fd->core);
  const uint64_t r = *p, piece = UINT64_C(1) << record_size_log2(r);
  const uint64_t same = (r ^ p[1]) >> RECORD_SIZE_SHIFT ? 0 : piece;
  uint64_t next = r + piece;

  while (same && *++p == next)
    next += piece;
  if (!same || r >> RECORD_MANNER_SHIFT || record_may_join(r, *p) || (r & 63) + (next - r) > 64 ||
      (fd->dependences.watches && !record_is_store(r)) ||
      !front_near(front, record_address(r) >> 6, r >> RECORD_STORE_SHIFT & 1))
    return NULL;
  feed_recent(fd, t, front, r);
  return p;
}

/* A load or store within a line that the first level had not (found: or not for writing), of a record alone. */
static inline void feed_missed(struct feeder *fd, struct traffic *t, const struct trace_window *w,
                               const uint64_t *record, bool found)
{
  struct core_front *front = traffic_front(t, fd->core);
  const struct dependences *d = &fd->dependences;
  const uint64_t r = *record, asked = front->asked;
  const bool store = record_is_store(r);
  const fs_t ready = d->watches && dependence_waits(d) ? dependence_ready(&fd->dependences, record_ordinal(r)) : 0;

  front->accesses[store]++; /* ACCESS_LOAD, ACCESS_STORE */
  front->done = 0;
  front->ready = ready;
  (found ? traffic_access_slow : traffic_access_missed)(t, fd->core, record_address(r), 1u << record_size_log2(r),
                                                        store ? ACCESS_STORE : ACCESS_LOAD);
  front->ready = 0;
  if (front->asked != asked)
    feeder_prefetch_lines(fd, t, w, (size_t)(record + 1 - w->record));
  if (!store)
    load_done(fd, t, &(struct feeder_access){record_address(r), 0, record_ordinal(r), ACCESS_LOAD}, ready);
}

/* A load of a line that the first level has, but that was not used last or before, while a load is under way. */
static __attribute__((noinline)) void feed_found(struct feeder *fd, struct traffic *t, struct core_front *front,
                                                 uint64_t r)
{
  struct dependences *d = &fd->dependences;
  const uint64_t line = record_address(r) >> 6;
  const fs_t ready = dependence_waits(d) ? dependence_ready(d, record_ordinal(r)) : 0;
  const struct on_way *way = &front->filling[line & 63];

  if (ready <= front->time && !(way->line == line && way->done > front->time))
    return;
  const fs_t done = traffic_load_hit(t, fd->core, record_address(r), ready);
  if (done > front->time)
    dependence_loaded(d, record_ordinal(r), done);
}

/* A load or store within a line, of a record alone, that is not of the line used last or before in its place of the
 * first level, or a store to one that is not dirty. */
static __attribute__((noinline)) void feed_line(struct feeder *fd, struct traffic *t, const struct trace_window *w,
                                                const uint64_t *record)
{
  struct core_front *front = traffic_front(t, fd->core);
  const uint64_t r = *record, line = record_address(r) >> 6, store = r >> RECORD_STORE_SHIFT & 1;

  const bool found = front_has(front, line) || first_find_other(&front->l1d, line);
  if (!found || (store && !(*first_recent(&front->l1d, line) & L1_DIRTY))) {
    feed_missed(fd, t, w, record, found);
    return;
  }
  front->accesses[store]++; /* ACCESS_LOAD, ACCESS_STORE */
  if (fd->dependences.watches && !store)
    feed_found(fd, t, front, r);
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

/* The block before may have ended with a branch. */
static inline void feed_branch(struct feeder *fd, struct traffic *t, struct core_front *front, uint64_t r)
{
  const uint64_t through = fd->through;

  if (through && !pace_predicts(front, through >> DEPENDENCE_BRANCH_SHIFT, ((through ^ r) & RECORD_ADDRESS) != 0))
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

/* A block begins, unless it is a mark: then false. */
static inline __attribute__((always_inline)) bool feed_block(struct feeder *fd, struct traffic *t,
                                                             struct core_front *front, uint64_t r)
{
  struct dependences *d = &fd->dependences;
  struct dependence_place *p = dependence_place(d, r);
  __asm__("" : "+r"(p)); /* in a register from here on, not worked out again at each use */

  if (__builtin_expect(p->record != r, 0)) {
    if (record_is_mark(r))
      return false;
    dependence_find(d, t, r, p);
  }
  if (__builtin_expect(d->watches, 0))
    dependence_cross(d, p, front->time);
  else
    d->now = p;
  if (__builtin_expect(!fd->alone, 0)) {
    feed_slower(fd, t, p);
    return true;
  }
  feed_branch(fd, t, front, r);
  fd->through = p->behind;
  if (__builtin_expect(p->flags & (PACE_UNKNOWN | PACE_HOLDS | PACE_SPLIT), 0)) {
    feed_split(fd, t, p);
    return true;
  }
  front_block_pass(front, p->cycles, p->instructions);
  if (!front_block_recent(front, record_address(r)))
    feed_block_slow(fd, t, r);
  return true;
}

/* The access of a record alone, or a note. */
static inline __attribute__((always_inline)) void feed_alone(struct feeder *fd, struct traffic *t,
                                                             const struct trace_window *w, struct core_front *front,
                                                             const uint64_t *p)
{
  const uint64_t r = *p;

  if (__builtin_expect(r >> RECORD_MANNER_SHIFT || !record_fits(r), 0))
    feed_access(fd, t, w, (size_t)(p - w->record));
  else if (front_near(front, record_address(r) >> 6, r >> RECORD_STORE_SHIFT & 1))
    feed_recent(fd, t, front, r);
  else
    feed_line(fd, t, w, p);
}

/* Feeds the records from `range`[0] to before `range`[1], which is a block, until the core reaches `horizon`; returns
 * the index of the next record. */
static __attribute__((noinline)) size_t feed_range(struct feeder *fd, struct traffic *t, const struct trace_window *w,
                                                   const size_t range[2], const uint64_t horizon)
{
  struct core_front *front = traffic_front(t, fd->core);
  const uint64_t *const record = w->record, *const end = record + range[1], *p = record + range[0];

  for (;;) {
    const uint64_t r = *p;

    if (record_is_block(r)) {
      if (p >= end || front->time >= horizon || !feed_block(fd, t, front, r))
        break;
    } else if (record_may_join(r, p[1])) {
      const uint64_t *behind = feed_pieces(fd, t, p);
      p = behind ? behind : record + feed_parts(fd, t, w, (size_t)(p - record));
      continue;
    } else {
      feed_alone(fd, t, w, front, p);
    }
    p++;
  }
  return (size_t)(p - record);
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
    i = feed_parts(fd, t, w, 0);
  if (i < last) {
    i = feed_range(fd, t, w, (size_t[]){i, last}, horizon);
    if (i < last)
      return i;
  }
  for (; i < w->n; i++) { /* accesses behind the last block: the last of them may be incomplete */
    const uint64_t *p = w->record + i;
    if (record_is_block(*p) && (front->time >= horizon || !feed_block(fd, t, front, *p)))
      break;
    if (!record_is_block(*p) && (i + 1 == w->n || record_may_join(*p, p[1])))
      i = feed_parts(fd, t, w, i) - 1;
    else if (!record_is_block(*p))
      feed_alone(fd, t, w, front, p);
  }
  return i;
}
