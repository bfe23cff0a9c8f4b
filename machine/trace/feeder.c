/* SPDX-License-Identifier: MIT */
#include "machine/trace/feeder.h"

#include "machine/trace/ring.h"

/* The widest access of one instruction that pieces are put together to. */
#define MAX_ACCESS 64
#define STRETCH FEEDER_STRETCH

void feeder_flush(struct feeder *fd, struct traffic *t)
{
  if (fd->held.size)
    traffic_access_fast(t, fd->core, fd->held.va, fd->held.size, fd->held.kind);
  fd->held.size = 0;
}

/* By manner and store bit. */
static const enum access_kind kinds[8] = { ACCESS_LOAD, ACCESS_STORE, ACCESS_PREFETCH, ACCESS_NT_STORE,
                                           ACCESS_FLUSH, ACCESS_LINE, ACCESS_SLEEP, ACCESS_SLEEP };

static inline struct feeder_access access_of(uint64_t r)
{
  return (struct feeder_access){ record_address(r), 1u << record_size_log2(r), record_ordinal(r),
                                 kinds[(r >> (RECORD_MANNER_SHIFT - 1) & 6) | record_is_store(r)] };
}

/* Whether the record after an access may belong to it: it is an access of the same instruction. */
static inline bool may_join(uint64_t access, uint64_t next)
{
  return !((access ^ next) & (RECORD_BLOCK | (uint64_t)RECORD_MAX_COUNT << RECORD_ORDINAL_SHIFT));
}

/* Whether an access is within a line. */
static inline bool record_fits(uint64_t r)
{
  return (r & 63) + (UINT64_C(1) << record_size_log2(r)) <= 64;
}

/* Whether a piece of an access comes after one of the same size. */
static inline bool follows(uint64_t record, const struct feeder_access *held, uint64_t next)
{
  return !((record ^ next) & ~RECORD_ADDRESS) && record_address(next) == held->va + held->size &&
         held->size + (1u << record_size_log2(next)) <= MAX_ACCESS;
}

/* Puts an access that QEMU made in pieces together again, and load and store of one instruction at one place. */
static inline bool joins(struct feeder_access *held, struct feeder_access a)
{
  if (!held->size || held->ordinal != a.ordinal)
    return false;
  if (a.kind == held->kind && a.va == held->va + held->size && held->size + a.size <= MAX_ACCESS) {
    held->size += a.size;
    return true;
  }
  if (a.kind == ACCESS_STORE && held->kind == ACCESS_LOAD && a.va == held->va && a.size == held->size) {
    held->kind = ACCESS_MODIFY;
    return true;
  }
  return false;
}

/* The lines of the accesses from `i` to before `end` that the first level has not: most go to one several times in a
 * row. */
static void lines_take(struct feeder_lines *lines, const struct core_front *f, const struct trace_window *w, size_t i,
                       size_t end)
{
  unsigned n = 0;
  uint64_t before = 0;

  for (end = end < w->n ? end : w->n; i < end && n < FEEDER_LINES; i++) {
    const uint64_t r = w->record[i], line = record_address(r) >> 6;

    if (line == before || record_is_block(r))
      continue;
    before = line;
    if (!front_has(f, line))
      lines->line[n++] = line;
  }
  lines->n = n;
}

static void lines_expect(const struct feeder_lines *lines, const struct traffic *t, unsigned core, enum expect_step step)
{
  for (unsigned i = 0; i < lines->n; i++)
    traffic_expect(t, core, lines->line[i], step);
}

/* What the accesses of the next few stretches from `at` on will need, while the second level misses. Each record is
 * looked at once; its lines go from one step to the next with each call. */
static __attribute__((noinline)) void expect(struct feeder *fd, const struct traffic *t, const struct trace_window *w,
                                             size_t at)
{
  const struct core_front *front = traffic_front(t, fd->core);
  struct feeder_lines *near = &fd->lines[fd->turn % EXPECT_STEPS];
  struct feeder_lines *middle = &fd->lines[(fd->turn + 1) % EXPECT_STEPS];
  struct feeder_lines *far = &fd->lines[(fd->turn + 2) % EXPECT_STEPS];
  size_t from = ((uintptr_t)fd->until - (uintptr_t)w->record) / sizeof *w->record;

  if (from < at + STRETCH || from > at + EXPECT_STEPS * STRETCH) {      /* not what the last call went on to */
    from = at + 2 * STRETCH;
    lines_take(near, front, w, at, at + STRETCH);
    lines_take(middle, front, w, at + STRETCH, from);
  }
  lines_take(far, front, w, from, at + EXPECT_STEPS * STRETCH);
  lines_expect(near, t, fd->core, EXPECT_LAST);
  lines_expect(middle, t, fd->core, EXPECT_SECOND);
  lines_expect(far, t, fd->core, EXPECT_FIRST);
  fd->turn++;
  fd->until = w->record + at + EXPECT_STEPS * STRETCH;
}

/* Takes an access and those after it that may belong to it; returns the place of the next record. What is not known to
 * be whole is held back. */
static __attribute__((noinline)) size_t feed_parts(struct feeder *fd, struct traffic *t, const struct trace_window *w,
                                                   size_t i)
{
  struct core_front *front = traffic_front(t, fd->core);
  struct feeder_access held = fd->held;

  do {
    const uint64_t r = w->record[i++];
    const struct feeder_access a = access_of(r);

    if (!joins(&held, a)) {
      if (held.size)
        front_access(t, front, fd->core, held.va, held.size, held.kind);
      held = a;
    }
    while (held.kind == a.kind && i < w->n && follows(r, &held, w->record[i])) {      /* most are pieces in a row */
      held.size += a.size;
      i++;
    }
  } while (i < w->n && may_join(w->record[i - 1], w->record[i]));
  fd->held = held;
  if (i < w->n)
    feeder_flush(fd, t);
  return i;
}

static __attribute__((noinline)) void feed_access(struct traffic *t, unsigned core, uint64_t record)
{
  const struct feeder_access a = access_of(record);

  traffic_access_fast(t, core, a.va, a.size, a.kind);
}

/* Feeds the records `range`[0] to before `range`[1], each of which another follows, until the core has reached
 * `horizon`; returns the place of the next. */
static __attribute__((noinline)) size_t feed_some(struct feeder *fd, struct traffic *t, const struct trace_window *w,
                                                  const size_t range[2], const uint64_t horizon)
{
  struct core_front *front = traffic_front(t, fd->core);
  const size_t end = range[1];
  size_t i = range[0];
  const uint64_t *const record = w->record;
  const unsigned core = fd->core;

  while (i < end) {
    const uint64_t r = record[i];

    if (record_is_block(r)) {
      if (front->time >= horizon)
        break;
      front_block(t, front, core, record_address(r), record_bytes(r), record_count(r));
      i++;
    } else if (may_join(r, record[i + 1])) {
      i = feed_parts(fd, t, w, i);
    } else {
      if (r >> RECORD_MANNER_SHIFT || !record_fits(r) ||
          !front_access_done(front, record_address(r) >> 6, r >> RECORD_STORE_SHIFT & 1))
        feed_access(t, core, r);
      i++;
    }
  }
  return i;
}

size_t feeder_feed(struct feeder *fd, struct traffic *t, const struct trace_window *w, uint64_t horizon)
{
  struct core_front *front = traffic_front(t, fd->core);
  size_t i = 0, end = 0;

  if (fd->held.size && record_is_block(w->record[0]))
    feeder_flush(fd, t);
  else if (fd->held.size)
    i = end = feed_parts(fd, t, w, 0);
  while (i >= end && i + 1 < w->n) {
    uint64_t asked = front->asked;

    end = w->n - i > STRETCH ? i + STRETCH : w->n - 1;
    i = feed_some(fd, t, w, (size_t[]){ i, end }, horizon);
    if (front->asked != asked)
      expect(fd, t, w, i + STRETCH);
  }
  if (i < end || i == w->n)
    return i;
  if (!record_is_block(w->record[i]))          /* the last, of which it is not known whether it is whole */
    return feed_parts(fd, t, w, i);
  if (front->time >= horizon)
    return i;
  const uint64_t r = w->record[i];
  front_block(t, front, fd->core, record_address(r), record_bytes(r), record_count(r));
  return i + 1;
}
