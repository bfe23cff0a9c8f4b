/* SPDX-License-Identifier: MIT */
/*
 * The machine as the guest sees it: the functions of its sockets' uncore buses in configuration space, MSRs,
 * memory-mapped registers, and a doorbell with which the guest advances simulated time. Otherwise time advances only by
 * access_ns, and with a guest that feeds the machine.
 */
#ifndef VM_BUS_H
#define VM_BUS_H

#include <stdbool.h>
#include <stdint.h>
#include <pmon/access.h>
#include "machine/machine.h"
#include "machine/trace/guest.h"
#include "machine/common/counters.h"
#include "vm/callers.h"
#include "vm/kind.h"
#include "vm/proxy.h"

/* A function's number: index of the kind's bus (from 0; the second socket's buses follow) << 8 | device << 3 |
 * function. The doorbell: the first bus, device 31, function 0. A dword written to 0x40 advances time by that number of
 * nanoseconds, BUS_TO_END to the end of the workload; 0x44 reads whether it ended, 0x48 and 0x4c the nanoseconds since
 * reset. */
enum { BUS_DOORBELL = 31 << 3, BUS_STEP = 0x40, BUS_ENDED = 0x44, BUS_TIME = 0x48, BUS_FUNCTIONS = 256, BUS_LAST = 8 };
#define BUS_TO_END UINT32_MAX

/* The function whose BAR leads to a socket's discovery page. */
struct bus_bar {
  unsigned devfn;   /* UINT_MAX: this socket has none */
  uint32_t address; /* assigned by the guest */
  uint16_t command; /* the function's command register: whether the BAR is enabled */
};

/* An access to a register, at the machine's time. */
struct bus_access {
  struct pmon_address address;
  uint64_t time_ns, value;
  bool write;
};

struct bus {
  struct machine *machine;      /* for headers, and to test whether registers exist */
  struct pmon_backend *backend; /* for its registers and its time */
  const struct guest_kind *kind;
  struct guest_shape shape;
  struct guest *guest;     /* the guest whose own accesses feed the machine; NULL: none */
  uint64_t access_ns;      /* simulated time that each access takes */
  bool lenient;            /* no MSR access faults */
  struct shared *shared;   /* with QEMU; NULL: this QEMU has none */
  struct callers *callers; /* notes the code that makes each access, numbered from 1; needs `shared`; NULL: none */
  uint64_t interrupts;     /* overflow interrupts that were requested of QEMU */
  uint64_t reads, writes;  /* of registers */
  struct bus_access last[BUS_LAST]; /* a ring: access number n is at n % BUS_LAST, from 0 */
  unsigned n;
  uint16_t devfn[BUS_FUNCTIONS]; /* in ascending order; the last is the doorbell */
  struct bus_bar bar[KIND_SOCKETS];
  bool ended;
  int status; /* of the last access or wait that failed for a reason outside the guest */
  char error[256];
};

/* Finds the functions that the machine has on the buses of `kind`, for the sockets of `shape`. If a device has
 * functions but no function 0, an inactive function 0 is added: Linux does not scan the device without it. */
void bus_init(struct bus *b, struct machine *m, struct pmon_backend *backend, const struct guest_kind *kind,
              const struct guest_shape *shape);
/* Returns the guest's number of a function's bus. */
unsigned bus_system_number(const struct bus *b, unsigned devfn);
/* With a guest that feeds the machine: processes its accesses up to `until_fs`; UINT64_MAX: all of them. *ret_more:
 * there may be more. Register accesses call this themselves. PMON_OK, or a status as in `status`. */
int bus_follow(struct bus *b, uint64_t until_fs, bool *ret_more);
/* A callback for machine_listen(), `user` is the bus: sends the interrupt to the first processor of the socket. */
void bus_interrupt(void *user, const struct machine_pmi *pmi);
/* Callbacks for proxy_serve(); `user` is the bus. */
uint32_t bus_config_read(void *user, unsigned devfn, unsigned offset, unsigned size);
void bus_config_write(void *user, unsigned devfn, unsigned offset, unsigned size, uint32_t value);
uint64_t bus_bar_read(void *user, unsigned devfn, uint64_t address, unsigned size);
/* Access physical addresses in the kind's areas, which determine the socket. Return false if the machine has no
 * register there. */
bool bus_memory_read(struct bus *b, uint64_t address, unsigned size, uint64_t *ret_value);
bool bus_memory_write(struct bus *b, uint64_t address, unsigned size, uint64_t value);
/* `processor` is QEMU's number of the processor that accesses the MSR; it determines the socket and the core to which
 * its counters belong. BUS_ELSEWHERE: neither the machine nor its cores (counters.h) have this MSR, but a processor has
 * it besides them (msr_names.h), so QEMU's processor handles it. BUS_FAULT: the processor raises #GP, because it has no
 * such MSR, or because the value sets reserved bits. */
enum bus_answer { BUS_DONE, BUS_ELSEWHERE, BUS_FAULT };
enum bus_answer bus_msr_read(struct bus *b, unsigned processor, uint32_t msr, uint64_t *ret_value);
enum bus_answer bus_msr_write(struct bus *b, unsigned processor, uint32_t msr, uint64_t value);

#endif
