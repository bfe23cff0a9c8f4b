/* SPDX-License-Identifier: MIT */
/* A guest that runs: what vm.c prepares and serve.c serves. */
#ifndef VM_SERVE_H
#define VM_SERVE_H

#include <stdbool.h>
#include <stddef.h>
#include "vm/bus.h"
#include "vm/gdb.h"
#include "vm/initramfs.h"
#include "vm/kernel.h"
#include "vm/monitor.h"
#include "vm/msr.h"
#include "vm/qemu.h"
#include "vm/snapshot.h"
#include "vm/vm.h"
#include "vm/where.h"

enum vm_stage { VM_STARTING, VM_BOOTING, VM_ARMING, VM_ARMED, VM_SAVING };
enum { VM_LINE_BYTES = 1024 };

struct vm {
  const struct vm_options *o;
  struct vm_result *result;
  struct kernel kernel;
  struct msr_sites sites;
  struct bus bus;
  struct slots slots;
  struct qemu qemu;
  enum qemu_snapshot snapshot;
  struct snapshot kept;   /* the guest's state */
  bool saved;             /* it is all there */
  struct initramfs files; /* what the guest boots from, or gets when it goes on */
  struct monitor monitor;
  struct gdb gdb;
  enum vm_stage stage;
  const char *program;      /* QEMU */
  bool msr_port;            /* it forwards MSR accesses itself */
  bool counters;            /* its CPUID can report counters */
  bool has_shared;          /* it has pmon-shared */
  bool ended;               /* init reported the exit code */
  bool behind;              /* the guest has accesses that the machine has not processed */
  char line[VM_LINE_BYTES]; /* of the console: received and not forwarded yet */
  size_t line_n;
  struct where where;
  struct shared shared; /* with QEMU; not open: this QEMU has none */
  bool asked, listed;   /* for its processes, at the time limit; it has answered */
  bool cut;             /* the beginning of the line was forwarded already */
  char *error;
  size_t error_size;
};

/* Fills the text of the error and returns `status`. */
int vm_fail(struct vm *v, int status, const char *why);
/* Of this guest's archive. */
struct initramfs_options vm_files(const struct vm *v);
/* A run of QEMU with this file system to its end, and its exit code. A status with the text, also of the guest's. */
int vm_run_qemu(struct vm *v, int initrd, int *ret_code);
/* What the end of QEMU means; as vm_run(). */
int vm_judge(struct vm *v, int code);
/* Serves QEMU's messages until it ends. PMON_OK; PMON_E_IO, PMON_E_STATE (time limit) and others, with the text. */
int vm_serve(struct vm *v);

#endif
