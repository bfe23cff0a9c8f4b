/* SPDX-License-Identifier: MIT */
/* Notes of regions in a log, which stand between the accesses. */
#ifndef PMON_ACCESS_REPLAY_H
#define PMON_ACCESS_REPLAY_H

#include <pmon/access.h>

/* Returns the text of the note `# region TEXT` between the last access or wait and the next one; the last of several.
 * NULL: there is none, or it was taken before. It belongs to the backend and is valid until the next call. */
const char *replay_take_region(struct pmon_backend *replay);

#endif
