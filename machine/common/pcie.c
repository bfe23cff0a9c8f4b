/* SPDX-License-Identifier: MIT */
#include "machine/common/pcie.h"

#include <assert.h>
#include <stdlib.h>
#include <pmon/status.h>

/* Returns the bytes per second that one lane carries after line coding. */
static uint64_t lane_rate(unsigned generation)
{
  static const uint64_t transfers[] = {2500000000, 5000000000, 8000000000, 16000000000, 32000000000};
  return generation < 3 ? transfers[generation - 1] / 10 : transfers[generation - 1] / 8 * 128 / 130;
}

static unsigned lesser(unsigned device, uint64_t port)
{
  return device && device < port ? device : (unsigned)port;
}

static bool power_of_two(unsigned n)
{
  return !(n & (n - 1));
}

/* Returns the shape that port and device agree on. */
static struct pcie_shape shape_agreed(const struct traffic *t, const struct pcie_shape *device)
{
  static const struct pcie_shape any = {0};
  const uint64_t *v = t->config.value;
  device = device ? device : &any;
  return (struct pcie_shape){.generation = lesser(device->generation, v[CONFIG_PCIE_GENERATION]),
                             .lanes = lesser(device->lanes, v[CONFIG_PCIE_LANES]),
                             .payload = lesser(device->payload, v[CONFIG_PCIE_PAYLOAD]),
                             .request = device->request ? device->request : (unsigned)v[CONFIG_PCIE_REQUEST],
                             .credits = lesser(device->credits, v[CONFIG_PCIE_CREDITS]),
                             .tags = device->tags ? device->tags : (unsigned)v[CONFIG_PCIE_TAGS]};
}

static bool shape_same(const struct pcie_shape *a, const struct pcie_shape *b)
{
  return a->generation == b->generation && a->lanes == b->lanes && a->payload == b->payload &&
         a->request == b->request && a->credits == b->credits && a->tags == b->tags;
}

int pcie_link_find(struct traffic *t, const unsigned place[3], const struct pcie_shape *device)
{
  const struct pcie_shape s = shape_agreed(t, device);
  assert(power_of_two(s.lanes) && power_of_two(s.payload) && power_of_two(s.request) && s.payload >= 64 &&
         s.request >= 64 && s.payload <= 4096 && s.request <= 4096 && s.tags <= PCIE_ENTRIES &&
         s.credits <= PCIE_ENTRIES);
  for (unsigned i = 0; i < t->n_pcie; i++)
    if (t->pcie[i].socket == place[0] && t->pcie[i].stack == place[1] && t->pcie[i].port == place[2])
      return !device || shape_same(&t->pcie[i].shape, &s) ? (int)i : PMON_E_CONFLICT;
  struct pcie_link *list = realloc(t->pcie, (t->n_pcie + 1) * sizeof *list);
  if (!list)
    return PMON_E_MEMORY;
  t->pcie = list;
  list[t->n_pcie] = (struct pcie_link){.socket = place[0], .stack = place[1], .port = place[2], .shape = s};
  list[t->n_pcie].fs_of_64k =
      (uint64_t)((unsigned __int128)65536 * 1000000000000000u / (lane_rate(s.generation) * s.lanes));
  return (int)t->n_pcie++;
}

/* Books the wires of one direction, in the order of calls. Returns the time at which the bytes have passed. */
static fs_t wires_take(const struct pcie_link *l, fs_t *wires, uint32_t bytes, fs_t at)
{
  const fs_t begin = *wires > at ? *wires : at;
  return *wires = begin + (bytes * l->fs_of_64k >> 16);
}

fs_t pcie_send_up(struct traffic *t, unsigned link, uint32_t bytes, fs_t at)
{
  return wires_take(&t->pcie[link], &t->pcie[link].up, bytes, at);
}

fs_t pcie_send_down(struct traffic *t, unsigned link, uint32_t bytes, fs_t at)
{
  return wires_take(&t->pcie[link], &t->pcie[link].down, bytes, at);
}

/* A line within the packets of its stream. Packets do not cross a multiple of their size. */
struct packet_part {
  bool first, last, completes; /* first or last of its request; first of a completion */
  bool posted;
  uint32_t data, answer; /* bytes with the request, and with what completes it */
};

static struct packet_part part_of(const struct pcie_link *l, const struct dma *d, uint64_t byte)
{
  const struct dma_stream *m = &d->stream;
  const bool alone = m->action == DEVICE_ATOMIC || m->action == DEVICE_FLUSH || m->partial;
  struct packet_part p = {.posted = m->write && m->action != DEVICE_ATOMIC, .first = true, .last = true};
  const unsigned size = p.posted ? l->shape.payload : l->shape.request;
  if (!alone) {
    p.first = byte % size == 0;
    p.last = (byte + 64) % size == 0 || byte + 64 >= m->span_bytes;
  }
  p.completes = alone || byte % l->shape.payload == 0 || p.first;
  p.data = m->action == DEVICE_ATOMIC ? 8 : p.posted && m->action != DEVICE_FLUSH ? 64 : 0;
  p.answer = p.posted ? 0 : m->action == DEVICE_ATOMIC ? 8 : 64;
  return p;
}

double pcie_most(const struct traffic *t, const struct dma *d)
{
  const struct pcie_link *l = &t->pcie[d->link];
  const unsigned size = l->shape.payload > l->shape.request ? l->shape.payload : l->shape.request;
  uint64_t up = 0, down = 0, lines = 0, byte = 0;
  do { /* some packets of the greatest size, or all of a small buffer */
    const struct packet_part p = part_of(l, d, byte);
    up += p.data + (p.first ? PCIE_REQUEST_BYTES : 0);
    down += p.answer + (!p.posted && p.completes ? PCIE_COMPLETION_BYTES : 0);
    lines++;
    byte += 64;
  } while (byte < d->stream.span_bytes && byte < 4 * size);
  return (double)(lane_rate(l->shape.generation) * l->shape.lanes) * 64 * (double)lines /
         (double)(up > down ? up : down);
}

fs_t pcie_request(struct traffic *t, struct dma *d, uint64_t byte)
{
  struct pcie_link *l = &t->pcie[d->link];
  const struct packet_part p = part_of(l, d, byte);
  fs_t at = d->next;
  if (p.first) {
    uint32_t *next = p.posted ? &l->next_credit : &l->next_tag;
    d->entry = *next;
    *next = (*next + 1) % (p.posted ? l->shape.credits : l->shape.tags);
    const fs_t free = (p.posted ? l->credit : l->tag)[d->entry];
    at = free > at ? free : at;
  }
  const fs_t arrived = wires_take(l, &l->up, p.data + (p.first ? PCIE_REQUEST_BYTES : 0), at);
  if (p.posted)
    return d->ready = d->arrived = arrived;
  /* the port fetches no more than it has room for */
  const fs_t room = l->down > PCIE_AHEAD_FS ? l->down - PCIE_AHEAD_FS : 0;
  d->ready = room > at ? room : at;
  return room > arrived ? room : arrived;
}

fs_t pcie_complete(struct traffic *t, struct dma *d, uint64_t byte, fs_t answered)
{
  struct pcie_link *l = &t->pcie[d->link];
  const struct packet_part p = part_of(l, d, byte);
  fs_t done = answered;
  if (!p.posted)
    done = d->arrived = wires_take(l, &l->down, p.answer + (p.completes ? PCIE_COMPLETION_BYTES : 0), answered);
  if (p.last)
    (p.posted ? l->credit : l->tag)[d->entry] = done + 2 * PCIE_FLIGHT_FS;
  return done;
}
