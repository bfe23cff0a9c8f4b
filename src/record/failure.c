/* SPDX-License-Identifier: MIT */
/* Error texts of recordings. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "file.h"
#include "src/platform/platform.h"

int record_refuse(struct pmon_context *context, int status, const char *format, ...)
{
  char text[1024];
  va_list ap;
  va_start(ap, format);
  vsnprintf(text, sizeof text, format, ap);
  va_end(ap);
  return pmon_private_fail(context, status, text);
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
