/* SPDX-License-Identifier: MIT */
/*
 * Counts of regions: what a session counted while a program, or one of its threads, was in a named part of itself. The
 * program uses pmon/region.h; this header is for the tool that measures.
 *
 *   pmon_session_run(...) or another counter read, at the begin or end of a region;
 *   pmon_session_region_begin(s, thread, "solve");
 *   ...
 *   for (i = 0; !pmon_session_region_describe(s, i, &info); i++)
 *     pmon_session_event(pmon_session_region(s, i), ...);
 *
 * A region has a result for each thread that was in it, and one for all threads together, which covers the time during
 * which at least one thread was in it. The results of threads do not add up to it if threads were in the region at the
 * same time: the counters are those of the whole machine.
 *
 * If events are multiplexed, a region's count comes only from rounds that ran while the region was open, and is scaled
 * to the region's time, or by another event (PMON_VALUE_WITNESS). An event whose round did not run then has no value.
 *
 * A session with regions, as every session, is used by one thread of the caller at a time.
 */
#ifndef PMON_REGIONS_H
#define PMON_REGIONS_H

#include <stddef.h>
#include <stdint.h>
#include <pmon/api.h>

PMON_BEGIN_DECLS

struct pmon_session;

/* Selects the result of all threads together. */
#define PMON_REGION_ALL_THREADS UINT64_MAX

/* Maximum number of results of a session: regions times threads. */
#define PMON_REGIONS_MAX 4096

struct pmon_region_info {
  size_t size;
  const char *name;        /* belongs to the session */
  uint64_t thread;         /* as given, or PMON_REGION_ALL_THREADS */
  uint64_t calls;          /* number of begins; a begin inside the region itself (recursion) does not count */
  double seconds;          /* measured time in the region */
  uint64_t missing_ends;   /* begins without an end: the thread or the measurement ended before */
  uint64_t missing_begins; /* ends without a begin; they change nothing */
};

/*
 * The thread (any number but PMON_REGION_ALL_THREADS) enters the region `name` at the last counter read: call it when
 * pmon_session_run() has returned at this point of the program's time. The name is copied. PMON_OK; PMON_E_INVALID
 * (name or thread); PMON_E_STATE (the session has not begun); PMON_E_RANGE (more than PMON_REGIONS_MAX results: this
 * one is not measured); PMON_E_MEMORY.
 */
PMON_API int pmon_session_region_begin(struct pmon_session *session, uint64_t thread, const char *name);

/* The thread left the region at the last counter read. An end without a begin is counted as such, and changes nothing
 * else. Statuses as pmon_session_region_begin(). */
PMON_API int pmon_session_region_end(struct pmon_session *session, uint64_t thread, const char *name);

/* The thread ended at the last counter read (PMON_REGION_ALL_THREADS: all threads did): its open regions end, and each
 * begin without an end is counted as missing. PMON_OK. */
PMON_API int pmon_session_region_close(struct pmon_session *session, uint64_t thread);

/* Fills *info with the i-th result. Regions are in the order of their first begin; each region has the result of all
 * threads together first, and then those of its threads. PMON_OK; PMON_E_RANGE (past the last one). */
PMON_API int pmon_session_region_describe(const struct pmon_session *session, uint32_t i,
                                          struct pmon_region_info *info);

/* Returns the i-th result as a session whose values are those of the region: pmon_session_event(),
 * pmon_session_metric(), pmon_session_seconds() and pmon_report_add_session() take it. It belongs to the session and is
 * valid until the session's next call that is not const. NULL: past the last one. */
PMON_API const struct pmon_session *pmon_session_region(const struct pmon_session *session, uint32_t i);

PMON_END_DECLS

#endif
