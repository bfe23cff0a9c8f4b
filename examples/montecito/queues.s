// SPDX-License-Identifier: MIT
// Conflicts in the queue of the L2D: loads of bytes that a store has just written, two accesses to one bank in one cycle,
// many stores to lines that are still in flight, ordered accesses and semaphores after others, fences, lines that arrive
// while others are read, prefetches, lines with the same index, and a full store buffer. With the argument "far" it also
// accesses more lines than the L2D holds, so that modified ones are written back. Prints "queued" if the words add up.
        .text
        .explicit
        .global _start#
        .proc _start#
_start:
        alloc r32 = ar.pfs, 0, 8, 4, 0
        adds r2 = 16, r12;;
        ld8 r2 = [r2];;                 // argc
        movl r4 = data
        mov r5 = 99
        mov r6 = 0;;
        adds r7 = 8, r4
        adds r9 = 256, r4
        adds r16 = 272, r4
        mov.i ar.lc = r5
        setf.sig f6 = r5;;
.match:                                 // stores, and loads of the same bytes 1 to 4 cycles later, by the L2D
        stf8 [r4] = f6;;
        ldf8 f7 = [r4];;
        stf8 [r7] = f6;;
        nop.m 0;;
        ldf8 f8 = [r7]
        stf8 [r9] = f6;;
        nop.m 0;;
        nop.m 0;;
        ldf8 f9 = [r9]
        stf8 [r16] = f6;;               // of a bank of its own: not cancelled
        nop.m 0;;
        nop.m 0;;
        ldf8 f9 = [r16]
        stf8 [r4] = f6;;
        nop.m 0;;
        nop.m 0;;
        nop.m 0;;
        ldf8 f10 = [r4];;
        adds r6 = 1, r6
        br.cloop.sptk.few .match;;

        mov.i ar.lc = r5;;
.bank:
        { .mmi                          // one bank twice, and a store that is cancelled so, with a load behind it
        ldf8 f7 = [r4]
        stf8 [r9] = f6
        nop.i 0;;
        }
        nop.m 0;;
        ldf8 f9 = [r9]
        { .mmi                          // a load and a store of the same four bytes
        ldf8 f8 = [r7]
        stf8 [r7] = f6
        nop.i 0;;
        }
        { .mmi                          // an acquire and a release in one group
        ld8.acq r10 = [r9]
        st8.rel [r4] = r5
        nop.i 0;;
        }
        ldf8 f7 = [r7]
        xchg8 r11 = [r9], r5
        mf.a;;
        ldf8 f8 = [r4]
        ldf8 f9 = [r9];;
        sync.i;;
        ldf8 f8 = [r4]
        adds r6 = 1, r6
        br.cloop.sptk.few .bank;;

        mov r12 = 15
        movl r13 = lines;;
        mov.i ar.lc = r12
        adds r14 = 8, r13
        movl r20 = 0x8000;;
.pending:                               // misses, secondary misses, and the same index
        { .mmi
        stf8 [r13] = f6, 16
        stf8 [r14] = f6, 16
        nop.i 0;;
        }
        { .mmi
        ldf8 f7 = [r13]
        ldf8 f8 = [r14]
        add r15 = r13, r20;;
        }
        { .mmi
        stf8 [r13] = f6, 16
        stf8 [r14] = f6, 16
        add r21 = r15, r20;;
        }
        { .mmi
        ldf8 f7 = [r15]
        ldf8 f8 = [r21]
        add r15 = r15, r20
        }
        br.cloop.sptk.few .pending;;
        mov r12 = 31;;
        mov.i ar.lc = r12;;
.same:                                  // two stores of a bank in each cycle fill the store buffer
        { .mmb
        stf8 [r4] = f6
        stf8 [r4] = f6
        br.cloop.sptk.few .same;;
        }
        st8 [r4] = r5;;                 // a load of a part of a store's bytes
        ld4 r10 = [r4];;
        movl r13 = fills
        mov r14 = 2;;
        mov r12 = 400
        movl r15 = fills + 0x1000;;
.set:                                   // a line arrives while lines of the same set are written
        mov.i ar.lc = r12
        ldf8 f7 = [r13]
        movl r21 = 0x2000;;
        add r13 = r13, r21;;
.store:
        { .mib
        stf8 [r15] = f6
        nop.i 0
        br.cloop.sptk.few .store;;
        }
        adds r14 = -1, r14;;
        cmp.ne p6, p7 = r0, r14
 (p6)   br.cond.dptk.few .set;;
        mov r12 = 63;;
        mov.i ar.lc = r12
        movl r13 = more;;
        ldf8 f7 = [r13];;
        mov r14 = r13
        movl r16 = 0x20000;;
        add r16 = r13, r16;;
.full:                                  // stores to one line until it is there
        { .mmi
        stf8 [r13] = f6
        stf8 [r14] = f6
        nop.i 0;;
        }
        br.cloop.sptk.few .full;;
        ldf8 f7 = [r16]                 // a miss behind a full queue
        lfetch [r16], 128
        mov r12 = 255;;
        mov.i ar.lc = r12;;
.arrive:                                // hits while lines arrive
        { .mmi
        ldf8 f7 = [r16], 128
        stf8 [r4] = f6
        nop.i 0;;
        }
        { .mmi
        stf8 [r16] = f6, 0
        ldf8 f8 = [r7]
        nop.i 0;;
        }
        br.cloop.sptk.few .arrive;;
        fc r4
        adds r17 = -1, r2;;
        cmp.eq p6, p7 = r0, r17
        movl r18 = 8191
        movl r19 = lines;;
 (p6)   mov r18 = 511;;
        mov.i ar.lc = r18
        mov r22 = 256
        adds r21 = 128, r19;;
.far:                                   // two lines a cycle
        { .mmi
        stf8 [r19] = f6
        stf8 [r21] = f6
        add r19 = r19, r22
        }
        { .mfb
        add r21 = r21, r22
        nop.f 0
        br.cloop.sptk.few .far;;
        }
        mov.i ar.lc = r18
        movl r19 = lines;;
        adds r21 = 128, r19;;
.back:                                  // which they come back to, all modified
        { .mmi
        stf8 [r19] = f6
        stf8 [r21] = f6
        add r19 = r19, r22
        }
        { .mfb
        add r21 = r21, r22
        nop.f 0
        br.cloop.sptk.few .back;;
        }
        ldf8 f7 = [r7];;
        getf.sig r8 = f7;;
        add r6 = r6, r8;;
        adds r9 = -299, r6;;
        cmp.ne p6, p7 = r0, r9
        mov r15 = 1025
        mov r40 = 1
 (p6)   br.cond.spnt.few .exit;;
        mov r15 = 1027
        movl r41 = text
        mov r42 = 7;;
        break.i 0x100000;;
        mov r15 = 1025
        mov r40 = 0;;
.exit:
        break.i 0x100000;;
        .endp _start#

        .section .rodata
text:   string "queued\n"
        .section .bss
        .align 128
data:   .skip 1024
more:   .skip 0x40000
        .align 4096
fills:  .skip 0x4000
        .align 16384
lines:  .skip 0x210000
