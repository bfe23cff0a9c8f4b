/* SPDX-License-Identifier: MIT */
/* A running guest: vm.c prepares it, serve.c serves it. */
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
#include "vm/record.h"
#include "vm/snapshot.h"
#include "vm/vm.h"
#include "vm/where.h"

/* VM_FINDING: init makes its kernel scan for functions; VM_LOADING: it loads the driver; VM_ARMED: the command runs, or
 * the init of a user-supplied file system. VM_SAVING, VM_KEEPING: the snapshot after the boot, or a later one, is being
 * saved. */
enum vm_stage { VM_STARTING, VM_BOOTING, VM_ARMING, VM_FINDING, VM_LOADING, VM_ARMED, VM_SAVING, VM_KEEPING };
enum { VM_LINE_BYTES = 1024 };

struct vm {
  const struct vm_options *o;
  struct vm_result *result;
  struct kernel kernel;
  struct file driver; /* of --module; empty: the kernel's */
  struct msr_sites sites;
  struct bus bus;
  struct slots slots;
  struct qemu qemu;
  enum qemu_snapshot snapshot;
  struct snapshot kept;               /* the guest's snapshot */
  bool saved;                         /* it is saved completely */
  uint64_t later_key[SNAPSHOT_PARTS]; /* of the later snapshots; 0: this guest has none */
  unsigned begins;                    /* the part from which it starts: SNAPSHOT_STREAM or a later snapshot */
  unsigned keeps;                     /* VM_KEEPING: the later snapshot that is being saved, */
  bool written;                       /* and whether that is done, or has failed */
  size_t keeps_n;                     /* bytes of the record up to it */
  struct record record;               /* since the snapshot after the boot */
  struct initramfs files;             /* the files from which the guest boots, or that it gets when it resumes */
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
  bool asked, listed;   /* asked: its processes were requested, at the time limit; listed: it has answered */
  bool cut;             /* the beginning of the line was forwarded already */
  char *error;
  size_t error_size;
};

/* Fills the text of the error and returns `status`. */
int vm_fail(struct vm *v, int status, const char *why);
/* vm_fail() for an unexpected answer of QEMU. */
int vm_fail_debugger(struct vm *v);
/* Forwards a part of an output. */
void vm_output(struct vm *v, enum vm_stream stream, const char *bytes, size_t n);
/* Counts a message about an MSR among the result's stops. */
void vm_count_msr(struct vm *v, const struct port_message *m);
/* Returns the options of this guest's archive. */
struct initramfs_options vm_files(const struct vm *v);
/* Runs QEMU with this file system to its end; *ret_code becomes its exit code. Returns a status with the text, also for
 * errors of the guest. */
int vm_run_qemu(struct vm *v, int initrd, int *ret_code);
/* Evaluates QEMU's exit code; returns a status as vm_run() does. */
int vm_judge(struct vm *v, int code);
/* Serves QEMU's messages until it ends. PMON_OK; PMON_E_IO, PMON_E_STATE (time limit) and others, with the text. */
int vm_serve(struct vm *v);

#endif
