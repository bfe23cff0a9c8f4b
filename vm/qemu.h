/* SPDX-License-Identifier: MIT */
/* One QEMU: its command line, its process, and the sockets between it and us. */
#ifndef VM_QEMU_H
#define VM_QEMU_H

#include <sys/types.h>
#include "vm/bus.h"

/* Sockets between us and it: gdb, serial lines, ports (MSRs, memory of each of the guest's sockets), then the functions
 * in the bus's order. */
enum {
  QEMU_SERIALS = 3,
  QEMU_PORTS = 1 + KIND_SOCKETS,
  QEMU_GDB = 0,
  QEMU_SERIAL = 1,
  QEMU_PORT = QEMU_SERIAL + QEMU_SERIALS,
  QEMU_FUNCTION = QEMU_PORT + QEMU_PORTS,
  QEMU_ENDS = QEMU_FUNCTION + BUS_FUNCTIONS
};

/* Of the guest, shared evenly by its sockets: addresses from 0 on are the first one's. */
enum { QEMU_MEMORY_MB = 1024 };

struct qemu_options {
  const char *program; /* searched in PATH */
  const char *kernel;
  int initrd;              /* of an archive; stays the caller's */
  const struct bus *bus;   /* for its functions and sockets, and the guest that is to be followed */
  const char *plugin;      /* that follows it */
  uint64_t instruction_ns; /* as in struct vm_options */
  bool msr_port;           /* MSRs come through a port, and there is no gdb */
  bool counters;           /* CPUID tells of the processor's own counters (vm/counters.h) */
};

struct qemu {
  pid_t pid;
  int end[QEMU_ENDS]; /* ours; -1: closed, or there never was one */
  unsigned n;         /* of ends */
};

/* What a QEMU has of what is needed here. */
struct qemu_features {
  bool proxy, express, ports, counters;
};

/* Asks it. PMON_OK; PMON_E_NO_DEVICE: it cannot be run; with the reason in error. */
int qemu_probe(const char *program, char *error, size_t error_size, struct qemu_features *ret);

/* Starts it; where gdb is there to let it go, with the guest standing still before its first instruction. PMON_OK;
 * PMON_E_IO with the reason in error, and nothing is to be closed. */
int qemu_start(struct qemu *q, const struct qemu_options *o, char *error, size_t error_size);
/* Whether it has ended by itself. */
bool qemu_is_gone(const struct qemu *q);
/* Waits for its end, or with `end` makes it end, and closes all. Its exit code; 128 and the signal that ended it. */
int qemu_stop(struct qemu *q, bool end);

#endif
