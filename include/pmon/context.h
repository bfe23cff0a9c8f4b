/* SPDX-License-Identifier: MIT */
/*
 * A context holds the fact tables (compiled and user-supplied) and the last error. All other objects belong to a
 * context. A context and its objects belong to one thread at a time. Different contexts share no mutable data.
 *
 * Arguments are not checked for NULL: a pointer may be NULL only where the comment allows it. A text that the library
 * returns or puts into a struct is never NULL unless the comment says so; an absent text is "". A result (ret_x) is set
 * on success only.
 *
 * Structs that can grow begin with `size`: set it to sizeof the struct before the call. A function that fills such a
 * struct writes nothing beyond that size, and sets members that this library does not know to 0. A function that reads
 * one treats members beyond that size as 0. A size of 0 is refused with PMON_E_INVALID; a member that is set and that
 * this library does not know, with PMON_E_UNSUPPORTED. These two statuses are not repeated at each function. Texts in
 * such structs belong to the context and live as long as the context.
 *
 * Errors: a function that has a context, or an object made from one (platform, event, plan, session, recording), puts
 * the text of each failure into the context's error record and replaces the previous one. A successful call does not
 * change the record, nor does a function without a context: backends keep a text in `error_text`; functions that open
 * hardware, pmon_machine_new() and pmon_event_perf_attr() write a struct pmon_reason; discovery reports to its
 * diagnostic callback; functions of a report, a comparison, a capture or a machine, pmon_access_method_describe() and
 * pmon_kernel_event_find() return a status only.
 */
#ifndef PMON_CONTEXT_H
#define PMON_CONTEXT_H

#include <stddef.h>
#include <stdint.h>
#include <pmon/api.h>
#include <pmon/status.h>

PMON_BEGIN_DECLS

struct pmon_context;

/* Makes a context with the compiled fact tables. The caller frees it with pmon_context_free(). PMON_OK, PMON_E_MEMORY.
 * */
PMON_API int pmon_context_new(struct pmon_context **ret_context);

/* Frees a context and everything borrowed from it. Events and plans of the context must be freed first. NULL is
 * allowed. */
PMON_API void pmon_context_free(struct pmon_context *context);

/*
 * Loads a user-supplied `.platform` file with all the files that it lists (docs/formats.md). Its platforms are found
 * before the compiled ones. On failure the context is unchanged, and the error record has file, line, column and what
 * was expected. PMON_OK, PMON_E_IO (the file cannot be read), PMON_E_SYNTAX, PMON_E_UNKNOWN (an undefined name),
 * PMON_E_CONFLICT (a duplicate name), PMON_E_RANGE, PMON_E_MEMORY.
 */
PMON_API int pmon_context_load(struct pmon_context *context, const char *path);

/*
 * Extends a platform with user-supplied fact files: metrics (`.met`), invariants and rules (`.rule`), events (`.evt`),
 * registers (`.reg`) or units (`.unit`). `platform` is a compiled platform, or a platform file (a name with a slash, or
 * ending in `.platform`). Events, registers and units replace those of the same name. `files` is a comma-separated list
 * of file names. From then on the platform's name finds the extended platform. On failure the context is unchanged, and
 * the error record is as for pmon_context_load(). PMON_OK, PMON_E_UNKNOWN (no compiled platform of that name), and the
 * statuses of pmon_context_load().
 */
PMON_API int pmon_context_extend(struct pmon_context *context, const char *platform, const char *files);

/* The message of the last failed call on this context or one of its objects: the object, the position, the nearest
 * existing names, and the remedy. "" before the first failure. Valid until the next failure. */
PMON_API const char *pmon_context_error(const struct pmon_context *context);

/* The status of the last failed call; PMON_OK before the first failure. */
PMON_API int pmon_context_error_status(const struct pmon_context *context);

/* The column, from 1, at which the last failure was found in the caller's text; 0 when the failure has no position. */
PMON_API uint32_t pmon_context_error_column(const struct pmon_context *context);

/* The version of the library, "major.minor.patch". */
PMON_API const char *pmon_version(void);

PMON_END_DECLS

#endif
