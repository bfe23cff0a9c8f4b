/* SPDX-License-Identifier: MIT */
/*
 * The queues of a mesh stop. A message bypasses its queue when the queue is empty and the ring is free; else it
 * occupies an entry until the ring has a gap. Each refusal of the ring counts once (NACK). A message that has waited
 * too long is starved and gets a slot that the rings reserve for this purpose (anti-deadlock slot). The depth of the
 * queues and the starvation time are choices: the guide gives neither.
 */
#include "machine/emr/mesh_stops.h"

enum { VERTICAL_ENTRIES = 4, HORIZONTAL_ENTRIES = 4, INGRESS_ENTRIES = 8, CREDITS = 4, STARVED_CYCLES = 8 };

/* Codes of Table 2-1. In vertical queues, AKC has the code after that of the other classes. */
enum {
  VERT_OCCUPANCY = 0x90,
  VERT_INSERTS = 0x92,
  VERT_FULL = 0x94,
  VERT_NE = 0x96,
  VERT_NACK = 0x98,
  VERT_STARVED = 0x9a,
  VERT_ADS = 0x9c,
  VERT_BYPASS = 0x9d,
  VERT_IRADS = 0x9f,
  HORZ_OCCUPANCY = 0xa0,
  HORZ_INSERTS = 0xa1,
  HORZ_FULL = 0xa2,
  HORZ_NE = 0xa3,
  HORZ_NACK = 0xa4,
  HORZ_STARVED = 0xa5,
  HORZ_ADS = 0xa6,
  HORZ_BYPASS = 0xa7,
  BOUNCES = 0xaa,
  SINK_STARVED = 0xab,
  THROTTLED = 0xae,
  DISTRESS = 0xaf,
  CRD_ACQUIRED = 0x80,
  CRD_OCCUPANCY = 0x82,
  CRD_AGENT = 4,
  CRD_BL = 8,
  CRD_STALL = 0xd0,
  INGRESS_OCCUPANCY = 0xe0,
  INGRESS_INSERTS = 0xe1,
  INGRESS_BYPASS = 0xe2,
  CREDIT_STARVED = 0xe3,
  BUSY_STARVED = 0xe5
};

struct codes {
  uint8_t occupancy, inserts, full, not_empty, nack, starved, bypass;
};

/* Reports the part of a state's interval that was not reported before. */
static void queue_state_report(const struct stop *s, unsigned code, uint64_t umask, fs_t *until, const fs_t span[2])
{
  fs_t from = fs_later(span[0], *until);
  stop_span(s, code, umask, from, span[1]);
  *until = fs_later(*until, span[1]);
}

/* Returns the entry that is free first; *ret_at becomes that entry's time if it is later. */
static unsigned entry_first(const struct stop_queue *q, unsigned n, fs_t *ret_at)
{
  unsigned first = 0;
  for (unsigned i = 1; i < n; i++)
    if (q->until[i] < q->until[first])
      first = i;
  *ret_at = fs_later(*ret_at, q->until[first]);
  return first;
}

/* Allocates an entry and reports the queue's states; returns the time at which the message enters the queue. */
static fs_t queue_enter(const struct stop_pass *p, struct stop_queue *q, unsigned n, const struct codes *c,
                        uint64_t umask)
{
  fs_t entered = p->at, first = 0;
  unsigned entry = entry_first(q, n, &entered);
  fs_t leave = fs_later(p->leave, entered);
  q->until[entry] = leave;
  entry_first(q, n, &first);
  queue_state_report(p->stop, c->full, umask, &q->full, (fs_t[]){entered, first});
  stop_pulse(p->stop, c->inserts, umask, entered, 1);
  stop_span(p->stop, c->occupancy, umask, entered, leave);
  queue_state_report(p->stop, c->not_empty, umask, &q->not_empty, (fs_t[]){entered, leave});
  return entered;
}

/* The message bypasses the queue, or waits in it until p->leave. Returns true if it waits so long that it is
 * starved. */
static bool queue_wait(const struct stop_pass *p, struct stop_queue *q, unsigned n, const struct codes *c,
                       uint64_t umask)
{
  if (p->leave <= p->at && q->not_empty <= p->at) {
    stop_pulse(p->stop, c->bypass, umask, p->at, 1);
    return false;
  }
  fs_t entered = queue_enter(p, q, n, c, umask);
  if (p->leave > p->at)
    stop_pulse(p->stop, c->nack, umask, p->at, 1);
  if (p->class == STOP_AD && entered > p->at) { /* no room: the agent holds its address messages back */
    stop_span(p->stop, DISTRESS, c->occupancy == VERT_OCCUPANCY ? 0x01 : 0x02, p->at, entered);
    stop_span(p->stop, THROTTLED, 0, p->at, entered);
  }
  return p->leave > p->at + STARVED_CYCLES * p->cycle;
}

fs_t stop_egress_vertical(const struct stop_pass *p)
{
  static const struct codes usual = {VERT_OCCUPANCY, VERT_INSERTS, VERT_FULL,  VERT_NE,
                                     VERT_NACK,      VERT_STARVED, VERT_BYPASS},
                            akc = {VERT_OCCUPANCY + 1, VERT_INSERTS + 1, VERT_FULL + 1,  VERT_NE + 1,
                                   VERT_NACK + 1,      VERT_STARVED + 1, VERT_BYPASS + 1};
  static const uint8_t irads[] = {0x01, 0x10, 0x04, 0x40, 0x20, 0x02, 0x08}; /* by kind */
  const struct codes *c = p->class == STOP_AKC ? &akc : &usual;
  uint64_t umask = p->class == STOP_AKC ? 1u << p->agent : p->class == STOP_IV ? 0x08 : 1u << (p->class + 4 * p->agent);
  if (queue_wait(p, &p->stop->vertical[p->agent][p->class], VERTICAL_ENTRIES, c, umask)) {
    stop_span(p->stop, c->starved, umask, p->at + STARVED_CYCLES * p->cycle, p->leave);
    if (p->class == STOP_AD || p->class == STOP_BL)
      stop_pulse(p->stop, VERT_ADS, umask, p->leave, 1);
    if (p->stop->mesh)
      stop_pulse(p->stop, VERT_IRADS, irads[p->kind], p->leave, 1);
  }
  return p->leave;
}

/* Bits of horizontal queues and of the ingress, by kind (mesh_stops.c): AD, AK, BL, IV, AKC uncredited, AD, BL
 * credited. */
static const uint8_t kinds[STOP_KINDS] = {0x01, 0x02, 0x04, 0x08, 0x80, 0x10, 0x40};

fs_t stop_egress_horizontal(const struct stop_pass *p)
{
  static const struct codes c = {HORZ_OCCUPANCY, HORZ_INSERTS, HORZ_FULL,  HORZ_NE,
                                 HORZ_NACK,      HORZ_STARVED, HORZ_BYPASS};
  if (queue_wait(p, &p->stop->horizontal[p->kind], HORIZONTAL_ENTRIES, &c, kinds[p->kind])) {
    stop_span(p->stop, HORZ_STARVED, kinds[p->kind] == 0x80 ? 0x80 : 1u << p->class, p->at + STARVED_CYCLES * p->cycle,
              p->leave);
    if (p->class == STOP_AD || p->class == STOP_BL)
      stop_pulse(p->stop, HORZ_ADS, kinds[p->kind], p->leave, 1);
  }
  return p->leave;
}

/* The message waits for its agent's arbitration and for an entry of the egress. */
fs_t stop_ingress(const struct stop_pass *p)
{
  struct stop *s = p->stop;
  uint64_t umask = kinds[p->kind], all = p->kind == 6 ? 0x60 : umask; /* BL_CRD: 0x20 in the table of occupancy */
  fs_t turn = slots_take(&s->port, p->at, (uint32_t)p->cycle), there = turn,
       starved = p->at + STARVED_CYCLES * p->cycle;
  entry_first(&s->horizontal[p->kind], HORIZONTAL_ENTRIES, &there);
  if (there == p->at) {
    stop_pulse(s, INGRESS_BYPASS, umask, p->at, 1);
    return there;
  }
  fs_t entered = p->at;
  struct stop_queue *q = &s->ingress[p->kind];
  q->until[entry_first(q, INGRESS_ENTRIES, &entered)] = there;
  stop_pulse(s, INGRESS_INSERTS, umask, p->at, 1);
  stop_span(s, INGRESS_OCCUPANCY, all, p->at, there);
  if (turn > starved)
    stop_span(s, BUSY_STARVED, umask, starved, turn);
  if (there > turn && there > starved)
    stop_span(s, p->class == STOP_AKC ? CREDIT_STARVED + 1 : CREDIT_STARVED, umask, fs_later(turn, starved), there);
  return there;
}

static unsigned credit_code(const struct stop_pass *p, unsigned first, unsigned row)
{
  return first + CRD_AGENT * p->agent + (p->class == STOP_BL ? CRD_BL : 0) + (row >> 3);
}

struct stop_credit stop_credit_take(const struct stop_pass *p, unsigned row)
{
  struct stop_credit c = {.at = p->at, .of = &p->stop->credits[p->agent][p->class == STOP_BL][row]};
  c.entry = entry_first(c.of, CREDITS, &c.at);
  if (c.at > p->at) /* STALL0 and STALL1: AD of either agent, then BL */
    queue_state_report(p->stop, CRD_STALL + (p->class == STOP_BL ? 4u : 0) + 2 * p->agent + (row >> 3), 1u << (row & 7),
                       &c.of->full, (fs_t[]){p->at, c.at});
  stop_pulse(p->stop, credit_code(p, CRD_ACQUIRED, row), 1u << (row & 7), c.at, 1);
  return c;
}

void stop_credit_return(const struct stop_pass *p, unsigned row, const struct stop_credit *c, fs_t at)
{
  c->of->until[c->entry] = at;
  stop_span(p->stop, credit_code(p, CRD_OCCUPANCY, row), 1u << (row & 7), c->at, at);
}

void stop_sink(const struct stop_pass *p, bool horizontal)
{
  unsigned code = horizontal ? 2 : 0;
  if (p->leave <= p->at)
    return;
  stop_pulse(p->stop, BOUNCES + code, 1u << p->class, p->at, 1);
  stop_span(p->stop, SINK_STARVED + code, 1u << p->class | (p->class == STOP_AK && p->agent ? 0x20 : 0), p->at,
            p->leave);
}
