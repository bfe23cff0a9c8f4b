/* SPDX-License-Identifier: MIT */
/* Compares Intel's public event files with the facts: each name of data/audit/PLATFORM-files.tsv in the files'
 * spelling. */
#ifndef PMON_AUDIT_EVENT_FILES_H
#define PMON_AUDIT_EVENT_FILES_H

#include <pmon/pmon.h>
#include "tests/audit/table.h"

enum event_file_class {
  EVENT_FILE_SAME,     /* name, code, umask, extension and counters agree */
  EVENT_FILE_COUNTERS, /* the files have other counters */
  EVENT_FILE_VALUE,    /* the files have another code, umask or extension */
  EVENT_FILE_LISTED,   /* the same, in a unit whose registers are not known */
  EVENT_FILE_UNKNOWN,  /* the facts do not have the name */
  EVENT_FILE_NO_UNIT,  /* the platform has no such unit */
  EVENT_FILE_CLASSES
};

/* Compares one row. Writes the difference, the files' value first, to `what` (empty if there is none). */
enum event_file_class event_file_compare(struct pmon_context *context, const struct pmon_platform *platform,
                                         const struct table *files, size_t row, char what[256]);

#endif
