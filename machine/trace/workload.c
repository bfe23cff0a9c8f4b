/* SPDX-License-Identifier: MIT */
#include "machine/trace/workload.h"

#include <stdio.h>
#include <stdlib.h>
#include <pmon/status.h>
#include "machine/trace/ring.h"
#include "machine/traffic/fast.h"
#include "machine/traffic/traffic.h"

/* How far a thread may run ahead of the next one before that gets its turn: 50 ns. */
#define SLICE_FS UINT64_C(50000000)
/* The widest access of one instruction that pieces are put together to. */
#define MAX_ACCESS 64
/* Records that are looked through at once for what they will need. */
#define STRETCH 16u

enum thread_status { THREAD_ACTIVE, THREAD_IDLE, THREAD_DONE };

struct thread {
  enum thread_status status;
  unsigned core;
  uint64_t turn;               /* when it last had its turn: threads of one core alternate */
  /* an access held back until it is known whether the next record belongs to it; size 0: none */
  uint64_t held_va;
  uint32_t held_size, held_ordinal;
  enum access_kind held_kind;
};

struct workload {
  struct machine_workload base;
  struct trace_source *source;
  struct placement *placement;
  struct traffic *traffic;
  struct thread *thread;
  unsigned n, room, alive;
  uint64_t turns;
};

/* ---- records to calls ---- */

static inline void flush(struct traffic *t, struct thread *th)
{
  if (th->held_size)
    traffic_access_fast(t, th->core, th->held_va, th->held_size, th->held_kind);
  th->held_size = 0;
}

/* By manner and store bit. */
static const enum access_kind kinds[8] = { ACCESS_LOAD, ACCESS_STORE, ACCESS_PREFETCH, ACCESS_NT_STORE,
                                           ACCESS_FLUSH, ACCESS_LINE, ACCESS_SLEEP, ACCESS_SLEEP };

static inline enum access_kind kind_of(uint64_t r)
{
  return kinds[(r >> (RECORD_MANNER_SHIFT - 1) & 6) | record_is_store(r)];
}

/* Puts an access that QEMU made in pieces together again, and load and store of one instruction at one place. */
static inline bool joins(struct thread *th, uint64_t record)
{
  uint64_t va = record_address(record);
  uint32_t size = 1u << record_size_log2(record);
  enum access_kind kind = kind_of(record);

  if (!th->held_size || th->held_ordinal != record_ordinal(record))
    return false;
  if (kind == th->held_kind && va == th->held_va + th->held_size && th->held_size + size <= MAX_ACCESS) {
    th->held_size += size;
    return true;
  }
  if (kind == ACCESS_STORE && th->held_kind == ACCESS_LOAD && va == th->held_va && size == th->held_size) {
    th->held_kind = ACCESS_MODIFY;
    return true;
  }
  return false;
}

/* What the accesses of the next few stretches of records will need, while the second level misses. */
static __attribute__((noinline)) void expect(const struct traffic *t, unsigned core, const struct trace_window *w, size_t at)
{
  const struct core_front *front = traffic_front(t, core);

  for (int step = EXPECT_LAST; step >= EXPECT_FIRST; step--) {
    uint64_t before = 0;                 /* the line of the last access: most go to one several times */

    for (size_t end = at + STRETCH; at < end && at < w->n; at++) {
      uint64_t line = record_address(w->record[at]) >> 6;

      if (record_is_block(w->record[at]) || line == before)
        continue;
      before = line;
      if (!front_has(front, line))
        traffic_expect(t, core, line, (enum expect_step)step);
    }
  }
}

/* Feeds records from `i` to before `end` until the core has reached `horizon`; returns the place of the next. */
static inline size_t feed_some(struct traffic *t, struct thread *th, const uint64_t *record, size_t i, size_t end,
                               uint64_t horizon)
{
  const struct core_front *front = traffic_front(t, th->core);

  for (; i < end; i++) {
    uint64_t r = record[i];

    if (record_is_block(r)) {
      flush(t, th);
      if (front->time >= horizon)
        break;
      traffic_block_fast(t, th->core, record_address(r), record_bytes(r), record_count(r));
    } else if (!joins(th, r)) {
      flush(t, th);
      th->held_va = record_address(r);
      th->held_size = 1u << record_size_log2(r);
      th->held_ordinal = record_ordinal(r);
      th->held_kind = kind_of(r);
    }
  }
  return i;
}

/* Feeds records until the core has reached `horizon`; returns how many it took. */
static size_t feed(struct traffic *t, struct thread *thread, const struct trace_window *w, uint64_t horizon)
{
  const struct core_front *front = traffic_front(t, thread->core);
  struct thread th = *thread;
  size_t i = 0, end = 0;

  while (i == end && i < w->n) {
    uint64_t asked = front->asked;

    end = w->n - i > STRETCH ? i + STRETCH : w->n;
    i = feed_some(t, &th, w->record, i, end, horizon);
    if (front->asked != asked)
      expect(t, th.core, w, i + STRETCH);
  }
  *thread = th;
  return i;
}

/* ---- threads ---- */

static unsigned active_on(const struct workload *w, unsigned core)
{
  unsigned n = 0;

  for (unsigned i = 0; i < w->n; i++)
    n += w->thread[i].status == THREAD_ACTIVE && w->thread[i].core == core;
  return n;
}

static void set_status(struct workload *w, struct thread *th, enum thread_status status)
{
  bool was = th->status == THREAD_ACTIVE;

  if (was && status != THREAD_ACTIVE)
    flush(w->traffic, th);
  th->status = status;
  if (was && status != THREAD_ACTIVE && !active_on(w, th->core))
    traffic_core_idle(w->traffic, th->core);
  if (!was && status == THREAD_ACTIVE && active_on(w, th->core) == 1)
    traffic_core_wake(w->traffic, th->core);
  if (status == THREAD_DONE) {
    placement_release(w->placement, th->core);
    w->alive--;
  }
}

static int adopt(struct workload *w, unsigned threads)
{
  while (w->n < threads) {
    if (w->n == w->room) {
      unsigned room = w->room ? 2 * w->room : 16;
      struct thread *thread = realloc(w->thread, room * sizeof *thread);

      if (!thread)
        return PMON_E_MEMORY;
      w->thread = thread;
      w->room = room;
    }
    w->thread[w->n] = (struct thread){ .status = THREAD_IDLE, .core = placement_take(w->placement) };
    w->n++;
    w->alive++;
    set_status(w, &w->thread[w->n - 1], THREAD_ACTIVE);
  }
  return 0;
}

/* Idle threads that have records again, or ended meanwhile. */
static int wake(struct workload *w)
{
  for (unsigned i = 0; i < w->n; i++) {
    struct trace_window window;
    int rc;

    if (w->thread[i].status != THREAD_IDLE)
      continue;
    rc = w->source->ops->window(w->source, i, &window);
    if (rc < 0)
      return rc;
    if (window.n)
      set_status(w, &w->thread[i], THREAD_ACTIVE);
    else if (window.state == TRACE_ENDED)
      set_status(w, &w->thread[i], THREAD_DONE);
  }
  return 0;
}

/* The active thread whose core is furthest behind (of one core: whose turn is longest ago); the time of the next. */
static struct thread *furthest_behind(struct workload *w, uint64_t *ret_time, uint64_t *ret_next)
{
  struct thread *best = NULL;
  uint64_t best_time = UINT64_MAX, next = UINT64_MAX;

  for (unsigned i = 0; i < w->n; i++) {
    struct thread *th = &w->thread[i];
    uint64_t time;

    if (th->status != THREAD_ACTIVE)
      continue;
    time = traffic_front(w->traffic, th->core)->time;
    if (!best || time < best_time || (time == best_time && th->turn < best->turn)) {
      next = best_time;
      best = th;
      best_time = time;
    } else if (time < next) {
      next = time;
    }
  }
  *ret_time = best_time;
  *ret_next = next;
  return best;
}

/* Nothing is at hand for `th`, whose turn it is. */
static int do_without(struct workload *w, struct thread *th, enum trace_state state)
{
  unsigned thread = (unsigned)(th - w->thread);
  struct trace_window window;
  int rc;

  if (state == TRACE_ENDED) {
    set_status(w, th, THREAD_DONE);
    return 0;
  }
  if (state == TRACE_BLOCKED) {
    for (unsigned i = 0; i < w->n; i++)
      if (i != thread && w->thread[i].status == THREAD_ACTIVE) {
        set_status(w, th, THREAD_IDLE);
        return 0;
      }
    return w->source->ops->await(w->source, TRACE_ANY);
  }
  rc = w->source->ops->await(w->source, thread);
  if (rc == 0)
    rc = w->source->ops->window(w->source, thread, &window);
  if (rc == 0 && !window.n && window.state == TRACE_RUNNING)
    set_status(w, th, THREAD_IDLE);
  return rc;
}

static int step(struct workload *w, uint64_t until, bool *ret_reached, bool *ret_ended)
{
  struct trace_window window;
  uint64_t time, next, horizon;
  struct thread *th;
  unsigned threads;
  bool ended;
  size_t taken;
  int rc = w->source->ops->poll(w->source, &threads, &ended);

  if (rc < 0 || (rc = adopt(w, threads)) < 0 || (rc = wake(w)) < 0)
    return rc;
  th = furthest_behind(w, &time, &next);
  if (!th) {
    *ret_ended = ended && !w->alive;
    return *ret_ended ? 0 : w->source->ops->await(w->source, TRACE_ANY);
  }
  *ret_reached = time >= until;
  if (*ret_reached)
    return 0;
  rc = w->source->ops->window(w->source, (unsigned)(th - w->thread), &window);
  if (rc < 0)
    return rc;
  if (!window.n)
    return do_without(w, th, window.state);
  horizon = next > UINT64_MAX - SLICE_FS ? UINT64_MAX : next + SLICE_FS;
  th->turn = ++w->turns;
  taken = feed(w->traffic, th, &window, horizon < until ? horizon : until);
  w->source->ops->consume(w->source, (unsigned)(th - w->thread), taken);
  return 0;
}

/* Nobody has anything to do before that time. */
static void sleep_until(struct workload *w, uint64_t until)
{
  for (unsigned i = 0; i < w->n; i++) {
    if (w->thread[i].status == THREAD_ACTIVE)
      set_status(w, &w->thread[i], THREAD_IDLE);
    if (w->thread[i].status == THREAD_IDLE)
      traffic_core_sleep(w->traffic, w->thread[i].core, until);
  }
}

static int workload_run(struct machine_workload *base, struct machine *m, uint64_t until_fs, bool *ret_ended,
                        char *error, size_t error_size)
{
  struct workload *w = (struct workload *)base;
  bool reached = false, ended = false;
  int rc = 0;

  w->traffic = machine_traffic(m);
  while (rc == 0 && !reached && !ended)
    rc = step(w, until_fs, &reached, &ended);
  if (rc < 0)
    snprintf(error, error_size, "%s", w->source->error[0] ? w->source->error : "out of memory");
  if (ended || rc < 0)
    machine_reached(m, traffic_now(w->traffic));
  if (rc == TRACE_REST)
    machine_rests(m, traffic_now(w->traffic));
  if (rc == TRACE_SLEEP)
    sleep_until(w, until_fs);
  *ret_ended = ended;
  return rc < 0 ? rc : 0;
}

static void workload_free(struct machine_workload *base)
{
  struct workload *w = (struct workload *)base;

  trace_source_free(w->source);
  placement_free(w->placement);
  free(w->thread);
  free(w);
}

int trace_workload_new(struct trace_source *source, struct placement *placement, struct machine_workload **ret_workload)
{
  struct workload *w = calloc(1, sizeof *w);

  if (!w) {
    trace_source_free(source);
    placement_free(placement);
    return PMON_E_MEMORY;
  }
  w->base = (struct machine_workload){ .run = workload_run, .free = workload_free };
  w->source = source;
  w->placement = placement;
  *ret_workload = &w->base;
  return 0;
}
