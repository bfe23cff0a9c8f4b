/* SPDX-License-Identifier: MIT */
/* Metric groups of a platform, and those of their metrics that a recording has the events for. */
#ifndef CLI_COMMON_GROUPS_H
#define CLI_COMMON_GROUPS_H

#include <pmon/record.h>
#include "cli/common/cli.h"

/* Makes the list of `metrics` (NULL: none), followed by those metrics of the groups that can be computed from the
 * recording's events. The caller frees *ret_list; NULL: neither list was given. CLI_DONE, or an exit code after
 * printing an error: an unknown group, or no metric of any group. */
int groups_recorded(const struct cli *cli, struct pmon_recording *recording, const char *groups, const char *metrics,
                    char **ret_list);

/* Whether the platform has metrics in a group. */
bool groups_has(const struct cli *cli, const char *name);

#endif
