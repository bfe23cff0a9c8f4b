/* SPDX-License-Identifier: MIT */
/* The path to memory within a socket: M2M, and memory prefetch before the home agent's read. */
#ifndef MACHINE_EMR_M2M_H
#define MACHINE_EMR_M2M_H

#include "machine/common/memory.h"
#include "machine/common/request.h"
#include "machine/emr/attr.h"
#include "machine/emr/socket.h"

/* m2m.c; times are those at the M2M's own tile */
struct memory_write {
  const struct request *r;
  const struct dram_place *place;
  bool partial;
};
bool m2m_observed(const struct m2m *m);
fs_t m2m_read(struct traffic *t, struct socket *s, const struct request *r, const struct dram_place *place, fs_t at);
fs_t m2m_write(struct traffic *t, struct socket *s, const struct memory_write *w, fs_t at);

/* memory_prefetch.c. PMON_E_MEMORY */
struct ahead_read {
  uint64_t line;
  const struct dram_place *place;
};
int ahead_init(const struct traffic *t, struct socket *s);
void ahead_fini(struct socket *s);
/* Prefetches for a core's request that has missed L2. */
void ahead_ask(struct traffic *t, struct socket *s, const struct request *r);
/* The home agent's accesses at the M2M. ahead_take(): true if a prefetch has read the line already, and *ret_data
 * becomes the time at which its data arrive. ahead_reads(): a read without prefetch. ahead_writes(): a write. */
bool ahead_take(struct traffic *t, struct socket *s, const struct ahead_read *r, fs_t at, fs_t *ret_data);
void ahead_reads(struct socket *s, const struct ahead_read *r, const fs_t span[2]);
void ahead_writes(struct socket *s, const struct ahead_read *r, fs_t at);
void ahead_advance(const struct traffic *t, struct socket *s, fs_t until);

#endif
