/* SPDX-License-Identifier: MIT */
#include "cli/common/event_name.h"
#include <stdio.h>

int event_name_format(const char *unit, const struct pmon_event_info *e, char *text, size_t size)
{
  return snprintf(text, size, "%s/%s%s%s/", unit, e->event, e->umask ? "." : "", e->umask ? e->umask : "");
}
