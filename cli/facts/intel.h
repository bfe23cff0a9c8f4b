/* SPDX-License-Identifier: MIT */
/*
 * Event files in Intel's format, as in its repository and in Linux perf's pmu-events: a JSON array of objects, or an
 * object with that array under "Events". Values are texts, mostly hexadecimal.
 */
#ifndef CLI_FACTS_INTEL_H
#define CLI_FACTS_INTEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <pmon/event.h>

struct json_t;

struct intel_file {
  struct json_t *root, *events;
  size_t n;
};

/* Keys whose value is one field of the control register, with the field's name in the facts. */
enum {
  INTEL_EXT_SEL,
  INTEL_PORT_MASK,
  INTEL_FC_MASK,
  INTEL_EDGE,
  INTEL_INVERT,
  INTEL_THRESHOLD,
  INTEL_ANY,
  INTEL_FIELDS
};
extern const struct intel_field {
  const char *key, *field;
} intel_fields[INTEL_FIELDS];

/* One event. The file owns the texts; missing texts are "". */
struct intel_event {
  size_t number; /* position in the file, from 1 */
  const char *name, *unit, *brief, *filter;
  enum pmon_event_kind kind;
  uint32_t index;       /* number of the fixed or free-running counter */
  uint32_t counters;    /* bit n: counter n; 0: not stated */
  uint64_t code, umask; /* umask: the extension begins at bit 8 */
  uint64_t word;        /* value of the filter register (FILTER_VALUE, or a core's MSRValue); 0: none */
  uint64_t fields[INTEL_FIELDS];
};

/* Reads a file. PMON_OK; PMON_E_IO; PMON_E_SYNTAX (not JSON, with line and column, or not this format). The message is
 * written to `error`. Close the file with intel_close(). */
int intel_open(const char *path, struct intel_file *file, char *error, size_t size);
void intel_close(struct intel_file *file);

/* Reads the i-th event. PMON_OK, or PMON_E_SYNTAX, PMON_E_RANGE with the reason in `error`; name and number are also
 * set on failure. */
int intel_event(const struct intel_file *file, size_t i, struct intel_event *event, char *error, size_t size);

/* Reads a file of metrics: an array of objects, or an object with one under "Metrics". Statuses as intel_open(). */
int intel_open_metrics(const char *path, struct intel_file *file, char *error, size_t size);

/* One metric. The file owns the texts; missing texts are "". */
struct intel_metric {
  const char *name, *brief;
  const char *formula; /* Intel's "Formula", or Linux perf's "MetricExpr" */
  const char *base;    /* Intel's "BaseFormula": the same by other metrics; a percentage as a share */
  const char *unit;    /* "UnitOfMeasure", or "ScaleUnit" */
  const struct json_t *object;
};

/* The i-th object; false if it is no metric (perf's files list events beside them). */
bool intel_metric(const struct intel_file *file, size_t i, struct intel_metric *metric);

/* The event or constant that an alias stands for in Intel's format; NULL: none. */
const char *intel_metric_alias(const struct intel_metric *metric, const char *alias, bool *ret_constant);

/* Whether Intel's list of the events of a metric has that name. */
bool intel_metric_names(const struct intel_metric *metric, const char *event);

#endif
