/* SPDX-License-Identifier: MIT */
/* The options of `pmon stat`, in the groups of the help. */
#ifndef CLI_STAT_OPTIONS_H
#define CLI_STAT_OPTIONS_H

#include "cli/common/cli.h"

struct stat_run;

extern const struct cli_option stat_what_options[], stat_output_options[], stat_method_options[], stat_file_options[];

/* Reads them all. 0 to continue; 1: *ret_exit is the result. */
int stat_read_options(struct stat_run *s, int argc, char **argv, int *ret_exit);

#endif
