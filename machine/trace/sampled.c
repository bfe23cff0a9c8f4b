/* SPDX-License-Identifier: MIT */
#include "machine/trace/sampled.h"

#include <math.h>
#include "machine/common/fast.h"
#include "machine/trace/ring.h"

/* The least part of an interval's pace that instructions between intervals take besides their misses; the most, in fs.
 */
enum { PACE_PART = 8, PACE_MOST = 1000000000 };

static void interval_add(struct sampled_run *m, double pace)
{
  if (m->intervals++)
    m->differences += (pace - m->last) * (pace - m->last);
  m->sum += pace;
  m->last = pace;
}

static void phase_end(struct sampled_run *m, const struct core_front *front)
{
  if (front != m->front || front->instructions < m->instructions || front->time < m->time)
    return; /* the thread has another core: nothing shows its pace */
  const uint64_t n = front->instructions - m->instructions, time = front->time - m->time;

  m->detailed += m->phase == RING_PHASE_BETWEEN ? 0 : n;
  if (n && m->phase == RING_PHASE_UNIT)
    interval_add(m, (double)time / (double)n);
  if (n && m->phase == RING_PHASE_WHOLE)
    m->last = (double)time / (double)n;
  if (n && m->phase == RING_PHASE_BETWEEN)
    m->stalls = (int64_t)(time / n) - (int64_t)m->pace;
}

/* What an instruction between intervals takes besides misses, as far as the last stretch shows it. */
static uint64_t pace_behind_misses(const struct sampled_run *m)
{
  const double shown = m->last - (double)m->stalls, least = m->last / PACE_PART, pace = shown > least ? shown : least;

  return (uint64_t)(pace < PACE_MOST ? pace : PACE_MOST);
}

static void phase_begin(struct sampled_run *m, const struct core_front *front, unsigned phase)
{
  phase_end(m, front);
  m->front = front;
  m->phase = phase;
  m->instructions = front->instructions;
  m->time = front->time;
  if (phase == RING_PHASE_BETWEEN)
    m->pace = pace_behind_misses(m);
}

void sampled_take(struct sampled_run *m, struct core_front *front, uint64_t record)
{
  if (!record_is_skip(record)) {
    phase_begin(m, front, (unsigned)(record & RECORD_PHASE_NUMBER));
    return;
  }
  front->instructions += record & RECORD_SKIP_COUNT;
  front->time += (record & RECORD_SKIP_COUNT) * m->pace;
}

uint64_t sampled_instructions(const struct sampled_run *m)
{
  return m->front ? m->front->instructions : 0;
}

double sampled_time_variance(const struct sampled_run *m)
{
  const double n = (double)m->intervals, mean = m->sum / n;

  return n < 2 || m->sum <= 0 ? INFINITY : m->differences / (2 * (n - 1)) / n / (mean * mean);
}
