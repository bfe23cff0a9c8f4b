/* SPDX-License-Identifier: MIT */
/* Logs of register accesses, as pmon_backend_trace_new() writes them (docs/logs.md). */
#ifndef MACHINE_CHECK_LOG_H
#define MACHINE_CHECK_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <pmon/access.h>
#include "machine/check/check.h"

/* LOG_STATE: a register of the thread; address.offset is its enum check_register (check.h). */
enum log_kind { LOG_READ, LOG_WRITE, LOG_WAIT, LOG_END, LOG_STATE };

struct log_entry {
  uint64_t time_ns, value;
  struct pmon_address address;
  uint32_t line;
  uint8_t kind;  /* enum log_kind */
  int8_t status; /* of the access, enum pmon_status */
};

/* A unit that the machine of the log did not have. */
struct log_absent {
  uint32_t package, instance, line;
  char unit[24];
};

struct log_asked {
  struct check_asked is;
  uint32_t line;
};

/* A count that software printed, and the right one. */
struct log_count {
  uint32_t package;
  uint64_t printed, right;
};

struct access_log {
  struct log_entry *at;
  size_t n;
  uint64_t units_known;      /* a bit for each package of the lines `# units PACKAGE` */
  struct log_absent *absent; /* of the lines `# absent PACKAGE UNIT INSTANCE` */
  uint32_t n_absent, cap_absent;
  struct log_asked *asked; /* of the lines `# asked PACKAGE UNIT INSTANCE FIELD=VALUE...` */
  uint32_t n_asked, cap_asked;
  struct log_count *counts; /* of the lines `# counted PACKAGE PRINTED RIGHT` */
  uint32_t n_counts, cap_counts;
  uint32_t packages;
  char platform[64]; /* of the line `# platform NAME`; "": there is none */
};

/* Reads a log from `text` of `n` bytes; `name` is the name in error messages. Empty lines and lines that begin with #
 * are skipped. PMON_E_SYNTAX with name, line and the expected text in error (also if times go backwards);
 * PMON_E_MEMORY. Free the result with log_fini(). The buffer for the error text takes two of the six parameters. */
int log_parse(const char *name, const char *text, size_t n, char *error, size_t error_size, struct access_log *ret);
/* Reads a log from a file; also PMON_E_IO, PMON_E_RANGE (longer than 256 MiB). */
int log_load(const char *path, char *error, size_t error_size, struct access_log *ret);
void log_fini(struct access_log *log);
/* Passes to a checker, before the log's entries, what the log's comments state about the machine and software's counts.
 * PMON_OK; PMON_E_UNKNOWN: the platform has no unit that a line names; PMON_E_INVALID: check_ask() refuses a line's
 * unit or fields, or no line `# units` names its package although there are such lines; both with line and cause in
 * error; PMON_E_MEMORY. */
int log_take_notes(const struct access_log *log, struct checker *c, char *error, size_t error_size);
/* Formats an entry as a line of a log. */
void log_format(const struct log_entry *e, char *text, size_t size);
/* True if two entries are the same access; time and value are not compared. */
bool log_same(const struct log_entry *a, const struct log_entry *b);

#endif
