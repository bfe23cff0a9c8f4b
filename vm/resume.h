/* SPDX-License-Identifier: MIT */
/* A guest that starts from a snapshot after its boot (vm/snapshot.h), which is made if it does not exist. */
#ifndef VM_RESUME_H
#define VM_RESUME_H

struct vm;

/* Call this first: no snapshot is open. */
void resume_init(struct vm *v);

/* Finds the snapshot of this guest, whose other files are open, or boots it and saves one; the next run of QEMU
 * loads it. The kernel is unpacked afterwards. Returns a status with the text. */
int resume_prepare(struct vm *v);

#endif
