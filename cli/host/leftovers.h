/* SPDX-License-Identifier: MIT */
/* Files that a session leaves behind that is killed while it makes its journal: JOURNAL.new-XXXXXX. */
#ifndef CLI_HOST_LEFTOVERS_H
#define CLI_HOST_LEFTOVERS_H

#include "cli/common/cli.h"

/* Removes those beside the journal `path`, or of all journals whose names fit that pattern, and reports each: regular
 * files of the caller with the mode of a journal that no process has locked, and that hold the beginning of a journal
 * or nothing. A whole journal stays where there is no file `path`: somebody may have copied it. Nothing is lost: a
 * session writes a register only when the journal that has its values has its name. */
void leftovers_remove(struct cli *cli, const char *path, bool pattern);

#endif
