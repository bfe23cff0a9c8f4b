/* SPDX-License-Identifier: MIT */
/* pmon's counterparts of other tools' options and commands (Linux perf, likwid, PCM, pfmon; pmu-tools, libpfm4), for
 * messages about those that pmon does not have. */
#ifndef CLI_COMMON_OTHER_TOOLS_H
#define CLI_COMMON_OTHER_TOOLS_H

#include <stdbool.h>
#include <stddef.h>
#include "cli/common/cli.h"

/* Returns the remedy for the option `given` ("-x", "--no-aggr", or an abbreviation, "--field-sep"), whose counterpart
 * is in `rows`; NULL: none is known. */
const char *other_tools_option(const char *given, const struct cli_option *const *rows, size_t n);

/* Returns the remedy for a word that is an option of PCM, such as -csv=FILE; NULL: it is none, or the command of the
 * rows does not measure. */
const char *other_tools_word(const char *word, const struct cli_option *const *rows, size_t n);

/* Returns the remedy for a command or program of another tool; NULL: none is known. */
const char *other_tools_command(const char *name);

/* Returns what lists the kind of events that a word of `perf list` stands for, such as metricgroup; NULL: the word is
 * none of them. */
const char *other_tools_list(const char *word);

#endif
