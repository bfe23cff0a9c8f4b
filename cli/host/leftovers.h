/* SPDX-License-Identifier: MIT */
/* Files left by a session that was killed while it created its journal: JOURNAL.new-XXXXXX. */
#ifndef CLI_HOST_LEFTOVERS_H
#define CLI_HOST_LEFTOVERS_H

#include "cli/common/cli.h"

/* Removes the leftover files of the journal `path`, or, with `pattern`, of all journals whose names match it, and
 * reports each. Only regular files are removed that belong to the caller, have the mode of a journal, are not locked by
 * a process, and contain the beginning of a journal or nothing. A complete journal is kept if there is no file `path`:
 * it may be a copy made by a user. No values are lost: a session writes a register only when the journal with its
 * values has its final name. */
void leftovers_remove(struct cli *cli, const char *path, bool pattern);

#endif
