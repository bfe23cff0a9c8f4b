/* SPDX-License-Identifier: MIT */
/* Metrics of a processor's metric files, while they become equations of fact files. */
#ifndef CLI_IMPORT_METRICS_H
#define CLI_IMPORT_METRICS_H

#include "cli/import/formula.h"
#include "cli/import/import.h"

struct metric_entry {
  const char *source; /* the file's name without folders */
  struct intel_metric m;
  char *equation; /* NULL: it cannot be used */
  const char *result;
  bool latencies; /* it uses mean latencies of retirement */
  bool large;     /* its formula is too large; the base formula is not translated yet */
};

struct import_metrics {
  struct metric_file {
    struct intel_file file;
    char *path;
  } * files;
  size_t n_files;
  struct metric_entry *entries;
  size_t n;
  const struct import_row **rows; /* by the event's name in the file */
  size_t n_rows;
  struct json_t *latencies; /* by the event's name (latencies.c); NULL: none */
};

/* The metric being translated. */
struct translation {
  struct import *im;
  struct metric_entry *entry;
};

/* Finds the mean latency of retirement of an event, in cycles. False: the files have none. */
bool import_latency(const struct import_metrics *m, const char *event, double *ret_cycles);
void import_latencies_free(struct import_metrics *m);

/* The row of an event's name in the files, by binary search in `rows`; NULL: none. */
const struct import_row *import_metric_event(const struct import_metrics *m, const char *name);

/* Returns the name in Intel's files of a top-down event that perf's formulas have by the kernel's name; NULL: none.
 * import_topdown_slots: the event that counts all slots. */
const char *import_topdown_name(const char *kernel_event);
#define import_topdown_slots "TOPDOWN.SLOTS"

/* Translates one word of a formula into an equation, for formula_translate(); `user`: struct translation. The result is
 * allocated; NULL and `reason`: it cannot be used; NULL alone: out of memory. */
char *import_metric_word(void *user, const char *word, size_t n, char reason[FORMULA_REASON]);

#endif
