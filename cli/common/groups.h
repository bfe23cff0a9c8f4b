/* SPDX-License-Identifier: MIT */
/* Metric groups: those of a platform, and their metrics where a recording has the events of some only. */
#ifndef CLI_COMMON_GROUPS_H
#define CLI_COMMON_GROUPS_H

#include <pmon/record.h>
#include "cli/common/cli.h"

/* The list of metrics `metrics` (NULL: none), followed by those of the groups that can be computed from the recording's
 * events. *ret_list is freed by the caller; NULL: neither list was given. CLI_DONE, or an exit code after printing an
 * error: an unknown group, or no metric of any group. */
int groups_recorded(const struct cli *cli, struct pmon_recording *recording, const char *groups, const char *metrics,
                    char **ret_list);

/* Whether the platform has metrics in a group. */
bool groups_has(const struct cli *cli, const char *name);

#endif
