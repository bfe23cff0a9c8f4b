/* SPDX-License-Identifier: MIT */
/* Devices: I/O stacks and the devices behind them, CXL links, address translation, the UBox. */
#ifndef MACHINE_EMR_DEVICES_H
#define MACHINE_EMR_DEVICES_H

#include "machine/emr/coherence.h"

/* iio.c: iio_begin(): a device's access to `byte` leaves its port; returns when its address is translated. iio_end():
 * the access has been answered; returns its completion time. See device_begin and device_end in state.h. */
fs_t iio_begin(struct traffic *t, const struct dma *d, uint64_t byte, fs_t at);
fs_t iio_end(struct traffic *t, const struct device_access *access);
/* Counts `dwords` words of data of a write or a completion that pass a port, in the port's free-running counter
 * (IIO_FREERUNNING_BW_* + port). */
void iio_bandwidth(struct traffic *t, struct iio *iio, unsigned counter, uint32_t dwords, fs_t at);
/* stack_ingress(): reports a message in the ingress of a stack's mesh stop (`kind`: bit of Table RxC_INSERTS) until the
 * stack accepts it at `to`. stack_credit(): takes a credit for `busy` - `at`; returns when the credit is free again. */
void stack_ingress(struct iio *iio, unsigned kind, fs_t from, fs_t to);
fs_t stack_credit(struct iio *iio, unsigned class, fs_t at, fs_t busy);
/* Sends a non-coherent message from one stack, link or CHA to another; returns its arrival. */
struct io_way {
  struct socket *from, *to;
  unsigned from_tile, to_tile;
  uint64_t line;
  bool posted;
};
fs_t io_send(struct traffic *t, const struct io_way *w, fs_t at);

/* stack_ack.c: stack_acknowledge() reports an acknowledgement of a kind (Table 2-365) on the AK ring, from a stack to a
 * tile of its socket. stack_answer() reports the response to a message from a link, and the message's credit, to the
 * link's tile. */
enum { STACK_CREDIT = 0x01, STACK_RESPONSE = 0x02, STACK_GRANT = 0x04, STACK_CXL = 0x08, STACK_CXL_MEMORY = 0x20 };
struct stack_ack {
  struct socket *s;
  const struct iio *iio;
  unsigned kind, to;
  uint64_t line;
};
void stack_acknowledge(const struct traffic *t, const struct stack_ack *a, fs_t at);
void stack_answer(const struct traffic *t, const struct stack_ack *a, fs_t at);

/* peer.c: device to device, and interrupts; mmio.c: a core's access to a device. Each returns when the access has been
 * answered. */
fs_t peer_move(struct traffic *t, struct dma *d, fs_t at);
fs_t message_move(struct traffic *t, struct dma *d, fs_t at);
fs_t outbound_move(struct traffic *t, struct dma *d, fs_t at);
/* Keeps a ring port's message in the egress queue of its class from `from` to `to`. */
void egress_keep(struct iio *iio, unsigned class, fs_t from, fs_t to);

/* cxl.c: cxl_fetch() reads for a CHA, cxl_store() writes for a CHA a line of host memory that lies on a CXL device
 * (`device`: number from 1, as address_device() returns it). cxl_fetch() returns when and where the data leave the
 * device's stack. */
struct fetched {
  fs_t left;
  unsigned tile;
};
struct fetched cxl_fetch(struct traffic *t, struct socket *s, unsigned device, unsigned from_tile, fs_t at);
void cxl_store(struct traffic *t, struct socket *s, unsigned device, unsigned from_tile, fs_t at);
fs_t cxl_memory_move(struct traffic *t, struct dma *d, fs_t at);
fs_t cxl_cache_move(struct traffic *t, struct dma *d, fs_t at);
void cxl_fini(struct socket *s);

/* iommu.c: iommu_translate() returns when a device's address is translated; iommu_unmap() invalidates its page;
 * iommu_interrupt() returns when an interrupt's destination is found. */
fs_t iommu_translate(struct traffic *t, const struct dma *d, uint64_t byte, fs_t at);
void iommu_unmap(struct traffic *t, const struct dma *d, uint64_t byte, fs_t at);
fs_t iommu_interrupt(struct traffic *t, const struct dma *d, fs_t at);
void iommu_fini(struct iio *iio);

/* write_cache.c: write_cache_snoop() reports a CHA's request for a line that an I/O ring port may own,
 * write_cache_access() a device's request at its port. */
struct device_use {
  uint64_t line;
  bool write, atomic;
  fs_t at, done;
};
void write_cache_snoop(const struct traffic *t, struct socket *s, const struct request *r, fs_t at);
void write_cache_access(const struct traffic *t, struct socket *s, struct iio *iio, const struct device_use *u);
bool write_caches_observed(const struct traffic *t, const struct socket *s);

/* ubox.c: a message (`kind`: bit of Table EVENT_MSG) reaches the UBox; returns when the UBox has processed it. */
fs_t ubox_message(struct traffic *t, struct socket *s, unsigned kind, fs_t at);
fs_t system_move(struct traffic *t, struct dma *d, fs_t at);
void ubox_advance(struct traffic *t, struct socket *s, fs_t until);

#endif
