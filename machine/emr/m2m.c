/* SPDX-License-Identifier: MIT */
/* Mesh to memory: the unit between the mesh and a memory controller (guide 2.7). */
#include "machine/common/register_keep.h"
#include "machine/emr/coherence.h"
#include "machine/emr/m2m.h"
#include "machine/emr/mesh.h"
#include "machine/emr/reject.h"

/* A request that has waited this long at the ingress gets priority; the guide does not give the time. */
enum { STARVED_CYCLES = 8 };

struct entered {
  fs_t begin;
  uint32_t tracker;
};

/* True if a counter observes a part that is simulated on demand: the egress, its credits, writes in progress. */
bool m2m_observed(const struct m2m *m)
{
  static const uint8_t codes[] = {M2M_BYPASS_EGRESS, M2M_TXC_BL, M2M_TXC_BL_CREDITS, M2M_TXC_AK, M2M_WR_TRACKER_NE};
  for (unsigned i = 0; i < sizeof codes; i++)
    if (block_code_enabled(m->block, codes[i]))
      return true;
  return false;
}

/* Passes the mesh's ingress queue and takes a tracker, for reads and for writes; without a free tracker the CHA has no
 * credit to send. */
static struct entered m2m_enter_tracker(struct traffic *t, struct socket *s, const struct memory_write *q, bool reads,
                                        fs_t at)
{
  struct emr_socket *emr = emr_socket(s);
  const struct dram_place *place = q->place;
  struct m2m *m = &emr->m2m[place->mc];
  struct slots *pipe = &m->pipe[place->own];
  struct holders *trackers = &(reads ? m->reads : m->writes)[place->own];
  REGISTER_KEEP(m);
  REGISTER_KEEP(pipe);
  REGISTER_KEEP(trackers);
  fs_t begin = slots_take(pipe, at, t->time.uclk), turn = begin;
  uint32_t tracker = holders_take(trackers, &begin);
  block_pulse(m->block, M2M_RXC_AD_INSERTS, EMR_UMASK(0x01), 0, at, 1);
  if (begin > at)
    block_span(m->block, M2M_RXC_AD_OCCUPANCY, 0, 0, at, begin, 1);
  if (turn > at + STARVED_CYCLES * (fs_t)t->time.uclk)
    block_pulse(m->block, M2M_IGR_STARVE_WINNER, EMR_UMASK(0x80), 0, turn, 1);
  if (begin > turn && emr->rejects_observed)
    reject(s, q->r, REJECT_HOME, turn, begin);
  if (begin > turn)
    block_pulse(s->cha[q->r->cha].block, reads ? CHA_READ_NO_CREDITS : CHA_WRITE_NO_CREDITS, EMR_UMASK(1u << place->mc),
                q->r->tid, turn, 1);
  return (struct entered){begin, tracker};
}

/* Reports a line of data in the egress towards the mesh. A line that finds the queue empty bypasses it. Each line holds
 * a credit of its port at the mesh stop until it has arrived there. The number of credits is a choice. */
static void egress_report(const struct traffic *t, struct m2m *m, unsigned port, const fs_t times[2])
{
  const uint64_t at_port = EMR_EXT(1u << port);
  fs_t have = times[0], *until = m->egress[port];
  const bool waits = m->egress_ne[port] > times[0];
  unsigned i = few_take(until, M2M_EGRESS, &have);
  fs_t gone = (have > times[1] ? have : times[1]) + 2 * t->time.uclk, first = UINT64_MAX;
  until[i] = gone;
  for (unsigned k = 0; k < M2M_EGRESS; k++)
    first = until[k] < first ? until[k] : first;
  block_pulse(m->block, M2M_BYPASS_EGRESS, EMR_UMASK(waits ? 0x02 : 0x01), 0, times[0], 1);
  block_pulse(m->block, M2M_TXC_BL, EMR_UMASK(0x01) | at_port, 0, times[0], 1);
  fs_t from = times[0] > m->egress_ne[port] ? times[0] : m->egress_ne[port];
  if (gone > from) {
    block_span(m->block, M2M_TXC_BL, EMR_UMASK(0x02) | at_port, 0, from, gone, 1);
    m->egress_ne[port] = gone;
  }
  if (have > times[0])
    block_span(m->block, M2M_TXC_BL_CREDITS, EMR_UMASK(0x04) | at_port, 0, times[0], have, 1);
  if (first > have) {
    block_span(m->block, M2M_TXC_BL, EMR_UMASK(0x04) | at_port, 0, have, first, 1);
    block_span(m->block, M2M_TXC_BL_CREDITS, EMR_UMASK(0x02) | at_port, 0, have, first, 1);
  }
  block_pulse(m->block, M2M_TXC_BL_CREDITS, EMR_UMASK(0x01) | at_port, 0, gone, 1);
}

/* Reports the part of a state's interval that was not reported before. */
static void m2m_state_report(struct m2m *m, uint8_t code, uint64_t umask, fs_t *until, const fs_t time[2])
{
  const fs_t from = time[0] > *until ? time[0] : *until;
  if (time[1] <= from)
    return;
  block_span(m->block, code, EMR_UMASK(umask), 0, from, time[1], 1);
  *until = time[1];
}

/* Reports an acknowledgement in the egress. One per cycle enters the mesh, for all channels; the others wait in the
 * queue. */
static void acknowledge_report(const struct traffic *t, struct m2m *m, fs_t at)
{
  fs_t entered = at, first = UINT64_MAX;
  const unsigned i = few_take(m->acks, M2M_EGRESS, &entered);
  const fs_t turn = slots_take(&m->acknowledge, at, t->time.uclk) + t->time.uclk;
  m->acks[i] = turn > entered ? turn : entered + t->time.uclk;
  for (unsigned k = 0; k < M2M_EGRESS; k++)
    first = m->acks[k] < first ? m->acks[k] : first;
  block_pulse(m->block, M2M_TXC_AK, EMR_UMASK(0x01), 0, entered, 1);
  m2m_state_report(m, M2M_TXC_AK, 0x02, &m->acks_ne, (fs_t[]){entered, m->acks[i]});
  m2m_state_report(m, M2M_TXC_AK, 0x04, &m->acks_full, (fs_t[]){entered, first});
}

/* Priority of a request at the memory channel: requests that nothing waits for yield, devices come first. */
static enum importance importance_of(enum tor_op op)
{
  switch (op) {
  case OP_DRD_PREF:
  case OP_RFO_PREF:
  case OP_LLC_PREF:
  case OP_WBMTOI:
  case OP_WBEFTOI:
  case OP_WBSTOI:
  case OP_REMOTE_WB:
  case OP_VICTIM: return IMPORTANCE_LOW;
  case OP_PCIRDCUR:
  case OP_ITOM:
  case OP_ITOMCACHENEAR:
  case OP_IO_RFO:
  case OP_RDCUR: return IMPORTANCE_HIGH;
  default: return IMPORTANCE_MEDIUM;
  }
}

fs_t m2m_read(struct traffic *t, struct socket *s, const struct request *r, const struct dram_place *place, fs_t at)
{
  struct emr_socket *emr = emr_socket(s);
  static const uint64_t states[] = {M2M_DIR_I, M2M_DIR_S, M2M_DIR_A};
  static const uint8_t clean[] = {0x10, 0x20, 0x80}; /* CLEAN_I, _S, _A of Table 2-258 */
  unsigned ch = place->own;
  struct m2m *m = &emr->m2m[place->mc];
  REGISTER_KEEP(m);
  struct entered e = m2m_enter_tracker(t, s, &(struct memory_write){.r = r, .place = place}, true, at);
  fs_t begin = e.begin;
  block_pulse(m->block, M2M_TRACKER_INSERTS, EMR_UMASK(0x04) | M2M_RD_CH(ch), 0, begin, 1);
  const struct ahead_read asked = {r->line, place};
  fs_t data;
  if (!emr->ahead || !ahead_take(t, s, &asked, begin, &data)) {
    block_pulse(m->block, M2M_IMC_READS, M2M_RD_CH(ch) | M2M_RD_NORMAL | M2M_RD_ALL | M2M_RD_DDR_AS_MEM, 0, begin, 1);
    data = dram_read(t, s, &(struct dram_request){r->line, place, importance_of(r->op)}, begin + t->time.m2m_pipe);
    s->totals.m2m_reads++;
    if (emr->ahead)
      ahead_reads(s, &asked, (fs_t[]){begin, data});
  }
  if (t->sockets > 1) {
    enum directory d = page_directory(r->page, r->line);
    block_pulse(m->block, M2M_DIRECTORY_LOOKUP, M2M_DIR_ANY | states[d], 0, data, 1);
    block_pulse(m->block, M2M_DIRECTORY_HIT, EMR_UMASK(clean[d]), 0, data, 1);
  }
  fs_t done = data + t->time.m2m_pipe;
  holders_keep(&m->reads[ch], e.tracker, done);
  block_span(m->block, M2M_TRACKER_OCCUPANCY, EMR_UMASK(1u << ch), 0, begin, done, 1);
  if (emr->memory_observed) {
    egress_report(t, m, ch, (fs_t[]){data, done});
    acknowledge_report(t, m, done);
  }
  return done;
}

fs_t m2m_write(struct traffic *t, struct socket *s, const struct memory_write *w, fs_t at)
{
  struct emr_socket *emr = emr_socket(s);
  unsigned ch = w->place->own;
  struct m2m *m = &emr->m2m[w->place->mc];
  struct entered e = m2m_enter_tracker(t, s, w, false, at);
  fs_t begin = e.begin;
  uint64_t kind = (w->partial ? M2M_WR_PARTIAL : M2M_WR_FULL) | M2M_WR_ALL | M2M_WR_DDR_AS_MEM | M2M_WR_NI;
  block_pulse(m->block, M2M_WR_TRACKER_INSERTS, EMR_UMASK(1u << ch), 0, begin, 1);
  block_pulse(m->block, M2M_WR_TRACKER_POSTED_INSERTS, EMR_UMASK(1u << ch), 0, begin, 1);
  block_pulse(m->block, M2M_IMC_WRITES, M2M_WR_CH(ch) | kind, 0, begin, 1);
  fs_t have = begin + t->time.m2m_pipe;
  if (emr->ahead)
    ahead_writes(s, &(struct ahead_read){w->r->line, w->place}, begin);
  if (w->partial)
    have = dram_underfill(t, s, w->place, have);
  /* a partial write has already cost a read */
  const enum importance importance = w->partial ? IMPORTANCE_HIGH : importance_of(w->r->op);
  fs_t done = dram_write(t, s, &(struct dram_request){w->r->line, w->place, importance}, have);
  holders_keep(&m->writes[ch], e.tracker, done);
  block_span(m->block, M2M_WR_TRACKER_POSTED_OCCUPANCY, EMR_UMASK(1u << ch), 0, begin, done, 1);
  if (emr->memory_observed) {
    /* no credit of the channel's queue until the queue accepts the write */
    const fs_t came = have + t->time.dram_pipe / 2;
    if (done > came)
      m2m_state_report(m, M2M_WPQ_NO_REG_CRD, 1u << ch, &m->no_credit[ch & 1], (fs_t[]){came, done});
    fs_t from = begin > m->writes_ne[ch] ? begin : m->writes_ne[ch];
    if (done > from) {
      block_span(m->block, M2M_WR_TRACKER_NE, EMR_UMASK(1u << ch), 0, from, done, 1);
      m->writes_ne[ch] = done;
    }
    acknowledge_report(t, m, done);
  }
  mesh_report(t, s, &(struct mesh_way){m->tile, s->cha[w->r->cha].tile, MESH_AKC, done});
  s->totals.m2m_writes++;
  return done;
}
