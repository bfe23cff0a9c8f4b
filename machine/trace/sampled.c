/* SPDX-License-Identifier: MIT */
#include "machine/trace/sampled.h"

#include <math.h>
#include "machine/common/fast.h"
#include "machine/trace/ring.h"

/* Limits of the pace of instructions between intervals, without misses, as parts of the last interval's pace: by the
 * misses of the preceding stretch, and by its own ones; and its maximum, in fs. */
enum { PACE_PART = 8, PACE_PART_OWN = 64, PACE_MOST = 1000000000 };

/* Instructions of a stretch between intervals after which its own misses are known. */
enum { FIRST_LOOK = 16384 };

static void interval_add(struct sampled_run *m, struct sampled_thread *th, double pace)
{
  m->intervals++;
  if (th->intervals++) {
    th->differences += (pace - th->last) * (pace - th->last);
    m->freedom++;
  }
  th->sum += pace;
  th->last = pace;
}

/* Returns the fs per instruction that misses added in the phase so far, in which instructions were skipped. */
static int64_t phase_stalls(const struct sampled_thread *th)
{
  return (int64_t)(th->time / th->instructions) - (int64_t)(th->paced_time / th->paced);
}

static void phase_end(struct sampled_run *m, struct sampled_thread *th)
{
  const uint64_t n = th->instructions, time = th->time;

  if (n && th->phase == RING_PHASE_UNIT)
    interval_add(m, th, (double)time / (double)n);
  if (n && th->phase == RING_PHASE_WHOLE)
    th->last = (double)time / (double)n;
  if (th->paced && th->phase == RING_PHASE_BETWEEN) {
    th->stalls = phase_stalls(th);
    th->stretched = true;
  }
}

/* Estimates the fs per instruction between intervals without misses, from the stalls of a stretch. */
static uint64_t pace_behind_misses(const struct sampled_thread *th, double least)
{
  const double shown = th->last - (double)th->stalls, pace = shown > least ? shown : least;

  return (uint64_t)(pace < PACE_MOST ? pace : PACE_MOST);
}

static struct sampled_sums thread_sums(const struct sampled_thread *th)
{
  const double n = (double)th->intervals, mean = th->intervals ? th->sum / n : th->last;
  const double weight = (double)th->skipped * mean;

  if (th->intervals < 2 || mean <= 0)
    return (struct sampled_sums){.unknown = weight};
  const double squares = th->differences / 2 / (mean * mean);
  return (struct sampled_sums){.weight = weight, .error = weight * sqrt(squares / (n - 1) / n), .squares = squares};
}

/* Updates the run's sums by the thread's current sums. */
static void thread_update_sums(struct sampled_run *m, struct sampled_thread *th)
{
  const struct sampled_sums now = thread_sums(th);

  m->sums.weight += now.weight - th->counted.weight;
  m->sums.error += now.error - th->counted.error;
  m->sums.unknown += now.unknown - th->counted.unknown;
  m->sums.squares += now.squares - th->counted.squares;
  th->counted = now;
}

static void phase_begin(struct sampled_run *m, struct sampled_thread *th, unsigned phase)
{
  phase_end(m, th);
  thread_update_sums(m, th);
  th->phase = phase;
  th->instructions = th->time = th->paced = th->paced_time = 0;
  if (phase != RING_PHASE_BETWEEN)
    return;
  const double least = th->last / PACE_PART;
  th->pace = pace_behind_misses(th, least);
  th->looks = !th->stretched || (double)th->pace <= least;
}

void sampled_add(struct sampled_run *m, struct sampled_thread *th, uint64_t instructions, uint64_t time)
{
  th->instructions += instructions;
  th->time += time;
  m->instructions += instructions;
  m->detailed += th->phase == RING_PHASE_BETWEEN ? 0 : instructions;
}

void sampled_take(struct sampled_run *m, struct sampled_thread *th, struct core_front *front, uint64_t record)
{
  const uint64_t n = record & RECORD_SKIP_COUNT;

  if (!record_is_skip(record)) {
    phase_begin(m, th, (unsigned)(record & RECORD_PHASE_NUMBER));
    return;
  }
  if (th->looks && th->paced >= FIRST_LOOK) {
    th->stalls = phase_stalls(th);
    th->pace = pace_behind_misses(th, th->last / PACE_PART_OWN);
  }
  front->instructions += n;
  front->time += n * th->pace;
  th->skipped += n;
  th->paced += n;
  th->paced_time += n * th->pace;
  sampled_add(m, th, n, n * th->pace);
}

void sampled_end(struct sampled_run *m, struct sampled_thread *th)
{
  thread_update_sums(m, th);
}

double sampled_time_error(const struct sampled_run *m)
{
  const struct sampled_sums *s = &m->sums;

  if (!m->freedom || s->weight <= 0)
    return INFINITY;
  return (s->error + s->unknown * sqrt(s->squares / (double)m->freedom)) / (s->weight + s->unknown);
}
