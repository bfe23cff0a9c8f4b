/* SPDX-License-Identifier: MIT */
/* Loads captures from files. A file that is longer than any capture is refused before it is parsed. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "src/capture/capture.h"
#include "src/platform/context.h"

enum { FILE_MIB = 64, FILE_MAX = FILE_MIB << 20 };

int pmon_capture_load(struct pmon_context *context, const char *path, struct pmon_capture **ret_capture)
{
  FILE *f = fopen(path, "re");
  char *text = f ? malloc(FILE_MAX) : NULL;
  int status = 0;
  if (!f)
    status = context_fail(context, PMON_E_IO, 0, "%.300s: cannot be read: %s", path, strerror(errno));
  else if (!text)
    status = context_fail(context, PMON_E_MEMORY, 0, "no memory to read %.300s", path);
  const size_t n = text ? fread(text, 1, FILE_MAX, f) : 0;
  if (!status && ferror(f))
    status = context_fail(context, PMON_E_IO, 0, "%.300s: cannot be read: %s", path, strerror(errno));
  if (!status && n == FILE_MAX)
    status =
        context_fail(context, PMON_E_RANGE, 0, "%.300s: longer than %d MiB, the limit of a capture", path, FILE_MIB);
  if (!status)
    status = pmon_capture_parse(context, path, text, n, ret_capture);
  if (f)
    fclose(f);
  free(text);
  return status;
}
