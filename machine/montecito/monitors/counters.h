/* SPDX-License-Identifier: MIT */
/*
 * The counters, and the signals of events that they count. What a stretch signals adds up in the counters that select
 * it; montecito_commit_stretch() ends the stretch.
 */
#ifndef MACHINE_MONTECITO_MONITORS_COUNTERS_H
#define MACHINE_MONTECITO_MONITORS_COUNTERS_H

#include "machine/montecito/core/state.h"

/* Ends a stretch of so many cycles: adds the sums to the counters. */
void montecito_commit_stretch(struct montecito_core *c, uint64_t cycles);

/* The amount that a counter's sum adds per cycle. */
uint32_t montecito_counter_step(const struct montecito_core *c, unsigned i);

/* True if the counter PMC `pmc` of the thread is enabled (3.3.1). */
bool montecito_counter_enabled(const struct montecito_thread *t, unsigned pmc);

/* Prepares the counters after registers, PSR or the active thread have changed. */
void montecito_prepare_counters(struct montecito_core *c);

/* Finds which counters select which event. */
void montecito_select_signals(struct montecito_core *c);

/* A signal: `n` of event `code` in each cycle of the stretch, for the umasks in `umasks`, from thread `thread` (0,
 * 1). */
struct montecito_signal {
  uint8_t code, thread, tags, mesi;
  uint16_t umasks;
  uint32_t n;
};

void montecito_signal_add(struct montecito_core *c, const struct montecito_signal *s);
void montecito_pulse_add(struct montecito_core *c, uint8_t code, uint16_t umasks, uint32_t n);

/* Most events have no counter: the code for events that have one is out of line, so that the host fetches less. */
static inline bool montecito_selected(const struct montecito_core *c, uint8_t code)
{
  return __builtin_expect(c->selected[code] != 0, 0);
}

static inline void montecito_signal(struct montecito_core *c, struct montecito_signal s)
{
  if (montecito_selected(c, s.code))
    montecito_signal_add(c, &s);
}

/* Signals an event that happens once in a stretch. Events of caches and bus that are limited to one per cycle are
 * queued. */
void montecito_event_add(struct montecito_core *c, const struct montecito_signal *s);

static inline void montecito_event_signal(struct montecito_core *c, struct montecito_signal s)
{
  if (montecito_selected(c, s.code))
    montecito_event_add(c, &s);
}

/* As montecito_event_signal(), for an event of the active thread in any state of the line. */
void montecito_event_tagged_add(struct montecito_core *c, uint8_t code, uint8_t tags, uint16_t umasks);

static inline void montecito_event_tagged(struct montecito_core *c, uint8_t code, uint8_t tags, uint16_t umasks)
{
  if (montecito_selected(c, code))
    montecito_event_tagged_add(c, code, tags, umasks);
}

/* Pulses: signals of the active thread without constraints. montecito_pulse_is_counted(): true if a counter counts one
 * of the umasks; montecito_pulse_count(): adds `n`. Most events that are counted at all have one counter. */
static inline bool montecito_pulse_is_counted(const struct montecito_core *c, uint8_t code, uint16_t umasks)
{
  return c->pulse_umasks[code] & umasks;
}

static inline void montecito_pulse_count(struct montecito_core *c, uint8_t code, uint16_t umasks, uint32_t n)
{
  const unsigned to = c->pulse_to[code];
  if (to == PULSE_MANY) {
    montecito_pulse_add(c, code, umasks, n);
    return;
  }
  c->touched |= 1u << (to - 1);
  c->sum[to - 1] += n;
}

/* Out of line, because it is called in more than a hundred places. */
void montecito_pulse_counted(struct montecito_core *c, uint8_t code, uint16_t umasks, uint32_t n);

static inline void montecito_pulse(struct montecito_core *c, uint8_t code, uint16_t umasks, uint32_t n)
{
  if (__builtin_expect(montecito_pulse_is_counted(c, code, umasks), 0))
    montecito_pulse_counted(c, code, umasks, n);
}

/* The same in line, for events that are signalled in each cycle and often counted. */
static inline void montecito_pulse_often(struct montecito_core *c, uint8_t code, uint16_t umasks, uint32_t n)
{
  if (montecito_pulse_is_counted(c, code, umasks))
    montecito_pulse_count(c, code, umasks, n);
}

/* A signal of the active thread, in any state of the line. */
void montecito_tagged_add(struct montecito_core *c, uint8_t code, uint8_t tags, uint16_t umasks);

static inline void montecito_tagged(struct montecito_core *c, uint8_t code, uint8_t tags, uint16_t umasks)
{
  if (montecito_selected(c, code))
    montecito_tagged_add(c, code, tags, umasks);
}

static inline void montecito_tagged_often(struct montecito_core *c, uint8_t code, uint8_t tags, uint16_t umasks)
{
  if (tags == TAGS_ALL)
    montecito_pulse_often(c, code, umasks, 1);
  else
    montecito_tagged(c, code, tags, umasks);
}

#endif
