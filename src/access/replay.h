/* SPDX-License-Identifier: MIT */
/* What a replay knows beside the accesses: the notes of regions, which stand between them. */
#ifndef PMON_ACCESS_REPLAY_H
#define PMON_ACCESS_REPLAY_H

#include <pmon/access.h>

/* The text of the note `# region TEXT` that stands between the last access or wait and the next one; the last of
 * several. NULL: there is none, or it was taken before. It is the backend's own and valid until the next call. */
const char *replay_take_region(struct pmon_backend *replay);

#endif
