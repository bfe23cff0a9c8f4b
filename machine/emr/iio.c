/* SPDX-License-Identifier: MIT */
/* I/O stacks (guide 2.4): their units' events of device accesses, the credits of their mesh stops, and messages
 * between stacks. */
#include "machine/emr/coherence.h"
#include "machine/emr/devices.h"
#include "machine/emr/m3upi.h"
#include "machine/emr/mesh.h"

#define DWORDS 16u     /* of a line */
#define FREE_DWORDS 8u /* the free-running counters count 32 bytes */

fs_t io_send(struct traffic *t, const struct io_way *w, fs_t at)
{
  if (w->from == w->to)
    return mesh_send(t, w->from, w->from_tile, w->to_tile, MESH_BL, at);
  unsigned link = upi_of(t, w->line);
  fs_t out = mesh_send(t, w->from, w->from_tile, emr_socket(w->from)->link[link].tile, MESH_BL, at);
  const struct upi_message m = {w->from->index, w->line, w->posted ? MESSAGE_NCB : MESSAGE_NCS, 0};
  fs_t there = upi_send(t, &m, out);
  const fs_t taken = mesh_send(t, w->to, emr_socket(w->to)->link[link].tile, w->to_tile, MESH_BL, there);
  if (emr_socket(w->to)->links_observed && w->to_tile >= w->to->stack[0]->tile)
    link_stop_to_stack(&emr_socket(w->to)->link[link].queues, w->to_tile - w->to->stack[0]->tile, w->posted,
                       (fs_t[]){there, taken + 2 * t->time.enter});
  return taken;
}

void iio_bandwidth(struct traffic *t, struct iio *iio, unsigned counter, uint32_t dwords, fs_t at)
{
  uint32_t *const rest = &iio->bandwidth_rest[counter - IIO_FREERUNNING_BW_IN];
  if (iio->block == (struct block *)(void *)&t->absent)
    return;
  *rest += dwords;
  if (*rest >= FREE_DWORDS)
    block_freerunning_pulse(iio->block, counter, at, *rest / FREE_DWORDS);
  *rest %= FREE_DWORDS;
}

/* Reports the part of a state's interval that was not reported before. */
static void iio_state_report(struct block *b, unsigned code, unsigned umask, fs_t *until, const fs_t span[2])
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
  iio_state_report(iio->stop, M2PCIE_RXC_CYCLES_NE, kind, &iio->ingress[__builtin_ctz(kind)], (fs_t[]){from, to});
  iio_state_report(iio->stop, M2PCIE_RXC_CYCLES_NE, 0x80, &iio->ingress_ne, (fs_t[]){from, to});
}

/* Each mesh port has its own credits; messages use the ports round-robin. */
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
  iio_state_report(iio->stop, M2PCIE_IIO_CREDITS_USED, bit, &iio->used[port][class], (fs_t[]){taken, until[i]});
  return until[i];
}

/* The queue of reads has FAF entries; it is full while all of them are in flight. */
static void faf_report(struct iio *iio, fs_t from, fs_t to)
{
  fs_t first = UINT64_MAX;
  iio->faf[iio->next_faf++ % FAF] = to;
  for (unsigned i = 0; i < FAF; i++)
    first = iio->faf[i] < first ? iio->faf[i] : first;
  iio_state_report(iio->ring_port, IRP_FAF_FULL, 0, &iio->faf_full, (fs_t[]){from, first});
}

/* Reports the stack's path to the mesh (guide 2.5, 2.8): the ring port keeps writes until they are done and queues
 * reads; the mesh stop sends requests and receives the data of reads. */
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
  if (emr_socket(t->socket[m->socket])->write_caches_observed)
    write_cache_access(t, t->socket[m->socket], iio, &(struct device_use){r->line, write, atomic, r->at, a->done});
  if (write) { /* the CHA grants the line, and the data follow */
    struct socket *s = t->socket[m->socket];
    const unsigned cha = s->cha[r->cha].tile;
    mesh_report(t, s, &(struct mesh_way){cha, iio->stack.tile, MESH_AK | MESH_AWAITED, a->done});
    mesh_report(t, s, &(struct mesh_way){iio->stack.tile, cha, MESH_BL, a->done + t->time.enter});
  }
  if ((b = iio->stop) != NULL) {
    block_pulse(b, M2PCIE_TXC_INSERTS_AD, EMR_UMASK(0x02u << 3 * (r->line & 1)), 0, r->at, 1);
    /* a credit of the CHA's queue, while the request is on its way */
    const struct socket *s = t->socket[m->socket];
    const fs_t hops = mesh_hops(s, iio->stack.tile, s->cha[r->cha].tile);
    const fs_t there = r->at + t->time.enter + hops * (fs_t)t->time.hop;
    block_span(b, M2PCIE_TXC_CREDITS, EMR_UMASK(0x01), 0, r->at, there, 1);
    if (write) {
      block_pulse(b, M2PCIE_TXC_INSERTS_BL, EMR_UMASK(0x01), 0, r->at, 1);
    } else {
      stack_ingress(iio, 0x01, a->done, stack_credit(iio, IO_DRS, a->done, a->done + t->time.enter));
    }
  }
}

/* A line passes through the traffic controller once for each step of its request: a write requests ownership,
 * transfers its data and is written; a read is requested; the last pass completes it. */
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

/* Reports one access to the stack's counters. */
static void iio_report(struct traffic *t, const struct dma *d, const struct request *r, const struct answer *a)
{
  const struct dma_stream *m = &d->stream;
  struct iio *iio = &emr_socket(t->socket[m->socket])->iio[m->stack];
  const uint64_t part = IIO_PART(m->port);
  const bool posted = m->write && m->action != DEVICE_ATOMIC;
  ring_port_report(t, iio, m, r, a);
  passes_report(iio->block, part, posted, (const fs_t[]){r->at, a->done});
  uint64_t kind = (m->action == DEVICE_ATOMIC ? IIO_ATOMIC | IIO_FC_NONPOSTED
                   : m->write                 ? IIO_MEM_WRITE | IIO_FC_POSTED
                                              : IIO_MEM_READ | IIO_FC_NONPOSTED) |
                  part;
  const bool carries = m->action != DEVICE_FLUSH; /* the access carries data */
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
  if (carries)
    iio_bandwidth(t, iio, (m->write ? IIO_FREERUNNING_BW_IN : IIO_FREERUNNING_BW_OUT) + m->port, DWORDS,
                  m->write ? r->at : a->done);
}

/* Reports the short cut to the ring port, which a request may take if it need not wait for its port. */
static void shortcut_report(const struct iio *iio, uint64_t part, bool taken, fs_t at)
{
  block_pulse(iio->block, IIO_FASTPATH, EMR_UMASK(taken ? 0x02 : 0x01) | part, 0, at, 1);
  if (!iio->ring_port)
    return;
  block_pulse(iio->ring_port, IRP_MISC0, EMR_UMASK(0x01), 0, at, 1);
  if (!taken)
    block_pulse(iio->ring_port, IRP_MISC0, EMR_UMASK(0x02), 0, at, 1);
}

fs_t iio_begin(struct traffic *t, const struct dma *d, uint64_t byte, fs_t at)
{
  const struct dma_stream *m = &d->stream;
  shortcut_report(&emr_socket(t->socket[m->socket])->iio[m->stack], IIO_PART(m->port), at == d->next, at);
  return t->config.value[CONFIG_IOMMU] ? iommu_translate(t, d, (d->base << 12) + byte, at) : at;
}

fs_t iio_end(struct traffic *t, const struct device_access *access)
{
  const struct dma *d = access->dma;
  fs_t done = access->answer->done;
  iio_report(t, d, access->request, access->answer);
  if (d->stream.action == DEVICE_ATOMIC) { /* the modified line is returned */
    struct request back = *access->request;
    back.op = OP_IO_WBMTOI;
    back.at = done;
    done = cha_keep(t, &back);
  }
  if (t->config.value[CONFIG_IOMMU] && (access->byte >> 12 != d->offset >> 12 || !d->offset))
    iommu_unmap(t, d, (d->base << 12) + access->byte, done);
  return done;
}
