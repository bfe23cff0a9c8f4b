/* SPDX-License-Identifier: MIT */
/* Devices' streams of reads and writes, one line at a time, at a steady rate. */
#include <stdlib.h>
#include <pmon/status.h>
#include "machine/common/core.h"
#include "machine/common/devices.h"
#include "machine/common/pcie.h"

#define DMA_OUTSTANDING 256u
#define DEVICE_PORTS 8u
#define BACKLOG_FS                                                                                                     \
  UINT64_C(1000000000) /* the longest time that a device may be behind its rate; it drops accesses that are older */
#define DMA_PAGES (1ull << 36) /* where devices' buffers begin, above any program's pages */

bool traffic_does(const struct traffic *t, enum device_action action)
{
  return t->uncore->actions >> action & 1;
}

unsigned devices_access_bytes(const struct dma_stream *stream)
{
  return stream->access_bytes ? stream->access_bytes : stream->write ? 64 : 8;
}

/* Returns the time from one access of a stream to the next at its rate. */
static fs_t stream_step(const struct dma_stream *stream)
{
  const double bytes = stream->action == DEVICE_CORE ? devices_access_bytes(stream) : 64;
  return (fs_t)(bytes * 1e15 / (double)stream->bytes_per_second);
}

/* Finds the links of a stream's port and of its peer's. Returns PMON_OK, or a status of pcie_link_find(). */
static int stream_link(struct traffic *t, struct dma *d)
{
  const struct dma_stream *m = &d->stream;
  const unsigned port[3] = {m->socket, m->stack, m->port}, peer[3] = {m->peer_socket, m->peer_stack, m->peer_port};
  if (m->action == DEVICE_CXL_MEMORY || m->action == DEVICE_CXL_CACHE || m->action == DEVICE_SYSTEM)
    return PMON_OK;
  int link = pcie_link_find(t, port, &m->link);
  if (link < 0)
    return link;
  d->link = d->peer_link = (unsigned)link;
  if (m->action != DEVICE_PEER)
    return PMON_OK;
  link = pcie_link_find(t, peer, NULL);
  d->peer_link = (unsigned)link;
  return link < 0 ? link : PMON_OK;
}

struct stream_lack traffic_stream_lack(const struct traffic *t, const struct dma_stream *m)
{
  const bool cxl = m->action == DEVICE_CXL_MEMORY || m->action == DEVICE_CXL_CACHE;
  const struct stream_lack places[] = {
      {"socket", m->socket, t->sockets},
      {cxl ? "device" : "stack", m->stack, cxl && CXL_DEVICES < t->stacks ? CXL_DEVICES : t->stacks},
      {"port", m->port, DEVICE_PORTS},
      {"node", m->node, t->sockets},
      {"to-socket", m->peer_socket, t->sockets},
      {"to-stack", m->peer_stack, t->stacks},
      {"to-port", m->peer_port, DEVICE_PORTS}};
  if (!traffic_does(t, m->action) || m->message >= t->uncore->messages)
    return (struct stream_lack){"", 0, 0};
  for (size_t i = 0; i < sizeof places / sizeof *places; i++)
    if (places[i].number >= places[i].limit)
      return places[i];
  return (struct stream_lack){NULL, 0, 0};
}

int traffic_dma_start(struct traffic *t, const struct dma_stream *stream)
{
  if (traffic_stream_lack(t, stream).what || !stream->bytes_per_second || stream->span_bytes < 64 ||
      stream->access_bytes > 64 || (stream->access_bytes & (stream->access_bytes - 1)))
    return PMON_E_INVALID;
  struct dma *dma = realloc(t->dma, (t->n_dma + 1) * sizeof *dma);
  if (!dma)
    return PMON_E_MEMORY;
  t->dma = dma;
  fs_t from = stream->from > t->reached ? stream->from : t->reached;
  struct dma *d = &dma[t->n_dma];
  *d = (struct dma){.stream = *stream,
                    .next = from,
                    .due = from,
                    .step = stream_step(stream),
                    .base = stream->first_page ? stream->first_page : DMA_PAGES + ((uint64_t)t->n_dma << 26)};
  const int linked = stream_link(t, d);
  if (linked < 0)
    return linked;
  t->n_dma++;
  if (from < t->next_dma)
    t->next_dma = from;
  cores_look(t);
  const struct traffic_condition busy = {
      .kind = CONDITION_DEVICE, .socket = stream->socket, .from = from, .until = stream->until};
  if (stream->action == DEVICE_SYSTEM && stream->message != SYSTEM_WIRE) /* the cores' own */
    return PMON_OK;
  const int status = traffic_condition_add(t, &busy); /* for platforms that observe it */
  if (status == PMON_E_MEMORY)
    return status;
  return PMON_OK;
}

/* True if a stream accesses memory; the platform performs other accesses (uncore.other). */
static bool stream_moves_lines(const struct dma_stream *m)
{
  return m->action == DEVICE_MEMORY || m->action == DEVICE_ATOMIC || m->action == DEVICE_FLUSH;
}

/* Moves one line. */
static void line_move(struct traffic *t, struct dma *d)
{
  const struct dma_stream *m = &d->stream;
  struct socket *s = t->socket[m->socket];
  struct io_stack *stack = s->stack[m->stack];
  uint64_t at_byte = d->offset;
  struct page *page = address_page(&t->map, d->base + (at_byte >> 12), m->socket, (int)m->node);
  d->offset = at_byte + 64 < m->span_bytes ? at_byte + 64 : 0;
  if (!page) {
    d->ready = d->next;
    return;
  }
  d->moved++;
  fs_t begin = slots_take(&stack->port[m->port], pcie_request(t, d, at_byte), t->time.uclk);
  if (t->uncore->device_begin)
    begin = t->uncore->device_begin(t, d, at_byte, begin);
  struct request r = {.line = page->frame << PAGE_LINES_SHIFT | (at_byte >> 6 & 63),
                      .page = page,
                      .socket = m->socket,
                      .tile = stack->tile,
                      .core = MAX_CORES,
                      .tid = t->uncore->device_tid,
                      .at = begin,
                      .op = m->action == DEVICE_ATOMIC  ? OP_IO_RFO
                            : m->action == DEVICE_FLUSH ? OP_IO_CLFLUSH
                            : !m->write                 ? OP_PCIRDCUR
                            : m->partial                ? OP_ITOMCACHENEAR
                                                        : OP_ITOM};
  struct answer a;
  request_place(t, &r);
  t->uncore->request(t, &r, &a);
  a.done = t->uncore->device_end(t, &(struct device_access){d, at_byte, &r, &a});
  a.done = pcie_complete(t, d, at_byte, a.done);
  if (m->action == DEVICE_FLUSH)
    return;
  *(m->write ? &s->totals.dma_writes : &s->totals.dma_reads) += 1;
  *(m->write ? &s->totals.dma_write_bytes : &s->totals.dma_read_bytes) += 64;
}

void traffic_stream(const struct traffic *t, unsigned i, struct stream_totals *ret)
{
  const struct dma *d = &t->dma[i];
  const struct dma_stream *m = &d->stream;
  const fs_t end = m->until < t->reached ? m->until : t->reached;
  *ret = (struct stream_totals){.stream = m, .moved_bytes = 64 * d->moved};
  if (!stream_moves_lines(m) || end <= m->from)
    return;
  ret->link = t->pcie[d->link].shape;
  ret->asked_bytes = 64 * ((end - m->from + d->step - 1) / d->step);
  ret->seconds = (double)(end - m->from) * 1e-15;
  ret->moving_seconds = (double)((d->arrived > end ? d->arrived : end) - m->from) * 1e-15;
  ret->most = pcie_most(t, d);
}

unsigned traffic_streams(const struct traffic *t)
{
  return t->n_dma;
}

struct request devices_register_request(const struct traffic *t, struct dma *d, fs_t at)
{
  const struct dma_stream *m = &d->stream;
  const struct core *c = &t->core[m->node * t->cores];
  const unsigned bytes = devices_access_bytes(m);
  const enum tor_op part = m->write ? OP_WIL : OP_PRD, line = m->write ? OP_WILF : OP_UCRDF;
  struct request r = core_request(c, d->base * 64 + d->offset / 64, NULL, bytes < 64 ? part : line, at);
  r.home = m->socket;
  d->offset = d->offset + bytes < m->span_bytes ? d->offset + bytes : 0;
  return r;
}

/* Moves all lines that are due before `until`, the earliest first. */
void devices_run(struct traffic *t, fs_t until)
{
  if (t->in_dma)
    return;
  t->in_dma = true;
  for (;;) {
    struct dma *first = NULL;
    for (unsigned i = 0; i < t->n_dma; i++)
      if (t->dma[i].next < t->dma[i].stream.until && (!first || t->dma[i].next < first->next))
        first = &t->dma[i];
    t->next_dma = first ? first->next : UINT64_MAX;
    if (t->next_dma >= until)
      break;
    t->began = t->next_dma;
    if (stream_moves_lines(&first->stream)) {
      line_move(t, first);
      first->due += first->step;
      first->next = fs_later(first->due, first->ready);
      if (first->next > first->due + BACKLOG_FS)
        first->due = first->next - BACKLOG_FS;
      continue;
    }
    /* A device with DMA_OUTSTANDING lines in flight waits for the first of them. */
    fs_t done = t->uncore->other(t, first, first->next),
         least = done > DMA_OUTSTANDING * first->step ? done - DMA_OUTSTANDING * first->step : 0;
    first->next += first->step;
    first->next = fs_later(fs_later(least, first->ready), first->next);
  }
  t->in_dma = false;
}
