/* SPDX-License-Identifier: MIT */
/*
 * Programs of a few instructions for the guest, which no program of the host can replace.
 *
 * PROGRAM_YIELD only yields its time slice. If the clock counts instructions, one thread of QEMU runs the guest's
 * processors up to the clock's next event. The first processor that runs uses up that time wholly: the others starve,
 * unless it is idle or executes PAUSE. While Linux waits for a processor that it starts, it does neither; if this
 * program runs as well, the other processor gets time slices.
 *
 * PROGRAM_FETCH makes QEMU execute the transfer that is described at GUEST_FILES_MB (initramfs.h). Its first argument
 * is the number of bytes, which it writes to its standard output, except for the first ones, whose number is its second
 * argument. Its standard input is the guest's memory. It writes the address of the words, in big-endian order, to the
 * ports 514h and 518h of QEMU's fw_cfg. It is one program instead of three of busybox: each program that starts costs a
 * guest with a snapshot some hundredths of a second.
 */
#ifndef VM_PROGRAM_H
#define VM_PROGRAM_H

#include <stddef.h>

enum program { PROGRAM_YIELD, PROGRAM_FETCH };

/* An ELF header, one program header, and the instructions. */
enum { PROGRAM_MOST = 64 + 56 + 200 };

/* Writes a program, a static x86-64 one without a library, and returns its size. */
size_t program_make(enum program which, unsigned char ret[PROGRAM_MOST]);

#endif
