/* SPDX-License-Identifier: MIT */
/* Values that an exporter elsewhere serves: its /json, read at intervals. */
#ifndef CLI_TOP_REMOTE_H
#define CLI_TOP_REMOTE_H

#include "cli/top/top.h"

/* Whether the argument names an exporter: http:// or https://. */
bool remote_is_address(const char *text);
/* Shows what the exporter at t->path serves, until the user ends it. CLI_DONE, or an exit code after printing an error.
 */
int remote_watch(struct top *t, bool monochrome);

#endif
