// SPDX-License-Identifier: MIT
// Self-modifying code: without fc of its line, the old instructions are executed, with fc the new ones. Exits with 0,
// or with the number of the first check that failed.
        .text
        .explicit
        .global _start#
        .proc _start#
_start:
        alloc r32 = ar.pfs, 0, 4, 4, 0
        mov r9 = 1                      // the check
        movl r4 = changed
        movl r5 = new;;
        adds r6 = 8, r4
        adds r7 = 8, r5;;
        ld8 r10 = [r5]
        ld8 r11 = [r7]
        br.call.sptk.few b0 = changed;;
        cmp.eq p6, p7 = 1, r8
 (p7)   br.cond.spnt.few .failed;;

        mov r9 = 2
        st8 [r4] = r10
        st8 [r6] = r11;;
        ld8 r12 = [r4];;                // the data are new
        cmp.eq p6, p7 = r10, r12
 (p7)   br.cond.spnt.few .failed;;
        mov r9 = 3
        br.call.sptk.few b0 = changed;;
        cmp.eq p6, p7 = 1, r8           // the code is not
 (p7)   br.cond.spnt.few .failed;;

        mov r9 = 4
        fc.i r4;;
        sync.i;;
        srlz.i;;
        br.call.sptk.few b0 = changed;;
        cmp.eq p6, p7 = 2, r8
 (p7)   br.cond.spnt.few .failed;;
        mov r9 = 0;;
.failed:
        mov r15 = 1025
        mov r36 = r9;;
        break.i 0x100000;;
        .endp _start#

        .section .changed, "awx", @progbits
        .align 64
changed:
        { .mib
        mov r8 = 1
        nop.i 0
        br.ret.sptk.few b0;;
        }
        .skip 112
new:
        { .mib
        mov r8 = 2
        nop.i 0
        br.ret.sptk.few b0;;
        }
