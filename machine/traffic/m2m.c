/* SPDX-License-Identifier: MIT */
/* Mesh to memory: the unit between the mesh and a memory controller (guide 2.7). */
#include "machine/traffic/reject.h"

struct entered { fs_t begin; uint32_t tracker; };

/* Both directions: the mesh's ingress queue, then a tracker; a CHA that finds none free has no credit to send. */
static struct entered enter(struct traffic *t, struct socket *s, const struct memory_write *q, bool reads, fs_t at)
{
  const struct dram_place *place = q->place;
  struct m2m *m = &s->m2m[place->mc];
  fs_t begin = slots_take(&m->pipe[place->own], at, t->time.uclk), turn = begin;
  uint32_t tracker = holders_take(&(reads ? m->reads : m->writes)[place->own], &begin);
  block_pulse(m->block, M2M_RXC_AD_INSERTS, EMR_UMASK(0x01), 0, at, 1);
  if (begin > at)
    block_span(m->block, M2M_RXC_AD_OCCUPANCY, 0, 0, at, begin, 1);
  if (begin > turn && s->rejects_heard)
    reject(s, q->r, REJECT_HOME, turn, begin);
  if (begin > turn)
    block_pulse(s->cha[q->r->cha].block, reads ? CHA_READ_NO_CREDITS : CHA_WRITE_NO_CREDITS, EMR_UMASK(1u << place->mc),
                q->r->tid, turn, 1);
  return (struct entered){ begin, tracker };
}

fs_t m2m_read(struct traffic *t, struct socket *s, const struct request *r, const struct dram_place *place, fs_t at)
{
  static const uint64_t states[] = { M2M_DIR_I, M2M_DIR_S, M2M_DIR_A };
  static const uint8_t clean[] = { 0x10, 0x20, 0x80 };      /* CLEAN_I, _S, _A of Table 2-258 */
  unsigned ch = place->own;
  struct m2m *m = &s->m2m[place->mc];
  struct entered e = enter(t, s, &(struct memory_write){ .r = r, .place = place }, true, at);
  fs_t begin = e.begin;
  block_pulse(m->block, M2M_TRACKER_INSERTS, EMR_UMASK(0x04) | M2M_RD_CH(ch), 0, begin, 1);
  block_pulse(m->block, M2M_IMC_READS, M2M_RD_CH(ch) | M2M_RD_NORMAL | M2M_RD_ALL | M2M_RD_DDR_AS_MEM, 0, begin, 1);
  fs_t data = dram_read(t, s, r->line, place, begin + t->time.m2m_pipe);
  s->totals.m2m_reads++;
  if (t->sockets > 1) {
    enum directory d = page_directory(r->page, r->line);
    block_pulse(m->block, M2M_DIRECTORY_LOOKUP, M2M_DIR_ANY | states[d], 0, data, 1);
    block_pulse(m->block, M2M_DIRECTORY_HIT, EMR_UMASK(clean[d]), 0, data, 1);
  }
  fs_t done = data + t->time.m2m_pipe;
  m->reads[ch].until[e.tracker] = done;
  block_span(m->block, M2M_TRACKER_OCCUPANCY, EMR_UMASK(1u << ch), 0, begin, done, 1);
  return done;
}

fs_t m2m_write(struct traffic *t, struct socket *s, const struct memory_write *w, fs_t at)
{
  unsigned ch = w->place->own;
  struct m2m *m = &s->m2m[w->place->mc];
  struct entered e = enter(t, s, w, false, at);
  fs_t begin = e.begin;
  uint64_t kind = (w->partial ? M2M_WR_PARTIAL : M2M_WR_FULL) | M2M_WR_ALL | M2M_WR_DDR_AS_MEM | M2M_WR_NI;
  block_pulse(m->block, M2M_WR_TRACKER_INSERTS, EMR_UMASK(1u << ch), 0, begin, 1);
  block_pulse(m->block, M2M_WR_TRACKER_POSTED_INSERTS, EMR_UMASK(1u << ch), 0, begin, 1);
  block_pulse(m->block, M2M_IMC_WRITES, M2M_WR_CH(ch) | kind, 0, begin, 1);
  fs_t done = dram_write(t, s, w->r->line, w->place, begin + t->time.m2m_pipe);
  m->writes[ch].until[e.tracker] = done;
  block_span(m->block, M2M_WR_TRACKER_POSTED_OCCUPANCY, EMR_UMASK(1u << ch), 0, begin, done, 1);
  mesh_tell(t, s, &(struct mesh_way){ m->tile, s->cha[w->r->cha].tile, MESH_AKC, done });
  s->totals.m2m_writes++;
  return done;
}
