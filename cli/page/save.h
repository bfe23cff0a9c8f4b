/* SPDX-License-Identifier: MIT */
/* Files that are either complete or absent. */
#ifndef CLI_PAGE_SAVE_H
#define CLI_PAGE_SAVE_H

#include <stdio.h>
#include "cli/common/cli.h"

/* Whether both names are of the same existing file. */
bool page_is_same_file(const char *a, const char *b);

/* Writes a temporary file next to `path`, and renames it to `path` if `write` returns true; "-" is standard output, and
 * a path that is not a regular file (a pipe) is written directly. `write` returns false with errno set, or after
 * printing an error with errno 0. CLI_DONE, or an exit code after printing an error. */
int page_save(const struct cli *cli, const char *path, bool (*write)(FILE *to, void *user), void *user);

/* Whether page_save() could begin now: for commands that write the file long after they have been started. CLI_DONE,
 * or an exit code after printing an error. */
int page_may_save(const struct cli *cli, const char *path);

#endif
