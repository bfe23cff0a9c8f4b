/* SPDX-License-Identifier: MIT */
/* Reads a log from its file. */
#include "machine/check/log.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <pmon/status.h>

enum { LOG_MAX = 1 << 28 };

/* Reads a text file of at most LOG_MAX bytes; the caller frees *ret_text. */
static int log_read_text(FILE *f, char **ret_text, size_t *ret_n, bool *ret_binary)
{
  char *text = NULL;
  size_t n = 0, room = 0;
  int status = 0;
  *ret_binary = false;
  while (!status && !*ret_binary && !feof(f) && !ferror(f)) {
    if (n == room) {
      char *more = n < LOG_MAX ? realloc(text, room = room ? 2 * room : 1 << 16) : NULL;
      if (!more)
        status = n < LOG_MAX ? PMON_E_MEMORY : PMON_E_RANGE;
      text = more ? more : text;
    }
    const size_t got = status ? 0 : fread(text + n, 1, room - n, f);
    *ret_binary = got && memchr(text + n, 0, got);
    n += got;
  }
  *ret_text = text;
  *ret_n = n;
  return status;
}

int log_load(const char *path, char *error, size_t error_size, struct access_log *ret)
{
  FILE *f = fopen(path, "re");
  char *text = NULL;
  size_t n = 0;
  bool binary = false;
  int status = f ? log_read_text(f, &text, &n, &binary) : PMON_E_IO;
  *ret = (struct access_log){0};
  if (!f || ferror(f)) {
    snprintf(error, error_size, "%s: cannot be %s: %s", path, f ? "read" : "opened", strerror(errno));
    status = PMON_E_IO;
  } else if (status) {
    snprintf(error, error_size, status == PMON_E_MEMORY ? "%s: no memory for the log" : "%s: longer than 256 MiB",
             path);
  } else if (binary) {
    snprintf(error, error_size, "%s: expected a text file; it contains a NUL byte", path);
    status = PMON_E_SYNTAX;
  } else {
    status = log_parse(path, text, n, error, error_size, ret);
  }
  if (f)
    fclose(f);
  free(text);
  return status;
}
