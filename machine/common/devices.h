/* SPDX-License-Identifier: MIT */
/* Streams of devices' accesses. */
#ifndef MACHINE_COMMON_DEVICES_H
#define MACHINE_COMMON_DEVICES_H

#include "machine/common/state.h"

struct request;
/* Returns the bytes of one access of a core to a device's registers. */
unsigned devices_access_bytes(const struct dma_stream *stream);
/* Returns the next access of a stream of DEVICE_CORE: a request by the first core of socket `node` for a register of
 * the device. */
struct request devices_register_request(const struct traffic *t, struct dma *d, fs_t at);
/* Performs all accesses of devices that are due before `until`. */
void devices_run(struct traffic *t, fs_t until);

#endif
