/* SPDX-License-Identifier: MIT */
/*
 * A guest's later states: of what has changed since its state behind the boot (vm/resume.h), and a record of what the
 * guest has asked of the machine since. One is behind its kernel's looking for the functions, which each driver needs
 * (SNAPSHOT_FUNCTIONS), one behind the loading of a driver (SNAPSHOT_DRIVER). Each is made by the run that comes there
 * from an earlier state, and lasts until another machine, or another driver, does.
 */
#ifndef VM_LATER_H
#define VM_LATER_H

#include <stdbool.h>
#include <stdint.h>
#include "vm/monitor.h"

struct vm;

/* The state behind the boot is open, and `key` is of it: finds the latest one on this machine, and begins a record if
 * another can follow. Neither when the machine answers otherwise in each run (faults), or a debugger can be there; no
 * driver's when time passes with each access. */
void later_open(struct vm *v, uint64_t key);
/* Before QEMU starts: brings the machine to where it was when the state was saved. A status with the text. */
int later_repeat(struct vm *v);
/* The guest waits where this part is saved: begins to save it. False: this guest keeps none. */
bool later_save(struct vm *v, unsigned part);
/* Takes QEMU's report on that; when it is saved, or cannot be, the guest goes on. A status with the text. */
int later_reports(struct vm *v, enum monitor_report report);
/* The guest goes on behind that part: whether the record does. */
void later_pass(struct vm *v, unsigned part);

#endif
