/* SPDX-License-Identifier: MIT */
/* Streams of devices' accesses. */
#ifndef MACHINE_COMMON_DEVICES_H
#define MACHINE_COMMON_DEVICES_H

#include "machine/common/state.h"

/* All devices' accesses until then. */
void devices_run(struct traffic *t, fs_t until);

#endif
