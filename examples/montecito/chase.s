// SPDX-License-Identifier: MIT
// Two lists of 256 nodes in no cache: each step waits for memory. Two hardware threads of a core walk one each. While
// one waits, the core switches to the other when its line arrives, so that the waits of both overlap. With an argument
// the first thread walks both, one after the other. Prints "chased".

        .text
        .explicit
        .global _start#
        .proc _start#
_start:
        alloc r32 = ar.pfs, 0, 1, 6, 0
        adds r2 = 16, r12;;
        ld8 r2 = [r2]                   // argc
        movl r4 = nodes
        movl r5 = 0x7fff
        mov r6 = 61 * 128
        movl r22 = 0x8000               // bytes of a list
        mov r7 = 0
        mov r8 = 255;;
        mov.i ar.lc = r8;;
.link:                                  // node n is followed by node n + 61, modulo 256, in both lists
        add r9 = r7, r6
        add r10 = r4, r7;;
        and r7 = r9, r5
        add r12 = r10, r22;;
        add r11 = r4, r7;;
        add r13 = r11, r22
        st8 [r10] = r11;;
        st8 [r12] = r13
        br.cloop.sptk.few .link;;

        mov r7 = 511
        mov r10 = r4;;
        mov.i ar.lc = r7;;
.flush:
        { .mib
        fc r10
        adds r10 = 128, r10
        br.cloop.sptk.few .flush;;
        }
        sync.i;;

        add r20 = r4, r22               // the second list
        movl r21 = done
        cmp.ltu p10, p11 = 1, r2
        mov r15 = 1213                  // clone2, with the same memory
        mov r33 = 0x100
        movl r34 = stack
        movl r35 = 0x8000
        mov r36 = 0
        mov r37 = 0
        mov r38 = 0;;
 (p10)  br.cond.spnt.few .alone;;
        break.i 0x100000;;
        cmp.eq p6, p7 = r0, r8
        cmp.ne p8, p0 = r0, r10;;       // no hardware thread is free
 (p8)   br.cond.spnt.few .wrong
 (p6)   br.cond.sptk.few .second;;

.first:
        mov r13 = r4
        br.call.sptk.few b0 = walk#;;
        cmp.ne p8, p0 = r13, r4         // once around is where it began
 (p8)   br.cond.spnt.few .wrong;;
.wait:                                  // for the second thread
        ld8.acq r9 = [r21];;
        cmp.eq p8, p0 = r0, r9;;
 (p8)   hint.m 0
 (p8)   br.cond.sptk.few .wait;;
        cmp.ne p8, p0 = r9, r20
 (p8)   br.cond.spnt.few .wrong;;
        mov r15 = 1027                  // write
        mov r33 = 1
        movl r34 = text
        mov r35 = 7;;
        break.i 0x100000;;
        mov r33 = 0
        br.cond.sptk.few .exit;;
.wrong:
        mov r33 = 1;;
.exit:
        mov r15 = 1236;;                // exit_group
        break.i 0x100000;;

.alone:
        mov r13 = r20
        br.call.sptk.few b0 = walk#;;
        st8 [r21] = r13
        br.cond.sptk.few .first;;

.second:
        mov r13 = r20
        br.call.sptk.few b0 = walk#;;
        st8.rel [r21] = r13
        mov r15 = 1025                  // exit: of this thread only
        mov r33 = 0;;
        break.i 0x100000;;
        .endp _start#

        .proc walk#
walk:                                   // from the node in r13, 256 steps
        mov r14 = 255;;
        mov.i ar.lc = r14;;
.step:
        ld8 r13 = [r13]
        br.cloop.sptk.few .step;;
        br.ret.sptk.few b0;;
        .endp walk#

        .section .rodata
text:   string "chased\n"
        .section .bss
        .align 65536
nodes:  .skip 65536
done:   .skip 128
        .align 16384
stack:  .skip 0x8000
