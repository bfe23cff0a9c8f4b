// SPDX-License-Identifier: MIT
// A switch of threads that waits for the register stack engine: the first thread has 95 registers of a caller in the
// register stack, stores them to two pages that no TLB has with flushrs, and gives the core away in the same bundle. The
// second thread waits until this has happened, and gives the core back. Prints "stored" if the registers are in memory.
        .text
        .explicit
        .global _start#
        .proc _start#
_start:
        alloc r32 = ar.pfs, 0, 1, 6, 0
        mov r15 = 1213;;                // clone2
        movl r33 = 0x100;;
        movl r34 = stack
        movl r35 = 0x8000
        mov r36 = 0
        mov r37 = 0
        mov r38 = 0;;
        break.i 0x100000;;
        movl r5 = stored
        mov r6 = 1
        cmp.eq p6, p7 = r0, r8
        cmp.ne p8, p9 = r0, r10;;       // no hardware thread is free
 (p8)   mov r33 = 1
 (p8)   mov r15 = 1025
 (p8)   br.cond.spnt.few .exit
 (p6)   br.cond.sptk.few .second;;

        movl r4 = frames + 16384 - 256;;
        flushrs;;
        mov.m ar.rsc = r0;;
        mov.m ar.bspstore = r4;;        // 32 words before the end of a page
        br.call.sptk.few b0 = caller#;;
        mov r15 = 1027                  // write
        mov r33 = 1
        movl r34 = text
        mov r35 = 7;;
        movl r9 = frames + 16384;;
        ld8 r9 = [r9];;                 // a register that was stored
        cmp.ne p8, p9 = 7, r9;;
 (p9)   break.i 0x100000;;
        mov r15 = 1236                  // exit_group
        mov r33 = 0;;
 (p8)   mov r33 = 1;;
.exit:
        break.i 0x100000;;

.second:
        ld8.acq r9 = [r5];;
        cmp.eq p8, p9 = r0, r9;;
 (p8)   hint.m 0
 (p8)   br.cond.sptk.few .second;;
        mov r15 = 1025                  // exit
        mov r33 = 0;;
        break.i 0x100000;;
        .endp _start#

        .proc caller#
caller:                                 // 95 registers, most of them with a value
        alloc r33 = ar.pfs, 0, 95, 0, 0
        mov r32 = b0;;
        .irp n, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63, 64, 65, 66, 67, 68, 69, 70
        mov r\n = 7
        .endr
        br.call.sptk.few b0 = leaf#;;
        mov.i ar.pfs = r33
        mov b0 = r32;;
        br.ret.sptk.few b0;;
        .endp caller#

        .proc leaf#
leaf:
        alloc r32 = ar.pfs, 0, 1, 0, 0;;
        { .mmi
        flushrs;;
        hint.m 0
        nop.i 0;;
        }
        st8.rel [r5] = r6
        br.ret.sptk.few b0;;
        .endp leaf#

        .section .rodata
text:   string "stored\n"
        .section .bss
        .align 128
stored: .skip 128
        .align 16384
frames: .skip 0x8000
stack:  .skip 0x8000
