/* SPDX-License-Identifier: MIT */
/*
 * Mean latencies of retirement. Metrics of recent processors multiply the count of an event by the cycles that its
 * instructions took to retire: `EVENT:retire_latency`. A processor states these only in samples of Timed PEBS. For
 * tools that only count, Intel publishes, for each event, the mean that it measured with many programs.
 */
#include <jansson.h>
#include <stdlib.h>
#include "cli/import/metrics.h"

int import_latencies_add(struct import *im, const char *path)
{
  json_error_t where;
  if (!im->metrics && !(im->metrics = calloc(1, sizeof *im->metrics)))
    return cli_fail_memory(im->cli);
  json_t *root = json_load_file(path, JSON_REJECT_DUPLICATES, &where);
  if (!root)
    return cli_fail(im->cli, "%s:%d:%d: %s", path, where.line, where.column, where.text);
  json_t *data = json_object_get(root, "Data");
  if (!json_is_object(data)) {
    json_decref(root);
    return cli_fail(im->cli, "%s: expected an object of latencies under \"Data\"", path);
  }
  import_latencies_free(im->metrics);
  im->metrics->latencies = json_incref(data);
  json_decref(root);
  return CLI_DONE;
}

bool import_latency(const struct import_metrics *m, const char *event, double *ret_cycles)
{
  const json_t *mean = json_object_get(json_object_get(m->latencies, event), "MEAN");
  *ret_cycles = json_number_value(mean);
  return json_is_number(mean) && *ret_cycles >= 0;
}

void import_latencies_free(struct import_metrics *m)
{
  json_decref(m->latencies);
  m->latencies = NULL;
}
