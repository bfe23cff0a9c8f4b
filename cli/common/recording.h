/* SPDX-License-Identifier: MIT */
/* Recordings that a command reads. */
#ifndef CLI_COMMON_RECORDING_H
#define CLI_COMMON_RECORDING_H

#include <pmon/record.h>
#include "cli/common/cli.h"

/* Opens a recording, and selects its platform unless -p did. Reports a recording that was not completed. CLI_DONE, and
 * the caller closes it with pmon_recording_close(); or an exit code after printing an error. `path` must outlive cli.
 */
int recording_open(struct cli *cli, const char *path, struct pmon_recording **ret_recording);

/* Returns the origin of the times that are shown, in seconds of the session's clock: of a recording of the machine 0,
 * the start of simulated time, so that a delay (-D) remains; of another one the begin of the first interval, which the
 * session has. */
double recording_origin(const struct pmon_recording_info *info, const struct pmon_session *first);

#endif
