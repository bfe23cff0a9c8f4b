/* SPDX-License-Identifier: MIT */
/* Files that options name, before what takes minutes begins. */
#ifndef CLI_COMMON_PATHS_H
#define CLI_COMMON_PATHS_H

#include "cli/common/cli.h"

/* Whether the file can be read, or written: a file that is there decides by itself, for another one its folder does.
 * path NULL: the option was not given. CLI_DONE, or CLI_USAGE after a message with the option. */
int path_check_read(struct cli *cli, const char *option, const char *path);
int path_check_write(struct cli *cli, const char *option, const char *path);
/* Has the folder for this process until it ends, by a file `.pmon-lock` in it, which stays: two runs that write the
 * same files there would take each other's for their own. A file system without locks is accepted. CLI_DONE, or
 * CLI_USAGE after a message with the option. */
int path_lock_folder(struct cli *cli, const char *option, const char *path);

#endif
