/* SPDX-License-Identifier: MIT */
/*
 * A core's path to memory: request queue, arbiter, front-side bus (2.5, 4.11). The data of a line take four bus clocks;
 * a bus clock takes six core cycles. Each core observes the bus transactions of the other core of the processor.
 */
#include <stdlib.h>
#include "machine/montecito/core/cycles.h"
#include "machine/montecito/events/umasks.h"
#include "machine/montecito/front/front.h"
#include "machine/montecito/memory/occupancy.h"
#include "machine/montecito/memory/ozq.h"
#include "machine/montecito/memory/snoop.h"
#include "machine/montecito/monitors/counters.h"

enum {
  EV_RD_HIT = 0x80,
  EV_RD_HITM = 0x81,
  EV_INVAL_HITM = 0x82,
  EV_BST_HITM = 0x83,
  EV_HITM = 0x84,
  EV_ALL = 0x87,
  EV_DATA = 0x88,
  EV_CURRENT = 0x89,
  EV_MEMORY = 0x8a,
  EV_MEM_READ = 0x8b,
  EV_RD_DATA = 0x8c,
  EV_PARTIAL = 0x8d,
  EV_SI_CYCLES = 0x8e,
  EV_SNOOP_STALL = 0x8f,
  EV_IO = 0x90,
  EV_RD_IO = 0x91,
  EV_WR_WB = 0x92,
  EV_B2B = 0x93,
  EV_IOQ_LO = 0x97,
  EV_IOQ_HI = 0x98,
  EV_RQ_INSERTS = 0x9e,
  EV_RQ_LO = 0x9f,
  EV_RQ_HI = 0xa0,
  EV_WQ_INSERTS = 0xa1,
  EV_WQ_LO = 0xa2,
  EV_WQ_HI = 0xa3,
  EV_WAQ_COLLISIONS = 0xa4,
  EV_CCQ_INSERTS = 0xa5,
  EV_CCQ_LO = 0xa6,
  EV_CCQ_HI = 0xa7,
  EV_CCQ_COLLISIONS = 0xa8,
  EV_IOQ_COLLISIONS = 0xaa,
  EV_SCB = 0xab,
  EV_SCB_LO = 0xac,
  EV_SCB_HI = 0xad,
  EV_SIGNOFF = 0xae,
  EV_READ_HI = 0xb4,
  EV_READ_LO = 0xb5,
  EV_SNOOPQ_HI = 0xb6,
  EV_SNOOPQ_LO = 0xb7,
  EV_BRQ_HI = 0xb8,
  EV_BRQ_LO = 0xb9,
  EV_BRQ_INSERTED = 0xba,
  EV_FILLB = 0xf1
};
enum { DATA_CLOCKS = 4, FILL_BUFFERS = 16, SNOOP_CLOCKS = 3, LINE_SHIFT = 7, SPACE_SHIFT = 51 };

static const uint8_t level_codes[] = {
    EV_IOQ_LO, EV_IOQ_HI, EV_RQ_LO,     EV_RQ_HI,     EV_WQ_LO,     EV_WQ_HI,  EV_READ_HI, EV_READ_LO, EV_BRQ_HI,
    EV_BRQ_LO, EV_FILLB,  EV_SI_CYCLES, EV_SNOOPQ_HI, EV_SNOOPQ_LO, EV_SCB_LO, EV_SCB_HI,  EV_CCQ_LO,  EV_CCQ_HI,
    0x60,      0x64,      0xe1,         0xe3,         0xe5,         0xe9,      0xef,       0xf3};

bool bus_level_selected(const struct montecito_core *c)
{
  for (unsigned i = 0; i < sizeof level_codes; i++)
    if (c->selected[level_codes[i]])
      return true;
  return false;
}

static struct montecito_core *bus_other_core(const struct montecito_core *c)
{
  return c->number ? &c->machine->cores[0] : &c->machine->cores[1];
}

static unsigned bus_reads(struct montecito_core *c)
{
  return queue_n(c, QUEUE_READ) + queue_n(c, QUEUE_READ_1);
}

/* Two events report the low and the high part of a queue's occupancy. */
static void bus_pulse_level(struct montecito_core *c, uint8_t low, uint8_t high, unsigned n)
{
  montecito_pulse(c, low, UM_ANY, n & 7);
  montecito_pulse(c, high, UM_ANY, n >> 3);
}

static void bus_pulse_si_level(struct montecito_core *c, uint8_t low, uint8_t high, unsigned queue)
{
  const unsigned own = queue_n(c, queue), both = own + queue_n(bus_other_core(c), queue);
  montecito_pulse(c, low, UM_SI_SELF, own & 7);
  montecito_pulse(c, high, UM_SI_SELF, own >> 3);
  montecito_pulse(c, low, UM_SI_EITHER, both & 7);
  montecito_pulse(c, high, UM_SI_EITHER, both >> 3);
}

void bus_levels_add(struct montecito_core *c)
{
  struct montecito_core *o = bus_other_core(c);
  const unsigned reads = bus_reads(c), others = bus_reads(o), writes = queue_n(c, QUEUE_WRITE);
  montecito_pulse(c, EV_SI_CYCLES, UM_ANY, 1);
  for (uint8_t t = 0; t < 2; t++) {
    const unsigned n = queue_n(c, QUEUE_READ + t);
    montecito_signal(c,
                     (struct montecito_signal){
                         .code = EV_READ_LO, .thread = t, .tags = TAGS_ALL, .mesi = 0xf, .umasks = UM_ANY, .n = n & 7});
    montecito_signal(
        c, (struct montecito_signal){
               .code = EV_READ_HI, .thread = t, .tags = TAGS_ALL, .mesi = 0xf, .umasks = UM_ANY, .n = n >> 3});
  }
  bus_pulse_level(c, EV_BRQ_LO, EV_BRQ_HI, reads);
  bus_pulse_level(c, EV_IOQ_LO, EV_IOQ_HI, reads + others + writes + queue_n(o, QUEUE_WRITE));
  bus_pulse_si_level(c, EV_RQ_LO, EV_RQ_HI, QUEUE_REQUEST);
  bus_pulse_si_level(c, EV_WQ_LO, EV_WQ_HI, QUEUE_WRITE);
  bus_pulse_si_level(c, EV_CCQ_LO, EV_CCQ_HI, QUEUE_CASTOUT);
  bus_pulse_si_level(c, EV_SCB_LO, EV_SCB_HI, QUEUE_SNOOP);
  bus_pulse_level(c, EV_SNOOPQ_LO, EV_SNOOPQ_HI, queue_n(c, QUEUE_SNOOP));
  if (c->ozq_selected)
    ozq_levels(c);
  if (c->front.on)
    front_levels(c);
  if (queue_n(c, QUEUE_FILL) >= FILL_BUFFERS)
    montecito_pulse(c, EV_FILLB, UM_ANY, 1);
}

/* Signals to both cores a bus event that at least one of them selects. */
static void bus_signal_selected(struct montecito_core *c, const struct bus_request *r, uint8_t code, uint16_t kinds)
{
  static const uint16_t own[] = {UM_SELF | UM_EITHER | UM_ALL_AGENTS, UM_IO | UM_ALL_AGENTS, UM_ALL_AGENTS};
  struct montecito_core *o = bus_other_core(c);
  if (r->thread == c->active)
    montecito_event_tagged(c, code, TAGS_ALL, own[r->agent] & kinds);
  else
    montecito_event_signal(
        c,
        (struct montecito_signal){
            .code = code, .thread = r->thread, .tags = TAGS_ALL, .mesi = 0xf, .n = 1, .umasks = own[r->agent] & kinds});
  if (o->selected[code])
    montecito_deferred_add(o,
                           &(struct montecito_deferred){
                               .at = o->cycle,
                               .kind = DEFERRED_BUS,
                               .slot = code,
                               .thread = o->active,
                               .tags = TAGS_ALL,
                               .umasks = (r->agent == AGENT_SELF ? UM_EITHER | UM_ALL_AGENTS : own[r->agent]) & kinds});
}

/* Signals a bus event to both cores. */
static inline void bus_signal_cores(struct montecito_core *c, const struct bus_request *r, uint8_t code, uint16_t kinds)
{
  if (c->selected[code] | bus_other_core(c)->selected[code])
    bus_signal_selected(c, r, code, kinds);
}

/* The events that count each kind of transaction, with the transaction's upper umask bits; 0: the event does not count
 * it. */
static const struct kind {
  uint16_t memory, mem_read, wr_wb;
  bool line, read_data, partial, io, io_read, current;
} kinds[] = {
    [BUS_READ_LINE] = {.memory = UM_KIND1 | UM_KIND_ALL,
                       .mem_read = UM_KIND1 | UM_KIND_ALL,
                       .line = true,
                       .read_data = true},
    [BUS_READ_INVALIDATE] = {.memory = UM_KIND1 | UM_KIND_ALL, .mem_read = UM_KIND2 | UM_KIND_ALL, .line = true},
    [BUS_INVALIDATE] = {.memory = UM_KIND2 | UM_KIND_ALL, .mem_read = UM_KIND0 | UM_KIND_ALL},
    [BUS_WRITE_LINE] = {.memory = UM_KIND1 | UM_KIND_ALL, .wr_wb = UM_KIND1 | UM_KIND_ALL, .line = true},
    [BUS_READ_PARTIAL] = {.memory = UM_KIND2 | UM_KIND_ALL, .partial = true},
    [BUS_WRITE_PARTIAL] = {.memory = UM_KIND2 | UM_KIND_ALL},
    [BUS_READ_CURRENT] = {.memory = UM_KIND1 | UM_KIND_ALL, .line = true, .current = true},
    [BUS_IO_READ] = {.io = true, .io_read = true},
    [BUS_IO_WRITE] = {.io = true},
    [BUS_CASTOUT] = {.memory = UM_KIND1 | UM_KIND_ALL, .wr_wb = UM_KIND2 | UM_KIND_ALL},
};

/* Signals the stall of the bus until a modified line of another cache is transferred. */
static void bus_signal_stall(struct montecito_core *c, const struct bus_request *r)
{
  struct montecito_core *o = bus_other_core(c);
  struct montecito_deferred d = {.kind = DEFERRED_BUS, .slot = EV_SNOOP_STALL, .tags = TAGS_ALL};
  for (unsigned i = 0; i < SNOOP_CLOCKS; i++) {
    d.at = c->cycle + i * core_parameter(c, MONTECITO_BUS_RATIO);
    d.thread = c->active;
    d.umasks = r->agent == AGENT_SELF ? UM_SELF | UM_EITHER | UM_ALL_AGENTS : UM_ALL_AGENTS;
    montecito_deferred_add(c, &d);
    d.at += o->cycle - c->cycle;
    d.thread = o->active;
    d.umasks &= (uint16_t)~UM_SELF;
    montecito_deferred_add(o, &d);
  }
}

static void bus_signal_result(struct montecito_core *c, const struct bus_request *r)
{
  if (r->hit && r->kind == BUS_READ_LINE)
    bus_signal_cores(c, r, EV_RD_HIT, UM_ANY);
  if (!r->hitm)
    return;
  bus_signal_stall(c, r);
  bus_signal_cores(c, r,
                   r->kind == BUS_READ_LINE    ? EV_RD_HITM
                   : r->kind == BUS_INVALIDATE ? EV_INVAL_HITM
                                               : EV_BST_HITM,
                   UM_ANY);
  if (r->kind != BUS_INVALIDATE)
    bus_signal_cores(c, r, EV_HITM, UM_ANY);
}

/* Signals the clocks in which data are on the bus. A transfer that follows another one without a gap is back to
 * back. */
static __attribute__((noinline)) void bus_signal_clocks(struct montecito_core *c, const struct bus_request *r,
                                                        uint64_t start, bool follows)
{
  static const uint16_t own[] = {UM_SELF | UM_EITHER | UM_ALL_AGENTS, UM_IO | UM_ALL_AGENTS, UM_ALL_AGENTS};
  struct montecito_deferred d = {.kind = DEFERRED_BUS, .thread = c->active, .tags = TAGS_ALL, .umasks = own[r->agent]};
  for (unsigned i = 0; i < DATA_CLOCKS; i++) {
    d.at = start + i * core_parameter(c, MONTECITO_BUS_RATIO);
    d.slot = EV_DATA;
    montecito_deferred_add(c, &d);
    d.slot = EV_B2B;
    if (follows)
      montecito_deferred_add(c, &d);
  }
}

static inline void bus_signal_data(struct montecito_core *c, const struct bus_request *r)
{
  const uint64_t ready = c->cycle + r->latency, busy = c->bus_busy, start = busy > ready ? busy : ready;
  c->bus_busy = start + DATA_CLOCKS * core_parameter(c, MONTECITO_BUS_RATIO);
  if (c->selected[EV_DATA] | c->selected[EV_B2B])
    bus_signal_clocks(c, r, start, busy >= ready && busy);
}

static void bus_queue_insert_selected(struct montecito_core *c, const struct bus_request *r, uint8_t code,
                                      uint16_t umasks)
{
  struct montecito_core *o = bus_other_core(c);
  montecito_event_signal(
      c, (struct montecito_signal){
             .code = code, .thread = r->thread, .tags = TAGS_ALL, .mesi = 0xf, .umasks = umasks, .n = 1});
  if (o->selected[code] && code != EV_BRQ_INSERTED)
    montecito_deferred_add(o, &(struct montecito_deferred){.at = o->cycle,
                                                           .kind = DEFERRED_BUS,
                                                           .slot = code,
                                                           .thread = o->active,
                                                           .tags = TAGS_ALL,
                                                           .umasks = umasks & UM_SI_EITHER});
}

/* Signals an entry into one of the arbiter's queues. The other core counts it under the umasks for either core. */
static inline void bus_queue_insert(struct montecito_core *c, const struct bus_request *r, uint8_t code,
                                    uint16_t umasks)
{
  if (c->selected[code] | bus_other_core(c)->selected[code])
    bus_queue_insert_selected(c, r, code, umasks);
}

/* Returns the umasks of an entry into the write queue (Table 4-122): those for either core, and for this one. */
static uint16_t bus_write_umasks(const struct bus_request *r)
{
  unsigned kind = r->address >> 3 & 1 ? 14 : 6;
  if (r->kind == BUS_WRITE_LINE)
    kind = r->implicit ? 2 : 4;
  else if (r->bytes == 16)
    kind = 8;
  else if (r->bytes == 32)
    kind = 10;
  return UM(0) | UM(1) | UM(kind) | UM(kind + 1);
}

/* Returns a line's number, which differs between address spaces. */
static uint64_t bus_line(const struct montecito_core *c, unsigned thread, uint64_t address)
{
  return address >> LINE_SHIFT ^ (uint64_t)c->sharing.space[thread] << SPACE_SHIFT;
}

static bool bus_has_line(struct montecito_core *c, uint64_t line, unsigned queue)
{
  const struct montecito_requests r = queue_requests(c, queue);
  for (const struct montecito_queued *v = r.first; v < r.end; v++)
    if (v->line == line)
      return true;
  return false;
}

/* True if the core has an outstanding read or write of the line. */
static bool bus_has_transaction(struct montecito_core *c, uint64_t line)
{
  return bus_has_line(c, line, QUEUE_READ) || bus_has_line(c, line, QUEUE_READ_1) || bus_has_line(c, line, QUEUE_WRITE);
}

/* Passes a transaction through the core's own queues. */
static void bus_queue_transaction(struct montecito_core *c, const struct bus_request *r)
{
  c->totals.bus_transactions++;
  if (r->kind == BUS_WRITE_LINE || r->kind == BUS_WRITE_PARTIAL) {
    bus_queue_insert(c, r, EV_WQ_INSERTS, bus_write_umasks(r));
    queue_add(c, QUEUE_WRITE,
              (struct montecito_queued){.at = c->cycle + core_parameter(c, MONTECITO_BUS_WRITE),
                                        .line = bus_line(c, r->thread, r->address)});
    return;
  }
  if (r->kind == BUS_CASTOUT) {
    bus_queue_insert(c, r, EV_CCQ_INSERTS, UM_ANY);
    queue_add(c, QUEUE_CASTOUT,
              (struct montecito_queued){.at = c->cycle + core_parameter(c, MONTECITO_BUS_WRITE),
                                        .line = bus_line(c, r->thread, r->address)});
    return;
  }
  bus_queue_insert(c, r, EV_BRQ_INSERTED, UM_ANY);
  bus_queue_insert(c, r, EV_RQ_INSERTS, UM_ANY);
  queue_add(c, QUEUE_REQUEST, (struct montecito_queued){.at = c->cycle + core_parameter(c, MONTECITO_BUS_ARBITER)});
  if (r->kind == BUS_READ_LINE || r->kind == BUS_READ_INVALIDATE)
    queue_add(c, QUEUE_READ + r->thread,
              (struct montecito_queued){.at = c->cycle + r->latency, .line = bus_line(c, r->thread, r->address)});
}

static __attribute__((noinline)) void bus_signal_transaction(struct montecito_core *c, const struct bus_request *r)
{
  const struct kind *k = &kinds[r->kind];
  bus_signal_cores(c, r, EV_ALL, UM_ANY);
  if (k->memory)
    bus_signal_cores(c, r, EV_MEMORY, k->memory);
  if (k->mem_read)
    bus_signal_cores(c, r, EV_MEM_READ, k->mem_read);
  if (k->wr_wb)
    bus_signal_cores(c, r, EV_WR_WB, k->wr_wb);
  if (k->read_data && r->data)
    bus_signal_cores(c, r, EV_RD_DATA, UM_ANY);
  if (k->partial)
    bus_signal_cores(c, r, EV_PARTIAL, UM_ANY);
  if (k->current)
    bus_signal_cores(c, r, EV_CURRENT, UM_ANY);
  if (k->io)
    bus_signal_cores(c, r, EV_IO, UM_ANY);
  if (k->io_read)
    bus_signal_cores(c, r, EV_RD_IO, UM_ANY);
  bus_signal_result(c, r);
}

__attribute__((hot)) void bus_transaction(struct montecito_core *c, const struct bus_request *r)
{
  const struct kind *k = &kinds[r->kind];
  if (c->selected[EV_IOQ_COLLISIONS]) {
    const uint64_t line = bus_line(c, r->thread, r->address);
    if (bus_has_transaction(c, line) || bus_has_transaction(bus_other_core(c), line))
      montecito_pulse(c, EV_IOQ_COLLISIONS, UM_ANY, 1);
  }
  if (r->agent == AGENT_SELF)
    bus_queue_transaction(c, r);
  if (c->bus_selected || bus_other_core(c)->bus_selected)
    bus_signal_transaction(c, r);
  if (k->line)
    bus_signal_data(c, r);
}

void bus_deferred(struct montecito_core *c, const struct montecito_deferred *d)
{
  if (d->kind == DEFERRED_SIGNAL)
    montecito_signal(
        c, (struct montecito_signal){
               .code = d->slot, .thread = d->thread, .tags = d->tags, .mesi = d->mesi, .umasks = d->umasks, .n = 1});
  else
    montecito_event_signal(
        c, (struct montecito_signal){
               .code = d->slot, .thread = d->thread, .tags = d->tags, .mesi = 0xf, .umasks = d->umasks, .n = 1});
}

/* Signals a snoop from the bus, by the core's response (`found`). A write-back of the line that waits in the queue
 * collides with the snoop, and counts as nullified; a modified line is written back implicitly. */
void bus_snooped(struct montecito_core *c, uint64_t address, unsigned found)
{
  const struct bus_request implicit = {.kind = BUS_WRITE_LINE, .thread = c->active, .implicit = true};
  const uint16_t kind = (uint16_t)(0xf << 4 * found | UM_KIND_ALL);
  montecito_pulse(c, EV_SCB, kind, 1);
  montecito_pulse(c, EV_SIGNOFF, kind, 1);
  if (bus_has_line(c, bus_line(c, c->active, address), QUEUE_WRITE)) {
    montecito_pulse(c, EV_WAQ_COLLISIONS, UM_ANY, 1);
    bus_queue_insert(c, &implicit, EV_WQ_INSERTS, UM(12) | UM(13));
  }
  if (bus_has_line(c, bus_line(c, c->active, address), QUEUE_CASTOUT))
    montecito_pulse(c, EV_CCQ_COLLISIONS, UM_ANY, 1);
  if (found == 2)
    bus_queue_insert(c, &implicit, EV_WQ_INSERTS, bus_write_umasks(&implicit));
}
