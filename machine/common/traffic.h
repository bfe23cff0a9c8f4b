/* SPDX-License-Identifier: MIT */
/*
 * The traffic of a server's uncore: it comes from cores' accesses (feed.h) and devices' streams, and is reported to the
 * PMON blocks. Everything happens in simulated time; the same calls give the same reports.
 */
#ifndef MACHINE_COMMON_TRAFFIC_H
#define MACHINE_COMMON_TRAFFIC_H

#include <stdbool.h>
#include "machine/common/config.h"
#include "machine/common/feed.h"

struct uncore; /* machine/common/state.h */
/* Builds the machine that `config` describes, at time 0, which reports to the blocks of `m`. machine_config_check() has
 * accepted `config`; `uncore` belongs to its processor model. PMON_E_MEMORY. */
int traffic_new(const struct machine_config *config, const struct uncore *uncore, struct machine *m,
                struct traffic **ret_traffic);
void traffic_free(struct traffic *t);

/* Call this after registers may have been written and before the traffic advances: it determines which events
 * counters observe. */
void traffic_listen(struct traffic *t);
/* Simulates everything that needs no core up to `until_fs`: devices' streams, refreshes, rows closed for idleness, link
 * cycles without a flit. Call this before counters are read, stopped or started. */
void traffic_advance(struct traffic *t, fs_t until_fs);
/* Returns the next time after `after` at which a condition begins or ends: all threads must reach it before any of them
 * goes on. UINT64_MAX: there is none. */
fs_t traffic_next_change(const struct traffic *t, fs_t after);
/* As traffic_advance() to the latest time of any core, and empties the write queues; returns the time reached. */
fs_t traffic_drain(struct traffic *t);
/* Returns the latest time that any core or device has reached. */
fs_t traffic_now(const struct traffic *t);
unsigned traffic_cores(const struct traffic *t);

/* An external condition of a socket, or of a part of it (`instance`; below 0: all of a kind), from `from` to
 * `until`. */
enum traffic_condition_kind {
  CONDITION_NONE,
  CONDITION_THERMAL,
  CONDITION_POWER,
  CONDITION_CURRENT,
  CONDITION_PROCHOT,
  CONDITION_PROCHOT_OUTSIDE,
  CONDITION_VR_HOT, /* limits of the cores' frequency */
  CONDITION_THROTTLE,
  CONDITION_CRITICAL, /* a memory channel's ranks held back, or all of it */
  CONDITION_ECC,
  CONDITION_DAMAGE,     /* `count` reads of a channel, or messages of a link, with an error */
  CONDITION_CXL_DAMAGE, /* the same for a CXL device's link */
  CONDITION_DEVICE      /* a device is active (no report needed) */
};
struct traffic_condition {
  enum traffic_condition_kind kind;
  unsigned socket;
  int instance;
  uint32_t ranks; /* CONDITION_THROTTLE: a bit each */
  uint64_t count;
  fs_t from, until;
};
/* PMON_E_UNSUPPORTED: the platform has no such condition, or not this instance; PMON_E_MEMORY. */
int traffic_condition_add(struct traffic *t, const struct traffic_condition *condition);

/* What a device's stream does. For DEVICE_CORE and DEVICE_CXL_MEMORY, a core of socket `node` makes the accesses: it
 * reads or writes the device's registers, or its memory, that of an accelerator if `port` is not 0. `stack` is the
 * number of a CXL device. */
enum device_action {
  DEVICE_MEMORY,
  DEVICE_ATOMIC,
  DEVICE_MESSAGE,
  DEVICE_PEER,
  DEVICE_CORE,
  DEVICE_CXL_MEMORY,
  DEVICE_CXL_CACHE,
  DEVICE_SYSTEM,
  DEVICE_FLUSH /* all caches write lines back and drop them */
};

/* Messages to the UBox of `node`, one for every 64 bytes of the rate. DEVICE_MESSAGE sends a device's interrupts,
 * DEVICE_SYSTEM the others, from the cores of `socket` in round-robin order (legacy wires: from the chip set behind its
 * stack). */
enum system_message {
  SYSTEM_MSI,
  SYSTEM_WIRE,
  SYSTEM_IPI,
  SYSTEM_DOORBELL,
  SYSTEM_PRIORITY,
  SYSTEM_LOCK,
  SYSTEM_REGISTER, /* these three: of Emerald Rapids only */
  SYSTEM_RDRAND,
  SYSTEM_RDSEED,
  SYSTEM_MESSAGES
};

/* A device's side of its PCI Express link (pcie.h): generation, lanes, bytes of a packet's data and of a read's
 * request, outstanding packets of writes, outstanding reads; 0: as the port, or the machine's parameter. */
struct pcie_shape {
  unsigned generation, lanes, payload, request, credits, tags;
};

/* A stream of a device behind port 0-7 of a stack: it reads or writes memory of a node, from the first byte to the last
 * and again, or another device. */
struct dma_stream {
  unsigned socket, stack, port, node;
  bool write, partial; /* partial: writes that do not fill a line */
  uint64_t bytes_per_second, span_bytes;
  unsigned access_bytes; /* DEVICE_CORE: of one access, a power of two up to 64; 0: reads of 8, writes of a line */
  uint64_t first_page;   /* number of the virtual page where its memory begins; 0: a buffer of its own */
  fs_t from, until;
  enum device_action action;
  enum system_message message;
  unsigned peer_socket, peer_stack, peer_port; /* DEVICE_PEER */
  struct pcie_shape link;
};
/* What a stream's rate has requested so far, and what its link has moved; 0 for a stream that does not access
 * memory. */
struct stream_totals {
  const struct dma_stream *stream;
  struct pcie_shape link;
  uint64_t asked_bytes, moved_bytes;
  double seconds, moving_seconds; /* time in which it requested; until its last line was over the link's wires */
  double most;                    /* bytes of its lines that these wires carry in a second */
};
void traffic_stream(const struct traffic *t, unsigned i, struct stream_totals *ret_totals);
unsigned traffic_streams(const struct traffic *t);
/* True if the platform's devices support the action. */
bool traffic_does(const struct traffic *t, enum device_action action);
/* The part of a stream's place that the machine lacks: `what` is the name of a scenario's option, `number` its value;
 * the machine has fewer than limit. what is "" if the platform's devices do not support the action, NULL if the machine
 * has all. */
struct stream_lack {
  const char *what;
  unsigned number, limit;
};
struct stream_lack traffic_stream_lack(const struct traffic *t, const struct dma_stream *stream);
/* PMON_E_INVALID: traffic_stream_lack(), or no rate or size; PMON_E_CONFLICT: an earlier stream of its port has another
 * link; PMON_E_MEMORY. */
int traffic_dma_start(struct traffic *t, const struct dma_stream *stream);

#endif
