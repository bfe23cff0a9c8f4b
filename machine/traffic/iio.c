/* SPDX-License-Identifier: MIT */
/* I/O stacks (guide 2.4): devices' streams of reads and writes, one line at a time, at a steady rate. */
#include <stdlib.h>
#include <pmon/status.h>
#include "machine/traffic/state.h"

#define DWORDS 16u                          /* of a line */
#define FREE_UNITS 2u                       /* the free-running counters count 32 bytes */
#define DMA_OUTSTANDING 256u
#define DMA_PAGES (1ull << 36)              /* where devices' buffers begin, above any program's pages */

int traffic_dma_start(struct traffic *t, const struct dma_stream *stream)
{
  if (stream->socket >= t->sockets || stream->stack >= t->stacks || stream->port > 7 || stream->node >= t->sockets ||
      !stream->bytes_per_second || stream->span_bytes < 64)
    return PMON_E_INVALID;
  struct dma *dma = realloc(t->dma, (t->n_dma + 1) * sizeof *dma);
  if (!dma)
    return PMON_E_MEMORY;
  t->dma = dma;
  fs_t from = stream->from > t->reached ? stream->from : t->reached;
  dma[t->n_dma] = (struct dma){ *stream, from, (fs_t)(64e15 / (double)stream->bytes_per_second), 0,
                                DMA_PAGES + ((uint64_t)t->n_dma << 26) };
  t->n_dma++;
  if (from < t->next_dma)
    t->next_dma = from;
  const struct traffic_condition busy = { .kind = CONDITION_DEVICE, .socket = stream->socket, .from = from,
                                          .until = stream->until };
  const int status = traffic_condition_add(t, &busy);           /* where anybody wants to know */
  if (status == PMON_E_MEMORY)
    return status;
  return PMON_OK;
}

/* The stack's way to the mesh (guide 2.5, 2.8): the ring port keeps writes until they are done and queues reads, the mesh
 * stop sends requests out and takes the data of reads in. */
static void ring_port_report(const struct iio *iio, bool write, const struct request *r, const struct answer *a)
{
  struct block *b = iio->ring_port;
  if (b) {
    block_pulse(b, IRP_ALL, EMR_UMASK(0x01), 0, r->at, 1);
    block_pulse(b, IRP_ALL, EMR_UMASK(0x04), 0, a->done, 1);
    block_span(b, IRP_CACHE_TOTAL_OCCUPANCY, EMR_UMASK(0x05), 0, r->at, a->done, 1);
    if (write) {
      block_pulse(b, IRP_TRANSACTIONS, EMR_UMASK(0x02), 0, r->at, 1);
      block_pulse(b, IRP_TRANSACTIONS, EMR_UMASK(0x08), 0, r->at, 1);
    } else {
      block_pulse(b, IRP_FAF_INSERTS, 0, 0, r->at, 1);
      block_pulse(b, IRP_FAF_TRANSACTIONS, 0, 0, r->at, 1);
      block_span(b, IRP_FAF_OCCUPANCY, 0, 0, r->at, a->done, 1);
    }
  }
  if ((b = iio->stop) != NULL) {
    block_pulse(b, M2PCIE_TXC_INSERTS_AD, EMR_UMASK(0x02), 0, r->at, 1);
    if (write) {
      block_pulse(b, M2PCIE_TXC_INSERTS_BL, EMR_UMASK(0x01), 0, r->at, 1);
    } else {
      block_pulse(b, M2PCIE_RXC_INSERTS, EMR_UMASK(0x80 | 0x01), 0, a->done, 1);
      block_pulse(b, M2PCIE_IIO_CREDITS_ACQUIRED, EMR_UMASK(0x01), 0, a->done, 1);
    }
  }
}

/* What the stack's counters see of one access. */
void iio_report(struct traffic *t, const struct dma *d, const struct request *r, const struct answer *a)
{
  const struct dma_stream *m = &d->stream;
  struct iio *iio = &t->socket[m->socket]->iio[m->stack];
  const uint64_t part = IIO_PART(m->port);
  ring_port_report(iio, m->write, r, a);
  uint64_t kind = (m->write ? IIO_MEM_WRITE | IIO_FC_POSTED : IIO_MEM_READ | IIO_FC_NONPOSTED) | part;
  block_pulse(iio->block, IIO_DATA_REQ_OF_CPU, kind, 0, r->at, DWORDS);
  block_pulse(iio->block, IIO_TXN_REQ_OF_CPU, kind, 0, r->at, 1);
  block_pulse(iio->block, IIO_NUM_REQ_OF_CPU, EMR_UMASK(0x01) | part | (m->write ? IIO_FC_POSTED : IIO_FC_NONPOSTED), 0,
              r->at, 1);
  block_pulse(iio->block, IIO_NUM_REQ_OF_CPU_BY_TGT,
              EMR_UMASK(0x08) | part | (m->write ? IIO_FC_POSTED : IIO_FC_NONPOSTED), 0, r->at, 1);
  block_pulse(iio->block, IIO_INBOUND_ARB_REQ, EMR_UMASK(m->write ? 0x30 : 0x08) | part | IIO_FC_POSTED, 0, r->at, 1);
  block_pulse(iio->block, IIO_INBOUND_ARB_WON, EMR_UMASK(m->write ? 0x30 : 0x08) | part | IIO_FC_POSTED, 0, r->at, 1);
  block_span(iio->block, IIO_NUM_OUTSTANDING_REQ_OF_CPU, EMR_UMASK(0x08) | part | IIO_FC_POSTED, 0, r->at, a->done, 1);
  block_pulse(iio->block, IIO_REQ_FROM_PCIE_CL_CMPL, EMR_UMASK(0x08) | part, 0, a->done, 1);
  if (!m->write) {                           /* the device gets a completion with the data */
    block_pulse(iio->block, IIO_COMP_BUF_INSERTS, EMR_UMASK(0x04) | part | IIO_FC_CMPL, 0, r->at, 1);
    block_span(iio->block, IIO_COMP_BUF_OCCUPANCY, EMR_UMASK(1u << m->port) | part | IIO_FC_CMPL, 0, r->at, a->done, 1);
  }
  if (iio->block != (struct block *)(void *)&t->absent)
    block_free_pulse(iio->block, (m->write ? IIO_FREE_BW_IN : IIO_FREE_BW_OUT) + m->port, m->write ? r->at : a->done,
                     FREE_UNITS);
}

/* Moves one line; when it has been answered. */
static fs_t line_move(struct traffic *t, struct dma *d)
{
  const struct dma_stream *m = &d->stream;
  struct socket *s = t->socket[m->socket];
  struct iio *iio = &s->iio[m->stack];
  uint64_t at_byte = d->offset;
  struct page *page = address_page(&t->map, d->base + (at_byte >> 12), m->socket, (int)m->node);
  d->offset = at_byte + 64 < m->span_bytes ? at_byte + 64 : 0;
  if (!page)
    return 0;
  fs_t begin = slots_take(&iio->port[m->port], d->next, t->time.uclk);
  struct request r = { .line = page->frame << PAGE_LINES_SHIFT | (at_byte >> 6 & 63), .page = page, .socket = m->socket,
                       .tile = iio->tile, .core = MAX_CORES, .at = begin,
                       .op = !m->write ? OP_PCIRDCUR : m->partial ? OP_ITOMCACHENEAR : OP_ITOM };
  struct answer a;
  request_place(t, &r);
  t->uncore->request(t, &r, &a);
  t->uncore->device(t, d, &r, &a);
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
    fs_t done = line_move(t, first), least = done > DMA_OUTSTANDING * first->step ? done - DMA_OUTSTANDING * first->step : 0;
    first->next += first->step;
    first->next = least > first->next ? least : first->next;
  }
  t->in_dma = false;
}
