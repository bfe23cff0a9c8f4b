/* SPDX-License-Identifier: MIT */
/* Error texts of recordings. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "src/platform/platform.h"
#include "src/record/file.h"

/* A longer text is cut in its middle. */
enum { TEXT_PART = 500, TEXT_MOST = 2 * TEXT_PART + 3 };

int record_refuse(struct pmon_context *context, int status, const char *format, ...)
{
  char *text;
  va_list ap;
  va_start(ap, format);
  const int n = vasprintf(&text, format, ap);
  va_end(ap);
  if (n < 0)
    return pmon_private_fail(context, PMON_E_MEMORY, "no memory");
  if (n > TEXT_MOST) { /* a path; the reason comes after it */
    memcpy(text + TEXT_PART, "...", 3);
    memmove(text + TEXT_PART + 3, text + n - TEXT_PART, TEXT_PART + 1);
  }
  status = pmon_private_fail(context, status, text);
  free(text);
  return status;
}

int record_fail(struct pmon_context *context, sqlite3 *db, int status, const char *what, const char *path)
{
  const int code = db ? sqlite3_system_errno(db) : 0;
  return record_refuse(context, status, "%s: cannot be %s: %s", path, what,
                       !db    ? "no memory"
                       : code ? strerror(code)
                              : sqlite3_errmsg(db));
}

int record_damaged(const struct pmon_recording *r, const char *what)
{
  return record_refuse(r->context, PMON_E_SYNTAX, "%s: damaged recording: %s", r->path, what);
}
