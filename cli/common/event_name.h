/* SPDX-License-Identifier: MIT */
/* The full name of an event's row. */
#ifndef CLI_COMMON_EVENT_NAME_H
#define CLI_COMMON_EVENT_NAME_H

#include <pmon/event.h>

/* Formats UNIT/EVENT.UMASK/, or UNIT/EVENT/ without a umask; `unit` can be another one than the row's, which counts the
 * same event. Returns the length, as snprintf(). */
int event_name_format(const char *unit, const struct pmon_event_info *e, char *text, size_t size);

#endif
