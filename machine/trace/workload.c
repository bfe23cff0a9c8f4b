/* SPDX-License-Identifier: MIT */
#include "machine/trace/workload.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <pmon/status.h>
#include "machine/trace/pages.h"
#include "machine/trace/round.h"
#include "machine/common/fast.h"
#include "machine/common/traffic.h"
#include "machine/trace/ring.h"

/* A thread may be this far ahead of the next one before the next one continues: 50 ns. */
#define SLICE_FS UINT64_C(50000000)

/* The current time slice. A slice that the end of a run interrupts stays open and continues first, so that the division
 * into runs has no effect on the result. */
struct slice {
  unsigned thread;
  bool open;
  uint64_t end;
};

struct workload {
  struct machine_workload base;
  struct trace_source *source;
  struct placement *placement;
  struct traffic *traffic;
  struct threads threads;
  struct round round;
  uint64_t n_slices;
  struct slice slice;
  bool stops_at_marks, at_mark;
  struct trace_mark mark; /* valid if at_mark */
  unsigned mark_core;
  uint64_t until; /* end of the run */
  struct dependence_table dependences;
  struct sampled_run *sampled; /* NULL: phases have no effect */
  uint64_t mark_fs;            /* a thread waits at a mark until the others reach this time; UINT64_MAX: none waits */
};

static void workload_set_status(struct workload *w, struct thread *th, enum thread_status status)
{
  bool was = th->status == THREAD_ACTIVE;

  traffic_core_enter(w->traffic, th->feeder.core, th->feeder.thread);
  if (was && status != THREAD_ACTIVE)
    feeder_flush(&th->feeder, w->traffic);
  if (was && status == THREAD_DONE)
    traffic_core_end(w->traffic, th->feeder.core);
  if (was && status != THREAD_ACTIVE)
    traffic_stores_end(w->traffic, th->feeder.core);
  threads_set_status(&w->threads, w->traffic, th, status);
  if (was && status != THREAD_ACTIVE && !threads_active(&w->threads, th->feeder.core))
    traffic_core_idle(w->traffic, th->feeder.core);
  if (!was && status == THREAD_ACTIVE && threads_active(&w->threads, th->feeder.core) == 1)
    traffic_core_wake(w->traffic, th->feeder.core);
  else if (!was && status == THREAD_ACTIVE && !threads_active_beside(&w->threads, th, true))
    traffic_core_join(w->traffic, th->feeder.core);
  if (status == THREAD_DONE) {
    if (w->sampled)
      sampled_end(w->sampled, &th->sampled);
    placement_release(w->placement, th->feeder.core);
    threads_drop(&w->threads, th);
  }
}

static int workload_add_threads(struct workload *w, unsigned threads)
{
  while (w->threads.n < threads) {
    struct thread *th = threads_make_room(&w->threads) ? threads_new() : NULL;

    if (!th)
      return PMON_E_MEMORY;
    th->number = w->threads.n;
    th->feeder.core = placement_take(w->placement);
    th->feeder.dependences.table = &w->dependences;
    threads_add(&w->threads, w->traffic, th);
    workload_set_status(w, th, THREAD_ACTIVE);
  }
  return 0;
}

/* Activates idle threads that have records again or have ended. */
static int workload_activate(struct workload *w)
{
  for (unsigned k = 0, idle = w->threads.idle; idle && k < w->threads.alive;) {
    struct thread *th = w->threads.thread[w->threads.live[k]];
    const unsigned alive = w->threads.alive;
    struct trace_window window;
    int rc;

    if (th->status == THREAD_IDLE) {
      idle--;
      rc = w->source->ops->window(w->source, th->number, &window);
      if (rc < 0)
        return rc;
      if (window.n)
        workload_set_status(w, th, THREAD_ACTIVE);
      else if (window.state == TRACE_ENDED)
        workload_set_status(
            w, th, th->open || traffic_core_combines(w->traffic, th->feeder.core) ? THREAD_ACTIVE : THREAD_DONE);
    }
    k += w->threads.alive == alive; /* a thread that ends leaves the list */
  }
  return 0;
}

/* Returns the thread that continues, its time, and the time of the next thread; NULL: no thread is active. Starts a
 * time slice unless one is open. The slice also ends when the thread's share of its core may change. */
static struct thread *workload_next_slice(struct workload *w, uint64_t *ret_time, uint64_t *ret_next)
{
  struct thread *th = w->slice.open ? w->threads.thread[w->slice.thread] : NULL;

  if (th && th->status == THREAD_ACTIVE) {
    traffic_core_enter(w->traffic, th->feeder.core, th->feeder.thread); /* another one may have begun or ended */
    *ret_time = thread_time(w->traffic, th);
    *ret_next = threads_other_time(&w->threads, w->traffic, th);
    return th;
  }
  w->slice.open = false;
  if (!(th = threads_furthest_behind(&w->threads, w->traffic, ret_time, ret_next)))
    return NULL;
  w->slice.thread = th->number;
  w->slice.end = *ret_next > UINT64_MAX - SLICE_FS ? UINT64_MAX : *ret_next + SLICE_FS;
  const uint64_t until = threads_share(&w->threads, w->traffic, th);
  w->slice.end = until < w->slice.end ? until : w->slice.end;
  return th;
}

/* `th` has reached a mark; `next` is the time of the thread that is furthest behind. Returns TRACE_REST if the workload
 * rests at the mark; 0 if other threads continue first, or the workload does not stop at marks. */
static int workload_reach_mark(struct workload *w, struct thread *th, uint64_t next, const struct trace_mark *mark)
{
  if (!w->stops_at_marks)
    return 0;
  feeder_flush(&th->feeder, w->traffic);
  const uint64_t time = thread_time(w->traffic, th);
  w->slice.open = false;
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

/* Handles the record of a sampled run with which the window of `th` begins. */
static void workload_handle_sampling(struct workload *w, struct thread *th, uint64_t record)
{
  if (w->sampled) {
    const uint64_t time = thread_time(w->traffic, th);
    feeder_flush(&th->feeder, w->traffic); /* its earlier accesses must come before the skipped instructions */
    sampled_add(w->sampled, &th->sampled, 0, thread_time(w->traffic, th) - time);
    sampled_take(w->sampled, &th->sampled, traffic_front(w->traffic, th->feeder.core), record);
    w->slice.open = w->slice.open && thread_time(w->traffic, th) < w->slice.end;
  }
  w->source->ops->consume(w->source, th->number, 1);
}

/* Feeds records of `th` until its core reaches the time `horizon`; returns the number of consumed records. */
static size_t workload_feed(struct workload *w, struct thread *th, const struct trace_window *window, uint64_t horizon)
{
  const struct core_front *front = traffic_front(w->traffic, th->feeder.core);
  const uint64_t instructions = front->instructions, time = thread_time(w->traffic, th);
  const size_t taken = feeder_feed(&th->feeder, w->traffic, window, horizon);

  if (w->sampled)
    sampled_add(w->sampled, &th->sampled, front->instructions - instructions, thread_time(w->traffic, th) - time);
  return taken;
}

/* Handles the mark, pages or sampling record with which the window of `th` begins. */
static int workload_handle_mark(struct workload *w, struct thread *th, uint64_t next, uint64_t record)
{
  const struct trace_mark mark = {.kind = record & RECORD_MARK_END ? TRACE_MARK_END : TRACE_MARK_BEGIN,
                                  .thread = th->number,
                                  .name = trace_source_name(w->source, (uint32_t)(record & RECORD_MARK_NAME))};
  const bool pages = record_is_pages(record);
  if (record_is_sampling(record)) {
    workload_handle_sampling(w, th, record);
    return 0;
  }
  const int rc = pages ? pages_take(&th->feeder, w->traffic, record) : workload_reach_mark(w, th, next, &mark);
  if (rc == TRACE_REST || !w->stops_at_marks || pages)
    w->source->ops->consume(w->source, th->number, 1);
  return rc;
}

/* True if a thread other than `th` can continue. */
static bool workload_has_others(const struct workload *w, const struct thread *th)
{
  return w->threads.active > (th->status == THREAD_ACTIVE);
}

/* Handles the running thread when it has no records. It becomes idle only if other threads can continue:
 * otherwise its core would be idle in simulated time, although only the host may have delayed its records. */
static int workload_without_records(struct workload *w, struct thread *th, uint64_t next, enum trace_state state)
{
  unsigned thread = th->number;
  struct trace_window window;

  if (state == TRACE_ENDED && th->open)
    return workload_reach_mark(w, th, next, &(struct trace_mark){.kind = TRACE_MARK_THREAD_ENDS, .thread = thread});
  if (state == TRACE_ENDED) {
    workload_set_status(w, th, THREAD_DONE);
    return 0;
  }
  if (state == TRACE_BLOCKED) {
    if (!workload_has_others(w, th))
      return w->source->ops->await(w->source, TRACE_ANY);
    workload_set_status(w, th, THREAD_IDLE);
    return 0;
  }
  int rc = w->source->ops->await(w->source, thread);
  if (rc == 0)
    rc = w->source->ops->window(w->source, thread, &window);
  if (rc == 0 && !window.n && window.state == TRACE_RUNNING && workload_has_others(w, th))
    workload_set_status(w, th, THREAD_IDLE);
  return rc;
}

/* Continues the thread of the current time slice until the other threads must be considered again. */
static int workload_continue(struct workload *w, struct thread *th, uint64_t next)
{
  struct trace_window window;
  const int rc = w->source->ops->window(w->source, th->number, &window);

  if (rc < 0)
    return rc;
  if (!window.n) {
    w->slice.open = false;
    return workload_without_records(w, th, next, window.state);
  }
  if (record_is_mark(window.record[0]))
    return workload_handle_mark(w, th, next, window.record[0]);
  uint64_t horizon = next >= w->until && w->until < w->slice.end ? w->until : w->slice.end;
  horizon = w->mark_fs < horizon ? w->mark_fs : horizon;
  th->turn = ++w->n_slices;
  const size_t taken = workload_feed(w, th, &window, horizon);
  w->slice.open =
      taken < window.n && thread_time(w->traffic, th) < w->slice.end && thread_time(w->traffic, th) < w->mark_fs;
  w->source->ops->consume(w->source, th->number, taken);
  return 0;
}

/* True if threads run in rounds because that pays: enough cores have exactly one active thread, and accesses can be
 * private to a core. Not while a thread waits at a mark for the others to reach its time. */
enum { ROUND_FROM = 12 };
static bool workload_goes_in_rounds(const struct workload *w)
{
  return w->threads.active >= ROUND_FROM && !w->threads.crowded && !w->slice.open && w->mark_fs == UINT64_MAX &&
         !w->sampled && w->dependences.summaries && traffic_cores_go_apart(w->traffic);
}

/* Each thread continues for a time slice, or until its first access that is not private. *ret_done: false: `th`, which
 * is furthest behind, has no records to feed. */
static int workload_round(struct workload *w, const struct thread *th, bool *ret_done)
{
  struct round *r = &w->round;

  r->traffic = w->traffic;
  r->source = w->source;
  r->horizon = thread_time(w->traffic, th) + SLICE_FS;
  const int rc = round_gather(r, &w->threads, th);

  *ret_done = r->n;
  for (unsigned i = 0; i < r->n; i++)
    r->part[i].thread->turn = ++w->n_slices;
  round_run(r);
  return rc;
}

static int workload_step(struct workload *w, bool *ret_reached, bool *ret_ended)
{
  uint64_t time, next;
  struct thread *th;
  unsigned threads;
  bool ended, done;
  int rc = w->source->ops->poll(w->source, &threads, &ended);

  if (rc || (rc = workload_add_threads(w, threads)) < 0 || (rc = workload_activate(w)) < 0)
    return rc;
  if (workload_goes_in_rounds(w)) {
    th = threads_furthest_behind(&w->threads, w->traffic, &time, &next);
    *ret_reached = time >= w->until;
    if (*ret_reached || (rc = workload_round(w, th, &done)) < 0 || done)
      return rc;
  }
  th = workload_next_slice(w, &time, &next);
  if (!th) {
    *ret_reached = ended && !w->threads.alive && traffic_now(w->traffic) > w->until;
    *ret_ended = ended && !w->threads.alive && !*ret_reached;
    return *ret_ended || *ret_reached ? 0 : w->source->ops->await(w->source, TRACE_ANY);
  }
  *ret_reached = time >= w->until && next >= w->until;
  return *ret_reached ? 0 : workload_continue(w, th, next);
}

/* Makes all threads idle until time `until`; 0: for good, after their last accesses and outstanding misses. */
static void workload_sleep_until(struct workload *w, uint64_t until)
{
  for (unsigned i = 0; i < w->threads.alive; i++) {
    struct thread *th = w->threads.thread[w->threads.live[i]];
    if (th->status == THREAD_ACTIVE)
      workload_set_status(w, th, THREAD_IDLE);
    traffic_core_enter(w->traffic, th->feeder.core, th->feeder.thread);
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
    rc = workload_step(w, &reached, &ended);
  for (unsigned i = 0; w->sampled && i < w->threads.alive; i++)
    sampled_end(w->sampled, &w->threads.thread[w->threads.live[i]]->sampled);
  if (rc < 0)
    snprintf(error, error_size, "%s", w->source->error[0] ? w->source->error : "out of memory");
  if (rc < 0 || rc == TRACE_SLEEP)
    workload_sleep_until(w, rc < 0 ? 0 : until_fs);
  if (ended || rc < 0)
    machine_reached(m, traffic_now(w->traffic));
  if (rc == TRACE_REST)
    machine_rests(m, w->at_mark ? traffic_front(w->traffic, w->mark_core)->time : traffic_now(w->traffic));
  *ret_ended = ended;
  return rc < 0 ? rc : 0;
}

static void workload_free(struct machine_workload *base)
{
  struct workload *w = (struct workload *)base;

  trace_source_free(w->source);
  placement_free(w->placement);
  threads_fini(&w->threads);
  round_fini(&w->round);
  dependence_table_fini(&w->dependences);
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
