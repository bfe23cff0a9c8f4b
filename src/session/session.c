/* SPDX-License-Identifier: MIT */
/* Creating, starting, running and closing a session. */
#include "src/session/session.h"

#include <stdlib.h>
#include <string.h>
#include "src/access/wrap.h"
#include "src/base/text.h"
#include "src/base/writer.h"
#include "src/platform/context.h"
#include "src/platform/platform.h"
#include "src/session/absent.h"
#include "src/session/counts.h"
#include "src/session/overlap.h"
#include "src/session/samples.h"

enum { SLICE_NS = 1000000, TICK_NS = 1000000, POLL_NS = 1000 };

static void free_session(struct pmon_session *s)
{
  overlap_leave(s);
  session_unlock(s);
  schedule_plan_fini(&s->own_schedule);
  for (uint32_t i = 0; i < s->n_clocks; i++)
    free((char *)(uintptr_t)s->clocks[i].name);
  session_free_regions(s);
  session_free_limits(s);
  free(s->clocks);
  free(s->recorded_parts);
  free(s->journal);
  free(s->buffers);
  free(s->cell_clock);
  free(s->cell_shared);
  free(s->cells);
  free(s->controlled);
  free(s->sums);
  free(s->missed);
  free(s->first_cycle);
  free(s->cell_of);
  session_free_absent(s);
  session_free_parts(s);
  free(s->runs);
  for (struct session_writes *w = s->writes, *next; w; w = next) {
    next = w->next;
    free(w);
  }
  free(s->round_counts);
  free(s->in_round);
  free(s->witnessed);
  free(s->group_of);
  free(s->votes);
  free(s->ends);
  free(s->reg_index);
  free(s->regs);
  free(s->reads);
  free(s->read_regs);
  free(s);
}

static const char tsc[] = "tsc";

static bool add_clock(struct pmon_session *s, const char *name, uint64_t hz)
{
  s->clocks[s->n_clocks] = (struct pmon_clock){strdup(name), hz};
  return s->clocks[s->n_clocks].name && ++s->n_clocks;
}

/* The clocks of a real host are not those of the reference machine, and follow its load. */
static bool add_unknown_clocks(struct pmon_session *s)
{
  const struct pmon_platform *p = s->plan->platform;
  bool taken = true;
  for (uint32_t i = 0, given = s->n_clocks; taken && i < p->row->clocks.n; i++) {
    const char *name = db_text(p->db, p->db->clocks[p->row->clocks.first + i].name);
    uint32_t k = 0;
    while (k < given && !text_is(text_of(s->clocks[k].name), name))
      k++;
    if (k == given && strcmp(name, tsc) != 0)
      taken = add_clock(s, name, 0);
  }
  return taken;
}

/* Takes the clocks of the options, and the time stamp counter of the backend, unless it is among them. */
static bool take_clocks(struct pmon_session *s, const struct pmon_clock *clocks, uint32_t n)
{
  const struct pmon_backend *b = s->backend;
  s->clocks = calloc(n + s->plan->platform->row->clocks.n + 1, sizeof *s->clocks);
  bool taken = s->clocks, given = false;
  for (uint32_t i = 0; taken && i < n; i++) {
    given |= !strcmp(clocks[i].name, tsc);
    taken = add_clock(s, clocks[i].name, clocks[i].hz);
  }
  while (b->inner)
    b = b->inner;
  taken = taken && (!b->host || add_unknown_clocks(s));
  return taken && (given || !b->tsc_hz || add_clock(s, tsc, b->tsc_hz));
}

/* Refuses the name of a clock that neither the facts nor equations (`TSC`) have: its frequency would be used for
 * nothing. */
static int session_check_clock(const struct pmon_session *s, const char *name)
{
  const struct pmon_platform *p = s->plan->platform;
  char known[200];
  struct writer w = {known, sizeof known, 0};
  if (!strcmp(name, tsc))
    return 0;
  for (uint32_t i = 0; i < p->row->clocks.n; i++) {
    const char *one = db_text(p->db, p->db->clocks[p->row->clocks.first + i].name);
    if (text_is(text_of(name), one))
      return 0;
    write_text(&w, i ? ", " : "; its clocks are ");
    write_text(&w, one);
  }
  write_end(&w);
  return context_fail(s->plan->context, PMON_E_UNKNOWN, 0, "%s has no clock \"%.100s\"%s", db_text(p->db, p->row->name),
                      name, known);
}

static int take_options(struct pmon_session *s, const struct pmon_session_options *options)
{
  struct pmon_session_options full = {0};
  static const char name[] = "pmon_session_new";
  int status = options ? context_take(s->plan->context, name, &full, sizeof full, options) : 0;
  if (!status && full.source)
    status = context_take(s->plan->context, name, &s->source, sizeof s->source, full.source);
  if (status)
    return status;
  uint32_t n = s->backend->packages ? s->backend->packages : 1;
  uint64_t there = n >= 64 ? UINT64_MAX : (UINT64_C(1) << n) - 1;
  s->packages = full.packages ? full.packages & there : there;
  s->every_event = full.every_event;
  s->every_count = full.every_count;
  s->every_poll_ns = full.every_poll_ns ? full.every_poll_ns : POLL_NS;
  s->freeze = full.freeze;
  s->sample = full.sample;
  s->sample_user = full.sample_user;
  s->tick = full.tick;
  s->tick_ns = full.tick_ns ? full.tick_ns : TICK_NS;
  s->tick_user = full.tick_user;
  if (full.journal && !(s->journal = strdup(full.journal)))
    return context_fail(s->plan->context, PMON_E_MEMORY, 0, "no memory for a session");
  s->verify_ns = full.verify_ns;
  random_seed(&s->random, full.seed);
  s->slice_ns = full.slice_ns ? full.slice_ns : SLICE_NS;
  s->slice_given = full.slice_ns != 0;
  if (!s->packages)
    return context_fail(s->plan->context, PMON_E_RANGE, 0, "none of the selected packages exists; the backend has %u",
                        n);
  for (uint32_t i = 0; !status && i < full.n_clocks; i++)
    status = session_check_clock(s, full.clocks[i].name);
  if (status)
    return status;
  return take_clocks(s, full.clocks, full.n_clocks) && !session_take_limits(s, full.limits, full.n_limits)
             ? 0
             : context_fail(s->plan->context, PMON_E_MEMORY, 0, "no memory for a session");
}

int pmon_session_new(struct pmon_plan *plan, struct pmon_backend *backend, const struct pmon_session_options *options,
                     struct pmon_session **ret_session)
{
  if (!plan->scheduled)
    return context_fail(plan->context, PMON_E_STATE, 0, "the plan is not scheduled");
  if (!backend_is_sized(backend))
    return context_fail(plan->context, PMON_E_INVALID, 0, "the backend's operations have no size");
  struct pmon_session *s = calloc(1, sizeof *s);
  if (!s)
    return context_fail(plan->context, PMON_E_MEMORY, 0, "no memory for a session");
  s->plan = plan;
  s->backend = backend;
  s->journal_fd = -1;
  s->schedule = &plan->schedule;
  s->rounds = plan->schedule.rounds;
  s->driver = backend->counting ? &session_counting : &session_registers;
  int status = take_options(s, options);
  if (!status && backend->counting && s->freeze != PMON_FREEZE_BEST)
    status =
        context_fail(plan->context, PMON_E_UNSUPPORTED, 0, "the %s backend cannot freeze counters", backend->ops->name);
  if (!status)
    status = session_lock(s);
  if (!status)
    status = overlap_check(s);
  if (!status)
    status = overlap_schedule(s);
  if (!status && session_place_witnesses(s))
    status = context_fail(plan->context, PMON_E_MEMORY, 0, "no memory for a session");
  if (!status)
    status = s->driver->lay_out(s);
  if (status) {
    free_session(s);
    return status;
  }
  overlap_join(s);
  *ret_session = s;
  return 0;
}

/* Resumes counting after pmon_session_stop(). Excludes the pause from the interval and from the slices of rounds. */
static int session_restart(struct pmon_session *s)
{
  const uint64_t stopped_ns = s->now_ns;
  int status = session_clock(s, &s->now_ns);
  s->resume_ns = s->now_ns;
  s->pause_ns = 0;
  if (!status)
    status = s->driver->resume(s);
  if (status)
    return status;
  const uint64_t pause_ns = s->resume_ns - stopped_ns;
  s->stopped = s->ended = false;
  s->now_ns = s->resume_ns;
  s->mark_ns += pause_ns;
  s->round_ns += pause_ns;
  s->start_ns += pause_ns;
  return 0;
}

int pmon_session_start(struct pmon_session *s)
{
  if (s->failed)
    return session_check_counting(s);
  if (s->stopped)
    return session_note_failure(s, session_restart(s));
  if (s->started)
    return context_fail(s->plan->context, PMON_E_STATE, 0, "the session has already begun");
  if (!s->backend)
    return context_fail(s->plan->context, PMON_E_STATE, 0, "the session of a recording cannot be started");
  int status = session_write_journal(s);
  if (status)
    return status;
  s->started = true;
  status = session_clock(s, &s->now_ns);
  if (status)
    return session_note_failure(s, status);
  s->resume_ns = s->now_ns;
  status = session_begin_rounds(s) ? context_fail(s->plan->context, PMON_E_MEMORY, 0, "no memory for a session")
                                   : s->driver->begin(s);
  s->now_ns = s->round_ns = s->mark_ns = s->start_ns = s->resume_ns;
  return session_note_failure(s, status);
}

int session_end_slice(struct pmon_session *s, bool ends_round)
{
  const bool change = ends_round && s->rounds > 1;
  /* Time for which other sessions froze the counters belongs to no interval. */
  s->mark_ns += s->pause_ns;
  s->round_ns += s->pause_ns;
  s->start_ns += s->pause_ns;
  s->from_ns = s->resume_ns + s->pause_ns;
  s->pause_ns = 0;
  s->resume_ns = s->now_ns;
  s->read_slice_number = s->slice_number;
  int status =
      s->driver->end_slice(s, (double)(s->now_ns - s->from_ns) * 1e-9, change ? session_next_round(s) : s->round);
  session_region_slice(s, s->now_ns > s->from_ns ? s->now_ns - s->from_ns : 0);
  s->gap_ns = s->resume_ns > s->now_ns ? s->resume_ns - s->now_ns : 0;
  if (change)
    s->change_ns = s->gap_ns;
  if (change || s->rounds < 2)
    s->round_ns = s->resume_ns;
  return session_note_failure(s, status);
}

/* Waits until goal_ns and calls the tick callback; *ret_stop: the callback requested a stop. */
static int wait_ticking(struct pmon_session *s, uint64_t goal_ns, bool *ret_ended, bool *ret_stop)
{
  do {
    uint64_t next = s->tick && goal_ns - s->now_ns > s->tick_ns ? s->now_ns + s->tick_ns : goal_ns;
    int status = s->backend->ops->wait(s->backend, next, &s->now_ns, ret_ended);
    if (status)
      return session_fail(s, NULL, "the workload cannot continue", status);
    *ret_stop = s->tick && s->tick(s->tick_user, s->now_ns);
  } while (!*ret_ended && !*ret_stop && s->now_ns < goal_ns);
  return 0;
}

int pmon_session_run(struct pmon_session *s, uint64_t until_ns, bool *ret_ended)
{
  bool ended = false, stop = false;
  int status = session_check_counting(s);
  if (status)
    return status;
  if (s->stopped)
    return context_fail(s->plan->context, PMON_E_STATE, 0, "the session is stopped; pmon_session_start() resumes it");
  if (s->every_count) {
    status = session_run_to_overflow(s, until_ns, &ended);
    if (!status)
      *ret_ended = ended;
    return status;
  }
  if (until_ns <= s->now_ns) {
    *ret_ended = s->ended;
    return 0;
  }
  /* A finished workload can be resumed: an idle machine has always ended. */
  if (s->ended && (s->frozen || s->released)) {
    status = session_note_failure(s, s->released ? s->driver->resume(s) : session_resume(s, true));
    if (status)
      return status;
  }
  while (!ended && !stop && s->now_ns < until_ns) {
    uint64_t round_end_ns = session_round_end_ns(s), goal_ns;
    if (round_end_ns <= s->now_ns)
      round_end_ns = s->now_ns + session_slice_ns(s);
    goal_ns = round_end_ns < until_ns ? round_end_ns : until_ns;
    int waited = wait_ticking(s, goal_ns, &ended, &stop);
    s->ended = ended;
    status = session_end_slice(s, s->now_ns >= round_end_ns);
    if (waited || status)
      return waited ? waited : status;
  }
  session_find_bursts(s);
  *ret_ended = ended;
  return 0;
}

void pmon_session_mark(struct pmon_session *s)
{
  for (uint32_t i = 0; i < s->n_cells; i++)
    s->cells[i] = (struct sample_total){.flags = s->cells[i].flags & (PMON_VALUE_UNAVAILABLE | PMON_VALUE_VANISHED)};
  for (uint32_t i = 0; i < s->n_runs; i++) {
    s->runs[i].count = 0;
    s->runs[i].slices = s->runs[i].flags = 0;
  }
  session_clear_round_counts(s);
  session_clear_ends(s);
  session_clear_sums(s);
  s->mark_ns = s->resume_ns > s->now_ns ? s->resume_ns : s->now_ns;
  s->freeze_ns = s->skew_ns = 0;
  s->ran = false;
  s->changed = 0;
}

uint64_t pmon_session_now_ns(const struct pmon_session *session)
{
  return session->now_ns;
}

uint32_t session_frozen(const struct pmon_session *s)
{
  return s->freeze == PMON_FREEZE_BOUNDARIES && !s->ran ? PMON_FREEZE_BOX : s->freeze;
}

int pmon_session_verify(struct pmon_session *s)
{
  int status = session_check_counting(s);
  /* A backend that counts by itself has no controls to check. */
  if (!status && s->n_regs)
    status = session_verify_rest(s);
  if (s->changed)
    session_find_ratios(s); /* a changed register may be a witness's */
  return status;
}

int pmon_session_describe(const struct pmon_session *s, struct pmon_session_info *info)
{
  const struct pmon_session_info full = {.freeze = session_frozen(s),
                                         .freeze_ns = s->freeze_ns,
                                         .skew_ns = s->skew_ns,
                                         .longest_ns = s->limit_ns,
                                         .changed = s->changed,
                                         .changed_from_ns = s->changed ? s->changed_from_ns : 0,
                                         .witnesses = session_count_witnesses(s)};
  return CONTEXT_FILL(s->plan->context, info, full);
}

int pmon_session_longest(const struct pmon_session *s, uint32_t event, double *ret_seconds)
{
  for (uint32_t i = 0; i < s->n_runs; i++) {
    if (s->runs[i].event != event)
      continue;
    if (s->runs[i].rate_max <= 0)
      return context_fail(s->plan->context, PMON_E_NO_DATA, 0, "%s: the frequency of its unit's clock is not known",
                          pmon_event_name(s->plan->events[event].event));
    *ret_seconds = sample_longest_interval(s->runs[i].width_bits, s->runs[i].rate_max);
    return 0;
  }
  return context_fail(s->plan->context, PMON_E_RANGE, 0, "the session has no event %u", event);
}

uint64_t pmon_session_packages(const struct pmon_session *session)
{
  return session->packages;
}

int pmon_session_close(struct pmon_session *session)
{
  if (!session)
    return 0;
  int status = session->driver ? session->driver->restore(session) : 0; /* NULL in a recording */
  if (!status)
    session_drop_journal(session);
  free_session(session);
  return status;
}
