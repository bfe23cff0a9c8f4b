/* SPDX-License-Identifier: MIT */
/* Files that a session leaves behind that is killed while it makes its journal: JOURNAL.new-XXXXXX. */
#ifndef CLI_HOST_LEFTOVERS_H
#define CLI_HOST_LEFTOVERS_H

#include "cli/common/cli.h"

/* Removes those beside the journal `path`, or of all journals whose names fit that pattern, and reports each: regular
 * files of the caller that no process has locked, and that hold the beginning of a journal or nothing. No register was
 * written by their sessions, which write none before the journal has its name. */
void leftovers_remove(struct cli *cli, const char *path);

#endif
