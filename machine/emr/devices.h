/* SPDX-License-Identifier: MIT */
/* Devices: I/O stacks and what stands behind them, CXL links, address translation, the UBox. */
#ifndef MACHINE_EMR_DEVICES_H
#define MACHINE_EMR_DEVICES_H

#include "machine/emr/coherence.h"

/* iio.c: an access of a device leaves its port; it has been answered (state.h, device_begin and device_end). */
fs_t iio_begin(struct traffic *t, const struct dma *d, uint64_t byte, fs_t at);
fs_t iio_end(struct traffic *t, const struct device_access *access);
/* `dwords` words of data of a write or a completion pass a port, for its free-running counter (IIO_FREERUNNING_BW_* and
 * the port). */
void iio_bandwidth(struct traffic *t, struct iio *iio, unsigned counter, uint32_t dwords, fs_t at);
/* What enters a stack's mesh stop (bit of Table RxC_INSERTS), until the stack has it; the credit that it holds. */
void stack_ingress(struct iio *iio, unsigned kind, fs_t from, fs_t to);
fs_t stack_credit(struct iio *iio, unsigned class, fs_t at, fs_t busy);
/* The non-coherent message from one stack, link or CHA to another; when it is there. */
struct io_way {
  struct socket *from, *to;
  unsigned from_tile, to_tile;
  uint64_t line;
  bool posted;
};
fs_t io_send(struct traffic *t, const struct io_way *w, fs_t at);

/* stack_ack.c: an acknowledgement on the AK ring, by kind (Table 2-365), from a stack to a tile of its socket; the
 * answer to what came over a link, and the credit for it, to the link's tile. */
enum { STACK_CREDIT = 0x01, STACK_RESPONSE = 0x02, STACK_GRANT = 0x04, STACK_CXL = 0x08, STACK_CXL_MEMORY = 0x20 };
struct stack_ack {
  struct socket *s;
  const struct iio *iio;
  unsigned kind, to;
  uint64_t line;
};
void stack_acknowledge(const struct traffic *t, const struct stack_ack *a, fs_t at);
void stack_answer(const struct traffic *t, const struct stack_ack *a, fs_t at);

/* peer.c: device to device, and interrupts; mmio.c: a core's access of a device. When it has been answered. */
fs_t peer_move(struct traffic *t, struct dma *d, fs_t at);
fs_t message_move(struct traffic *t, struct dma *d, fs_t at);
fs_t outbound_move(struct traffic *t, struct dma *d, fs_t at);
/* What a ring port sends is in its egress queue. */
void egress_keep(struct iio *iio, unsigned class, fs_t from, fs_t to);

/* cxl.c: a line of the host's memory that is a CXL device's (number from 1 as address_device() has it), read for a CHA
 * or written by it: when the data leave the device's stack, and where that is. */
struct fetched {
  fs_t left;
  unsigned tile;
};
struct fetched cxl_fetch(struct traffic *t, struct socket *s, unsigned device, unsigned from_tile, fs_t at);
void cxl_store(struct traffic *t, struct socket *s, unsigned device, unsigned from_tile, fs_t at);
fs_t cxl_memory_move(struct traffic *t, struct dma *d, fs_t at);
fs_t cxl_cache_move(struct traffic *t, struct dma *d, fs_t at);
void cxl_fini(struct socket *s);

/* iommu.c: when a device's address has been translated; its page forgotten; an interrupt's goal found. */
fs_t iommu_translate(struct traffic *t, const struct dma *d, uint64_t byte, fs_t at);
void iommu_unmap(struct traffic *t, const struct dma *d, uint64_t byte, fs_t at);
fs_t iommu_interrupt(struct traffic *t, const struct dma *d, fs_t at);
void iommu_fini(struct iio *iio);

/* write_cache.c: a CHA asks for a line that an I/O ring port may own; a device's request at its port. */
struct device_use {
  uint64_t line;
  bool write, atomic;
  fs_t at, done;
};
void write_cache_asked(const struct traffic *t, struct socket *s, const struct request *r, fs_t at);
void write_cache_used(const struct traffic *t, struct socket *s, struct iio *iio, const struct device_use *u);
bool write_caches_observed(const struct traffic *t, const struct socket *s);

/* ubox.c: a message (bit of Table EVENT_MSG) that reaches the UBox; when it has been dealt with. */
fs_t ubox_message(struct traffic *t, struct socket *s, unsigned kind, fs_t at);
fs_t system_move(struct traffic *t, struct dma *d, fs_t at);
void ubox_advance(struct traffic *t, struct socket *s, fs_t until);

#endif
