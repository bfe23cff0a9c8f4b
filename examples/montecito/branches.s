// SPDX-License-Identifier: MIT
// Branches that the monitors distinguish, and that are hard to predict: a loop that has ended already and a while loop
// with an epilogue; a return to a frame that the call did not have; three branches in a bundle, of which the first is
// predicted taken and is not, so that nothing is known of the others; returns and indirect branches that are not taken;
// an indirect branch in slot 0 that changes its target. Prints "branched" if each was executed as often as it should.
        .text
        .explicit
        .global _start#
        .proc _start#
_start:
        alloc r32 = ar.pfs, 0, 8, 0, 8
        mov.i ar.lc = r0
        mov.i ar.ec = r0
        mov r4 = 0;;                    // what the branches have done
        br.ctop.sptk.few .ended;;       // not taken, and nothing rotates
.ended:
        mov r5 = 20
        mov r6 = 4;;
        mov.i ar.ec = r6
        cmp.ne p14, p15 = r0, r5;;
.while:                                 // 20 rounds, and the three of the epilogue
        adds r5 = -1, r5
        adds r4 = 1, r4;;
        cmp.lt p14, p15 = 0, r5
 (p14)  br.wtop.sptk.few .while;;
        clrrrb;;
        br.call.sptk.many b0 = leaf#;;
        mov.i ar.ec = r0
        mov.i ar.pfs = r0               // of the returns below: to an empty frame
        movl r14 = .next
        movl r15 = .far
        movl r16 = .one
        movl r17 = .two
        mov r20 = 64;;
        mov b1 = r14
        mov b2 = r15;;

.round:
        and r8 = 3, r20
        tbit.nz p8, p9 = r20, 2
        tbit.nz p10, p11 = r20, 3;;
        cmp.ne p6, p7 = 0, r8           // three rounds in four
        tbit.nz p12, p13 = r20, 4;;
        { .bbb                          // in the fourth, the prediction of the others is not known
 (p6)   br.cond.dptk.few .next
 (p8)   br.cond.dptk.few .next
 (p10)  br.cond.dptk.few .next;;
        }
.next:
        { .bbb                          // the same with a return and an indirect branch
 (p6)   br.cond.dptk.few .far
 (p8)   br.ret.dptk.few b2
 (p10)  br.cond.dptk.few b2;;
        }
.far:
        { .mib
        adds r4 = 1, r4
        nop.i 0
 (p12)  br.ret.dptk.few b3;;            // a return alone, taken half of the rounds
        }
.three:
 (p8)   mov b4 = r16;;
 (p9)   mov b4 = r17;;
        { .bbb
        br.cond.dptk.few b4             // always taken, to two targets in turn
        br.cond.dptk.few .two
        br.cond.dptk.few .two;;
        }
.one:
        adds r4 = 1, r4;;
.two:
        movl r18 = .three
        adds r20 = -1, r20;;
        mov b3 = r18
        cmp.lt p6, p7 = 0, r20
 (p6)   br.cond.sptk.few .round;;

        movl r18 = .late
        movl r19 = .passed
        mov r5 = 1
        mov r20 = 40;;
        mov b2 = r18
.late:                                  // mispredicted branches to the next bundle, and late counts and targets behind
        tbit.nz p8, p9 = r20, 0
        adds r20 = -1, r20;;
        cmp.lt p6, p7 = 0, r20
        mov.i ar.lc = r5;;
 (p8)   br.cond.dptk.few .loop;;
.loop:
        { .mib
        nop.m 0
        nop.i 0
        br.cloop.dptk.few .target;;
        }
.target:
        mov b5 = r19;;
 (p9)   br.cond.dptk.few .jump;;
.jump:
        { .bbb
        br.cond.dptk.few b5
        nop.b 0
        nop.b 0;;
        }
.passed:
 (p8)   br.cond.dptk.few .many;;
.many:                                  // 18 branches in 6 cycles, none of which is taken
        .rept 6
        { .bbb
 (p7)   br.cond.dptk.few .done
 (p7)   br.cond.dptk.few .done
 (p7)   br.cond.dptk.few .done;;
        }
        .endr
 (p9)   br.cond.dptk.few b2;;           // an indirect branch that is taken half of the rounds
 (p6)   br.cond.dptk.few .late;;
.done:

        alloc r32 = ar.pfs, 0, 4, 4, 0
        cmp.ne p6, p7 = 119, r4         // 23 + 64 + 32
        mov r15 = 1025;;
        mov r36 = 1
 (p6)   br.cond.spnt.few .exit;;
        mov r15 = 1027
        movl r37 = text
        mov r38 = 9;;
        break.i 0x100000;;
        mov r15 = 1025
        mov r36 = 0;;
.exit:
        break.i 0x100000;;
        .endp _start#

// Returns with another value in the epilogue count's field of ar.pfs.
        .proc leaf#
leaf:
        mov.i r8 = ar.pfs
        mov r9 = 1;;
        dep r8 = r9, r8, 52, 6;;
        mov.i ar.pfs = r8;;
        br.ret.sptk.many b0;;
        .endp leaf#

        .section .rodata
text:   string "branched\n"
