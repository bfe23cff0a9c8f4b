/* SPDX-License-Identifier: MIT */
/*
 * pmon's end of the devices that vm/qemu/pmon.patch adds to QEMU: MSRs that its processor does not have, and memory at
 * fixed addresses. Each access is a message that waits for an answer of the same form. Accesses to functions arrive by
 * another protocol (proxy.h), but are recorded as such messages (record.h).
 */
#ifndef VM_PORT_H
#define VM_PORT_H

#include <stddef.h>
#include <stdint.h>
#include "vm/bus.h"

/* QEMU's devices send the kinds up to PORT_MEMORY_WRITE. */
enum port_kind {
  PORT_MSR_READ = 1,
  PORT_MSR_WRITE,
  PORT_MEMORY_READ,
  PORT_MEMORY_WRITE,
  PORT_CONFIG_READ,
  PORT_CONFIG_WRITE,
  PORT_BAR_READ,
  PORT_KINDS
};
enum port_answer { PORT_DONE, PORT_NOT_THERE, PORT_FAULT };

struct port_message {      /* in the host's order */
  uint32_t kind, size;     /* size: bytes of an access other than to an MSR: 1, 2, 4 or 8 */
  uint64_t address, value; /* an MSR's number, a physical address, or an offset; the value written or read */
  uint32_t processor;      /* for functions: which one, as in struct bus */
  uint32_t answer;
};

/* Executes a message of any kind: sets the answer and the value read. */
void port_carry_out(struct bus *bus, struct port_message *m);
/* True if the message is an MSR access. */
bool port_is_msr(const struct port_message *m);

/* Reads one message of QEMU's devices from `fd`, which must have one. PMON_OK; PMON_E_NO_DEVICE: the other side closed;
 * PMON_E_IO with the reason in error. */
int port_receive(int fd, struct port_message *ret, char *error, size_t error_size);
/* Sends the answer: the message after its execution. PMON_OK, PMON_E_NO_DEVICE. */
int port_reply(int fd, const struct port_message *m);

#endif
