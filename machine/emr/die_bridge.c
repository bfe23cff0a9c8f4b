/* SPDX-License-Identifier: MIT */
/*
 * The bridge between the two dies of a package (guide 2.11, MDF). A message between the two halves of the mesh's
 * columns crosses the bridge in its row; the units share the rows. A message waits in the ingress while another
 * crosses, and then enters the egress of the other side's column. Like mesh stops, the bridge is simulated apart from
 * the traffic and does not change its times. The depth of the ingress is a choice.
 */
#include "machine/common/state.h"
#include "machine/emr/attr_bits.h"
#include "machine/emr/mesh_stops.h"

enum { DISTRESS = 0x15, BYPASS = 0x14, FULL = 0x11, INSERTS = 0x12, OCCUPANCY = 0x13, EGRESS = 0x47, BOUNCES = 0x4b };

static void bridge_span(struct block *b, unsigned code, unsigned umask, fs_t from, fs_t to)
{
  if (to > from)
    block_span(b, (uint8_t)code, EMR_UMASK(umask), 0, from, to, 1);
}

void bridge_cross(const struct bridge_way *w)
{
  /* By kind (mesh_stops.c): AD, AK, BL, IV, AKC that may bounce or need no credit, then AD, BL with credit. */
  static const uint8_t ingress[STOP_KINDS] = {0x01, 0x10, 0x04, 0x20, 0, 0x02, 0x08},
                       egress[STOP_KINDS] = {0x01, 0x10, 0x04, 0x20, 0x40, 0x02, 0x08},
                       full[STOP_KINDS] = {0x01, 0x04, 0x02, 0x10, 0x08, 0x01, 0x02},
                       bounced[] = {0x01, 0x04, 0x02, 0x08, 0x10};
  struct bridge *bridge = w->bridge;
  struct block *b = bridge->block;
  fs_t entered = w->at, first = UINT64_MAX,
       go = slots_take(&bridge->lane[w->backwards][w->class], w->at, w->n * w->cycle);
  fs_t *until = bridge->entry[w->backwards][w->class];
  if (!b)
    return;
  if (go == w->at) {
    if (ingress[w->kind])
      block_pulse(b, BYPASS, EMR_UMASK(ingress[w->kind]), 0, w->at, 1);
  } else {
    unsigned i = few_take(until, BRIDGE_ENTRIES, &entered);
    until[i] = go > entered ? go : entered;
    for (unsigned k = 0; k < BRIDGE_ENTRIES; k++)
      first = until[k] < first ? until[k] : first;
    if (ingress[w->kind]) {
      block_pulse(b, INSERTS, EMR_UMASK(ingress[w->kind]), 0, entered, 1);
      bridge_span(b, OCCUPANCY, ingress[w->kind], entered, until[i]);
    }
    bridge_span(b, FULL, full[w->kind], entered, first);
    if (w->kind == STOP_AD || w->kind == 6) /* bounceable AD, credited BL */
      bridge_span(b, DISTRESS, w->kind == STOP_AD ? 0x01 : 0x02, entered, first);
    if (entered > w->at) /* no room: the message goes round its ring again */
      block_pulse(b, BOUNCES, EMR_UMASK(bounced[w->class]), 0, w->at, 1);
  }
  block_pulse(b, EGRESS, EMR_UMASK(egress[w->kind]), 0, go, 1);
}
