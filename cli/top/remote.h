/* SPDX-License-Identifier: MIT */
/* Values of an exporter elsewhere: reads its /json at intervals. */
#ifndef CLI_TOP_REMOTE_H
#define CLI_TOP_REMOTE_H

#include "cli/top/top.h"

/* Whether the argument names an exporter: http:// or https://. */
bool remote_is_address(const char *text);
/* Shows the values of the exporter at t->path until the user quits. CLI_DONE, or an exit code after an error
 * message. */
int remote_watch(struct top *t, bool monochrome);

#endif
