/* SPDX-License-Identifier: MIT */
#include "machine/emr/monitoring.h"

#include "machine/emr/socket.h"

enum { LLC_OCCUPANCY = 1, MBM_TOTAL_BYTES, MBM_LOCAL_BYTES, LINE_BYTES = 64 };
#define VALID (UINT64_C(1) << 63)

/* True for requests of cores that bring a line from memory into the socket's caches. */
static bool brings_line(enum tor_op op)
{
  return op <= OP_LLC_PREF_CODE || (op >= OP_EXP_DRD && op <= OP_ACC_RFO);
}

/* Returns the lines of requests that missed the LLC. `remote`: those whose memory is the other socket's. */
static uint64_t lines_read(const struct socket *s, bool remote)
{
  uint64_t n = 0;
  for (enum tor_op op = 0; op < OP_N; op++)
    n += brings_line(op) ? s->totals.tor[op][1][remote].entries : 0;
  return n;
}

uint64_t monitoring_read(struct traffic *t, const struct model_register *r)
{
  const struct socket *s = t->socket[r->socket];
  const uint64_t local = r->address == LLC_OCCUPANCY ? emr_socket(s)->llc_lines : lines_read(s, false);
  const uint64_t remote = r->address == MBM_TOTAL_BYTES ? lines_read(s, true) : 0;
  return VALID | (local + remote) * LINE_BYTES;
}

void monitoring_write(struct traffic *t, const struct model_register *r, uint64_t value)
{
  (void)t;
  (void)r;
  (void)value;
}
