// SPDX-License-Identifier: MIT
// Firmware calls: cache flushes, policies for thread switches, the copy of the firmware's code. Exits with 0, or with
// the number of the first check that failed.
        .text
        .explicit

        .macro check number, left, right
        cmp.ne p6, p0 = \left, \right
        mov r9 = \number
 (p6)   br.cond.spnt.few .failed;;
        .endm

        .macro pal number, first, second, third
        mov r28 = \number
        mov r29 = \first
        mov r30 = \second
        mov r31 = \third;;
        break.m 0x110000;;
        mov r23 = r9;;
        .endm

        .macro stacked number, first, second, third     // calls from 256 on: arguments in output registers
        mov r28 = \number
        mov r36 = \number
        mov r37 = \first
        mov r38 = \second
        mov r39 = \third
        mov r29 = -1;;
        break.m 0x110000;;
        mov r23 = r9;;
        .endm

        .global _start#
        .proc _start#
_start:
        alloc r32 = ar.pfs, 0, 4, 4, 0
        movl r4 = 0xc000000000000000;;
        mov.i ar.pfs = r4;;
        epc;;
        mov r20 = -2

        movl r4 = changed               // a change of code takes effect when the caches are made coherent
        movl r5 = new;;
        adds r6 = 8, r4
        adds r7 = 8, r5;;
        ld8 r10 = [r5]
        ld8 r11 = [r7]
        br.call.sptk.few b0 = changed;;
        st8 [r4] = r10
        st8 [r6] = r11;;
        br.call.sptk.few b0 = changed;;
        mov r12 = 1;;
        check 1, r8, r12
        pal 1, 2, 0, 0                  // the data caches alone do not
        check 2, r8, r0
        br.call.sptk.few b0 = changed;;
        check 3, r8, r12
        pal 1, 4, 0, 0
        check 4, r8, r0
        check 5, r10, r0
        br.call.sptk.few b0 = changed;;
        mov r12 = 2;;
        check 6, r8, r12
        pal 1, 0, 0, 0                  // no such type, operation, progress
        check 7, r8, r20
        pal 1, 5, 0, 0
        check 8, r8, r20
        pal 1, 3, 4, 0
        check 9, r8, r20
        pal 1, 3, 1, 6
        check 10, r8, r20

        mov r5 = 0x51                   // the timer's interrupt waits: each call flushes one cache
        mov r6 = 1
        mov r21 = 0
        mov r22 = 0;;
        mov cr.itv = r5
        mov cr.itm = r6;;
        srlz.d
        movl r7 = 2000;;
        mov.i ar.lc = r7;;
.wait:
        br.cloop.sptk.few .wait;;
        mov.m r6 = ar.itc;;
        adds r6 = 50, r6;;
        mov cr.itm = r6;;
        mov.i ar.lc = r7;;
.more:
        br.cloop.sptk.few .more;;
.again:
        pal 1, 3, 3, r21
        adds r22 = 1, r22
        mov r21 = r10
        cmp.ne p8, p9 = r8, r0;;
 (p8)   mov r24 = r23
 (p8)   cmp.lt p0, p8 = 9, r22;;
 (p8)   br.cond.sptk.few .again;;
        check 11, r8, r0
        mov r12 = 5;;
        check 12, r22, r12
        check 31, r24, r5
        movl r5 = 0x10051;;             // masked: returns immediately
        mov cr.itv = r5;;
        srlz.d
        pal 1, 3, 3, 0
        check 13, r8, r0

        pal 48, 0, 0, 0                 // PAL_GET_HW_POLICY: performance, two threads
        check 14, r8, r0
        check 15, r23, r0
        mov r12 = 2;;
        check 16, r10, r12
        pal 49, 1, 0, 0                 // PAL_SET_HW_POLICY: fairness
        check 17, r8, r0
        pal 48, 0, 0, 0
        mov r12 = 1;;
        check 18, r23, r12
        pal 49, 3, 0, 0                 // exclusive: only its own policy changes
        check 19, r8, r0
        pal 48, 0, 0, 0
        mov r12 = 3;;
        check 20, r23, r12
        check 21, r11, r0
        pal 48, 1, 0, 0                 // the second of those that it concerns; there is no third
        mov r12 = 1;;
        check 32, r11, r12
        pal 48, 2, 0, 0
        check 33, r8, r20
        pal 49, 0, 0, 0
        check 22, r8, r0
        pal 49, 4, 0, 0
        check 23, r8, r20

        movl r4 = copy                  // PAL_COPY_PAL: a procedure there makes the call
        mov r12 = 16;;
        stacked 256, r4, r12, 0
        check 24, r8, r0
        add r4 = r4, r23;;
        mov b6 = r4
        mov r28 = 274                   // PAL_BRAND_INFO: the L3's size
        mov r36 = 274
        mov r37 = 17;;
        br.call.sptk.few b0 = b6;;
        mov r23 = r9
        movl r12 = 0xc00000;;
        check 25, r8, r0
        check 26, r23, r12
        movl r4 = copy + 8;;            // not aligned; too small; not mapped
        stacked 256, r4, r12, 0
        check 27, r8, r20
        adds r4 = -8, r4
        mov r12 = 8;;
        stacked 256, r4, r12, 0
        check 28, r8, r20
        movl r12 = 0x70000000;;
        stacked 256, r12, r12, 0
        check 29, r8, r20
        pal 50, 0, 0, 0                 // no such call
        mov r12 = -1;;
        check 30, r8, r12
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
        .align 64
copy:   .skip 64
