// SPDX-License-Identifier: MIT
// The length of a string, and its copy, byte by byte: 1000 characters and the final 0. Prints "copied".

        .text
        .explicit
        .global _start#
        .proc _start#
_start:
        alloc r32 = ar.pfs, 0, 1, 3, 0
        movl r4 = from
        mov r5 = 0x61                   // 1000 times "a"
        mov r6 = 999;;
        mov.i ar.lc = r6
        mov r7 = r4;;
.fill:
        st1 [r7] = r5, 1
        br.cloop.sptk.few .fill;;
        st1 [r7] = r0

        mov r7 = r4
        mov r8 = -1;;
.length:                                // 1001 loads
        ld1 r9 = [r7], 1
        adds r8 = 1, r8;;
        cmp.ne p6, p7 = r0, r9
 (p6)   br.cond.dptk.few .length;;
        mov r10 = 1000;;
        cmp.ne p6, p7 = r8, r10
 (p6)   br.cond.spnt.few .wrong;;

        movl r11 = to
        mov r7 = r4;;
.copy:                                  // 1001 loads and stores
        ld1 r9 = [r7], 1;;
        st1 [r11] = r9, 1
        cmp.ne p6, p7 = r0, r9
 (p6)   br.cond.dptk.few .copy;;
        movl r12 = to + 1001;;
        cmp.ne p6, p7 = r11, r12
 (p6)   br.cond.spnt.few .wrong;;
        mov r15 = 1027
        mov r33 = 1
        movl r34 = text
        mov r35 = 7;;
        break.i 0x100000;;
        mov r33 = 0
        br.cond.sptk.few .exit;;
.wrong:
        mov r33 = 1;;
.exit:
        mov r15 = 1025;;
        break.i 0x100000;;
        .endp _start#

        .section .rodata
text:   string "copied\n"
        .section .bss
        .align 16384
from:   .skip 1024
to:     .skip 1024
