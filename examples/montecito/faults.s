// SPDX-License-Identifier: MIT
// A program that takes its own faults: ten stores to a word that a breakpoint guards, and ten divisions by zero, which is
// not masked. The handlers count, and skip the instruction. Prints "faulted" if they have counted twenty.
        .text
        .explicit

        .macro skip_handler
        mov r16 = cr.ipsr
        movl r18 = seen;;
        ld8 r19 = [r18]
        extr.u r20 = r16, 41, 2;;
        adds r19 = 1, r19
        adds r20 = 1, r20;;
        st8 [r18] = r19
        dep r16 = r20, r16, 41, 2;;
        mov cr.ipsr = r16;;
        rfi;;
        .endm

        .align 32768
vectors:
        .org vectors + 0x5900           // breakpoints
        skip_handler
        .org vectors + 0x5c00           // floating point
        skip_handler

        .align 32768
        .global _start#
        .proc _start#
_start:
        alloc r32 = ar.pfs, 0, 8, 6, 0
        movl r4 = 0xc000000000000000;;
        mov.i ar.pfs = r4;;
        epc;;
        movl r4 = vectors;;
        mov cr.iva = r4
        mov r5 = 0
        mov r6 = 1
        movl r8 = word
        movl r10 = 0x4ffffffffffffff8;; // writes of 8 bytes, at each level
        mov dbr[r5] = r8
        mov dbr[r6] = r10
        mov r5 = psr
        movl r6 = 0x1000000;;           // PSR.db
        or r6 = r5, r6
        mov.m r11 = ar.fpsr;;
        mov psr.l = r6
        dep r11 = 0, r11, 2, 1;;        // a division by zero is not masked
        mov.m ar.fpsr = r11
        mov r12 = 9;;
        mov.i ar.lc = r12
        srlz.d;;
.again:
        st8 [r8] = r8;;
        frcpa.s0 f7, p8 = f1, f0
        br.cloop.sptk.few .again;;
        mov psr.l = r5;;
        srlz.d
        movl r7 = seen;;
        ld8 r7 = [r7];;
        cmp.ne p6, p7 = 20, r7
        mov r15 = 1025
        mov r40 = 1
 (p6)   br.cond.spnt.few .exit;;
        mov r15 = 1027
        movl r41 = text
        mov r42 = 8;;
        break.i 0x100000;;
        mov r15 = 1025
        mov r40 = 0;;
.exit:
        break.i 0x100000;;
        .endp _start#

        .section .rodata
text:   string "faulted\n"
        .data
        .align 64
seen:   data8 0
        .align 64
word:   data8 0
