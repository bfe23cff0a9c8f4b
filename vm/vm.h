/* SPDX-License-Identifier: MIT */
/*
 * An unmodified Linux on the emulated machine: QEMU emulates the processor, the machine answers for the uncore's
 * registers (docs/vm.md).
 */
#ifndef VM_VM_H
#define VM_VM_H

#include <stddef.h>
#include <stdint.h>
#include <pmon/hardware.h>
#include "machine/machine.h"
#include "vm/bus.h"

/* The kernel's messages; the command's two outputs; the report of the guest's state at a time-out. */
enum vm_stream { VM_CONSOLE, VM_OUTPUT, VM_ERRORS, VM_REPORT, VM_STREAMS };

struct vm_options {
  struct machine *machine;             /* one of `kind`; its first sockets are the guest's */
  const struct machine_config *config; /* of the machine; NULL: the firmware has no tables of it */
  const struct guest_kind *kind;
  struct pmon_backend *backend; /* of that machine, with any wrappers */
  struct guest_shape shape;     /* running 0: as many processors as the kernel needs */
  const struct pmon_cpu *cpu;   /* what the guest's CPUID reports; NULL: the kind's processor */
  const char *qemu;             /* NULL: qemu-system-x86_64 */
  const char *kernel, *initrd;  /* NULL: Debian's, and one made here; with an initrd there is no command */
  const char *module;           /* the uncore driver, in place of the kernel's; NULL: the kernel's */
  const char *snapshot;         /* file of the guest's snapshot after its boot, made if it does not exist; NULL: none */
  const char *cache;            /* folder for downloads */
  const char *const *argv;      /* the command, NULL at the end */
  const char *const *programs;  /* programs of this host to add to the guest; NULL: none */
  const struct pmon_device *devices; /* behind I/O stacks, for the guest to show; each at its address */
  uint32_t n_devices;
  unsigned root_port;      /* as in struct slots_options */
  unsigned timeout_s;      /* time limit after which the guest is ended */
  uint64_t access_ns;      /* simulated time that each register access takes */
  uint64_t instruction_ns; /* the guest's clock per instruction, a power of two; 0: not by instructions */
  unsigned gdb_port;       /* TCP port at which a debugger can attach to the guest; 0: none */
  bool lenient;            /* no MSR access faults: vm/bus.h */
  struct guest *guest;     /* the machine's workload, fed by the guest's own accesses; NULL: none */
  struct callers *callers; /* records which functions make the accesses, if QEMU can show it; NULL: no names */
  bool symbols_given;      /* callers have names from a file: a QEMU that does not show accesses is an error */
  const char *plugin;      /* for `guest`: QEMU's plugin that follows its accesses (machine/trace/launcher.h) */
  void (*output)(void *user, enum vm_stream stream, const char *bytes, size_t n);
  void *user;
};

/* Why a guest did not run to its end. VM_PANICKED: it stopped before its command ended. */
enum vm_end { VM_ENDED, VM_TIMED_OUT, VM_PANICKED };

struct vm_result {
  enum vm_end end;          /* VM_ENDED also if the guest never started */
  int exit_code;            /* of the command; with an initrd 0 */
  uint64_t stops, answered; /* MSR accesses that stopped the guest; those that the machine answered */
  uint64_t reads, writes;   /* of the machine's registers */
  uint64_t overflows;       /* interrupts of overflows that the machine's uncore sent */
  bool shared;              /* QEMU sends them to the guest, and shows the code that makes accesses */
  char kernel[512];         /* the kernel's path; "": none was found */
  char release[96];         /* of the kernel */
};

/* Boots, runs the command, and waits for the end. PMON_OK; PMON_E_NO_DEVICE: QEMU (one that can show that kind of
 * machine), the kernel or busybox is not available; PMON_E_INVALID: a file for the guest is missing; other statuses
 * when the guest failed; with the reason in error. */
int vm_run(const struct vm_options *o, char *error, size_t error_size, struct vm_result *ret);

#endif
