// SPDX-License-Identifier: MIT
// The number of ways to place n queens on an n x n board; n is the argument's digit, 8 without one. The search is
// recursive: each call has a frame of its own on the register stack, and deep searches make the register stack engine
// store and load frames.

        .text
        .explicit
        .global _start#
        .proc _start#
_start:
        alloc r32 = ar.pfs, 0, 4, 4, 0  // r36 to r39: arguments
        adds r14 = 16, r12              // argc, then the arguments' addresses
        mov r33 = 8;;
        ld8 r15 = [r14]
        adds r14 = 32, r12;;
        cmp.ltu p6, p7 = 1, r15;;
 (p6)   ld8 r16 = [r14];;
 (p6)   ld1 r16 = [r16];;
 (p6)   adds r33 = -48, r16;;
        cmp.ltu p8, p9 = 9, r33         // not a digit
 (p8)   br.cond.spnt.few .usage;;
        mov r14 = 1;;
        shl r14 = r14, r33;;
        adds r36 = -1, r14              // columns that are free
        mov r37 = r0                    // attacked along one diagonal
        mov r38 = r0                    // and along the other
        adds r39 = -1, r14              // all columns
        br.call.sptk.many b0 = solve;;
        mov r36 = r8
        br.call.sptk.many b0 = print_number;;
        mov r15 = 1025                  // exit(0)
        mov r36 = r0;;
        break.i 0x100000;;
.usage:
        mov r15 = 1027                  // write(2, ...)
        mov r36 = 2
        movl r37 = usage
        mov r38 = usage_end - usage;;
        break.i 0x100000;;
        mov r15 = 1025
        mov r36 = 2;;
        break.i 0x100000;;
        .endp _start#

// solve(free, left, right, all): r8 = number of solutions below this row.
        .proc solve#
solve:
        alloc r36 = ar.pfs, 4, 5, 4, 0
        mov r37 = b0
        mov r38 = r0                    // solutions
        or r39 = r33, r34
        cmp.eq p6, p7 = r0, r32;;       // all rows have a queen
 (p6)   mov r8 = 1
        andcm r39 = r32, r39            // candidates in this row
 (p6)   br.cond.spnt.few .out;;
.next:
        cmp.eq p6, p7 = r0, r39
        sub r40 = r0, r39
 (p6)   br.cond.spnt.few .done;;
        and r40 = r40, r39;;            // the lowest candidate
        andcm r39 = r39, r40
        or r14 = r33, r40
        or r15 = r34, r40;;
        shl r14 = r14, 1
        shr.u r15 = r15, 1
        andcm r41 = r32, r40;;
        and r42 = r14, r35
        mov r43 = r15
        mov r44 = r35
        br.call.sptk.many b0 = solve;;
        add r38 = r38, r8
        br.cond.sptk.few .next;;
.done:
        mov r8 = r38
.out:
        mov b0 = r37
        mov.i ar.pfs = r36;;
        br.ret.sptk.many b0;;
        .endp solve#

// print_number(value): writes it in decimal and a line's end.
        .proc print_number#
print_number:
        alloc r33 = ar.pfs, 1, 5, 3, 0
        movl r34 = buffer_end
        mov r35 = 10;;
        setf.sig f7 = r35
        movl r36 = 0xcccccccccccccccd   // 1/10, scaled by 2^67
        st1 [r34] = r35, -1;;
        setf.sig f6 = r36;;
.digit:
        setf.sig f8 = r32;;
        xmpy.hu f9 = f8, f6;;
        getf.sig r37 = f9;;
        shr.u r37 = r37, 3;;            // the quotient
        shladd r15 = r37, 2, r37;;
        add r15 = r15, r15;;
        sub r14 = r32, r15
        mov r32 = r37
        cmp.ne p6, p7 = r0, r37;;
        adds r14 = 48, r14;;
        st1 [r34] = r14, -1
 (p6)   br.cond.dptk.few .digit;;
        adds r39 = 1, r34
        movl r14 = buffer_end + 1
        mov r38 = 1
        mov r15 = 1027;;                // write
        sub r40 = r14, r39;;
        break.i 0x100000;;
        mov.i ar.pfs = r33;;
        br.ret.sptk.many b0;;
        .endp print_number#

        .section .rodata
usage:  string "usage: nqueens [DIGIT]\n"
usage_end:
        .section .data
        .skip 30
buffer_end:
        .skip 2
