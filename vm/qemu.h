/* SPDX-License-Identifier: MIT */
/* One QEMU process: its command line and the sockets between it and pmon. */
#ifndef VM_QEMU_H
#define VM_QEMU_H

#include <sys/types.h>
#include <pmon/hardware.h>
#include "vm/bus.h"
#include "vm/file.h"
#include "vm/firmware.h"
#include "vm/slots.h"
#include "vm/snapshot.h"

/* Sockets between pmon and QEMU: gdb, serial lines, monitor, ports (MSRs, memory of each of the guest's sockets), then
 * the functions in the bus's order and the devices in slots. */
enum {
  QEMU_SERIALS = 3,
  QEMU_PORTS = 1 + KIND_SOCKETS,
  QEMU_GDB = 0,
  QEMU_SERIAL = 1,
  QEMU_MONITOR = QEMU_SERIAL + QEMU_SERIALS,
  QEMU_PORT,
  QEMU_FUNCTION = QEMU_PORT + QEMU_PORTS,
  QEMU_ENDS = QEMU_FUNCTION + BUS_FUNCTIONS + SLOTS_MOST
};

/* The kernel's parameters for every guest. */
extern const char qemu_kernel_line[];

/* The guest's memory, divided evenly among its sockets: the first one has the addresses from 0 on. */
enum { QEMU_MEMORY_MB = 1024 };

/* Use of the snapshot after the guest's boot. QEMU_BOOTS: there is none. QEMU_SAVES: it is saved, of a guest without
 * the uncore's functions, so that it fits any machine of this kind. QEMU_LOADS: it, or a later snapshot, is loaded. */
enum qemu_snapshot { QEMU_BOOTS, QEMU_SAVES, QEMU_LOADS };

struct qemu_options {
  const char *program; /* searched in PATH */
  const char *kernel;
  int image;                       /* the kernel's unpacked image, owned by the caller; -1: the bzImage `kernel` */
  int initrd;                      /* archive, owned by the caller; QEMU_LOADS: the other files (initramfs.h) */
  const struct bus *bus;           /* for its functions and sockets, and the guest to follow */
  const struct slots *slots;       /* devices behind I/O stacks */
  const struct firmware *firmware; /* the firmware's tables of memory */
  const struct pmon_cpu
      *cpu;                /* whose vendor, family, model and stepping CPUID reports; NULL: those of the bus's kind */
  const char *plugin;      /* QEMU's plugin that follows the guest */
  uint64_t instruction_ns; /* as in struct vm_options */
  unsigned gdb_port;       /* as in struct vm_options; only with msr_port */
  bool msr_port;           /* MSRs come through a port, and there is no gdb */
  int shared;              /* descriptor of struct shared; -1: none */
  enum qemu_snapshot snapshot;
  const struct snapshot *kept; /* its files, unless QEMU_BOOTS */
  bool counters;               /* CPUID reports the processor's counters (machine/common/counters.h) */
};

struct qemu {
  pid_t pid;          /* -1: not started */
  int end[QEMU_ENDS]; /* pmon's ends; -1: closed or never opened */
  unsigned n;         /* number of ends */
};

/* Returns the bytes of memory of each socket. */
uint64_t qemu_memory(const struct bus *bus);

/* Features of a QEMU that pmon needs. */
struct qemu_features {
  bool proxy, express, ports, counters, shared, pages;
};

/* Probes a QEMU: qemu_probe_begin() makes it list its devices, which takes 30 ms, while pmon does other work;
 * qemu_probe_end() returns the features that it listed. PMON_OK; PMON_E_NO_DEVICE: it cannot be run; with the reason in
 * error. */
void qemu_probe_begin(const char *program, struct file_program *ret_begun);
int qemu_probe_end(const char *program, struct file_program *begun, char *error, size_t error_size,
                   struct qemu_features *ret);

/* Starts QEMU. With gdb, the guest is stopped before its first instruction. PMON_OK; PMON_E_IO with the reason in
 * error: nothing has to be closed. */
int qemu_start(struct qemu *q, const struct qemu_options *o, char *error, size_t error_size);
/* True if QEMU has exited by itself; waits for it if it is about to exit. */
bool qemu_is_gone(const struct qemu *q);
/* Waits for QEMU to exit, or with `end` ends it, and closes all sockets. Returns its exit code, or 128 plus the signal.
 */
int qemu_stop(struct qemu *q, bool end);

#endif
