/* SPDX-License-Identifier: MIT */
/*
 * The beginning of a program without library whose stack is its own: all its addresses are the same under any
 * emulation. body() is the program.
 */
#ifndef TESTS_TRACE_GUEST_START_H
#define TESTS_TRACE_GUEST_START_H

#include <stdint.h>

void body(void);

__asm__(".text\n.p2align 6\n.globl _start\n_start:\n"
        "  lea own_stack+65536(%rip), %rsp\n"
        "  call body\n"
        "  mov $60, %eax\n"
        "  xor %edi, %edi\n"
        "  syscall\n"
        ".bss\n.p2align 12\nown_stack: .skip 65536\n.text\n");

#endif
