/* SPDX-License-Identifier: MIT */
/*
 * Recordings: a session's counts as they were read, in an SQLite file, from which any metric of the recorded events can
 * be computed later. docs/formats.md has the tables.
 *
 *   pmon_record_new(session, path, &head, &record);      while the session runs
 *   pmon_record_add(record);                             at the end of each interval, before pmon_session_mark()
 *   pmon_record_close(record);
 *
 *   pmon_recording_open(context, path, &r);              later
 *   pmon_recording_plan(r, platform, NULL, NULL, &plan);
 *   pmon_recording_session(r, plan, &session);
 *   pmon_recording_load(r, session, 0);                  then pmon_session_event(), pmon_report_add_session() ...
 */
#ifndef PMON_RECORD_H
#define PMON_RECORD_H

#include <stddef.h>
#include <stdint.h>
#include <pmon/api.h>
#include <pmon/context.h>
#include <pmon/plan.h>
#include <pmon/platform.h>
#include <pmon/session.h>

PMON_BEGIN_DECLS

struct pmon_record;
struct pmon_recording;

/* What the recording says of itself; absent texts are NULL. */
struct pmon_record_head {
  size_t size;
  const char *backend, *command;
};

/* Makes a file for a session's counts; a recording that is there already is replaced, any other file is not. Owned by
 * the caller: pmon_record_close(). PMON_OK; PMON_E_IO (the file cannot be written, or is something else);
 * PMON_E_MEMORY. */
PMON_API int pmon_record_new(const struct pmon_session *session, const char *path, const struct pmon_record_head *head,
                             struct pmon_record **ret_record);

/* Adds what the session counted since its start or last mark. PMON_OK, PMON_E_IO. */
PMON_API int pmon_record_add(struct pmon_record *record);

/* Ends the file; all intervals that were added are in it. NULL is fine. PMON_OK, PMON_E_IO. */
PMON_API int pmon_record_close(struct pmon_record *record);

/* Opens a recording for reading. PMON_OK; PMON_E_IO (it cannot be read); PMON_E_SYNTAX (it is no recording, or a
 * damaged one); PMON_E_MEMORY. Owned by the caller: pmon_recording_close(). */
PMON_API int pmon_recording_open(struct pmon_context *context, const char *path, struct pmon_recording **ret_recording);
/* NULL is fine. Sessions and plans made from it may live on. */
PMON_API void pmon_recording_close(struct pmon_recording *recording);

struct pmon_recording_info {
  size_t size;
  const char *platform, *backend, *command; /* the recording's; backend and command may be "" */
  uint32_t intervals, events, packages, rounds;
};

/* PMON_OK. */
PMON_API int pmon_recording_describe(const struct pmon_recording *recording, struct pmon_recording_info *info);

/* A plan with the recorded events. `events` and `metrics` are lists as for pmon_plan_add_events() and
 * pmon_plan_add_metrics(); both NULL: what was asked for when the recording was made.
 * PMON_E_NO_DATA: an event that is needed was not recorded; else as those functions. */
PMON_API int pmon_recording_plan(struct pmon_recording *recording, const struct pmon_platform *platform,
                                 const char *events, const char *metrics, struct pmon_plan **ret_plan);

/* A session that holds recorded counts and measures nothing itself. PMON_OK, PMON_E_SYNTAX, PMON_E_MEMORY. Closed with
 * pmon_session_close(), before the plan is freed. */
PMON_API int pmon_recording_session(struct pmon_recording *recording, struct pmon_plan *plan,
                                    struct pmon_session **ret_session);

/* Fills the session with interval `interval`, from 0; UINT32_MAX: with all of them together.
 * PMON_OK, PMON_E_RANGE, PMON_E_SYNTAX (damaged). */
PMON_API int pmon_recording_load(struct pmon_recording *recording, struct pmon_session *session, uint32_t interval);

PMON_END_DECLS

#endif
