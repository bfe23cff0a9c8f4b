/* SPDX-License-Identifier: MIT */
/*
 * A context: what the library knows (the compiled fact tables, and a user's own files), and what went wrong last.
 * Everything else hangs off one. A context, and what was made from it, belongs to one thread at a time; different
 * contexts share nothing that changes.
 *
 * Structs that may grow begin with `size`: set it to sizeof the struct before the call. A function that fills such a
 * struct touches nothing behind that size, and sets members that this library does not know to 0. A function that
 * reads one takes members behind that size as 0. A size of 0 is refused with PMON_E_INVALID; a member that is set and
 * that this library does not know, with PMON_E_UNSUPPORTED. These two statuses are not repeated at each function. Texts
 * in such structs belong to the context and live as long as it.
 *
 * Errors: a function that has a context, or an object made from one (platform, event, plan, session, recording), puts
 * the text of each failure into the context's error record, in place of the one before. What succeeds leaves the record
 * alone. So do functions without a context: backends keep a text in `error_text`; functions that open hardware, and
 * pmon_event_perf_attr(), write a struct pmon_reason; discovery reports to its diagnostic callback; for reports, for
 * pmon_access_method_describe(), pmon_kernel_event_find() and pmon_capture_describe() the status is the whole answer.
 */
#ifndef PMON_CONTEXT_H
#define PMON_CONTEXT_H

#include <stddef.h>
#include <stdint.h>
#include <pmon/api.h>
#include <pmon/status.h>

PMON_BEGIN_DECLS

struct pmon_context;

/* Makes a context that knows the compiled fact tables. Owned by the caller: pmon_context_free().
 * PMON_OK, PMON_E_MEMORY. */
PMON_API int pmon_context_new(struct pmon_context **ret_context);

/* Ends a context and all that is borrowed from it; events and plans made with it must be freed before. NULL is fine. */
PMON_API void pmon_context_free(struct pmon_context *context);

/* Reads a user's fact file: a `.platform` file with all the files that it names (docs/formats.md). Its platforms
 * come before the compiled ones when a platform is looked up by name. On failure nothing changes, and the error
 * record holds file, line, column and what was expected.
 * PMON_OK, PMON_E_IO (unreadable), PMON_E_SYNTAX, PMON_E_UNKNOWN (a name that means nothing), PMON_E_CONFLICT
 * (a name given twice), PMON_E_RANGE, PMON_E_MEMORY. */
PMON_API int pmon_context_load(struct pmon_context *context, const char *path);

/* Adds fact files of the user's to a platform that is compiled in: metrics (`.met`), invariants and rules (`.rule`),
 * events
 * (`.evt`), registers (`.reg`) or units (`.unit`); the last three replace what has the same name. `files` are names
 * separated by commas. From then on the platform's name finds the one with the files. On failure nothing changes; the
 * error record is as for pmon_context_load().
 * PMON_OK, PMON_E_UNKNOWN (no such platform is compiled in), and what pmon_context_load() returns. */
PMON_API int pmon_context_extend(struct pmon_context *context, const char *platform, const char *files);

/* What the last failed call on this context, or on an object made from it, had to say: the name or value meant, the
 * position, the nearest names that exist, and what to do. "" when nothing failed yet. Valid until the next failure. */
PMON_API const char *pmon_context_error(const struct pmon_context *context);

/* The status of that failure; PMON_OK when nothing failed yet. */
PMON_API int pmon_context_error_status(const struct pmon_context *context);

/* Where in the text given by the caller the last failure was found: the column, from 1; 0 when it is about no place. */
PMON_API uint32_t pmon_context_error_column(const struct pmon_context *context);

/* The library's version, "major.minor.patch". */
PMON_API const char *pmon_version(void);

PMON_END_DECLS

#endif
