// SPDX-License-Identifier: MIT
// Causes of stalls that other programs do not have, and straight code of 5 KB, which br.many and brp prefetch: predicates
// of a floating-point comparison, results near zero, a failing fchkf, chk.s of a floating-point register, bank switches,
// loadrs, ar.rsc, NaT bits that ld8.fill restores, speculative loads that fail for each reason, and the levels 1 and 2.
// Prints "stalled" if the checks failed as often as they should.
        .text
        .explicit
        .global _start#
        .proc _start#
_start:
        alloc r32 = ar.pfs, 0, 4, 4, 0
        movl r4 = data
        mov r5 = 49
        mov r8 = 0;;
        mov.i ar.lc = r5
        movl r7 = 0x0010000000000000;;  // the least normal number
        setf.d f6 = r7;;
.again:
        fcmp.eq p6, p7 = f6, f6;;
 (p6)   adds r8 = 1, r8
        fmpy.d.s2 f8 = f6, f6;;         // near zero
        fchkf.s2 .checked;;
        adds r8 = 100, r8;;
.checked:
        fclrf.s2
        ldf8.s f9 = [r0];;
        chk.s f9, .recovered;;
        adds r8 = 100, r8;;
.recovered:
        ld8.s r9 = [r0];;
        st8.spill [r4] = r9;;
        ld8.fill r10 = [r4];;
        ld8.s r11 = [r10]               // an address that is NaT
        mov.m ar.ccv = r5
        br.cloop.sptk.few .again;;

        .align 64
        .irp i, 0, 3, 6, 9              // more prefetches than the front end can have on their way
.hints\i:
        { .bbb
        brp.sptk.imp long + 128 * (\i + 1), .hints\i
        brp.sptk.imp long + 128 * (\i + 2), .hints\i
        brp.sptk.imp long + 128 * (\i + 3), .hints\i;;
        }
        .endr
        br.call.sptk.many b0 = long#;;
        br.call.sptk.many b0 = long#;;

        movl r12 = 0xc000000000000000;;
        mov.i ar.pfs = r12;;
        epc;;
        bsw.0;;
        bsw.1;;
        mov.m r13 = ar.fpsr;;
        dep r12 = -1, r13, 6, 1;;       // flush to zero in sf0
        mov.m ar.fpsr = r12;;
        fmpy.d.s0 f8 = f6, f6;;
        mov.m ar.fpsr = r13
        alloc r14 = ar.pfs, 0, 0, 0, 0;;
        flushrs;;
        mov.m ar.rsc = r0;;             // enforced lazy, and nothing to load
        loadrs;;
        mov r15 = 0xc;;
        mov.m ar.rsc = r15

        rsm 0x2000;;                    // PSR.ed defers the load behind rfi
        srlz.d
        mov r16 = psr
        movl r17 = .deferred;;
        dep r16 = -1, r16, 43, 2;;      // ed, and bank 1
        dep r16 = -1, r16, 13, 1;;      // ic
        mov cr.ipsr = r16
        mov cr.iip = r17
        mov cr.ifs = r0;;
        rfi;;
.deferred:
        ld8.s r18 = [r4];;
        tnat.nz p6, p7 = r18;;
 (p7)   adds r8 = 100, r8

        mov r19 = 0x39                  // the walker of the VHPT is on in region 0, and finds no table
        movl r20 = 0x100000000003d;;
        mov rr[r0] = r19
        mov cr.pta = r20;;
        srlz.d;;
        ld8.s r18 = [r0];;
        mov cr.pta = r0;;
        srlz.d;;

        .irp level, 1, 2, 3             // returns lower the level
        movl r21 = .level\level
        movl r22 = \level << 62;;
        mov b6 = r21
        mov.i ar.pfs = r22;;
        br.ret.sptk.many b6;;
.level\level:
        .endr
        alloc r32 = ar.pfs, 0, 4, 4, 0
        cmp.ne p6, p7 = 50, r8
        mov r15 = 1025;;
        mov r36 = 1
 (p6)   br.cond.spnt.few .exit;;
        mov r15 = 1027
        movl r37 = text
        mov r38 = 8;;
        break.i 0x100000;;
        mov r15 = 1025
        mov r36 = 0;;
.exit:
        break.i 0x100000;;
        .endp _start#

        .align 128
        .proc long#
long:
        .rept 320
        { .mii
        adds r24 = 1, r24
        nop.i 0
        nop.i 0;;
        }
        .endr
        br.ret.sptk.many b0;;
        .endp long#

        .section .rodata
text:   string "stalled\n"
        .data
        .align 64
data:   .skip 128
