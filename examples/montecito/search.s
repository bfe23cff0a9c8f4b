// SPDX-License-Identifier: MIT
// Binary search in 1024 words, 3 * i in word i, for each word: once with a branch in each of the ten steps, which is
// taken as often as not, and once with predicates instead. Prints "found".

        .text
        .explicit
        .global _start#
        .proc _start#
_start:
        alloc r32 = ar.pfs, 0, 1, 3, 0
        movl r4 = table
        mov r5 = 1023;;
        mov.i ar.lc = r5
        mov r6 = 0
        mov r7 = r4;;
.fill:
        st8 [r7] = r6, 8
        adds r6 = 3, r6
        br.cloop.sptk.few .fill;;

        mov r8 = 0                      // the word that is looked for
        mov r31 = 1024;;
.branches:
        shladd r9 = r8, 1, r8           // its value
        mov r10 = r4                    // the first word that may be it
        mov r11 = 4096;;                // half of the bytes that remain
.step:
        add r12 = r10, r11;;
        ld8 r13 = [r12];;
        cmp.gtu p6, p7 = r13, r9
 (p6)   br.cond.dptk.few .lower;;
        mov r10 = r12
.lower:
        shr.u r11 = r11, 1;;
        cmp.ltu p6, p7 = 7, r11;;
 (p6)   br.cond.dptk.few .step;;
        ld8 r13 = [r10];;
        cmp.ne p6, p7 = r13, r9
        adds r8 = 1, r8
 (p6)   br.cond.spnt.few .wrong;;
        cmp.ne p6, p7 = r8, r31
 (p6)   br.cond.dptk.few .branches;;

        mov r8 = 0;;
.predicates:
        shladd r9 = r8, 1, r8
        mov r10 = r4
        mov r11 = 4096
        mov r14 = 9;;
        mov.i ar.lc = r14;;
.step_predicated:
        add r12 = r10, r11
        shr.u r11 = r11, 1;;
        ld8 r13 = [r12];;
        cmp.leu p6, p7 = r13, r9;;
 (p6)   mov r10 = r12
        br.cloop.sptk.few .step_predicated;;
        ld8 r13 = [r10];;
        cmp.ne p6, p7 = r13, r9
        adds r8 = 1, r8
 (p6)   br.cond.spnt.few .wrong;;
        cmp.ne p6, p7 = r8, r31
 (p6)   br.cond.dptk.few .predicates;;
        mov r15 = 1027
        mov r33 = 1
        movl r34 = text
        mov r35 = 6;;
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
text:   string "found\n"
        .section .bss
        .align 16384
table:  .skip 8192
