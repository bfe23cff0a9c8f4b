/* SPDX-License-Identifier: MIT */
/* Files that are complete or not there. */
#ifndef CLI_PAGE_SAVE_H
#define CLI_PAGE_SAVE_H

#include <stdio.h>
#include "cli/common/cli.h"

/* Whether both names are of one file, which is there. */
bool page_is_same_file(const char *a, const char *b);

/* Writes a file beside `path` and moves it there when `write` returns true; "-" is standard output, and what is no file
 * (a pipe) is written into. `write` returns false with errno set, or after printing an error with errno 0. CLI_DONE, or
 * an exit code after printing an error. */
int page_save(const struct cli *cli, const char *path, bool (*write)(FILE *to, void *user), void *user);

#endif
