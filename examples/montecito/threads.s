// SPDX-License-Identifier: MIT
// A producer and a consumer on two hardware threads of one core. The first thread starts the second with the system
// call clone2, and then writes the numbers 1 to 1000 into a ring of 16 words; the second adds them up. Each waits for
// the other by looking at a count, and while it waits, it gives the core away with hint@pause. Prints "500500" if the
// sum is right.
        .text
        .explicit
        .global _start#
        .proc _start#
_start:
        alloc r32 = ar.pfs, 0, 1, 6, 0
        mov r15 = 1213                  // clone2: flags, stack, its size
        movl r33 = 0x100;;              // with the same memory
        movl r34 = stack
        movl r35 = 0x8000
        mov r36 = 0
        mov r37 = 0
        mov r38 = 0;;
        break.i 0x100000;;
        movl r4 = ring
        movl r5 = written
        movl r6 = read
        mov r7 = 1                      // the number
        cmp.eq p6, p7 = r0, r8
        cmp.ne p8, p9 = r0, r10;;       // no hardware thread is free
 (p8)   mov r33 = 1
 (p8)   mov r15 = 1025
 (p8)   br.cond.spnt.few .exit
 (p6)   br.cond.sptk.few consumer#;;

producer:                               // waits while 16 are in the ring
        ld8.acq r9 = [r6]
        adds r10 = -17, r7;;
        cmp.ne p8, p9 = r9, r10         // read = number - 17: the ring is full
        and r11 = 15, r7;;
 (p9)   hint.m 0
        shladd r11 = r11, 3, r4
 (p9)   br.cond.spnt.few producer;;
        st8 [r11] = r7;;
        st8.rel [r5] = r7
        adds r7 = 1, r7
        mov r12 = 1001;;
        cmp.ne p8, p9 = r7, r12
 (p8)   br.cond.sptk.few producer;;
.finish:                                // until the consumer has read all
        movl r13 = done;;
        ld8.acq r9 = [r13];;
        cmp.eq p8, p9 = r0, r9;;
 (p8)   hint.m 0
 (p8)   br.cond.sptk.few .finish;;
        movl r10 = 500500;;
        cmp.ne p8, p9 = r9, r10;;
        mov r15 = 1236                  // exit_group
 (p8)   mov r33 = 1
 (p8)   br.cond.spnt.few .exit;;
        mov r15 = 1027                  // write
        mov r33 = 1
        movl r34 = text
        mov r35 = 7;;
        break.i 0x100000;;
        mov r15 = 1236
        mov r33 = 0;;
.exit:
        break.i 0x100000;;
        .endp _start#

        .proc consumer#
consumer:
        mov r16 = 0;;
.wait:
        ld8.acq r9 = [r5];;
        cmp.ltu p8, p9 = r9, r7         // the next number is not written yet
        and r11 = 15, r7;;
 (p8)   hint.m 0
        shladd r11 = r11, 3, r4
 (p8)   br.cond.spnt.few .wait;;
        ld8 r10 = [r11]
        mov r12 = 1001;;
        add r16 = r10, r16
        st8.rel [r6] = r7
        adds r7 = 1, r7;;
        cmp.ne p8, p9 = r7, r12
 (p8)   br.cond.sptk.few .wait;;
        movl r13 = done;;
        st8.rel [r13] = r16
        mov r15 = 1025                  // exit: of this thread only
        mov r33 = 0;;
        break.i 0x100000;;
        .endp consumer#

        .section .rodata
text:   string "500500\n"
        .section .bss
        .align 128
ring:   .skip 128
written:.skip 128
read:   .skip 128
done:   .skip 128
        .align 16384
stack:  .skip 0x8000
