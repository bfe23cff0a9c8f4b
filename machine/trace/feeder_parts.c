/* SPDX-License-Identifier: MIT */
/* Accesses that the feeder's main loop does not handle: of several records, of another manner, or across two lines. */
#include "machine/trace/feeder_parts.h"

/* Performs an access, which starts when its address is known. */
static void access_perform(struct feeder *fd, struct traffic *t, const struct feeder_access *a)
{
  struct core_front *front = traffic_front(t, fd->core);
  const fs_t ready = feed_ready(fd, a->ordinal);

  front->ready = ready;
  front->done = 0;
  front_access(t, front, fd->core, a->va, a->size, a->kind);
  front->ready = 0;
  if (a->kind == ACCESS_LOAD || a->kind == ACCESS_MODIFY)
    feed_loaded(fd, t, a->va, a->ordinal, ready);
}

void feeder_flush(struct feeder *fd, struct traffic *t)
{
  if (fd->held.size)
    access_perform(fd, t, &fd->held);
  fd->held.size = 0;
}

/* Performs the access of the records before `w->record[i]`, and prefetches for the next records if it missed L2. */
static void access_make(struct feeder *fd, struct traffic *t, const struct trace_window *w, size_t i,
                        const struct feeder_access *a)
{
  access_perform(fd, t, a);
  feed_expect(fd, t, traffic_front(t, fd->core), w->record + i);
}

void feeder_pace(struct feeder *fd, const struct traffic *t)
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

size_t feeder_parts(struct feeder *fd, struct traffic *t, const struct trace_window *w, size_t i)
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
    while (held.kind == a.kind && i < w->n &&
           record_continues(r, &held, w->record[i])) { /* most accesses are consecutive pieces */
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

/* Most are consecutive pieces of one size, or one record followed by a store of the same size. Other accesses of the
 * instruction are performed separately. While a load is in flight, the pieces of a load have no separate times. */
const uint64_t *feeder_pieces(struct feeder *fd, struct traffic *t, const struct trace_window *w, const uint64_t *p)
{
  struct core_front *front = traffic_front(t, fd->core);
  const uint64_t r = *p, piece = UINT64_C(1) << record_size_log2(r), *behind = p + 1;
  uint64_t next = r + piece;

  for (; *behind == next; behind++)
    next += piece;
  const uint64_t size = next - r;
  const bool store = record_is_store(r), modify = *behind == (r | RECORD_STORE) && size == piece && !store;
  behind += modify;
  if (r >> RECORD_MANNER_SHIFT || size > MAX_ACCESS)
    return fd->apart ? p : w->record + feeder_parts(fd, t, w, (size_t)(p - w->record));
  const enum access_kind kind = modify ? ACCESS_MODIFY : kinds[store];
  if ((r & 63) + size <= 64 && (store || !fd->dependences.watches) &&
      front_near(front, record_address(r) >> 6, store || modify ? FRONT_LACKS_STORE : FRONT_LACKS_LOAD)) {
    front->accesses[kind]++;
    return behind;
  }
  if (fd->apart && !traffic_access_is_private(t, fd->core, record_address(r), (uint32_t)size, kind))
    return p;
  const struct feeder_access a = {record_address(r), (uint32_t)size, record_ordinal(r), kind};
  access_make(fd, t, w, (size_t)(behind - w->record), &a);
  return behind;
}

/* True if a record is a load within one of the two most recently used lines of its L1 set. */
static inline bool load_is_near(const struct core_front *front, uint64_t r)
{
  return !(r & (RECORD_NOTE | RECORD_MANNER | RECORD_STORE)) && (r & 63) + (UINT64_C(1) << record_size_log2(r)) <= 64 &&
         front_near(front, record_address(r) >> 6, FRONT_LACKS_LOAD);
}

/* A load that only counts is private even if the core is behind the devices. */
bool feeder_access_is_private(const struct feeder *fd, const struct traffic *t, uint64_t r)
{
  const struct feeder_access a = access_of(r);

  if (!fd->dependences.watches && load_is_near(traffic_front(t, fd->core), r))
    return true;
  return !record_is_note(r) && traffic_access_is_private(t, fd->core, a.va, a.size, a.kind);
}

static __attribute__((noinline)) void access_alone(struct feeder *fd, struct traffic *t, const struct trace_window *w,
                                                   size_t i)
{
  const struct feeder_access a = access_of(w->record[i]);

  if (record_is_note(w->record[i]))
    feed_note(fd, t, w->record[i]);
  else
    access_make(fd, t, w, i + 1, &a);
}

/* True if the data or the address of a load for which load_is_near() holds may be in flight. */
static inline bool load_waits(const struct feeder *fd, const struct core_front *front, uint64_t r)
{
  const uint64_t line = record_address(r) >> 6;
  const struct on_way *way = &front->filling[line & 63];

  return fd->dependences.watches &&
         ((way->line == line && way->done > front->time) || dependence_waits(&fd->dependences));
}

/* A single load or store in two lines, while no load is in flight. */
static __attribute__((noinline)) void access_across(struct feeder *fd, struct traffic *t, const uint64_t *p)
{
  struct core_front *front = traffic_front(t, fd->core);
  const uint64_t r = *p;
  const enum access_kind kind = kinds[record_is_store(r)];

  front->accesses[kind]++;
  front->done = 0;
  traffic_access_slow(t, fd->core, record_address(r), 1u << record_size_log2(r), kind);
  if (kind == ACCESS_LOAD)
    feed_late_at(fd, front, record_ordinal(r), front->done);
  feed_expect(fd, t, front, p + 1);
}

/* Most are loads of vectors, or lie in two lines. As in feeder_pieces(), a load of a line on its way to L1 has its data
 * when the line arrives, or one hit latency after the load, whichever is later. */
const uint64_t *feeder_access_alone(struct feeder *fd, struct traffic *t, const uint64_t *p)
{
  struct core_front *front = traffic_front(t, fd->core);
  const struct trace_window *w = fd->window;
  const uint64_t r = *p;

  if (fd->apart && !feeder_access_is_private(fd, t, r))
    return p;
  if (load_is_near(front, r) && !load_waits(fd, front, r))
    front->accesses[ACCESS_LOAD]++;
  else if (!fd->dependences.watches && record_is_plain(r) && (r & 63) + (UINT64_C(1) << record_size_log2(r)) > 64)
    access_across(fd, t, p);
  else
    access_alone(fd, t, w, (size_t)(p - w->record));
  return p + 1;
}
