/* SPDX-License-Identifier: MIT */
/* Rows of event files that are left out, and the reports of them. */
#include <stdarg.h>
#include <stdio.h>
#include "cli/import/import.h"

void import_leave_out(struct import *im, struct import_row *row, const char *format, ...)
{
  va_list ap;
  row->used = false;
  if (im->left_out++ >= IMPORT_REPORTS && !im->omitted)
    return;
  char why[1024];
  va_start(ap, format);
  vsnprintf(why, sizeof why, format, ap);
  va_end(ap);
  if (im->omitted) {
    fprintf(im->omitted, "%s: object %zu (%s): ", row->source, row->e.number, *row->e.name ? row->e.name : "unnamed");
    import_write_line(im->omitted, why);
    return;
  }
  cli_print_error("pmon import: object %zu (%s): %s; omitted\n", row->e.number, *row->e.name ? row->e.name : "unnamed",
                  why);
}
