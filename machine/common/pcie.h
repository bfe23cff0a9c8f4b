/* SPDX-License-Identifier: MIT */
/*
 * The PCI Express link of a port of an I/O stack: the data that a device can move in each direction, in simulated time.
 * A link has the lesser generation, width and payload of port and device (parameters pcie.*; options of a scenario's
 * line).
 *
 * Bytes on the wires (PCI Express Base Specification 5.0): 128b/130b coding, 8b/10b before generation 3 (4.2); a packet
 * has 8 bytes of framing, sequence number and LCRC (3.6, 4.2.2), and a header of 16 bytes with an address of 64 bits,
 * of 12 for a completion (2.2). The model's own choices: acknowledgements, credit updates and skips take no time; the
 * root port completes reads in order, in packets of the payload's size, and fetches at most PCIE_AHEAD_FS ahead of the
 * wires; a packet and the release of its tag or credit need PCIE_FLIGHT_FS each way.
 */
#ifndef MACHINE_COMMON_PCIE_H
#define MACHINE_COMMON_PCIE_H

#include "machine/common/state.h"

enum { PCIE_REQUEST_BYTES = 24, PCIE_COMPLETION_BYTES = 20, PCIE_ENTRIES = 1024 };
#define PCIE_FLIGHT_FS UINT64_C(150000000)
#define PCIE_AHEAD_FS UINT64_C(600000000)

/* up: from the device. up, down: times until which the wires are busy. tag: of reads, credit: of posted packets; each
 * is held until a time. */
struct pcie_link {
  unsigned socket, stack, port;
  struct pcie_shape shape;
  uint64_t fs_of_64k; /* time that 64 KB take */
  fs_t up, down, tag[PCIE_ENTRIES], credit[PCIE_ENTRIES];
  uint32_t next_tag, next_credit;
};

/* Returns the number of the link of a port (`place`: socket, stack, port), and creates the link if necessary. device
 * NULL: any link will do; otherwise its numbers are 0 or in the bounds of the machine's parameters `pcie.*`.
 * PMON_E_MEMORY; PMON_E_CONFLICT: an earlier stream of the port has another shape. */
int pcie_link_find(struct traffic *t, const unsigned place[3], const struct pcie_shape *device);
/* Send a packet of `bytes` bytes, header included, at `at` or later. Return the time at which it has arrived. */
fs_t pcie_send_up(struct traffic *t, unsigned link, uint32_t bytes, fs_t at);
fs_t pcie_send_down(struct traffic *t, unsigned link, uint32_t bytes, fs_t at);
/* Returns the bytes of the stream's lines that the link's wires carry in a second at most. */
double pcie_most(const struct traffic *t, const struct dma *d);
/* Return the bytes on the wires for one line of a stream, with its share of a header; for one line's share of a read
 * request. */
static inline uint32_t pcie_line_bytes(const struct traffic *t, unsigned link, bool completion)
{
  return 64 + (completion ? PCIE_COMPLETION_BYTES : PCIE_REQUEST_BYTES) * 64u / t->pcie[link].shape.payload;
}
static inline uint32_t pcie_asking_bytes(const struct traffic *t, unsigned link)
{
  return PCIE_REQUEST_BYTES * 64u / t->pcie[link].shape.request;
}
/* The stream's memory access at `byte` of its buffer leaves the device. Returns the time at which it is at the stack.
 * d->ready becomes the earliest time of the next access. */
fs_t pcie_request(struct traffic *t, struct dma *d, uint64_t byte);
/* The stack has answered the access at `answered`. Returns the time at which the device has the answer. */
fs_t pcie_complete(struct traffic *t, struct dma *d, uint64_t byte, fs_t answered);

#endif
