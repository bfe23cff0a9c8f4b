/* SPDX-License-Identifier: MIT */
/*
 * Programs for the guest of a few instructions, which no program of the host can stand in for.
 *
 * PROGRAM_YIELD only yields its time slice. With a clock that goes by instructions, one thread of QEMU's runs the
 * guest's processors up to the clock's next event, which the first that runs uses up wholly: the others starve, unless
 * it rests or executes PAUSE. While Linux waits for a processor that it starts, it does neither; with this program
 * running as well, the other processor gets time slices.
 *
 * PROGRAM_FETCH has QEMU carry out the transfer that is described at GUEST_FILES_MB (initramfs.h), of as many bytes as
 * its first argument says, and writes them to its standard output, without as many as its second one says. Its standard
 * input is the guest's memory. It writes the address of the words, in big-endian order, to the ports 514h and 518h of
 * QEMU's fw_cfg. One program instead of three of busybox: each that starts costs a guest of a snapshot some hundredths
 * of a second.
 */
#ifndef VM_PROGRAM_H
#define VM_PROGRAM_H

#include <stddef.h>

enum program { PROGRAM_YIELD, PROGRAM_FETCH };

/* An ELF header, one segment's, and the instructions. */
enum { PROGRAM_MOST = 64 + 56 + 200 };

/* Writes a program, a static x86-64 one without a library, and returns its size. */
size_t program_make(enum program which, unsigned char ret[PROGRAM_MOST]);

#endif
