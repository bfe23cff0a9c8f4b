/* SPDX-License-Identifier: MIT */
/* Prints what pmon doctor finds. */
#include <stdarg.h>
#include "cli/host/doctor.h"

void doctor_print(struct doctor *d, const char *format, ...)
{
  va_list ap;
  va_start(ap, format);
  out_wrapped_list(&d->cli->out, 2, cli_width(), format, ap);
  va_end(ap);
}

void doctor_find(struct doctor *d, const char *cause, const char *remedy)
{
  d->findings++;
  out_style(&d->cli->out, OUT_WARN);
  out_text(&d->cli->out, "! ");
  out_style(&d->cli->out, OUT_PLAIN);
  doctor_print(d, "%s: %s", cause, remedy);
}
