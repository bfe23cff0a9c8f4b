/* SPDX-License-Identifier: MIT */
/*
 * A core's access to a device's registers (memory-mapped I/O). It goes through a CHA, which keeps it in its TOR, to the
 * stack's mesh stop, its ring port and the device. Writes are posted, reads wait for their bytes. The opcode follows
 * the size (Table 3-1): PRd and WiL for parts of a line, UCRdF and WCiLF for whole lines.
 */
#include "machine/common/devices.h"
#include "machine/common/pcie.h"
#include "machine/emr/coherence.h"
#include "machine/emr/devices.h"
#include "machine/emr/mesh.h"
#include "machine/emr/reject.h"

enum { RXC_CHA_NCB = 0x02, RXC_UPI_NCB = 0x08, INSERTS_BL = 0x52 };
enum {
  TXS_REQUESTS = 0x0c,
  TXS_NCB = 0x0d,
  TXS_NCS = 0x0e,
  TXC_AK_INSERTS = 0x0b,
  TXC_DRS_INSERTS = 0x02,
  TXC_DRS_OCCUPANCY = 0x08
};
#define DEVICE_FS UINT64_C(400000000) /* a device's register answers after 400 ns: a choice */

static void mmio_pulse(struct block *b, unsigned code, uint64_t umask, fs_t at)
{
  if (b)
    block_pulse(b, (uint8_t)code, EMR_UMASK(umask), 0, at, 1);
}

static void device_report(struct traffic *t, struct iio *iio, const struct dma_stream *m, const fs_t times[2])
{
  const fs_t from = times[0], to = times[1];
  const uint64_t part = IIO_PART(m->port), flow = m->write ? IIO_FC_POSTED : IIO_FC_NONPOSTED;
  const uint64_t kind = (m->write ? IIO_MEM_WRITE : IIO_MEM_READ) | flow | part;
  const unsigned dwords = (devices_access_bytes(m) + 3) / 4; /* a smaller access moves a unit of 4 bytes too */
  struct block *b = iio->block;
  block_pulse(b, IIO_DATA_REQ_BY_CPU, kind, 0, from, dwords);
  block_pulse(b, IIO_TXN_REQ_BY_CPU, kind, 0, from, 1);
  if (m->write)
    iio_bandwidth(t, iio, IIO_FREERUNNING_BW_OUT + m->port, dwords, from);
  else
    iio_bandwidth(t, iio, IIO_FREERUNNING_BW_IN + m->port, dwords, to);
  block_pulse(b, IIO_OUTBOUND_TLP_REQS_ISSUED, EMR_UMASK(0x08) | part | flow, 0, from, 1);
  if (m->write)
    block_pulse(b, IIO_OUTBOUND_CL_REQS_ISSUED, EMR_UMASK(0x08) | part | flow, 0, from, 1);
  block_span(b, IIO_NUM_OUTSTANDING_REQ_FROM_CPU, EMR_UMASK(0x0a) | part | flow, 0, from, to, 1);
  if (!m->write) {
    block_pulse(b, IIO_COMP_BUF_INSERTS, EMR_UMASK(0x04) | part | IIO_FC_CMPL, 0, from, 1);
    block_span(b, IIO_COMP_BUF_OCCUPANCY, EMR_UMASK(1u << m->port) | part | IIO_FC_CMPL, 0, from, to, 1);
    block_pulse(b, IIO_DATA_REQ_OF_CPU, IIO_CMPD | IIO_FC_CMPL | part, 0, to, dwords);
    block_pulse(b, IIO_TXN_REQ_OF_CPU, IIO_CMPD | IIO_FC_CMPL | part, 0, to, 1);
  }
  if ((b = iio->ring_port) != NULL) {
    mmio_pulse(b, IRP_ALL, 0x02, from);
    mmio_pulse(b, m->write ? TXS_NCB : TXS_NCS, 0, from);
    block_span(b, TXS_REQUESTS, 0, 0, from, to, 1);
    mmio_pulse(b, m->write ? TXC_AK_INSERTS : TXC_DRS_INSERTS, 0, to);
  }
}

fs_t outbound_move(struct traffic *t, struct dma *d, fs_t at)
{
  const struct dma_stream *m = &d->stream;
  struct socket *s = t->socket[m->node], *o = t->socket[m->socket];
  struct emr_socket *emr = emr_socket(o);
  struct iio *iio = &emr->iio[m->stack];
  const struct core *c = &t->core[m->node * t->cores];
  struct request r = devices_register_request(t, d, at);
  struct cha_entry e = cha_pass(t, s, &r);
  const bool remote = s != o;
  fs_t there =
      io_send(t, &(struct io_way){s, o, e.cha->tile, iio->stack.tile, r.line, m->write}, e.accepted + t->time.cha_pipe);
  if (remote && emr_socket(s)->rejects_observed)
    rejects_link(s, &r, m->write ? REJECT_BL_NCB : REJECT_BL_NCS, e.accepted, there - t->time.flight);
  fs_t taken = stack_credit(iio, m->write ? IO_NCB : IO_NCS, there, there + t->time.enter);
  stack_ingress(iio, (remote ? (unsigned)RXC_UPI_NCB : (unsigned)RXC_CHA_NCB) << !m->write, there, taken);
  const struct stack_ack ack = {o, iio, STACK_GRANT, remote ? emr->link[upi_of(t, r.line)].tile : e.cha->tile, r.line};
  if (m->write)
    (remote ? stack_answer : stack_acknowledge)(t, &ack, taken);
  if (!remote) /* the stack's entry for the CHA's message is free */
    mesh_report(t, s, &(struct mesh_way){iio->stack.tile, e.cha->tile, MESH_AKC, taken});
  const fs_t begin = pcie_send_down(t, d->link, PCIE_REQUEST_BYTES + (m->write ? devices_access_bytes(m) : 0),
                                    slots_take(&iio->stack.port[m->port], taken, t->time.uclk));
  fs_t done = m->write ? begin : begin + DEVICE_FS;
  device_report(t, iio, m, (const fs_t[]){begin, done});
  if (!m->write) {
    mmio_pulse(iio->stop, INSERTS_BL, 0x01, done);
    fs_t sent = slots_take(&iio->answers, done, 2 * t->time.uclk);
    if (iio->ring_port && sent > done)
      block_span(iio->ring_port, TXC_DRS_OCCUPANCY, 0, 0, done, sent, 1);
    egress_keep(iio, 0, done, sent);
    done = io_send(t, &(struct io_way){o, s, iio->stack.tile, c->tile, r.line, true}, sent);
  }
  cha_release(t, &e, &r, m->write ? taken : done, true);
  return done;
}
