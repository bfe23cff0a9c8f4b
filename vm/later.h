/* SPDX-License-Identifier: MIT */
/*
 * A guest's later snapshots: the changes since the one after the boot (vm/resume.h), and a record of the guest's
 * accesses to the machine since then. One is taken after the kernel's scan for the functions, which each driver needs
 * (SNAPSHOT_FUNCTIONS), one after the loading of a driver (SNAPSHOT_DRIVER). Each is made by the first run that gets
 * there from an earlier snapshot, and lasts until a run with another machine, or another driver, replaces it.
 */
#ifndef VM_LATER_H
#define VM_LATER_H

#include <stdbool.h>
#include <stdint.h>
#include "vm/monitor.h"

struct vm;

/* The snapshot after the boot is open, and `key` is its key: finds the latest snapshot for this machine, and begins a
 * record if another one can follow. Does neither if the machine's answers differ from run to run (faults), or if a
 * debugger may attach; finds no driver's snapshot if time passes with each access. */
void later_open(struct vm *v, uint64_t key);
/* Before QEMU starts: brings the machine to where it was when the snapshot was saved. Returns a status and its text. */
int later_repeat(struct vm *v);
/* The guest waits at the point of this part: begins to save it. False: this guest keeps none. */
bool later_save(struct vm *v, unsigned part);
/* Processes QEMU's report about the saving; when the snapshot is saved, or cannot be, the guest continues. Returns a
 * status with the text. */
int later_reports(struct vm *v, enum monitor_report report);
/* The guest continues after that part; ends the record if no later snapshot needs it. */
void later_pass(struct vm *v, unsigned part);

#endif
