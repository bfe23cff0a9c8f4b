/* SPDX-License-Identifier: MIT */
/* Opens a trace file of any format. */
#include <stdio.h>
#include <string.h>
#include <pmon/status.h>
#include "machine/trace/pmt.h"
#include "machine/trace/reader.h"

int trace_source_of_input(struct trace_input *in, char *error, size_t error_size, struct trace_source **ret_source)
{
  uint8_t head[PMT_MAGIC_BYTES];
  size_t n;
  int rc = trace_input_read(in, head, sizeof head, &n);

  if (rc < 0)
    snprintf(error, error_size, "%s", trace_input_error(in));
  else if (n && !memcmp(head, PMT_MAGIC, n < 4 ? n : 4) && memcmp(head, PMT_MAGIC, n))
    rc = PMON_E_SYNTAX,
    snprintf(error, error_size, "%s: a binary trace that was changed by a text-mode transfer", trace_input_name(in));
  else if (n && n < sizeof head && !memcmp(head, PMT_MAGIC, n))
    rc = PMON_E_SYNTAX,
    snprintf(error, error_size, "%s: the file ends in its header, at byte %zu", trace_input_name(in), n);
  else if (!n)
    rc = PMON_E_SYNTAX, snprintf(error, error_size, "%s: the file is empty", trace_input_name(in));
  if (rc < 0) {
    trace_input_close(in);
    return rc;
  }
  if (n == sizeof head && !memcmp(head, PMT_MAGIC, sizeof head))
    return pmt_source_new(in, head, n, error, error_size, ret_source);
  return lackey_source_new(in, head, n, error, error_size, ret_source);
}

int trace_open(const char *path, char *error, size_t error_size, struct trace_source **ret_source)
{
  struct trace_input *in;
  int rc = trace_input_open(path, error, error_size, &in);

  return rc < 0 ? rc : trace_source_of_input(in, error, error_size, ret_source);
}
