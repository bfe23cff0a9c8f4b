// SPDX-License-Identifier: MIT
// A self-checking program for the system level: it enters level 0, causes faults and misses, and exits with 0, or with
// the number of the first check that failed. Handlers store the vector's number in r8 (bank 0: r31), and what they
// observed in memory.
        .text
        .explicit

        .macro check number, left, right
        cmp.ne p6, p0 = \left, \right
        mov r9 = \number
 (p6)   br.cond.spnt.few .failed;;
        .endm

// Records the vector, skips the faulting instruction's slot, and returns.
        .macro skip_handler vector
        mov r16 = cr.ipsr
        mov r17 = cr.isr
        movl r18 = seen;;
        mov r19 = \vector
        extr.u r20 = r16, 41, 2;;
        st8 [r18] = r19, 8
        adds r20 = 1, r20;;
        st8 [r18] = r17, 8
        mov r21 = cr.iim
        dep r16 = r20, r16, 41, 2;;
        st8 [r18] = r21
        mov cr.ipsr = r16;;
        rfi;;
        .endm

        .align 32768
vectors:
        .org vectors + 0x0800           // data TLB: inserts the translation of the address, and retries
        mov r16 = cr.ifa
        movl r17 = 0x1000661            // physical 0x1000000, read and write, present
        mov r19 = 0x38;;                // 16 KB
        mov cr.itir = r19
        movl r18 = seen
        mov r20 = 0x800;;
        itc.d r17
        st8 [r18] = r20;;
        srlz.d;;
        rfi;;
        .org vectors + 0x1000           // alternate data TLB: the same
        mov r16 = cr.ifa
        movl r17 = 0x1000661
        mov r19 = 0x38;;
        mov cr.itir = r19
        movl r18 = seen
        mov r20 = 0x1000;;
        itc.d r17
        st8 [r18] = r20;;
        srlz.d;;
        rfi;;
        .org vectors + 0x2c00
        skip_handler 0x2c00
        .org vectors + 0x5300           // an access right is missing
        skip_handler 0x5300
        .org vectors + 0x5400
        skip_handler 0x5400
        .org vectors + 0x5600
        skip_handler 0x5600

        .align 32768
        .global _start#
        .proc _start#
_start:
        alloc r32 = ar.pfs, 0, 8, 6, 0
        mov r15 = 1151                  // 16 KB at 0x1000000, fixed: physical memory
        movl r40 = 0x1000000;;
        movl r41 = 0x4000
        mov r42 = 3
        mov r43 = 0x30
        mov r44 = -1
        mov r45 = 0;;
        break.i 0x100000;;
        movl r4 = 0xc000000000000000;;
        mov.i ar.pfs = r4;;
        epc;;
        mov r4 = psr;;
        extr.u r5 = r4, 32, 2;;
        check 1, r5, r0
        movl r4 = vectors;;
        mov cr.iva = r4
        movl r7 = seen;;
        mov r5 = cr.iva;;
        check 2, r4, r5

        break.m 0x1234;;                // a break of the program: the handler gets the immediate
        ld8 r5 = [r7], 16
        mov r10 = 0x2c00;;
        check 3, r5, r10
        ld8 r5 = [r7], -16
        mov r10 = 0x1234;;
        check 4, r5, r10

        { .mmi                          // slots before the fault are not repeated, slots after it are executed
        adds r11 = 5, r0
        break.m 0x77
        adds r12 = 1, r12;;
        }
        check 5, r11, r11
        ld8 r5 = [r7]
        mov r10 = 0x2c00;;
        check 6, r5, r10

        movl r13 = 0xa000000000000000   // region 5, without the walker: the alternate vector
        mov r14 = 0x38
        mov r16 = 0x77;;
        mov rr[r13] = r14;;
        srlz.d;;
        st8 [r13] = r16;;
        ld8 r5 = [r7];;
        mov r10 = 0x1000;;
        check 7, r5, r10
        movl r17 = 0x1000000;;
        ld8 r5 = [r17];;                // the same memory at its physical address
        check 8, r5, r16
        tpa r5 = r13;;
        check 9, r5, r17

        ptc.l r13, r14;;                // purged: with the walker on, and an entry in the table
        srlz.d
        movl r18 = table;;
        mov r19 = 0x39;;                // 16 KB pages, walker
        mov rr[r13] = r19
        movl r20 = table + 0x13d;;      // long format, 32 KB, walker
        mov cr.pta = r20;;
        srlz.d;;
        thash r21 = r13
        ttag r22 = r13
        movl r23 = 0x1000661;;
        st8 [r21] = r23, 8
        mov r24 = 0x38;;
        st8 [r21] = r24, 8
        st8 [r7] = r0;;
        st8 [r21] = r22;;
        ld8 r5 = [r13];;                // found by the walker: no handler runs
        check 10, r5, r16
        ld8 r5 = [r7];;
        check 11, r5, r0
        mov r25 = -1
        ptc.l r13, r14;;
        st8 [r21] = r25;;               // no such tag: the handler of the data TLB
        ld8 r5 = [r13];;
        check 12, r5, r16
        ld8 r5 = [r7]
        mov r10 = 0x800;;
        check 13, r5, r10

        ptc.l r13, r14;;                // a read-only page: the walker finds it, the store lacks the right
        adds r21 = -16, r21
        movl r23 = 0x1000061;;
        st8 [r21] = r23, 16;;
        st8 [r21] = r22;;
        ld8 r5 = [r13];;
        check 23, r5, r16
        st8 [r13] = r0
        mov r10 = 0x5300;;
        ld8 r5 = [r7];;
        check 24, r5, r10
        ld8 r5 = [r13];;
        check 25, r5, r16

        mov r4 = 1                      // registers retain written values
        movl r5 = 0x4100000000000000;;
        mov dbr[r4] = r5;;
        mov r6 = dbr[r4];;
        check 14, r5, r6
        movl r5 = 0x8100000000001000;;
        mov ibr[r4] = r5;;
        mov r6 = ibr[r4];;
        movl r5 = 0x8100000000001000;;
        check 15, r5, r6
        mov r5 = 0x123;;
        mov pkr[r4] = r5;;
        mov r6 = pkr[r4];;
        check 16, r5, r6
        mov r6 = rr[r13];;
        check 17, r6, r19

        mov r28 = 15                    // PAL_PERF_MON_INFO: event 8 counts instructions
        movl r29 = buffer;;
        break.m 0x110000;;
        check 18, r8, r0
        movl r29 = buffer;;
        ld8 r5 = [r29];;
        movl r6 = 0x7ff00000000;;       // PMC32 to PMC42 exist
        and r5 = r5, r6;;
        check 19, r5, r6

        mov r31 = 31                    // the other bank
        bsw.0;;
        mov r31 = 1;;
        bsw.1;;
        mov r5 = 31;;
        check 20, r5, r31

        movl r4 = .user;;               // level 3, by rfi: a privileged instruction goes to the general vector
        mov r5 = psr
        rsm 0x2000;;                    // PSR.ic: the registers of interruptions are the program's
        srlz.d
        movl r6 = 0x1300000000;;
        or r5 = r5, r6;;
        mov cr.ipsr = r5
        mov cr.iip = r4
        mov cr.ifs = r0;;
        rfi;;
.user:
        rsm 0x4000;;
        ld8 r5 = [r7], 8
        mov r10 = 0x5400;;
        check 21, r5, r10
        ld8 r5 = [r7], -8;;
        extr.u r5 = r5, 0, 8            // ISR.code: privileged operation
        mov r10 = 0x10;;
        check 22, r5, r10
        mov r9 = 0;;
.failed:
        mov r15 = 1025
        mov r40 = r9;;
        break.i 0x100000;;
        .endp _start#

        .data
        .align 64
seen:   data8 0, 0, 0
buffer: .skip 128
        .align 32768
table:  .skip 32768
