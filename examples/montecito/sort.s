// SPDX-License-Identifier: MIT
// Sorts 256 words by insertion. They are in descending order at first, so that the inner loop runs 255 * 256 / 2 =
// 32640 times, with one load, one store and one branch each. Prints "sorted" if they are in order at the end.

        .text
        .explicit
        .global _start#
        .proc _start#
_start:
        alloc r32 = ar.pfs, 0, 1, 3, 0
        movl r4 = words
        movl r6 = words + 8 * 256;;
        mov r5 = 256
        mov r7 = r4;;
.fill:
        { .mmi
        st8 [r7] = r5, 8
        cmp.ne p6, p7 = 1, r5
        adds r5 = -1, r5;;
        }
        { .mib
        nop.m 0
        nop.i 0
 (p6)   br.cond.dptk.few .fill;;
        }
        adds r8 = 8, r4;;               // the first word that is not sorted
.outer:
        { .mmi
        ld8 r9 = [r8]
        adds r10 = -8, r8
        mov r11 = r8;;
        }
.inner:                                 // r10: the word below, r11: where it moves
        { .mmi
        ld8 r14 = [r10], -8;;
        cmp.ltu p6, p7 = r9, r14
        nop.i 0;;
        }
        { .mib
 (p6)   st8 [r11] = r14, -8
 (p6)   cmp.geu p6, p7 = r10, r4        // the next one belongs to the array
 (p7)   br.cond.dpnt.few .place;;
        }
        { .mib
        nop.m 0
        nop.i 0
 (p6)   br.cond.dptk.few .inner;;
        }
.place:
        { .mmi
        st8 [r11] = r9
        adds r8 = 8, r8
        nop.i 0;;
        }
        { .mib
        cmp.ltu p6, p7 = r8, r6
        nop.i 0
 (p6)   br.cond.dptk.few .outer;;
        }
        mov r7 = r4
        mov r5 = 1;;
.check:
        ld8 r9 = [r7], 8;;
        cmp.ne p8, p9 = r9, r5
        adds r5 = 1, r5;;
 (p8)   br.cond.spnt.few .wrong
        cmp.ltu p6, p7 = r7, r6;;
 (p6)   br.cond.dptk.few .check;;
        mov r15 = 1027
        mov r33 = 1
        movl r34 = text;;
        mov r35 = 7
        break.i 0x100000;;
        mov r33 = r0
        br.cond.sptk.few .exit;;
.wrong:
        mov r33 = 1
.exit:
        mov r15 = 1025;;
        break.i 0x100000;;
        .endp _start#

        .section .rodata
text:   string "sorted\n"
        .section .bss
        .align 64
words:  .skip 8 * 256
