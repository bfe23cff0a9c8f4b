/* SPDX-License-Identifier: MIT */
/* The UBox takes messages one after the other: interrupts of devices, and of cores for one another. The guide has no
 * section on it; the events are those of the event files. */
#include "machine/traffic/state.h"

enum { EVENT_MSG = 0x42, M2U_MISC1 = 0x4d, M2U_MISC2 = 0x4e, FROM_CHA_NCB = 0x01, EMPTY_IN = 0x02, EMPTY_OUT = 0x70,
       TAKES_CYCLES = 16 };

/* What it has for the mesh is gone as soon as it is made: its egress queues are empty at all times. */
static void report(struct socket *s, unsigned code, unsigned umask, fs_t from, fs_t to)
{
  if (to > from)
    block_span(s->ubox.block, (uint8_t)code, EMR_UMASK(umask), 0, from, to, 1);
}

fs_t ubox_message(struct traffic *t, struct socket *s, unsigned kind, fs_t at)
{
  fs_t begin = at > s->ubox.busy ? at : s->ubox.busy, done = begin + TAKES_CYCLES * (fs_t)t->time.uclk;
  block_pulse(s->ubox.block, EVENT_MSG, EMR_UMASK(kind), 0, at, 1);
  if (at > s->ubox.busy) {
    report(s, M2U_MISC2, EMPTY_IN, s->ubox.busy, at);
    report(s, M2U_MISC2, EMPTY_OUT, s->ubox.busy, done);
  } else {
    report(s, M2U_MISC2, EMPTY_OUT, begin, done);
  }
  report(s, M2U_MISC1, FROM_CHA_NCB, begin, done);
  s->ubox.busy = done;
  return done;
}

void ubox_advance(struct traffic *t, struct socket *s, fs_t until)
{
  (void)t;
  if (until <= s->ubox.busy)
    return;
  report(s, M2U_MISC2, EMPTY_IN | EMPTY_OUT, s->ubox.busy, until);
  s->ubox.busy = until;
}
