/* SPDX-License-Identifier: MIT */
/* Mesh to memory: the unit between the mesh and a memory controller (guide 2.7). */
#include "machine/traffic/state.h"

unsigned m2m_of(const struct traffic *t, uint64_t line)
{
  return address_channel(&t->map, line) / t->channels;
}

fs_t m2m_read(struct traffic *t, struct socket *s, uint64_t line, const struct page *page, fs_t at)
{
  static const uint64_t states[] = { M2M_DIR_I, M2M_DIR_S, M2M_DIR_A };
  struct dram_place place;
  address_dram(&t->map, line, &place);
  unsigned ch = place.channel % t->channels;
  struct m2m *m = &s->m2m[place.channel / t->channels];
  fs_t begin = slots_take(&m->pipe[ch], at, t->time.uclk);
  uint32_t tracker = holders_take(&m->reads[ch], &begin);
  block_pulse(m->block, M2M_TRACKER_INSERTS, EMR_UMASK(0x04) | M2M_RD_CH(ch), 0, begin, 1);
  block_pulse(m->block, M2M_IMC_READS, M2M_RD_CH(ch) | M2M_RD_NORMAL | M2M_RD_ALL | M2M_RD_DDR_AS_MEM, 0, begin, 1);
  fs_t data = dram_read(t, s, line, &place, begin + t->time.m2m_pipe);
  s->totals.m2m_reads++;
  if (t->sockets > 1)
    block_pulse(m->block, M2M_DIRECTORY_LOOKUP, M2M_DIR_ANY | states[page_directory(page, line)], 0, data, 1);
  fs_t done = data + t->time.m2m_pipe;
  m->reads[ch].until[tracker] = done;
  block_span(m->block, M2M_TRACKER_OCCUPANCY, EMR_UMASK(1u << ch), 0, begin, done, 1);
  return done;
}

fs_t m2m_write(struct traffic *t, struct socket *s, uint64_t line, bool partial, fs_t at)
{
  struct dram_place place;
  address_dram(&t->map, line, &place);
  unsigned ch = place.channel % t->channels;
  struct m2m *m = &s->m2m[place.channel / t->channels];
  fs_t begin = slots_take(&m->pipe[ch], at, t->time.uclk);
  uint32_t tracker = holders_take(&m->writes[ch], &begin);
  uint64_t kind = (partial ? M2M_WR_PARTIAL : M2M_WR_FULL) | M2M_WR_ALL | M2M_WR_DDR_AS_MEM | M2M_WR_NI;
  block_pulse(m->block, M2M_WR_TRACKER_INSERTS, EMR_UMASK(1u << ch), 0, begin, 1);
  block_pulse(m->block, M2M_WR_TRACKER_POSTED_INSERTS, EMR_UMASK(1u << ch), 0, begin, 1);
  block_pulse(m->block, M2M_IMC_WRITES, M2M_WR_CH(ch) | kind, 0, begin, 1);
  fs_t done = dram_write(t, s, line, &place, begin + t->time.m2m_pipe);
  m->writes[ch].until[tracker] = done;
  block_span(m->block, M2M_WR_TRACKER_POSTED_OCCUPANCY, EMR_UMASK(1u << ch), 0, begin, done, 1);
  s->totals.m2m_writes++;
  return done;
}
