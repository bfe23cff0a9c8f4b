/* SPDX-License-Identifier: MIT */
/*
 * The machine's own statistics, per socket: independent of the PMON blocks, so that measured counts can be compared
 * with them. Times are femtoseconds.
 */
#ifndef MACHINE_COMMON_TOTALS_H
#define MACHINE_COMMON_TOTALS_H

#include <stdbool.h>
#include <stdint.h>

struct traffic;

/* Operations that can hold an entry of a CHA's table of requests (TOR); cha.c has the opcode of each (guide Tables 3-1
 * to 3-5). */
#define TOR_OPS(X)                                                                                                     \
  X(DRD)                                                                                                               \
  X(DRD_OPT)                                                                                                           \
  X(CRD)                                                                                                               \
  X(RFO)                                                                                                               \
  X(DRDPTE) /* from cores */                                                                                           \
  X(DRD_PREF)                                                                                                          \
  X(DRD_OPT_PREF)                                                                                                      \
  X(CRD_PREF)                                                                                                          \
  X(RFO_PREF) /* prefetches into L2, and into the LLC */                                                               \
  X(LLC_PREF)                                                                                                          \
  X(LLC_PREF_RFO)                                                                                                      \
  X(LLC_PREF_CODE)                                                                                                     \
  X(WBMTOI)                                                                                                            \
  X(WBEFTOI)                                                                                                           \
  X(WBSTOI)                                                                                                            \
  X(WBMTOE)                                                                                                            \
  X(WBEFTOE)                                                                                                           \
  X(WCILF)                                                                                                             \
  X(WCIL)                                                                                                              \
  X(CLFLUSH)                                                                                                           \
  X(CLFLUSHOPT)                                                                                                        \
  X(CLWB)                                                                                                              \
  X(IA_ITOM)                                                                                                           \
  X(SPECITOM)                                                                                                          \
  X(PRD)                                                                                                               \
  X(UCRDF)                                                                                                             \
  X(WIL)                                                                                                               \
  X(WILF) /* from cores, to devices: parts of lines and whole ones */                                                  \
  X(EXP_DRD)                                                                                                           \
  X(EXP_RFO)                                                                                                           \
  X(ACC_DRD)                                                                                                           \
  X(ACC_RFO) /* from cores, to memory of CXL devices */                                                                \
  X(PCIRDCUR)                                                                                                          \
  X(ITOM)                                                                                                              \
  X(ITOMCACHENEAR)                                                                                                     \
  X(IO_RFO)                                                                                                            \
  X(IO_WBMTOI)                                                                                                         \
  X(IO_CLFLUSH) /* from devices */                                                                                     \
  X(CXL_RDCUR)                                                                                                         \
  X(CXL_RFO) /* ... with caches */                                                                                     \
  X(RDDATA)                                                                                                            \
  X(RDCODE)                                                                                                            \
  X(INVOWN)                                                                                                            \
  X(INVITOE)                                                                                                           \
  X(INVITOM)                                                                                                           \
  X(INVXTOI)                                                                                                           \
  X(RDCUR) /* reads from the other socket */                                                                           \
  X(REMOTE_WB)                                                                                                         \
  X(REMOTE_WBE)                                                                                                        \
  X(REMOTE_WBPTL)                                                                                                      \
  X(REMOTE_PUSH) /* writes from the other socket */                                                                    \
  X(SNPCUR)                                                                                                            \
  X(SNPCODE)                                                                                                           \
  X(SNPDATA)                                                                                                           \
  X(SNPINV)                                                                                                            \
  X(SNPINVITOE) /* snoops from the other socket */                                                                     \
  X(VICTIM)     /* the eviction of an LLC line */
#define TOR_OP(name) OP_##name,
enum tor_op { TOR_OPS(TOR_OP) OP_N };
#undef TOR_OP
/* True if the operation is a prefetch by a core's L2. */
static inline bool op_ahead(enum tor_op op)
{
  return op >= OP_DRD_PREF && op <= OP_RFO_PREF;
}

struct tor_total {
  uint64_t entries, life_fs;
};

struct traffic_totals {
  struct tor_total tor[OP_N][2][2]; /* [miss][home on the other socket] */
  uint64_t ingress_inserts, ingress_wait_fs;
  uint64_t llc_lookups, llc_hits, llc_victims, llc_victims_m, sf_evictions;
  uint64_t m2m_reads, m2m_writes, directory_writes;
  uint64_t cas_reads, cas_writes, row_hits, activates, precharges, auto_precharges, refresh_closed, rows_open;
  uint64_t underfills, refreshes, rpq_inserts, rpq_wait_fs, wpq_inserts, wpq_inside, drains;
  uint64_t upi_sent_data_slots, upi_sent_header_slots, upi_received_data_slots, upi_received_header_slots;
  uint64_t snoops_sent, snoop_responses;
  uint64_t dma_reads, dma_writes, dma_read_bytes, dma_write_bytes;
  uint64_t dma_read_excess_bytes, dma_write_excess_bytes; /* requested by devices' rates, and not moved */
};

/* The totals of one core. References and misses are named as in cachegrind: by line of code and by data access. */
struct core_totals {
  uint64_t instructions, fetch_lines, fetch_l1_misses, fetch_llc_misses;
  uint64_t reads, read_l1_misses, read_llc_misses, writes, write_l1_misses, write_llc_misses;
  uint64_t l2_hits, l2_misses, prefetches;
  uint64_t branches, branch_misses;      /* branches that end blocks and may fall through */
  uint64_t demand_loads, demand_wait_fs; /* loads that missed L2, and how long their data took */
  uint64_t issue_fs, fetch_stall_fs, walk_stall_fs, load_stall_fs, store_stall_fs, branch_stall_fs, fence_stall_fs;
  /* these add up to its active time: issuing instructions, and each cause of a stall */
  uint64_t cycles, reference_cycles; /* active cycles: of its clock, and of the time stamp counter */
};

void traffic_totals(const struct traffic *t, unsigned socket, struct traffic_totals *ret_totals);
void traffic_core_totals(const struct traffic *t, unsigned core, struct core_totals *ret_totals);

#endif
