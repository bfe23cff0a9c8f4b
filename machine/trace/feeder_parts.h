/* SPDX-License-Identifier: MIT */
/*
 * Accesses that the feeder's main loop does not handle, and the effect of accesses on dependences. Private to the
 * feeder.
 */
#ifndef MACHINE_TRACE_FEEDER_PARTS_H
#define MACHINE_TRACE_FEEDER_PARTS_H

#include "machine/trace/dependence_watch.h"
#include "machine/trace/feeder_access.h"

/* Collects an access and the following records that can belong to it; returns the index of the next record. An
 * access that may be incomplete is kept back. */
size_t feeder_parts(struct feeder *fd, struct traffic *t, const struct trace_window *w, size_t i);
/* Does the same from `p` on, if another record follows within the window and no access is kept back; returns the next
 * record. Returns `p` if the feeder is apart and the records are not private. */
const uint64_t *feeder_pieces(struct feeder *fd, struct traffic *t, const struct trace_window *w, const uint64_t *p);
/* True if the access of a single record is private to its core. */
bool feeder_access_is_private(const struct feeder *fd, const struct traffic *t, uint64_t r);
/* Performs the access of a single record at `p`, or takes a note; returns the next record. Returns `p` if the feeder is
 * apart and the record is not private. */
const uint64_t *feeder_access_alone(struct feeder *fd, struct traffic *t, const uint64_t *p);
/* feeder_lines.c: a load of one of the two most recently used lines of an L1 set, while a load is in flight. Its data
 * may be in flight, too (`arrives`), or its address may depend on data in flight. */
void feed_late(struct feeder *fd, struct traffic *t, uint64_t r, bool arrives);
/* A single record's load or store within a line that is not one of the two most recently used lines of its L1 set, or a
 * store to a line that is not dirty. */
void feed_line(struct feeder *fd, struct traffic *t, struct core_front *front, const uint64_t *record);
/* Does the same if it is private; otherwise false. */
bool feed_line_apart(struct feeder *fd, struct traffic *t, struct core_front *front, const uint64_t *record);
/* Prefetches for the records from `next` on, if an access or a block before them missed L2. */
static inline void feed_expect(struct feeder *fd, const struct traffic *t, const struct core_front *front,
                               const uint64_t *next)
{
  if (__builtin_expect(front->asked != fd->ahead.asked, 0))
    feeder_prefetch_lines(fd, t, fd->window, (size_t)(next - fd->window->record));
}
/* Updates whether blocks take the time that follows from their summaries. */
void feeder_pace(struct feeder *fd, const struct traffic *t);

/* Returns the time at which the data of an L1 hit are available; 0: now. The line may still be on its way to L1, or the
 * load may wait for its address until `ready`. */
static inline fs_t feed_hit(struct traffic *t, struct core_front *front, uint64_t line, fs_t ready)
{
  const struct on_way *way = &front->filling[line & 63];
  const bool arrives = way->line == line && way->done > front->time;

  return arrives || ready > front->time ? traffic_load_hit(t, front, line, ready) : 0;
}

/* The data of a load arrive at `done`: tracks them if they are later than the core's time. */
static inline void feed_late_at(struct feeder *fd, const struct core_front *front, unsigned ordinal, fs_t done)
{
  struct dependences *d = &fd->dependences;

  if (done <= front->time)
    return;
  if (d->watches)
    dependence_loaded(d, ordinal, done);
  else if (done - front->time > front->follow)
    dependence_begin(d, ordinal, done);
}

/* Tracks the data of a load that was performed, which may arrive later (front->done; 0: L1 hit). */
static inline void feed_loaded(struct feeder *fd, struct traffic *t, uint64_t va, unsigned ordinal, fs_t ready)
{
  struct core_front *front = traffic_front(t, fd->core);
  struct dependences *d = &fd->dependences;

  if (!front->done && d->watches)
    front->done = feed_hit(t, front, va >> 6, ready);
  feed_late_at(fd, front, ordinal, front->done);
}

/* While tracking, returns the time at which the address of an access of the current block is known; 0: at its start. */
static inline fs_t feed_ready(struct feeder *fd, unsigned ordinal)
{
  struct dependences *d = &fd->dependences;

  return d->watches && dependence_waits(d) ? dependence_ready(d, ordinal) : 0;
}

#endif
