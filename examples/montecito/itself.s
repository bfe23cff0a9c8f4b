// SPDX-License-Identifier: MIT
// A program that samples itself. PMC4 counts the instructions of level 3 and overflows every 1000; the overflow freezes
// the monitors and requests an interrupt, whose handler looks where the program was: in the function `hot` or not. The
// loop spends nine tenths of its instructions there. Prints "hot" if most samples say so.
        .text
        .explicit

// The table of vectors: only the external interrupt, at 0x3000, is used. Bank 0 of r16 to r31 belongs to the handler.
        .align 32768
vectors:
        .skip 0x3000
        mov r16 = cr.ivr;;              // the vector: the interrupt is in service
        mov r17 = cr.iip
        movl r18 = hot
        movl r19 = hot_end;;
        mov r20 = pr
        cmp.geu p1, p2 = r17, r18
        movl r21 = samples;;
 (p1)   cmp.ltu p1, p2 = r17, r19;;
 (p2)   adds r21 = 8, r21;;
        ld8 r22 = [r21];;
        adds r22 = 1, r22
        mov r23 = 4
        movl r24 = 0x7ffffffffc18;;     // 1000 before the overflow
        st8 [r21] = r22
        mov pmd[r23] = r24;;
        mov pmc[r0] = r0;;              // counts again
        srlz.d;;
        mov cr.eoi = r0
        mov pr = r20, -1;;
        rfi;;

        .align 32768
        .global _start#
        .proc _start#
_start:
        alloc r32 = ar.pfs, 0, 4, 4, 0
        movl r4 = 0xc000000000000000;;  // the level to return to, which epc wants to be the present one
        mov.i ar.pfs = r4;;
        epc;;
        movl r4 = vectors
        mov r5 = 0x41;;                 // the vector of the monitors' interrupt
        mov cr.iva = r4
        mov cr.pmv = r5
        mov cr.tpr = r0;;
        srlz.d
        mov r6 = 4
        movl r7 = 0x7a000828            // level 3 only, an interrupt at the overflow, event 0x08
        movl r8 = 0x7ffffffffc18;;
        mov pmd[r6] = r8
        mov pmc[r6] = r7;;
        mov pmc[r0] = r0;;
        ssm 0x4000;;                    // PSR.i
        srlz.d;;
        movl r9 = user;;                // back to level 3, by a return
        mov b6 = r9
        movl r10 = 0xc000000000000000;;
        mov.i ar.pfs = r10;;
        br.ret.sptk.many b6;;
        .endp _start#

        .proc user#
user:
        alloc r32 = ar.pfs, 0, 4, 4, 0
        sum 4
        mov r14 = 200;;
.again:
        mov r15 = 99;;
        mov.i ar.lc = r15
        br.call.sptk.many b0 = hot#;;
        mov r15 = 9;;
        mov.i ar.lc = r15;;
.cold:
        { .mib
        adds r16 = 1, r16
        nop.i 0
        br.cloop.sptk.few .cold;;
        }
        adds r14 = -1, r14;;
        cmp.ne p6, p7 = r0, r14
 (p6)   br.cond.sptk.few .again;;
        movl r17 = samples;;
        ld8 r18 = [r17], 8;;
        ld8 r19 = [r17];;
        shladd r20 = r19, 2, r0;;       // at least four in five, and at least 50
        cmp.ltu p6, p7 = r18, r20
        cmp.gtu p8, p9 = 50, r18
        mov r15 = 1025
        mov r36 = 1
 (p6)   br.cond.spnt.few .exit
 (p8)   br.cond.spnt.few .exit;;
        mov r15 = 1027
        movl r37 = text
        mov r38 = 4;;
        break.i 0x100000;;
        mov r15 = 1025
        mov r36 = 0;;
.exit:
        break.i 0x100000;;
        .endp user#

        .proc hot#
hot:
        { .mib
        adds r16 = 1, r16
        nop.i 0
        br.cloop.sptk.few hot#;;
        }
        br.ret.sptk.many b0;;
        .endp hot#
hot_end:

        .section .rodata
text:   string "hot\n"
        .data
        .align 64
samples:
        data8 0, 0
