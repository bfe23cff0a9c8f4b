/* SPDX-License-Identifier: MIT */
/* Streams of devices' accesses. */
#ifndef MACHINE_COMMON_DEVICES_H
#define MACHINE_COMMON_DEVICES_H

#include "machine/common/state.h"

struct request;
/* The next access of a stream of DEVICE_CORE: the request of the node's first core for a register of the device. */
/* Bytes of one access of a core to a device's registers. */
unsigned devices_access_bytes(const struct dma_stream *stream);
struct request devices_register_request(const struct traffic *t, struct dma *d, fs_t at);
/* All devices' accesses until then. */
void devices_run(struct traffic *t, fs_t until);

#endif
