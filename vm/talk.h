/* SPDX-License-Identifier: MIT */
/* The lines of the guest's init on the first serial line, and pmon's answers: initramfs.h. */
#ifndef VM_TALK_H
#define VM_TALK_H

#include <stddef.h>

struct vm;

/* Init waits for a line: it looks for the functions, loads the driver, or runs the command. A status with the text. */
int talk_find(struct vm *v);
int talk_load(struct vm *v);
int talk_go(struct vm *v);
/* What comes from the guest; what is not init's is the console's. A status with the text. */
int talk_receive(struct vm *v, const char *bytes, size_t n);
/* Hands on the beginning of a line. */
void talk_flush(struct vm *v);

#endif
