/* SPDX-License-Identifier: MIT */
/*
 * Recordings: a session's counts as they were read, in an SQLite file, from which any metric of the recorded events can
 * be computed later. docs/formats.md has the tables.
 *
 *   pmon_record_new(session, path, &head, &record);      while the session runs
 *   pmon_record_add(record);                             at the end of each interval, before pmon_session_mark()
 *   pmon_record_add_regions(record);                     at the end, where the program has regions (pmon/regions.h)
 *   pmon_record_close(record);
 *
 *   pmon_recording_open(context, path, &r);              later
 *   pmon_recording_plan(r, platform, NULL, NULL, &plan);
 *   pmon_recording_session(r, plan, &session);
 *   pmon_recording_load(r, session, 0);                  then pmon_session_event(), pmon_report_add_session() ...
 *
 * Threads: a recording, and the session, plan and context that it is used with, are used by one thread at a time, in
 * every function of this header. Recordings of different contexts share nothing.
 */
#ifndef PMON_RECORD_H
#define PMON_RECORD_H

#include <stddef.h>
#include <stdint.h>
#include <pmon/api.h>
#include <pmon/context.h>
#include <pmon/plan.h>
#include <pmon/platform.h>
#include <pmon/regions.h>
#include <pmon/session.h>

PMON_BEGIN_DECLS

struct pmon_record;
struct pmon_recording;

/* Descriptive texts of a recording. NULL: absent. */
struct pmon_record_head {
  size_t size;
  const char *backend, *command;
  const char *machine; /* the emulated machine that is measured, by the name of its platform; NULL: real hardware */
  const char *host;    /* the name of the measured host; NULL: none */
  double time;         /* the start of the recording in seconds since 1970 (UTC); 0: not known, or simulated time */
};

/* Makes a file for a session's counts. An existing recording is replaced, unless it has intervals and is incomplete;
 * any other existing file is refused. The caller closes it with pmon_record_close(). PMON_OK; PMON_E_INVALID (the
 * existing file is not a recording, or is an incomplete one); PMON_E_IO (it cannot be written); PMON_E_MEMORY. */
PMON_API int pmon_record_new(const struct pmon_session *session, const char *path, const struct pmon_record_head *head,
                             struct pmon_record **ret_record);

/* Adds the session's counts since its start or last mark, as an interval of its own. It is in the file when the
 * function returns: after SIGKILL, the file has all intervals added before. PMON_OK, PMON_E_IO, PMON_E_MEMORY. */
PMON_API int pmon_record_add(struct pmon_record *record);

/* Stores the session's counts since its start or last mark as an interval that is not complete: the next call of this
 * function or of pmon_record_add() replaces them. As with pmon_record_add(), they are in the file when the function
 * returns. PMON_OK, PMON_E_IO. */
PMON_API int pmon_record_update(struct pmon_record *record);

/* Stores the current results of the session's regions, in place of those stored before. PMON_OK, PMON_E_IO. */
PMON_API int pmon_record_add_regions(struct pmon_record *record);

/* Stores a device, so that values of the recording can be reported by device. PMON_OK, PMON_E_IO, PMON_E_INVALID (the
 * size is not set, `unit` or `address` is NULL), PMON_E_UNSUPPORTED (a member of a newer version is set). */
PMON_API int pmon_record_add_device(struct pmon_record *record, const struct pmon_device *device);

/* Closes the file, and marks it as complete unless an earlier call failed. NULL is allowed. PMON_OK, PMON_E_IO. */
PMON_API int pmon_record_close(struct pmon_record *record);

/* Opens a recording for reading; no file is changed. The caller closes it with pmon_recording_close(). PMON_OK;
 * PMON_E_IO (it cannot be read, or is no regular file); PMON_E_SYNTAX (not a recording, or a damaged one); PMON_E_RANGE
 * (its recorder was killed during a commit, and it is larger than 256 MB, too large to be read in this state);
 * PMON_E_MEMORY. */
PMON_API int pmon_recording_open(struct pmon_context *context, const char *path, struct pmon_recording **ret_recording);
/* Closes a recording. Sessions and plans made from it remain valid. NULL is allowed. */
PMON_API void pmon_recording_close(struct pmon_recording *recording);

struct pmon_recording_info {
  size_t size;
  const char *platform, *backend, *command; /* as recorded; backend and command may be "" */
  uint32_t intervals, events, packages, rounds;
  uint32_t regions;    /* results of regions: regions times threads; 0 in recordings of older versions of pmon, which
                          did not store them */
  const char *machine; /* the emulated machine that was measured; "": real hardware */
  /* 1: pmon_record_close() completed the file. 0: the recorder still runs or was killed, and the file ends with the
   * last interval that was committed. */
  uint32_t complete;
  double seconds;      /* from the start of the first interval to the end of the last */
  const char *content; /* pmon_platform_info.content of the measured platform; "": compiled in */
  const char *host;    /* pmon_record_head.host; "": none, or not stored (older versions of pmon) */
  double time;         /* pmon_record_head.time */
};

/* Fills *info. PMON_OK. */
PMON_API int pmon_recording_describe(const struct pmon_recording *recording, struct pmon_recording_info *info);

/* Makes a plan of recorded events. `events` and `metrics` are lists as for pmon_plan_add_events() and
 * pmon_plan_add_metrics(), and `metrics` can use the recorded session's equations by their names; if both are NULL, the
 * plan has the events and metrics that the recorded session had.
 * PMON_E_NO_DATA: a required event was not recorded; PMON_E_INVALID: `platform` is another one than the recorded, and
 * not made from the same compiled-in platform; else the status of those functions. */
PMON_API int pmon_recording_plan(struct pmon_recording *recording, const struct pmon_platform *platform,
                                 const char *events, const char *metrics, struct pmon_plan **ret_plan);

/* Makes a session that holds recorded counts and cannot measure. The caller closes it with pmon_session_close() before
 * freeing the plan. PMON_OK, PMON_E_SYNTAX, PMON_E_MEMORY, PMON_E_RANGE (a plan of more than 24576 events times
 * packages). */
PMON_API int pmon_recording_session(struct pmon_recording *recording, struct pmon_plan *plan,
                                    struct pmon_session **ret_session);

/* Loads interval `interval` (from 0; UINT32_MAX: all intervals together) into the session. PMON_OK, PMON_E_RANGE
 * (past the last one), PMON_E_SYNTAX (the recording is damaged), PMON_E_MEMORY. */
PMON_API int pmon_recording_load(struct pmon_recording *recording, struct pmon_session *session, uint32_t interval);

/* Loads `n` intervals (at least 1), the first of which is `first`, into the session: their counts are added as if they
 * were one interval. PMON_OK, PMON_E_RANGE (past the last one), PMON_E_SYNTAX (the recording is damaged),
 * PMON_E_MEMORY. */
PMON_API int pmon_recording_load_span(struct pmon_recording *recording, struct pmon_session *session, uint32_t first,
                                      uint32_t n);

/* Fills *info with the i-th result of a region (from 0), in the order of pmon_session_region_describe(). Its name
 * belongs to the recording, and is valid until the next call of this function. PMON_OK; PMON_E_RANGE (past the last
 * one); PMON_E_INVALID (the size is not set); PMON_E_SYNTAX (the recording is damaged); PMON_E_MEMORY. */
PMON_API int pmon_recording_region_describe(struct pmon_recording *recording, uint32_t i,
                                            struct pmon_region_info *info);

/* Loads the i-th result of a region into the session; its values are then those of the region. PMON_OK; PMON_E_RANGE
 * (past the last one); PMON_E_SYNTAX (the recording is damaged); PMON_E_MEMORY. */
PMON_API int pmon_recording_load_region(struct pmon_recording *recording, struct pmon_session *session, uint32_t i);

/* Fills *device with the i-th device of the recording (from 0). Its texts belong to the recording, and are valid until
 * the next call of this function. PMON_OK; PMON_E_RANGE (past the last one; recordings of older versions of pmon have
 * no devices); PMON_E_INVALID (the size is not set); PMON_E_SYNTAX (the recording is damaged); PMON_E_MEMORY. */
PMON_API int pmon_recording_device(struct pmon_recording *recording, uint32_t i, struct pmon_device *device);

PMON_END_DECLS

#endif
