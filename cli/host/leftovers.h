/* SPDX-License-Identifier: MIT */
/* Files left by a session that was killed while it created its journal: JOURNAL.new-XXXXXX. */
#ifndef CLI_HOST_LEFTOVERS_H
#define CLI_HOST_LEFTOVERS_H

#include "cli/common/cli.h"

/* Removes those of the journal `path`, or (`pattern`) of all journals whose names match it, and reports each. Removed
 * are regular files of the caller that have the mode of a journal, are not locked by a process, and contain the
 * beginning of a journal or nothing. A whole journal stays if there is no file `path`: somebody may have copied it.
 * Nothing is lost: a session writes a register only when the journal with its values has its final name. */
void leftovers_remove(struct cli *cli, const char *path, bool pattern);

#endif
