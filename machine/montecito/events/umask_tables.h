/* SPDX-License-Identifier: MIT */
/* Lists of unit masks for the rows of machine/montecito/events/events.inc; each list ends with a name of NULL. */
#ifndef MACHINE_MONTECITO_EVENTS_UMASK_TABLES_H
#define MACHINE_MONTECITO_EVENTS_UMASK_TABLES_H

#include "machine/montecito/events/events.h"

extern const struct montecito_umask umasks_int_fp[];
extern const struct montecito_umask umasks_back_end[];
extern const struct montecito_umask umasks_be_branch[];
extern const struct montecito_umask umasks_exe[];
extern const struct montecito_umask umasks_flush[];
extern const struct montecito_umask umasks_l1d_fpu[];
extern const struct montecito_umask umasks_lost[];
extern const struct montecito_umask umasks_rse_bubble[];
extern const struct montecito_umask umasks_mispred[];
extern const struct montecito_umask umasks_mispred2[];
extern const struct montecito_umask umasks_path[];
extern const struct montecito_umask umasks_path2[];
extern const struct montecito_umask umasks_agent[];
extern const struct montecito_umask umasks_memory[];
extern const struct montecito_umask umasks_mem_read[];
extern const struct montecito_umask umasks_snoop_stall[];
extern const struct montecito_umask umasks_wr_wb[];
extern const struct montecito_umask umasks_cpl[];
extern const struct montecito_umask umasks_cycles[];
extern const struct montecito_umask umasks_encbr[];
extern const struct montecito_umask umasks_fe_bubble[];
extern const struct montecito_umask umasks_ftz[];
extern const struct montecito_umask umasks_this[];
extern const struct montecito_umask umasks_tagged[];
extern const struct montecito_umask umasks_itlb[];
extern const struct montecito_umask umasks_read_miss[];
extern const struct montecito_umask umasks_pf_stall[];
extern const struct montecito_umask umasks_any0[];
extern const struct montecito_umask umasks_bypass[];
extern const struct montecito_umask umasks_this0[];
extern const struct montecito_umask umasks_fill[];
extern const struct montecito_umask umasks_recirc[];
extern const struct montecito_umask umasks_l3_cancel[];
extern const struct montecito_umask umasks_ops[];
extern const struct montecito_umask umasks_cancels0[];
extern const struct montecito_umask umasks_cancels1[];
extern const struct montecito_umask umasks_rw[];
extern const struct montecito_umask umasks_ls[];
extern const struct montecito_umask umasks_l2i[];
extern const struct montecito_umask umasks_l3_reads[];
extern const struct montecito_umask umasks_l3_writes[];
extern const struct montecito_umask umasks_current[];
extern const struct montecito_umask umasks_si[];
extern const struct montecito_umask umasks_scb[];
extern const struct montecito_umask umasks_signoff[];
extern const struct montecito_umask umasks_ecc[];
extern const struct montecito_umask umasks_writeq[];
extern const struct montecito_umask umasks_natted[];
extern const struct montecito_umask umasks_syll[];
extern const struct montecito_umask umasks_over[];
extern const struct montecito_umask umasks_ts_cycle[];
extern const struct montecito_umask umasks_ts_events[];
extern const struct montecito_umask umasks_ts_gated[];
extern const struct montecito_umask umasks_ts_stall[];

#endif
