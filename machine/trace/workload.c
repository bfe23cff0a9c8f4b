/* SPDX-License-Identifier: MIT */
#include "machine/trace/workload_state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <pmon/status.h>
#include "machine/trace/feeder.h"
#include "machine/trace/pages.h"
#include "machine/common/fast.h"
#include "machine/common/traffic.h"
#include "machine/trace/ring.h"

/* A thread may be this far ahead of the next one before that one continues: 50 ns. */
#define SLICE_FS UINT64_C(50000000)

static unsigned workload_core_is_active(const struct workload *w, unsigned core)
{
  unsigned n = 0;

  for (unsigned i = 0; i < w->alive; i++) {
    const struct thread *th = w->thread[w->live[i]];

    n += th->status == THREAD_ACTIVE && th->feeder.core == core;
  }
  return n;
}

/* The thread's state is no longer needed. */
static void workload_drop_thread(struct workload *w, struct thread *th)
{
  unsigned i = 0;

  while (w->live[i] != th->number)
    i++;
  w->alive--;
  memmove(w->live + i, w->live + i + 1, (w->alive - i) * sizeof *w->live);
  w->thread[th->number] = NULL;
  free(th);
}

static void workload_set_status(struct workload *w, struct thread *th, enum thread_status status)
{
  bool was = th->status == THREAD_ACTIVE;

  if (was && status != THREAD_ACTIVE)
    feeder_flush(&th->feeder, w->traffic);
  if (was && status == THREAD_DONE)
    traffic_core_end(w->traffic, th->feeder.core);
  th->status = status;
  if (was && status != THREAD_ACTIVE && !workload_core_is_active(w, th->feeder.core))
    traffic_core_idle(w->traffic, th->feeder.core);
  if (!was && status == THREAD_ACTIVE && workload_core_is_active(w, th->feeder.core) == 1)
    traffic_core_wake(w->traffic, th->feeder.core);
  if (status == THREAD_DONE) {
    placement_release(w->placement, th->feeder.core);
    workload_drop_thread(w, th);
  }
}

static int workload_add_threads(struct workload *w, unsigned threads)
{
  while (w->n < threads) {
    if (w->n == w->room) {
      unsigned room = w->room ? 2 * w->room : 16;
      struct thread **thread = realloc(w->thread, room * sizeof *thread);
      unsigned *live = thread ? realloc(w->live, room * sizeof *live) : NULL;

      w->thread = thread ? thread : w->thread;
      w->live = live ? live : w->live;
      if (!live)
        return PMON_E_MEMORY;
      w->room = room;
    }
    struct thread *th = calloc(1, sizeof *th);
    if (!th)
      return PMON_E_MEMORY;
    th->number = w->n;
    th->status = THREAD_IDLE;
    th->feeder.core = placement_take(w->placement);
    th->feeder.dependences.table = &w->dependences;
    w->thread[w->n] = th;
    w->live[w->alive++] = w->n++;
    workload_set_status(w, th, THREAD_ACTIVE);
  }
  return 0;
}

/* Activates idle threads that have records again or have ended. */
static int workload_activate(struct workload *w)
{
  for (unsigned k = 0; k < w->alive;) {
    struct thread *th = w->thread[w->live[k]];
    const unsigned alive = w->alive;
    struct trace_window window;
    int rc;

    if (th->status == THREAD_IDLE) {
      rc = w->source->ops->window(w->source, th->number, &window);
      if (rc < 0)
        return rc;
      if (window.n)
        workload_set_status(w, th, THREAD_ACTIVE);
      else if (window.state == TRACE_ENDED)
        workload_set_status(
            w, th, th->open || traffic_core_combines(w->traffic, th->feeder.core) ? THREAD_ACTIVE : THREAD_DONE);
    }
    k += w->alive == alive; /* an ended thread leaves the list */
  }
  return 0;
}

/* The active thread whose core is furthest behind (among threads of one core, the one with the oldest time slice),
 * and the time of the next one. */
static struct thread *workload_furthest_behind(struct workload *w, uint64_t *ret_time, uint64_t *ret_next)
{
  struct thread *best = NULL;
  uint64_t best_time = UINT64_MAX, next = UINT64_MAX;

  for (unsigned i = 0; i < w->alive; i++) {
    struct thread *th = w->thread[w->live[i]];
    uint64_t time;

    if (th->status != THREAD_ACTIVE)
      continue;
    time = traffic_front(w->traffic, th->feeder.core)->time;
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

/* The least time of the cores of active threads, except that thread's. */
static uint64_t workload_other_time(const struct workload *w, unsigned thread)
{
  uint64_t least = UINT64_MAX;

  for (unsigned i = 0; i < w->alive; i++) {
    const struct thread *th = w->thread[w->live[i]];

    if (th->number != thread && th->status == THREAD_ACTIVE) {
      const uint64_t time = traffic_front(w->traffic, th->feeder.core)->time;

      least = time < least ? time : least;
    }
  }
  return least;
}

/* The thread that continues, and the end of its time slice; NULL: no thread is active. The slice also ends when a
 * waiting thread is due. */
static struct thread *workload_next_slice(struct workload *w, uint64_t *ret_time, uint64_t *ret_next)
{
  struct thread *th = w->turn.open ? w->thread[w->turn.thread] : NULL;

  if (th && th->status == THREAD_ACTIVE) {
    *ret_time = traffic_front(w->traffic, th->feeder.core)->time;
    *ret_next = workload_other_time(w, w->turn.thread);
    return th;
  }
  w->turn.open = false;
  if (!(th = workload_furthest_behind(w, ret_time, ret_next)))
    return NULL;
  w->turn.thread = th->number;
  w->turn.end = *ret_next > UINT64_MAX - SLICE_FS ? UINT64_MAX : *ret_next + SLICE_FS;
  return th;
}

/* `th` is at a mark; `next` is the time of the thread that is furthest behind. TRACE_REST: the workload rests there;
 * 0: other threads continue first, or the workload does not stop at marks. */
static int workload_reach_mark(struct workload *w, struct thread *th, uint64_t next, const struct trace_mark *mark)
{
  if (!w->stops_at_marks)
    return 0;
  feeder_flush(&th->feeder, w->traffic);
  const uint64_t time = traffic_front(w->traffic, th->feeder.core)->time;
  w->turn.open = false;
  if (next < time || time > w->until) {
    w->mark_fs = time < w->mark_fs ? time : w->mark_fs;
    return 0;
  }
  if (mark->kind == TRACE_MARK_BEGIN)
    th->open++;
  else if (mark->kind == TRACE_MARK_END)
    th->open -= th->open > 0;
  else
    th->open = 0;
  w->mark = *mark;
  w->mark_core = th->feeder.core;
  w->at_mark = true;
  w->mark_fs = UINT64_MAX;
  return TRACE_REST;
}

/* The window of `th` begins with a mark, with pages of its program, or with a phase of a sampled run. */
static int workload_handle_mark(struct workload *w, struct thread *th, uint64_t next, uint64_t record)
{
  const struct trace_mark mark = {.kind = record & RECORD_MARK_END ? TRACE_MARK_END : TRACE_MARK_BEGIN,
                                  .thread = th->number,
                                  .name = trace_source_name(w->source, (uint32_t)(record & RECORD_MARK_NAME))};
  const bool pages = record_is_pages(record);
  if (w->sampled && sampled_take(w->sampled, traffic_front(w->traffic, th->feeder.core), record)) {
    w->source->ops->consume(w->source, th->number, 1);
    return 0;
  }
  const int rc = pages ? pages_take(&th->feeder, w->traffic, record) : workload_reach_mark(w, th, next, &mark);
  if (rc == TRACE_REST || !w->stops_at_marks || pages)
    w->source->ops->consume(w->source, th->number, 1);
  return rc;
}

/* The thread of the current time slice has no records. */
static int workload_without_records(struct workload *w, struct thread *th, uint64_t next, enum trace_state state)
{
  unsigned thread = th->number;
  struct trace_window window;
  int rc;

  if (state == TRACE_ENDED && th->open)
    return workload_reach_mark(w, th, next, &(struct trace_mark){.kind = TRACE_MARK_THREAD_ENDS, .thread = thread});
  if (state == TRACE_ENDED) {
    workload_set_status(w, th, THREAD_DONE);
    return 0;
  }
  if (state == TRACE_BLOCKED) {
    for (unsigned i = 0; i < w->alive; i++)
      if (w->live[i] != thread && w->thread[w->live[i]]->status == THREAD_ACTIVE) {
        workload_set_status(w, th, THREAD_IDLE);
        return 0;
      }
    return w->source->ops->await(w->source, TRACE_ANY);
  }
  rc = w->source->ops->await(w->source, thread);
  if (rc == 0)
    rc = w->source->ops->window(w->source, thread, &window);
  if (rc == 0 && !window.n && window.state == TRACE_RUNNING)
    workload_set_status(w, th, THREAD_IDLE);
  return rc;
}

static int workload_step(struct workload *w, uint64_t until, bool *ret_reached, bool *ret_ended)
{
  struct trace_window window;
  uint64_t time, next, horizon;
  struct thread *th;
  unsigned threads;
  bool ended;
  int rc = w->source->ops->poll(w->source, &threads, &ended);

  if (rc || (rc = workload_add_threads(w, threads)) < 0 || (rc = workload_activate(w)) < 0)
    return rc;
  th = workload_next_slice(w, &time, &next);
  if (!th) {
    *ret_reached = ended && !w->alive && traffic_now(w->traffic) > until;
    *ret_ended = ended && !w->alive && !*ret_reached;
    return *ret_ended || *ret_reached ? 0 : w->source->ops->await(w->source, TRACE_ANY);
  }
  *ret_reached = time >= until && next >= until;
  if (*ret_reached)
    return 0;
  if ((rc = w->source->ops->window(w->source, th->number, &window)) < 0)
    return rc;
  if (!window.n) {
    w->turn.open = false;
    return workload_without_records(w, th, next, window.state);
  }
  if (record_is_mark(window.record[0]))
    return workload_handle_mark(w, th, next, window.record[0]);
  horizon = next >= until && until < w->turn.end ? until : w->turn.end;
  horizon = w->mark_fs < horizon ? w->mark_fs : horizon;
  th->turn = ++w->turns;
  const size_t taken = feeder_feed(&th->feeder, w->traffic, &window, horizon);
  w->turn.open = taken < window.n && traffic_front(w->traffic, th->feeder.core)->time < w->turn.end &&
                 traffic_front(w->traffic, th->feeder.core)->time < w->mark_fs;
  w->source->ops->consume(w->source, th->number, taken);
  return 0;
}

/* No thread has work before that time. */
static void workload_sleep_until(struct workload *w, uint64_t until)
{
  for (unsigned i = 0; i < w->alive; i++) {
    struct thread *th = w->thread[w->live[i]];
    if (th->status == THREAD_ACTIVE)
      workload_set_status(w, th, THREAD_IDLE);
    traffic_core_sleep(w->traffic, th->feeder.core, until);
  }
}

static int workload_run(struct machine_workload *base, struct machine *m, uint64_t until_fs, bool *ret_ended,
                        char *error, size_t error_size)
{
  struct workload *w = (struct workload *)base;
  bool reached = false, ended = false;
  int rc = !w->traffic && w->source->memory ? w->source->memory(w->source, machine_traffic(m)) : 0;
  w->traffic = machine_traffic(m);
  w->until = until_fs;
  while (rc == 0 && !reached && !ended)
    rc = workload_step(w, until_fs, &reached, &ended);
  if (rc < 0)
    snprintf(error, error_size, "%s", w->source->error[0] ? w->source->error : "out of memory");
  if (ended || rc < 0)
    machine_reached(m, traffic_now(w->traffic));
  if (rc == TRACE_REST)
    machine_rests(m, w->at_mark ? traffic_front(w->traffic, w->mark_core)->time : traffic_now(w->traffic));
  if (rc == TRACE_SLEEP)
    workload_sleep_until(w, until_fs);
  *ret_ended = ended;
  return rc < 0 ? rc : 0;
}

static void workload_free(struct machine_workload *base)
{
  struct workload *w = (struct workload *)base;

  trace_source_free(w->source);
  placement_free(w->placement);
  for (unsigned i = 0; i < w->alive; i++)
    free(w->thread[w->live[i]]);
  dependence_table_fini(&w->dependences);
  free(w->thread);
  free(w->live);
  free(w);
}

void trace_workload_stop_at_marks(struct machine_workload *base)
{
  ((struct workload *)base)->stops_at_marks = true;
}

bool trace_workload_take_mark(struct machine_workload *base, struct trace_mark *ret_mark)
{
  struct workload *w = (struct workload *)base;
  const bool at_mark = w->at_mark;
  w->at_mark = false;
  if (at_mark)
    *ret_mark = w->mark;
  return at_mark;
}

void trace_workload_sample(struct machine_workload *base, struct sampled_run *run)
{
  ((struct workload *)base)->sampled = run;
}

bool trace_workload_has_dependences(const struct machine_workload *base)
{
  return ((const struct workload *)base)->dependences.n_blocks;
}

int trace_workload_new(struct trace_source *source, struct placement *placement, struct machine_workload **ret_workload)
{
  struct workload *w = calloc(1, sizeof *w);

  if (!w) {
    trace_source_free(source);
    placement_free(placement);
    return PMON_E_MEMORY;
  }
  w->base = (struct machine_workload){.run = workload_run, .free = workload_free};
  w->source = source;
  w->placement = placement;
  w->mark_fs = UINT64_MAX;
  *ret_workload = &w->base;
  return 0;
}
