// SPDX-License-Identifier: MIT
// The branch predictors, in five loops of 50 rounds: two branches that share an entry of the second level of prediction,
// but not a line of the L1I; a line that leaves the L1I in each round, and its predictions with it; twelve calls for a
// stack of eight returns; a counted loop whose count is written just before it, and one whose count the front end knows;
// and a bundle of three branches. Prints "predicted" if each was executed as often as it should.
        .text
        .explicit
        .global _start#
        .proc _start#
_start:
        alloc r32 = ar.pfs, 0, 4, 4, 0
        mov r4 = 0                      // what was executed
        mov r20 = 50
        cmp.ne p6, p7 = r0, r12;;       // p6 is true, p7 is false

        .align 32
.shared:                                // 64 KB and a bundle in front of .other, whose entry is the same
        { .mib
        adds r20 = -1, r20
        nop.i 0
        br.cond.sptk.few .other;;       // always taken
        }
.back:
        cmp.ne p8, p9 = r0, r20
 (p8)   br.cond.sptk.few .shared;;

        mov r20 = 50;;
.lost:                                  // five lines of one set, which has four ways
        br.call.sptk.few b0 = line;;
        br.call.sptk.few b0 = line + 4096;;
        br.call.sptk.few b0 = line + 8192;;
        br.call.sptk.few b0 = line + 12288;;
        br.call.sptk.few b0 = line + 16384;;
        adds r20 = -1, r20;;
        cmp.ne p8, p9 = r0, r20
 (p8)   br.cond.sptk.few .lost;;

        mov r20 = 50;;
.deep:
        mov r21 = 12
        br.call.sptk.few b0 = descend#;;
        adds r20 = -1, r20;;
        cmp.ne p8, p9 = r0, r20
 (p8)   br.cond.sptk.few .deep;;

        mov r20 = 50
        mov r5 = 2;;
        .align 64
.counted:
        { .mii
        nop.m 0
        mov.i ar.lc = r5
        nop.i 0;;
        }
.late:
        { .mib
        adds r4 = 1, r4
        nop.i 0
        br.cloop.sptk.few .late;;
        }
        { .mii
        nop.m 0
        mov.i ar.lc = r5
        nop.i 0;;
        }
        .rept 12
        nop.m 0;;
        .endr
.known:
        { .mib
        adds r4 = 1, r4
        nop.i 0
        br.cloop.sptk.few .known;;
        }
        adds r20 = -1, r20;;
        cmp.ne p8, p9 = r0, r20
 (p8)   br.cond.sptk.few .counted;;

        mov r20 = 50;;
.three:
        { .bbb
 (p7)   br.cond.spnt.few .exit
 (p6)   br.cond.sptk.few .taken         // always taken
 (p7)   br.cond.spnt.few .exit;;        // not reached
        }
.taken:
        adds r20 = -1, r20;;
        cmp.ne p8, p9 = r0, r20
 (p8)   br.cond.sptk.few .three;;

        mov r15 = 1025
        mov r36 = 1
        adds r9 = -1150, r4;;           // 50 times 5 lines, 12 calls and 6 rounds of counted loops
        cmp.ne p8, p9 = r0, r9;;
 (p8)   br.cond.spnt.few .exit;;
        mov r15 = 1027
        movl r37 = text
        mov r38 = 10;;
        break.i 0x100000;;
        mov r15 = 1025
        mov r36 = 0;;
.exit:
        break.i 0x100000;;
        .endp _start#

        .proc descend#
descend:                                // calls itself until r21 is 1
        alloc r33 = ar.pfs, 0, 3, 0, 0
        mov r34 = b0
        adds r4 = 1, r4;;
        adds r21 = -1, r21;;
        cmp.ne p8, p9 = r0, r21
 (p8)   br.call.sptk.few b0 = descend#;;
        mov.i ar.pfs = r33
        mov b0 = r34;;
        br.ret.sptk.few b0;;
        .endp descend#

        .align 4096
        .skip 2048
line:                                   // two branches that are always taken, and a return
        { .mib
        adds r4 = 1, r4
        nop.i 0
        br.cond.sptk.few .second;;
        }
.second:
        { .mib
        nop.m 0
        nop.i 0
        br.cond.sptk.few .third;;
        }
.third:
        { .mib
        nop.m 0
        nop.i 0
        br.ret.sptk.few b0;;
        }
        .skip 4096 - 48
        .rept 4
        { .mib
        adds r4 = 1, r4
        nop.i 0
        br.ret.sptk.few b0;;
        }
        .skip 4096 - 16
        .endr

        .org .shared - _start + 0x10010
.other:
        { .mib
        nop.m 0
        nop.i 0
 (p7)   br.cond.spnt.few .exit;;        // never taken
        }
        { .mib
        nop.m 0
        nop.i 0
        br.cond.sptk.few .back;;
        }

        .section .rodata
text:   string "predicted\n"
