/* SPDX-License-Identifier: MIT */
/* I/O stacks (guide 2.4): devices' streams of reads and writes, one line at a time, at a steady rate. */
#include <stdlib.h>
#include <pmon/status.h>
#include "machine/common/coherence.h"
#include "machine/common/devices.h"
#include "machine/emr/m3upi.h"
#include "machine/emr/mesh.h"

#define DWORDS 16u    /* of a line */
#define FREE_UNITS 2u /* the free-running counters count 32 bytes */
#define DMA_OUTSTANDING 256u
#define DMA_PAGES (1ull << 36) /* where devices' buffers begin, above any program's pages */

bool traffic_does(const struct traffic *t, enum device_action action)
{
  return t->uncore->actions >> action & 1;
}

int traffic_dma_start(struct traffic *t, const struct dma_stream *stream)
{
  if (stream->socket >= t->sockets || stream->stack >= t->stacks || stream->port > 7 || stream->node >= t->sockets ||
      !stream->bytes_per_second || stream->span_bytes < 64 || stream->peer_socket >= t->sockets ||
      stream->peer_stack >= t->stacks || stream->peer_port > 7 || !traffic_does(t, stream->action) ||
      stream->message >= t->uncore->messages ||
      ((stream->action == DEVICE_CXL_MEMORY || stream->action == DEVICE_CXL_CACHE) && stream->stack >= CXL_DEVICES))
    return PMON_E_INVALID;
  struct dma *dma = realloc(t->dma, (t->n_dma + 1) * sizeof *dma);
  if (!dma)
    return PMON_E_MEMORY;
  t->dma = dma;
  fs_t from = stream->from > t->reached ? stream->from : t->reached;
  dma[t->n_dma] = (struct dma){*stream, from, (fs_t)(64e15 / (double)stream->bytes_per_second), 0,
                               stream->first_page ? stream->first_page : DMA_PAGES + ((uint64_t)t->n_dma << 26)};
  t->n_dma++;
  if (from < t->next_dma)
    t->next_dma = from;
  const struct traffic_condition busy = {
      .kind = CONDITION_DEVICE, .socket = stream->socket, .from = from, .until = stream->until};
  if (stream->action == DEVICE_SYSTEM && stream->message != SYSTEM_WIRE) /* the cores' own */
    return PMON_OK;
  const int status = traffic_condition_add(t, &busy); /* where anybody wants to know */
  if (status == PMON_E_MEMORY)
    return status;
  return PMON_OK;
}

fs_t io_send(struct traffic *t, const struct io_way *w, fs_t at)
{
  if (w->from == w->to)
    return mesh_send(t, w->from, w->from_tile, w->to_tile, MESH_BL, at);
  unsigned link = upi_of(t, w->line);
  fs_t out = mesh_send(t, w->from, w->from_tile, w->from->link[link].tile, MESH_BL, at);
  fs_t there = upi_send(t, w->from->index, w->line, w->posted ? MESSAGE_NCB : MESSAGE_NCS, 0, out);
  const fs_t taken = mesh_send(t, w->to, w->to->link[link].tile, w->to_tile, MESH_BL, there);
  if (w->to->links_heard && w->to_tile >= w->to->iio[0].tile)
    link_stop_to_stack(&w->to->link[link].queues, w->to_tile - w->to->iio[0].tile, w->posted,
                       (fs_t[]){there, taken + 2 * t->time.enter});
  return taken;
}

/* The part of a state that was not reported yet. */
static void lasted(struct block *b, unsigned code, unsigned umask, fs_t *until, const fs_t span[2])
{
  fs_t from = span[0] > *until ? span[0] : *until;
  if (span[1] <= from)
    return;
  block_span(b, (uint8_t)code, EMR_UMASK(umask), 0, from, span[1], 1);
  *until = span[1];
}

void stack_ingress(struct iio *iio, unsigned kind, fs_t from, fs_t to)
{
  if (!iio->stop)
    return;
  block_pulse(iio->stop, M2PCIE_RXC_INSERTS, EMR_UMASK(0x80 | kind), 0, from, 1);
  lasted(iio->stop, M2PCIE_RXC_CYCLES_NE, kind, &iio->ingress[__builtin_ctz(kind)], (fs_t[]){from, to});
  lasted(iio->stop, M2PCIE_RXC_CYCLES_NE, 0x80, &iio->ingress_ne, (fs_t[]){from, to});
}

/* Each mesh port has its own credits; messages take them in turn. */
fs_t stack_credit(struct iio *iio, unsigned class, fs_t at, fs_t busy)
{
  const unsigned port = iio->turn++ & 1, bit = 1u << (2 * class + port);
  fs_t taken = at;
  fs_t *until = iio->credit[port][class];
  unsigned i = few_take(until, IO_CREDITS, &taken);
  until[i] = taken + (busy - at);
  if (!iio->stop)
    return until[i];
  if (taken > at)
    block_pulse(iio->stop, M2PCIE_IIO_CREDITS_REJECT, EMR_UMASK(0x08u << class), 0, at, 1);
  block_pulse(iio->stop, M2PCIE_IIO_CREDITS_ACQUIRED, EMR_UMASK(bit), 0, taken, 1);
  lasted(iio->stop, M2PCIE_IIO_CREDITS_USED, bit, &iio->used[port][class], (fs_t[]){taken, until[i]});
  return until[i];
}

/* The queue of reads takes so many; while they all are on their way it is full. */
static void faf_report(struct iio *iio, fs_t from, fs_t to)
{
  fs_t first = UINT64_MAX;
  iio->faf[iio->next_faf++ % FAF] = to;
  for (unsigned i = 0; i < FAF; i++)
    first = iio->faf[i] < first ? iio->faf[i] : first;
  lasted(iio->ring_port, IRP_FAF_FULL, 0, &iio->faf_full, (fs_t[]){from, first});
}

/* The stack's way to the mesh (guide 2.5, 2.8): the ring port keeps writes until they are done and queues reads, the
 * mesh stop sends requests out and takes the data of reads in. */
static void ring_port_report(const struct traffic *t, struct iio *iio, const struct dma_stream *m,
                             const struct request *r, const struct answer *a)
{
  struct block *b = iio->ring_port;
  const bool write = m->write, atomic = m->action == DEVICE_ATOMIC;
  if (b) {
    block_pulse(b, IRP_ALL, EMR_UMASK(0x01), 0, r->at, 1);
    block_pulse(b, IRP_ALL, EMR_UMASK(0x04), 0, a->done, 1);
    block_span(b, IRP_CACHE_TOTAL_OCCUPANCY, EMR_UMASK(0x05), 0, r->at, a->done, 1);
    if (atomic) {
      block_pulse(b, IRP_TRANSACTIONS, EMR_UMASK(0x10), 0, r->at, 1);
    } else if (write) {
      block_pulse(b, IRP_TRANSACTIONS, EMR_UMASK(0x02), 0, r->at, 1);
      block_pulse(b, IRP_TRANSACTIONS, EMR_UMASK(0x08), 0, r->at, 1);
    } else {
      block_pulse(b, IRP_FAF_INSERTS, 0, 0, r->at, 1);
      block_pulse(b, IRP_FAF_TRANSACTIONS, 0, 0, r->at, 1);
      block_span(b, IRP_FAF_OCCUPANCY, 0, 0, r->at, a->done, 1);
      faf_report(iio, r->at, a->done);
    }
  }
  if (t->socket[m->socket]->write_caches_heard)
    write_cache_used(t, t->socket[m->socket], iio, &(struct device_use){r->line, write, atomic, r->at, a->done});
  if (write) { /* the CHA grants the line, and the data follow */
    struct socket *s = t->socket[m->socket];
    const unsigned cha = s->cha[r->cha].tile;
    mesh_tell(t, s, &(struct mesh_way){cha, iio->tile, MESH_AK | MESH_AWAITED, a->done});
    mesh_tell(t, s, &(struct mesh_way){iio->tile, cha, MESH_BL, a->done + t->time.enter});
  }
  if ((b = iio->stop) != NULL) {
    block_pulse(b, M2PCIE_TXC_INSERTS_AD, EMR_UMASK(0x02u << 3 * (r->line & 1)), 0, r->at, 1);
    /* a credit of the CHA's queue, while the request is on its way */
    const struct socket *s = t->socket[m->socket];
    const fs_t hops = mesh_hops(s, iio->tile, s->cha[r->cha].tile);
    const fs_t there = r->at + t->time.enter + hops * (fs_t)t->time.hop;
    block_span(b, M2PCIE_TXC_CREDITS, EMR_UMASK(0x01), 0, r->at, there, 1);
    if (write) {
      block_pulse(b, M2PCIE_TXC_INSERTS_BL, EMR_UMASK(0x01), 0, r->at, 1);
    } else {
      stack_ingress(iio, 0x01, a->done, stack_credit(iio, IO_DRS, a->done, a->done + t->time.enter));
    }
  }
}

/* A line goes through the traffic controller once for each thing that has to be done for it: a write asks for
 * ownership, hands its data on and is written, a read is asked for; the last pass ends it. */
static void passes_report(struct block *b, uint64_t part, bool posted, const fs_t times[2])
{
  static const uint8_t writes[] = {0x04, 0x20, 0x10, 0x08}, reads[] = {0x40, 0x08};
  const uint8_t *pass = posted ? writes : reads;
  for (unsigned i = 0; i < (posted ? sizeof writes : sizeof reads); i++) {
    const uint64_t kind = EMR_UMASK(pass[i]) | part;
    const fs_t at = pass[i] == 0x08 ? times[1] : times[0];
    if (pass[i] != 0x40) {
      block_pulse(b, IIO_INBOUND_ARB_REQ, kind | IIO_FC_POSTED, 0, times[0], 1);
      block_pulse(b, IIO_INBOUND_ARB_WON, kind | IIO_FC_POSTED, 0, times[0], 1);
    }
    block_pulse(b, IIO_REQ_FROM_PCIE_PASS_CMPL, kind, 0, at, 1);
    block_pulse(b, IIO_REQ_FROM_PCIE_CL_CMPL, kind, 0, at, 1);
    if (pass[i] == 0x04 || pass[i] == 0x08)
      block_pulse(b, IIO_REQ_FROM_PCIE_CMPL, kind, 0, at, 1);
  }
}

/* What the stack's counters see of one access. */
void iio_report(struct traffic *t, const struct dma *d, const struct request *r, const struct answer *a)
{
  const struct dma_stream *m = &d->stream;
  struct iio *iio = &t->socket[m->socket]->iio[m->stack];
  const uint64_t part = IIO_PART(m->port);
  const bool posted = m->write && m->action != DEVICE_ATOMIC;
  ring_port_report(t, iio, m, r, a);
  passes_report(iio->block, part, posted, (const fs_t[]){r->at, a->done});
  uint64_t kind = (m->action == DEVICE_ATOMIC ? IIO_ATOMIC | IIO_FC_NONPOSTED
                   : m->write                 ? IIO_MEM_WRITE | IIO_FC_POSTED
                                              : IIO_MEM_READ | IIO_FC_NONPOSTED) |
                  part;
  const bool carries = m->action != DEVICE_FLUSH; /* data */
  if (carries)
    block_pulse(iio->block, IIO_DATA_REQ_OF_CPU, kind, 0, r->at, DWORDS);
  block_pulse(iio->block, IIO_TXN_REQ_OF_CPU, kind, 0, r->at, 1);
  block_pulse(iio->block, IIO_NUM_REQ_OF_CPU, EMR_UMASK(0x01) | part | (m->write ? IIO_FC_POSTED : IIO_FC_NONPOSTED), 0,
              r->at, 1);
  block_pulse(iio->block, IIO_NUM_REQ_OF_CPU_BY_TGT,
              EMR_UMASK(0x08) | part | (m->write ? IIO_FC_POSTED : IIO_FC_NONPOSTED), 0, r->at, 1);
  block_pulse(iio->block, IIO_NUM_TGT_MATCHED, 0, 0, r->at, 1);
  block_span(iio->block, IIO_NUM_OUTSTANDING_REQ_OF_CPU, EMR_UMASK(0x08) | part | IIO_FC_POSTED, 0, r->at, a->done, 1);
  if (!m->write) { /* the device gets a completion with the data */
    block_pulse(iio->block, IIO_COMP_BUF_INSERTS, EMR_UMASK(0x04) | part | IIO_FC_CMPL, 0, r->at, 1);
    block_span(iio->block, IIO_COMP_BUF_OCCUPANCY, EMR_UMASK(1u << m->port) | part | IIO_FC_CMPL, 0, r->at, a->done, 1);
  }
  if (carries && iio->block != (struct block *)(void *)&t->absent)
    block_free_pulse(iio->block, (m->write ? IIO_FREE_BW_IN : IIO_FREE_BW_OUT) + m->port, m->write ? r->at : a->done,
                     FREE_UNITS);
}

/* A request that need not wait for its port may take the short cut to the ring port. */
static void shortcut_report(const struct iio *iio, uint64_t part, bool taken, fs_t at)
{
  if (!iio->block) /* E5-2600 */
    return;
  block_pulse(iio->block, IIO_FASTPATH, EMR_UMASK(taken ? 0x02 : 0x01) | part, 0, at, 1);
  if (!iio->ring_port)
    return;
  block_pulse(iio->ring_port, IRP_MISC0, EMR_UMASK(0x01), 0, at, 1);
  if (!taken)
    block_pulse(iio->ring_port, IRP_MISC0, EMR_UMASK(0x02), 0, at, 1);
}

/* Moves one line; when it has been answered. */
static fs_t line_move(struct traffic *t, struct dma *d)
{
  const struct dma_stream *m = &d->stream;
  struct socket *s = t->socket[m->socket];
  struct iio *iio = &s->iio[m->stack];
  uint64_t at_byte = d->offset;
  if (m->action != DEVICE_MEMORY && m->action != DEVICE_ATOMIC && m->action != DEVICE_FLUSH)
    return t->uncore->other(t, d, d->next);
  struct page *page = address_page(&t->map, d->base + (at_byte >> 12), m->socket, (int)m->node);
  d->offset = at_byte + 64 < m->span_bytes ? at_byte + 64 : 0;
  if (!page)
    return 0;
  fs_t begin = slots_take(&iio->port[m->port], d->next, t->time.uclk);
  shortcut_report(iio, IIO_PART(m->port), begin == d->next, begin);
  if (t->config.value[CONFIG_IOMMU])
    begin = iommu_translate(t, d, (d->base << 12) + at_byte, begin);
  struct request r = {.line = page->frame << PAGE_LINES_SHIFT | (at_byte >> 6 & 63),
                      .page = page,
                      .socket = m->socket,
                      .tile = iio->tile,
                      .core = MAX_CORES,
                      .at = begin,
                      .op = m->action == DEVICE_ATOMIC  ? OP_IO_RFO
                            : m->action == DEVICE_FLUSH ? OP_IO_CLFLUSH
                            : !m->write                 ? OP_PCIRDCUR
                            : m->partial                ? OP_ITOMCACHENEAR
                                                        : OP_ITOM};
  struct answer a;
  request_place(t, &r);
  t->uncore->request(t, &r, &a);
  t->uncore->device(t, d, &r, &a);
  if (m->action == DEVICE_ATOMIC && t->uncore == &emr_uncore) { /* what it made of the line goes back */
    r.op = OP_IO_WBMTOI;
    r.at = a.done;
    a.done = cha_keep(t, &r);
  }
  if (t->config.value[CONFIG_IOMMU] && (at_byte >> 12 != d->offset >> 12 || !d->offset))
    iommu_unmap(t, d, (d->base << 12) + at_byte, a.done);
  if (m->action == DEVICE_FLUSH)
    return a.done;
  *(m->write ? &s->totals.dma_writes : &s->totals.dma_reads) += 1;
  *(m->write ? &s->totals.dma_write_bytes : &s->totals.dma_read_bytes) += 64;
  return a.done;
}

/* Moves all lines that are due before `until`, the earliest first. */
void iio_run(struct traffic *t, fs_t until)
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
    /* A device that has DMA_OUTSTANDING lines on their way waits for the first of them. */
    fs_t done = line_move(t, first),
         least = done > DMA_OUTSTANDING * first->step ? done - DMA_OUTSTANDING * first->step : 0;
    first->next += first->step;
    first->next = least > first->next ? least : first->next;
  }
  t->in_dma = false;
}
