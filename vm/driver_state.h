/* SPDX-License-Identifier: MIT */
/*
 * A guest's state behind the loading of its driver: what has changed since its state behind the boot (vm/resume.h), and
 * a record of what the driver has asked of the machine. It is made by the run that loads a driver from the state behind
 * the boot, and lasts until another driver is loaded from that one.
 */
#ifndef VM_DRIVER_STATE_H
#define VM_DRIVER_STATE_H

#include <stdbool.h>
#include <stdint.h>
#include "vm/monitor.h"

struct vm;

/* The state behind the boot is open, and `key` is of it: finds this driver's state on this machine, or begins a record
 * for one. Neither when the machine answers otherwise in each run (faults, time that passes with each access), or a
 * debugger can be there. A status with the text. */
int driver_state_open(struct vm *v, uint64_t key);
/* Before QEMU starts: brings the machine to where it was when the state was saved. A status with the text. */
int driver_state_repeat(struct vm *v);
/* The driver is loaded: begins to save the state. False: this guest keeps none. */
bool driver_state_save(struct vm *v);
/* Takes QEMU's report on that; when it is saved, or cannot be, the guest goes on. A status with the text. */
int driver_state_reports(struct vm *v, enum monitor_report report);

#endif
