// SPDX-License-Identifier: MIT
// The product of two 16 x 16 matrices of integers. The inner loop is software-pipelined by rotating general registers: one
// bundle loads the operands of an iteration, multiplies those of two iterations before, and adds the product of two
// before these. Each of the 256 sums takes 16 iterations and 4 more that fill and drain the pipeline.
// A[i][j] = i, B[i][j] = j: the element of the product in row i and column j is 16 * i * j. Prints "right" if so.

        .text
        .explicit
        .global _start#
        .proc _start#
_start:
        alloc r32 = ar.pfs, 0, 24, 0, 24
        movl r4 = matrix_a
        movl r5 = matrix_b;;
        movl r6 = matrix_c
        mov r7 = 0;;                    // row
.rows:
        mov r8 = 0;;
.columns:
        st8 [r4] = r7, 8
        st8 [r5] = r8, 8
        adds r8 = 1, r8;;
        cmp.gtu p6, p7 = 16, r8
 (p6)   br.cond.dptk.few .columns;;
        adds r7 = 1, r7;;
        cmp.gtu p6, p7 = 16, r7
 (p6)   br.cond.dptk.few .rows;;

        movl r4 = matrix_a
        mov r7 = 0;;
.row:
        movl r5 = matrix_b
        mov r8 = 0;;
.column:
        mov r14 = r4
        mov r15 = r5
        mov r17 = 15;;
        mov.i ar.lc = r17
        mov pr.rot = 0x10000            // p16: the first stage
        mov r17 = 5;;
        mov.i ar.ec = r17
        mov r9 = 0;;
.product:
        { .mmi
 (p16)  ld8 r32 = [r14], 8
 (p16)  ld8 r40 = [r15], 128
 (p18)  pmpy2.r r48 = r34, r42
        }
        { .mib
        nop.m 0
 (p20)  add r9 = r50, r9
        br.ctop.sptk.few .product;;
        }
        clrrrb;;
        st8 [r6] = r9, 8
        adds r8 = 1, r8
        adds r5 = 8, r5;;
        cmp.gtu p6, p7 = 16, r8
 (p6)   br.cond.dptk.few .column;;
        adds r7 = 1, r7
        adds r4 = 128, r4;;
        cmp.gtu p6, p7 = 16, r7
 (p6)   br.cond.dptk.few .row;;

        movl r6 = matrix_c
        mov r7 = 0;;
.check_row:
        mov r8 = 0
        mov r18 = 0;;                   // 16 * row * column
.check:
        ld8 r16 = [r6], 8
        adds r8 = 1, r8
        shl r19 = r7, 4;;
        cmp.ne p8, p9 = r16, r18
        add r18 = r18, r19
 (p8)   br.cond.spnt.few .wrong;;
        cmp.gtu p6, p7 = 16, r8
 (p6)   br.cond.dptk.few .check;;
        adds r7 = 1, r7;;
        cmp.gtu p6, p7 = 16, r7
 (p6)   br.cond.dptk.few .check_row;;
        alloc r32 = ar.pfs, 0, 1, 3, 0
        mov r15 = 1027
        mov r33 = 1;;
        movl r34 = text
        mov r35 = 6;;
        break.i 0x100000;;
        mov r33 = r0
        br.cond.sptk.few .exit;;
.wrong:
        alloc r32 = ar.pfs, 0, 1, 3, 0
        mov r33 = 1;;
.exit:
        mov r15 = 1025;;
        break.i 0x100000;;
        .endp _start#

        .section .rodata
text:   string "right\n"
        .section .bss
        .align 128
matrix_a:
        .skip 2048
matrix_b:
        .skip 2048
matrix_c:
        .skip 2048
