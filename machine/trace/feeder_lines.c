/* SPDX-License-Identifier: MIT */
/* Accesses of a single record within a line that is not one of the two most recently used lines of its L1 set. */
#include "machine/trace/feeder_parts.h"

/* A load of one of the two most recently used lines of an L1 set, while a load is in flight: its data may be in flight,
 * too, or its address may depend on data in flight. */
void feed_late(struct feeder *fd, struct traffic *t, uint64_t r, bool arrives)
{
  struct dependences *d = &fd->dependences;
  struct core_front *front = traffic_front(t, fd->core);

  if (!dependence_waits(d)) {
    dependence_loaded(d, record_plain_ordinal(r), front->filling[record_address(r) >> 6 & 63].done);
    return;
  }
  const fs_t ready = dependence_ready(d, record_plain_ordinal(r));
  if (arrives || ready > front->time) {
    const fs_t done = traffic_load_hit(t, front, record_line(r), ready);
    if (done > front->time)
      dependence_loaded(d, record_plain_ordinal(r), done);
  }
}

/* A single record's load within a line that misses L1. */
static __attribute__((noinline)) void feed_load_missed(struct feeder *fd, struct traffic *t, struct core_front *front,
                                                       const uint64_t *record)
{
  const uint64_t r = *record;
  const fs_t ready = feed_ready(fd, record_plain_ordinal(r));
  fs_t done = traffic_load_missed(t, front, r, ready);

  feed_expect(fd, t, front, record + 1);
  if (__builtin_expect(!done && fd->dependences.watches, 0))
    done = feed_hit(t, front, record_line(r), ready);
  feed_late_at(fd, front, record_plain_ordinal(r), done);
}

/* While tracking, a load of a line that hits L1: its data or its address may be in flight. */
static __attribute__((noinline)) void feed_load_tracked(struct feeder *fd, struct traffic *t, struct core_front *front,
                                                        const uint64_t r)
{
  struct dependences *d = &fd->dependences;
  const uint64_t line = record_line(r);
  const fs_t ready = dependence_waits(d) ? dependence_ready(d, record_plain_ordinal(r)) : 0;
  const struct on_way *arrives = &front->filling[line & 63];

  if (ready <= front->time && !(arrives->line == line && arrives->done > front->time))
    return;
  const fs_t done = traffic_load_hit(t, front, line, ready);
  if (done > front->time)
    dependence_loaded(d, record_plain_ordinal(r), done);
}

/* A load of a line that hits L1 in `way` of set `i`, which is not one of the two most recently used ways. */
static inline __attribute__((always_inline)) void feed_load_found(struct feeder *fd, struct traffic *t,
                                                                  struct core_front *front, const uint64_t r,
                                                                  uint64_t i, uint32_t way)
{
  first_again(&front->l1d, i, way);
  front->accesses[ACCESS_LOAD]++;
  if (fd->dependences.watches)
    feed_load_tracked(fd, t, front, r);
}

/* A single record's store within a line that misses L1, or hits a line that is not dirty (`found`). */
static __attribute__((noinline)) void feed_store_missed(struct feeder *fd, struct traffic *t, struct core_front *front,
                                                        const uint64_t *record, bool found)
{
  const uint64_t r = *record;

  front->ready = feed_ready(fd, record_plain_ordinal(r));
  front->accesses[ACCESS_STORE]++;
  if (found)
    traffic_access_slow(t, fd->core, record_address(r), 1u << record_size_log2(r), ACCESS_STORE);
  else
    traffic_store_missed(t, fd->core, record_address(r), 1u << record_size_log2(r));
  front->ready = 0;
  feed_expect(fd, t, front, record + 1);
}

/* A single record's store within a line that is not the most recently used one of its set, or not dirty. */
static __attribute__((noinline)) void feed_store(struct feeder *fd, struct traffic *t, struct core_front *front,
                                                 const uint64_t *record)
{
  const uint64_t line = record_line(*record);
  const bool found = first_touch(&front->l1d, line);

  if (found && *first_recent(&front->l1d, line) & L1_DIRTY)
    front->accesses[ACCESS_STORE]++;
  else
    feed_store_missed(fd, t, front, record, found);
}

static __attribute__((noinline, cold)) void feed_tired(struct feeder *fd, struct traffic *t, struct core_front *front,
                                                       const uint64_t *record);

/* Every call is a tail call, so that the common paths save few registers. */
void feed_line(struct feeder *fd, struct traffic *t, struct core_front *front, const uint64_t *record)
{
  const uint64_t r = *record, line = record_line(r), i = line & front->l1d.mask;

  if (record_is_store(r)) {
    feed_store(fd, t, front, record);
    return;
  }
  if (first_tired(&front->l1d, line)) {
    feed_tired(fd, t, front, record);
    return;
  }
  uint32_t way;
  if (!first_seek(&front->l1d, &front->l1d.set[i], line, &way)) {
    feed_load_missed(fd, t, front, record);
    return;
  }
  feed_load_found(fd, t, front, r, i, way);
}

static void feed_tired(struct feeder *fd, struct traffic *t, struct core_front *front, const uint64_t *record)
{
  first_number(&front->l1d, record_line(*record));
  feed_line(fd, t, front, record);
}

bool feed_line_apart(struct feeder *fd, struct traffic *t, struct core_front *front, const uint64_t *record)
{
  const uint64_t r = *record, line = record_line(r), i = line & front->l1d.mask;

  if (record_is_store(r)) {
    if (!feeder_access_is_private(fd, t, r))
      return false;
    feed_store(fd, t, front, record);
    return true;
  }
  if (first_tired(&front->l1d, line))
    first_number(&front->l1d, line);
  const uint32_t way = first_find(&front->l1d, &front->l1d.set[i], line);
  if (way == FIRST_WAYS) {
    if (!traffic_load_is_private(t, front, line))
      return false;
    feed_load_missed(fd, t, front, record);
    return true;
  }
  feed_load_found(fd, t, front, r, i, way);
  return true;
}
