// SPDX-License-Identifier: MIT
// Two threads on different cores that share lines of memory. The first thread starts two others: one on its own core,
// which ends at once, and one on the other core. Both then add to a counter by fetchadd, read and write the same words,
// and pass over the same 512 lines at the same time, three times: reading, writing, and reading again. The cores snoop
// one another: lines are found clean, modified, or on their way. Prints "shared" if no addition was lost.
        .text
        .explicit
        .macro start stack
        mov r15 = 1213                  // clone2
        movl r33 = 0x100;;
        movl r34 = \stack
        movl r35 = 0x8000
        mov r36 = 0
        mov r37 = 0
        mov r38 = 0;;
        break.i 0x100000;;
        cmp.eq p6, p7 = r0, r8
        .endm

        .global _start#
        .proc _start#
_start:
        alloc r32 = ar.pfs, 0, 1, 6, 0
        adds r2 = 16, r12;;
        ld8 r2 = [r2];;                 // argc: with an argument, few rounds
        start stack1
        cmp.ne p8, p9 = r0, r10;;
 (p8)   br.cond.spnt.few .failed;;
 (p6)   br.cond.spnt.few .leave;;
        start stack2
        cmp.ne p8, p9 = r0, r10;;
 (p8)   br.cond.spnt.few .failed;;
 (p6)   br.cond.spnt.few .second;;
        br.call.sptk.many b0 = work#;;
        movl r5 = done;;
.wait:
        ld8.acq r9 = [r5];;
        cmp.eq p8, p9 = r0, r9
        hint.m 0
 (p8)   br.cond.sptk.few .wait;;
        movl r4 = counter
        movl r6 = total;;
        ld8 r7 = [r4]
        ld8 r8 = [r6];;
        cmp.ne p8, p9 = r7, r8
        mov r15 = 1236
        mov r33 = 1
 (p8)   br.cond.spnt.few .end;;
        mov r15 = 1027
        mov r33 = 1
        movl r34 = text
        mov r35 = 7;;
        break.i 0x100000;;
        mov r15 = 1236
        mov r33 = 0;;
        br.cond.sptk.few .end;;
.failed:
        mov r15 = 1236
        mov r33 = 1;;
        br.cond.sptk.few .end;;
.second:
        br.call.sptk.many b0 = work#;;
        movl r5 = done
        mov r6 = 1;;
        st8.rel [r5] = r6;;
.leave:
        mov r15 = 1025
        mov r33 = 0;;
.end:
        break.i 0x100000;;
        .endp _start#

        .proc work#
work:
        alloc r33 = ar.pfs, 0, 6, 0, 0
        movl r4 = counter
        movl r5 = words
        cmp.ltu p8, p9 = 1, r2
        movl r6 = total
        mov.i r34 = ar.lc
        mov r35 = 1999;;
 (p8)   mov r35 = 299;;
        mov.i ar.lc = r35
        adds r7 = 128, r5
        adds r10 = 8, r5;;
.add:
        fetchadd8.acq r9 = [r4], 1
        ld8 r11 = [r7];;
        ld8 r12 = [r5]
        st8 [r10] = r9;;
        st8.rel [r7] = r11
        br.cloop.sptk.few .add;;
        adds r36 = 1, r35;;
        movl r13 = total;;
.total:                                 // adds the rounds to the total, which the other thread does too
        ld8 r14 = [r13];;
        mov.m ar.ccv = r14
        add r16 = r14, r36;;
        cmpxchg8.acq r17 = [r13], r16, ar.ccv;;
        cmp.ne p6, p7 = r17, r14
 (p6)   br.cond.spnt.few .total;;

        movl r18 = lines
        mov r19 = 511;;
        mov.i ar.lc = r19
        mov r20 = r18;;
.read:
        ld8 r21 = [r20], 128
        br.cloop.sptk.few .read;;
        mov.i ar.lc = r19
        mov r20 = r18;;
.write:
        st8 [r20] = r19, 128
        br.cloop.sptk.few .write;;
        mov.i ar.lc = r19
        mov r20 = r18;;
.again:
        ld8 r21 = [r20], 128;;
        adds r22 = 1, r21
        br.cloop.sptk.few .again;;
        mov.i ar.lc = r34
        mov.i ar.pfs = r33;;
        br.ret.sptk.many b0;;
        .endp work#

        .section .rodata
text:   string "shared\n"
        .section .bss
        .align 128
counter:.skip 128
total:  .skip 128
done:   .skip 128
words:  .skip 256
        .align 16384
stack1: .skip 0x8000
stack2: .skip 0x8000
lines:  .skip 65536
