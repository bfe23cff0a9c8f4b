// SPDX-License-Identifier: MIT
// Writes a line and ends with status 0. Between them is a loop of 100 iterations.
// ia64-linux-gnu-as -o hello.o hello.s && ia64-linux-gnu-ld -static -o hello hello.o
// pmon -p montecito stat -e IA64_INST_RETIRED.THIS -- ./hello

        .text
        .explicit
        .global _start#
        .proc _start#
_start:
        alloc r32 = ar.pfs, 0, 1, 3, 0  // r33, r34, r35: the arguments of system calls
        mov r4 = 99
        mov r5 = 0;;
        mov ar.lc = r4;;
.count:
        { .mib
        add r5 = 1, r5
        nop.i 0
        br.cloop.sptk.few .count;;
        }

        mov r15 = 1027                  // write(1, text, 19)
        mov r33 = 1
        movl r34 = text
        mov r35 = text_end - text;;
        break.i 0x100000;;
        mov r15 = 1025                  // exit(0)
        mov r33 = r0;;
        break.i 0x100000;;
        .endp _start#

        .section .rodata
text:   string "hello from Itanium\n"
text_end:
