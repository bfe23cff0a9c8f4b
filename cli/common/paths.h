/* SPDX-License-Identifier: MIT */
/* Files that options name: checks before work begins that takes minutes, and opening. */
#ifndef CLI_COMMON_PATHS_H
#define CLI_COMMON_PATHS_H

#include "cli/common/cli.h"

/* Check that the file can be read, or written: for an existing file itself, for another one its folder. path NULL: the
 * option was not given. CLI_DONE, or CLI_USAGE after a message with the option. */
int path_check_read(struct cli *cli, const char *option, const char *path);
int path_check_write(struct cli *cli, const char *option, const char *path);
/* Opens the file for writing, emptied. A FIFO without a reader: reports that, and waits for one; a signal ends the
 * wait, with EINTR if it has a handler. Returns the descriptor; -1: errno has the reason. */
int path_open_write(const struct cli *cli, const char *path);
/* Locks the folder for this process until it ends, by a file `.pmon-lock` in it, which remains: of two runs that write
 * the same files there, each would take the other's for its own. A file system without locks is accepted. CLI_DONE, or
 * CLI_USAGE after a message with the option. */
int path_lock_folder(struct cli *cli, const char *option, const char *path);

#endif
