/* SPDX-License-Identifier: MIT */
/* Messages without data that an I/O stack's mesh stop sends (guide 2.8, TxC_INSERTS_AD and TxC_INSERTS_AK): a request
 * is done, a core may proceed, an entry is free again. The simulation does not wait for them. */
#include "machine/emr/devices.h"
#include "machine/emr/mesh.h"

static unsigned ack_ring(const struct stack_ack *a)
{
  return a->line & 1;
}

void stack_acknowledge(const struct traffic *t, const struct stack_ack *a, fs_t at)
{
  if (a->iio->stop)
    block_pulse(a->iio->stop, M2PCIE_TXC_INSERTS_AK, EMR_UMASK(a->kind), 0, at, 1);
  mesh_report(t, a->s, &(struct mesh_way){a->iio->stack.tile, a->to, MESH_AK, at});
}

void stack_answer(const struct traffic *t, const struct stack_ack *a, fs_t at)
{
  const unsigned ring = ack_ring(a);
  if (a->iio->stop) {
    block_pulse(a->iio->stop, M2PCIE_TXC_INSERTS_AD, EMR_UMASK(0x04u << 3 * ring), 0, at, 1);
    block_pulse(a->iio->stop, M2PCIE_TXC_INSERTS_AK, EMR_UMASK(STACK_CREDIT << 4 * ring), 0, at, 1);
  }
  mesh_report(t, a->s, &(struct mesh_way){a->iio->stack.tile, a->to, MESH_AD, at});
  mesh_report(t, a->s, &(struct mesh_way){a->iio->stack.tile, a->to, MESH_AK, at});
}
