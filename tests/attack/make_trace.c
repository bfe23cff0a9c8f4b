/* SPDX-License-Identifier: MIT */
/* Writes small traces that ask for much. usage: make-trace FILE sleep|sleeps|threads|together N */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "machine/trace/ring.h"
#include "machine/trace/writer.h"

enum { RECORDS = 256 };

/* Every word has another address, so that all tables of its thread are in use. */
static int append_records(struct trace_writer *w, unsigned thread)
{
  uint64_t record[2 * RECORDS];
  for (unsigned i = 0; i < RECORDS; i++) {
    record[2 * i] = record_block(0x400000 + 64 * i, 8, 2);
    record[2 * i + 1] = record_access(0x10000000 + 4096 * i, 3, i & 1, 0);
  }
  return trace_writer_append(w, thread, record, 2 * RECORDS);
}

static int write_trace(struct trace_writer *w, const char *what, uint64_t n)
{
  const uint64_t sleep = RECORD_SLEEP | (n & RECORD_ADDRESS);
  const bool together = !strcmp(what, "together");
  int rc = 0;
  if (!strcmp(what, "sleep"))
    rc = trace_writer_append(w, 0, &sleep, 1);
  else if (!strcmp(what, "sleeps"))
    for (int i = 0; i < 1000 && !rc; i++)
      rc = trace_writer_append(w, 0, &sleep, 1);
  else
    for (unsigned i = 0; i < n && !rc; i++) {
      rc = append_records(w, i);
      if (!rc && !together)
        rc = trace_writer_end(w, i);
      if (!rc)
        rc = trace_writer_flush(w);
    }
  return rc ? rc : trace_writer_finish(w);
}

int main(int argc, char **argv)
{
  char error[TRACE_ERROR_SIZE] = "usage: make-trace FILE sleep|sleeps|threads|together N";
  struct trace_writer *w = NULL;
  int rc = argc == 4
               ? trace_writer_new(&(struct trace_writer_options){.path = argv[1], .origin = "hostile", .zstd = true},
                                  error, sizeof error, &w)
               : -1;
  if (!rc)
    rc = write_trace(w, argv[2], strtoull(argv[3], NULL, 0));
  if (rc)
    fprintf(stderr, "make-trace: %s\n", w ? trace_writer_error(w) : error);
  trace_writer_free(w);
  return rc != 0;
}
