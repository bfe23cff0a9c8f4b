/* SPDX-License-Identifier: MIT */
/* Checks of files that options name, before work begins that takes minutes. */
#ifndef CLI_COMMON_PATHS_H
#define CLI_COMMON_PATHS_H

#include "cli/common/cli.h"

/* Check that the file can be read, or written: for an existing file itself, for another one its folder. path NULL: the
 * option was not given. CLI_DONE, or CLI_USAGE after a message with the option. */
int path_check_read(struct cli *cli, const char *option, const char *path);
int path_check_write(struct cli *cli, const char *option, const char *path);
/* Locks the folder for this process until it ends, by a file `.pmon-lock` in it, which remains: of two runs that write
 * the same files there, each would take the other's for its own. A file system without locks is accepted. CLI_DONE, or
 * CLI_USAGE after a message with the option. */
int path_lock_folder(struct cli *cli, const char *option, const char *path);

#endif
