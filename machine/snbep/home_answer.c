/* SPDX-License-Identifier: MIT */
#include "machine/snbep/home_answer.h"

fs_t home_ring_move(struct traffic *t, struct socket *s, struct snb_move m, fs_t at)
{
  m.tid = SNB_TID_PCIE;
  return ring_send(t, s, &m, at);
}

/* Data that arrive over a link go directly to the requesting core if its stop has room and the table of return paths
 * allows it; else through the CBo. */
static void answer_arrive(struct traffic *t, const struct home_transaction *q, bool data, fs_t at, struct answer *a)
{
  struct socket *s = t->socket[q->r->socket];
  struct snbep_socket *snb = snbep_socket(s);
  const unsigned here = qpi_stop(t, s, q->r->line), cbo = s->cha[q->r->cha].tile;
  const struct snb_link *l = &snb->link[here - snb->r3];
  const bool wanted = q->r->core < MAX_CORES, may = wanted && t->config.value[CONFIG_DIRECT2CORE];
  const bool straight = data && may && !l->no_egress;
  const enum snb_side side = wanted ? SNB_TO_CORE : SNB_CACHE;
  if (data)
    block_pulse(l->qpi, QPI_DIRECT2CORE,
                SNB_UMASK(may            ? (l->no_egress ? 0x02 : 0x01)
                          : l->no_egress ? 0x08
                                         : 0x04),
                0, at, 1);
  const struct snb_move on = {.from = here, .to = cbo, .ring = data && !straight ? SNB_BL : SNB_AK};
  a->released = cbo_response(t, s, q->r, home_ring_move(t, s, on, at));
  if (straight)
    a->done = home_ring_move(t, s, (struct snb_move){.from = here, .to = q->r->tile, .ring = SNB_BL, .side = side}, at);
  else if (wanted) /* for a device, the CBo sends the data */
    a->done = home_ring_move(
        t, s, (struct snb_move){.from = cbo, .to = q->r->tile, .ring = data ? SNB_BL : SNB_AK, .side = side},
        a->released);
}

/* The home's data go directly to the requesting core, or through the CBo. */
static void home_data_send(struct traffic *t, const struct home_transaction *q, const struct served *v,
                           struct answer *a)
{
  struct socket *s = q->home;
  struct snbep_socket *snb = snbep_socket(s);
  const unsigned cbo = s->cha[q->r->cha].tile;
  const bool wanted = q->r->core < MAX_CORES, core = wanted && t->config.value[CONFIG_DIRECT2CORE];
  const struct snb_move straight = {.from = snb->home, .to = q->r->tile, .ring = SNB_BL, .side = SNB_TO_CORE};
  const struct snb_move there = {.from = snb->home, .to = cbo, .ring = SNB_BL, .side = SNB_CACHE};
  block_pulse(snb->ha, HA_TXR_BL, SNB_UMASK(core ? 0x02 : 0x01), 0, v->at, 1);
  if (core) {
    block_pulse(snb->ha, HA_DIRECT2CORE_COUNT, 0, 0, v->at, 1);
    a->done = home_ring_move(t, s, straight, v->at);
    return;
  }
  if (!wanted)
    block_pulse(snb->ha, HA_DIRECT2CORE_TXN_OVERRIDE, 0, 0, v->at, 1);
  a->done = cbo_response(t, s, q->r, home_ring_move(t, s, there, v->at));
  a->released = fs_later(a->released, a->done);
  if (wanted) /* else the CBo sends it on when the device has room */
    a->done = home_ring_move(
        t, s, (struct snb_move){.from = cbo, .to = q->r->tile, .ring = SNB_BL, .side = SNB_TO_CORE}, a->done);
}

void home_answer_local(struct traffic *t, const struct home_transaction *q, const struct served *v, struct answer *a)
{
  struct socket *s = q->home;
  struct snbep_socket *snb = snbep_socket(s);
  const unsigned cbo = s->cha[q->r->cha].tile;
  const struct snb_move completes = {.from = snb->home, .to = cbo, .ring = SNB_AK};
  if (v->forwarded)
    answer_arrive(t, q, true, v->found, a);
  block_pulse(snb->ha, HA_TXR_AK_NDR, 0, 0, v->at, 1);
  const fs_t completed = cbo_response(t, s, q->r, home_ring_move(t, s, completes, v->at));
  a->released = v->forwarded ? fs_later(a->released, completed) : completed;
  if (v->data && !v->forwarded)
    home_data_send(t, q, v, a);
  else if (!v->data && q->r->core < MAX_CORES)
    a->done = home_ring_move(
        t, s, (struct snb_move){.from = cbo, .to = q->r->tile, .ring = SNB_AK, .side = SNB_TO_CORE}, a->released);
}

static struct snb_packet data_packet(const struct home_transaction *q, const struct served *v)
{
  static const uint8_t states[] = {QPI_RDS_I, QPI_RDS_S, QPI_RDS_F, QPI_RDS_E, QPI_RDS_M};
  const unsigned opcode = q->conflict ? DATA_CONFLICT : v->forwarded ? DATA : DATA_COMPLETE;
  return (struct snb_packet){QPI_DRS, opcode, states[v->state], true, false};
}

fs_t home_completion_send(struct traffic *t, struct socket *h, uint64_t line, fs_t at)
{
  struct snbep_socket *snb = snbep_socket(h);
  const struct snb_trip trip = {line, snb->home, SNB_AD, {QPI_NDR, 0, 0, false, false}, SNB_TID_PCIE, 0, NULL};
  block_pulse(snb->ha, HA_TXR_AD, SNB_UMASK(0x01), 0, at, 1);
  return qpi_send(t, h, &trip, at);
}

void home_answer_remote(struct traffic *t, const struct home_transaction *q, const struct served *v, struct answer *a)
{
  struct socket *h = q->home, *s = t->socket[q->r->socket];
  struct snbep_socket *snb = snbep_socket(h);
  struct snb_trip trip = {q->r->line, snb->home, SNB_BL, data_packet(q, v), SNB_TID_PCIE, 0, NULL};
  if (!v->data) {
    answer_arrive(t, q, false, home_completion_send(t, h, q->r->line, v->at), a);
  } else if (!v->forwarded) {
    block_pulse(snb->ha, HA_TXR_BL, SNB_UMASK(0x04), 0, v->at, 1);
    answer_arrive(t, q, true, qpi_send(t, h, &trip, v->at), a);
  } else {
    trip.from = h->cha[q->r->cha].tile;
    answer_arrive(t, q, true, qpi_send(t, h, &trip, v->found), a);
    const struct snb_move on = {.from = qpi_stop(t, s, q->r->line), .to = s->cha[q->r->cha].tile, .ring = SNB_AK};
    const fs_t completed = home_ring_move(t, s, on, home_completion_send(t, h, q->r->line, v->at));
    a->released = fs_later(a->released, cbo_response(t, s, q->r, completed));
  }
}
