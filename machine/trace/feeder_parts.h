/* SPDX-License-Identifier: MIT */
/*
 * Accesses that are not done in the feeder's loop, and what an access makes of dependences. Private to the feeder.
 */
#ifndef MACHINE_TRACE_FEEDER_PARTS_H
#define MACHINE_TRACE_FEEDER_PARTS_H

#include "machine/trace/dependence_watch.h"
#include "machine/trace/feeder_access.h"

/* Collects an access and the following records that can belong to it; returns the index of the next record. An
 * access that may be incomplete is kept back. */
size_t feeder_parts(struct feeder *fd, struct traffic *t, const struct trace_window *w, size_t i);
/* The same from `p` on, behind which a record of something else comes within the window, while nothing is kept back:
 * returns the next record. `p`: the feeder is apart, and they are not private. */
const uint64_t *feeder_pieces(struct feeder *fd, struct traffic *t, const struct trace_window *w, const uint64_t *p);
/* Whether the access of a record alone is private to its core. */
bool feeder_access_is_private(const struct feeder *fd, const struct traffic *t, uint64_t r);
/* Performs the access of `w->record[i]` alone, or takes up a note. */
void feeder_access_alone(struct feeder *fd, struct traffic *t, const struct trace_window *w, size_t i);
/* feeder_lines.c: a load of a line that was used last or before, while a load is under way: its data may be on their
 * way, too, or its address may have to wait. */
void feed_late(struct feeder *fd, struct traffic *t, uint64_t r, bool arrives);
/* A load or store within a line, of a record alone, that is not of the line used last or before in its place of the
 * first level, or a store to one that is not dirty. */
void feed_line(struct feeder *fd, struct traffic *t, const struct trace_window *w, const uint64_t *record);
/* The same, apart, if it is private; else false. */
bool feed_line_apart(struct feeder *fd, struct traffic *t, const struct trace_window *w, const uint64_t *record);
/* Whether blocks take the time that follows from their instructions. */
void feeder_pace(struct feeder *fd, const struct traffic *t);

/* When the data of a load are there that the first level has; 0: they are. They may be on their way to it, or the load
 * waits for its address. */
static inline fs_t feed_hit(struct traffic *t, unsigned core, uint64_t va, fs_t ready)
{
  const struct core_front *front = traffic_front(t, core);
  const struct on_way *way = &front->filling[va >> 6 & 63];
  const bool arrives = way->line == va >> 6 && way->done > front->time;

  return arrives || ready > front->time ? traffic_load_hit(t, core, va, ready) : 0;
}

/* A load's data are there at `done`. */
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

/* A load was performed that may have data later (front->done; 0: the first level has the line): what depends on it
 * waits. */
static inline void feed_loaded(struct feeder *fd, struct traffic *t, uint64_t va, unsigned ordinal, fs_t ready)
{
  struct core_front *front = traffic_front(t, fd->core);
  struct dependences *d = &fd->dependences;

  if (!front->done && d->watches)
    front->done = feed_hit(t, fd->core, va, ready);
  feed_late_at(fd, front, ordinal, front->done);
}

/* While it may watch: when the address of an access of the current block is known; 0: from the start. */
static inline fs_t feed_ready(struct feeder *fd, unsigned ordinal)
{
  struct dependences *d = &fd->dependences;

  return d->watches && dependence_waits(d) ? dependence_ready(d, ordinal) : 0;
}

#endif
