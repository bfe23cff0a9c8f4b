/* SPDX-License-Identifier: MIT */
/* Accesses that are not done in the feeder's loop: several records each, of another manner, or over two lines. */
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

/* An access of its pieces: at once where its lines are most recent. Of a load while one is under way, a piece has no
 * time of its own. `behind` is the record after it. */
static inline void feed_access(struct feeder *fd, struct traffic *t, const struct trace_window *w,
                               const uint64_t *behind, const struct feeder_access *a)
{
  struct core_front *front = traffic_front(t, fd->core);
  const uint64_t lacks = a->kind == ACCESS_LOAD ? FRONT_LACKS_LOAD : FRONT_LACKS_STORE;

  if ((a->va & 63) + a->size <= 64 && (a->kind == ACCESS_STORE || !fd->dependences.watches) &&
      front_near(front, a->va >> 6, lacks))
    front->accesses[a->kind]++;
  else
    access_make(fd, t, w, (size_t)(behind - w->record), a);
}

/* Most are pieces of one size, one record and a store of the same, or a load and a store of other memory, as a call
 * through memory has them. */
const uint64_t *feeder_pieces(struct feeder *fd, struct traffic *t, const struct trace_window *w, const uint64_t *p)
{
  const uint64_t r = *p, piece = UINT64_C(1) << record_size_log2(r), *behind = p + 1;
  uint64_t next = r + piece;

  for (; *behind == next; behind++)
    next += piece;
  const uint64_t size = next - r;
  const bool store = record_is_store(r), modify = *behind == (r | RECORD_STORE) && size == piece && !store;
  behind += modify;
  const bool two = record_may_join(r, *behind), /* another access follows, of the same instruction */
      other = two && !modify && !store && record_is_store(*behind) && record_address(r) != record_address(*behind) &&
              !record_may_join(r, behind[1]);
  if (r >> RECORD_MANNER_SHIFT || two != other || size > MAX_ACCESS)
    return w->record + feeder_parts(fd, t, w, (size_t)(p - w->record));
  feed_access(fd, t, w, behind,
              &(struct feeder_access){record_address(r), (uint32_t)size, record_ordinal(r),
                                      modify ? ACCESS_MODIFY : kinds[store]});
  if (!other)
    return behind;
  const struct feeder_access a = access_of(*behind++);
  feed_access(fd, t, w, behind, &a);
  return behind;
}

void feeder_access_alone(struct feeder *fd, struct traffic *t, const struct trace_window *w, size_t i)
{
  const struct feeder_access a = access_of(w->record[i]);

  if (record_is_note(w->record[i]))
    feed_note(fd, t, w->record[i]);
  else
    access_make(fd, t, w, i + 1, &a);
}
