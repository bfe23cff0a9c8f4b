/* SPDX-License-Identifier: MIT */
/* Notes of regions and of control commands in a log, which stand between the accesses. */
#ifndef PMON_ACCESS_REPLAY_H
#define PMON_ACCESS_REPLAY_H

#include <pmon/access.h>

/* Returns the text of the note `# region TEXT` or `# control TEXT` between the last access or wait and the next one;
 * the last of several. NULL: there is none, or it was taken before. It belongs to the backend and is valid until the
 * next call. */
enum replay_note { REPLAY_REGION, REPLAY_CONTROL, REPLAY_NOTES };
const char *replay_take_note(struct pmon_backend *replay, enum replay_note kind);

#endif
