// SPDX-License-Identifier: MIT
// The interval timer: one interrupt is delivered when ar.itc has reached cr.itm, with the vector of cr.itv. Exits with
// 0 if so, with 1 otherwise.
        .text
        .explicit
        .align 32768
vectors:
        .org vectors + 0x3000
        mov r16 = cr.ivr
        mov.m r17 = ar.itc
        movl r18 = seen;;
        ld8 r19 = [r18], 8;;
        adds r19 = 1, r19;;
        st8 [r18] = r16, 8;;
        st8 [r18] = r17, -16;;
        st8 [r18] = r19
        mov cr.eoi = r0;;
        rfi;;
        .align 32768
        .global _start#
_start:
        alloc r32 = ar.pfs, 0, 1, 2, 0
        movl r4 = 0xc000000000000000;;
        mov.i ar.pfs = r4;;
        epc;;
        movl r4 = vectors
        mov r5 = 0x51
        mov.m r6 = ar.itc;;
        adds r6 = 1000, r6
        mov cr.iva = r4
        mov cr.itv = r5
        mov cr.tpr = r0;;
        mov cr.itm = r6
        movl r7 = 20000;;
        mov.i ar.lc = r7
        srlz.d
        ssm 0x4000;;
.wait:
        br.cloop.sptk.few .wait;;
        movl r8 = seen;;
        ld8 r9 = [r8], 8;;
        ld8 r10 = [r8], 8;;
        ld8 r11 = [r8]
        cmp.ne p6, p7 = 1, r9;;
 (p7)   cmp.ne p6, p7 = r10, r5;;
 (p7)   cmp.ltu p6, p7 = r11, r6
        adds r12 = 100, r6;;
 (p7)   cmp.gtu p6, p7 = r11, r12
        mov r15 = 1025
        mov r33 = 0;;
 (p6)   mov r33 = 1;;
        break.i 0x100000;;
        .data
        .align 64
seen:   data8 0, 0, 0
