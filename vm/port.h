/* SPDX-License-Identifier: MIT */
/*
 * The far end of the devices that vm/qemu/pmon.patch adds to QEMU: MSRs that its processor does not have, and memory at
 * fixed addresses. Each access is a message that waits for one of the same form.
 */
#ifndef VM_PORT_H
#define VM_PORT_H

#include <stddef.h>
#include <stdint.h>
#include "vm/bus.h"

enum port_kind { PORT_MSR_READ = 1, PORT_MSR_WRITE, PORT_MEMORY_READ, PORT_MEMORY_WRITE };
enum port_answer { PORT_DONE, PORT_NOT_THERE, PORT_FAULT };

struct port_message {      /* in the host's order */
  uint32_t kind, size;     /* size: bytes of a memory access: 1, 2, 4 or 8 */
  uint64_t address, value; /* an MSR's number, or a physical address; what is written, or was read */
  uint32_t processor, answer;
};

/* Reads one message from `fd`, which must have one, and answers it. PMON_OK; PMON_E_NO_DEVICE: the other side closed;
 * PMON_E_IO with the reason in error. msr: an MSR access; ours: the machine has the register. */
struct port_served {
  bool msr, ours;
};
int port_serve(int fd, struct bus *bus, char *error, size_t error_size, struct port_served *ret);

#endif
