/* SPDX-License-Identifier: MIT */
/* The lines of the guest's init on the first serial line, and pmon's answers: initramfs.h. */
#ifndef VM_TALK_H
#define VM_TALK_H

#include <stddef.h>

struct vm;

/* Answers init, which waits for a line: it scans for the functions, loads the driver, or runs the command. Returns a
 * status with the text. */
int talk_find(struct vm *v);
int talk_load(struct vm *v);
int talk_go(struct vm *v);
/* Processes bytes of the guest; lines that are not init's go to the console. Returns a status with the text. */
int talk_receive(struct vm *v, const char *bytes, size_t n);
/* Forwards the beginning of a line. */
void talk_flush(struct vm *v);

#endif
