/* SPDX-License-Identifier: MIT */
/* A guest that begins with its state behind the boot (vm/snapshot.h), which is made when it is not there. */
#ifndef VM_RESUME_H
#define VM_RESUME_H

struct vm;

/* Before anything else: no state is open. */
void resume_init(struct vm *v);

/* Finds the state of this guest, whose other files are open, or boots it and keeps its state; the next run of QEMU
 * loads it. The kernel is unpacked then. A status with the text. */
int resume_prepare(struct vm *v);

#endif
