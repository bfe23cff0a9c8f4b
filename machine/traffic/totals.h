/* SPDX-License-Identifier: MIT */
/*
 * What the machine itself knows it did, per socket: kept beside the PMON blocks and never through them, so that
 * measured counts can be held against it. Times are femtoseconds.
 */
#ifndef MACHINE_TRAFFIC_TOTALS_H
#define MACHINE_TRAFFIC_TOTALS_H

#include <stdbool.h>
#include <stdint.h>

struct traffic;

/* What can hold an entry of a CHA's table of requests; the opcode of each is in cha.c (guide Tables 3-1 to 3-5). */
enum tor_op {
  OP_DRD, OP_DRD_OPT, OP_CRD, OP_RFO, OP_DRDPTE,                  /* from cores */
  OP_DRD_PREF, OP_DRD_OPT_PREF, OP_CRD_PREF, OP_RFO_PREF,         /* prefetches into L2, and into the LLC */
  OP_LLC_PREF, OP_LLC_PREF_RFO, OP_LLC_PREF_CODE,
  OP_WBMTOI, OP_WBEFTOI, OP_WBSTOI, OP_WBMTOE, OP_WBEFTOE, OP_WCILF, OP_WCIL, OP_CLFLUSH, OP_CLFLUSHOPT, OP_CLWB,
  OP_IA_ITOM, OP_SPECITOM,
  OP_UCRDF, OP_WIL,                                               /* from cores, to devices */
  OP_EXP_DRD, OP_EXP_RFO, OP_ACC_DRD, OP_ACC_RFO,                 /* from cores, to memory of CXL devices */
  OP_PCIRDCUR, OP_ITOM, OP_ITOMCACHENEAR, OP_IO_RFO, OP_IO_WBMTOI, OP_IO_CLFLUSH,  /* from devices */
  OP_CXL_RDCUR, OP_CXL_RFO,                                       /* ... with caches */
  OP_RDDATA, OP_RDCODE, OP_INVOWN, OP_INVITOE, OP_RDCUR,          /* reads from the other socket */
  OP_REMOTE_WB, OP_REMOTE_WBE, OP_REMOTE_WRITE,                               /* writes from the other socket */
  OP_SNPCUR, OP_SNPCODE, OP_SNPDATA, OP_SNPINV,                                       /* snoops from the other socket */
  OP_VICTIM,                                                      /* an LLC line on its way out */
  OP_N
};
/* Whether a core's L2 asks ahead of the core, for itself. */
static inline bool op_ahead(enum tor_op op) { return op >= OP_DRD_PREF && op <= OP_RFO_PREF; }

struct tor_total { uint64_t entries, life_fs; };

struct traffic_totals {
  struct tor_total tor[OP_N][2][2];        /* [miss][home on the other socket] */
  uint64_t ingress_inserts, ingress_wait_fs;
  uint64_t llc_lookups, llc_hits, llc_victims, llc_victims_m, sf_evictions;
  uint64_t m2m_reads, m2m_writes, directory_writes;
  uint64_t cas_reads, cas_writes, row_hits, activates, precharges, auto_precharges, refresh_closed, rows_open;
  uint64_t underfills, refreshes, rpq_inserts, rpq_wait_fs, wpq_inserts, wpq_inside, drains;
  uint64_t upi_sent_data_slots, upi_sent_header_slots, upi_received_data_slots, upi_received_header_slots;
  uint64_t snoops_sent, snoop_responses;
  uint64_t dma_reads, dma_writes, dma_read_bytes, dma_write_bytes;
};

/* One core's: references and misses as cachegrind names them, by line of code and by data access. */
struct core_totals {
  uint64_t instructions, fetch_lines, fetch_l1_misses, fetch_llc_misses;
  uint64_t reads, read_l1_misses, read_llc_misses, writes, write_l1_misses, write_llc_misses;
  uint64_t l2_hits, l2_misses, prefetches;
  uint64_t demand_loads, demand_wait_fs;   /* loads that missed L2, and how long their data took */
};

void traffic_totals(const struct traffic *t, unsigned socket, struct traffic_totals *ret_totals);
void traffic_core_totals(const struct traffic *t, unsigned core, struct core_totals *ret_totals);

#endif
