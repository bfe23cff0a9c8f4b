/* SPDX-License-Identifier: MIT */
/* A file of bundles as a source. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <pmon/status.h>
#include "machine/montecito/stream/stream.h"
#include "src/base/line.h"

struct stream {
  struct montecito_source base;
  FILE *file;
  struct line line;
  unsigned number;
  uint8_t thread;
  bool any;       /* a record was read, or need not be */
  char name[100]; /* of the file, for messages */
};

static int stream_next(struct montecito_source *s, struct montecito_record *ret, bool *ret_ended, char *error,
                       size_t error_size)
{
  struct stream *st = (struct stream *)(void *)s;
  char why[256] = "";
  bool any = false;
  int status = PMON_OK;
  while (!any && !status) {
    if (!line_read(st->file, &st->line)) {
      *ret_ended = true;
      if (st->line.refused) {
        snprintf(error, error_size, "%s: line %u: " LINE_REFUSED, st->name, st->number + 1);
        return PMON_E_SYNTAX;
      }
      if (!ferror(st->file) && st->any)
        return PMON_OK;
      if (!ferror(st->file)) {
        snprintf(error, error_size, "%s: the file has no bundle", st->name);
        return PMON_E_SYNTAX;
      }
      snprintf(error, error_size, "%s: cannot be read: %s", st->name, strerror(errno));
      return PMON_E_IO;
    }
    st->number++;
    status = montecito_stream_parse_line(st->line.text, &st->thread, ret, &any, why, sizeof why);
  }
  st->any |= any;
  if (status)
    snprintf(error, error_size, "%s: line %u: %s", st->name, st->number, why);
  else if (ret->kind == RECORD_EXPECT)
    ret->address = st->number;
  return status;
}

static void stream_free(struct montecito_source *s)
{
  struct stream *st = (struct stream *)(void *)s;
  if (st->file != stdin)
    fclose(st->file);
  free(st);
}

int montecito_stream_open(const char *path, bool may_be_empty, char *error, size_t error_size,
                          struct montecito_source **ret_source)
{
  struct stream *st = calloc(1, sizeof *st);
  if (!st)
    return PMON_E_MEMORY;
  st->file = strcmp(path, "-") ? fopen(path, "re") : stdin;
  if (!st->file) {
    snprintf(error, error_size, "%s: cannot be opened: %s", path, strerror(errno));
    free(st);
    return PMON_E_IO;
  }
  snprintf(st->name, sizeof st->name, "%s", st->file == stdin ? "standard input" : path);
  st->any = may_be_empty;
  st->base.next = stream_next;
  st->base.free = stream_free;
  *ret_source = &st->base;
  return PMON_OK;
}
