/* SPDX-License-Identifier: MIT */
/* The privileged helper pmon-access, for a caller who may not open the registers himself. */
#ifndef CLI_TARGET_HELPER_H
#define CLI_TARGET_HELPER_H

#include <pmon/hardware.h>

/* Opens the host's registers; if that is not permitted and the helper is installed and may be executed, through it.
 * Statuses as pmon_backend_direct_open(). `tree`: the system is a tree of files, for which there is no helper. */
int helper_open(const struct pmon_system *system, bool tree, struct pmon_reason *reason,
                struct pmon_backend **ret_backend);

#endif
