// SPDX-License-Identifier: MIT
// A self-checking program for what level 3 relies on: invala invalidates the entries of advanced loads, and exit_group
// ends a thread that never exits. Exits with 0, or with the number of the first check that failed.
        .text
        .explicit
        .global _start#
        .proc _start#
_start:
        alloc r32 = ar.pfs, 0, 1, 6, 0
        movl r4 = flag;;
        mov r9 = 1
        ld8.a r5 = [r4];;
        chk.a.nc r5, .fail;;            // entry present: no branch
        mov r9 = 2
        invala;;
        chk.a.nc r5, .dropped;;
        br.cond.sptk.few .fail;;
.dropped:
        mov r9 = 3
        mov r15 = 1213                  // clone2: flags, stack, its size
        mov r33 = 0x100;;               // with the same memory
        movl r34 = stack
        movl r35 = 0x8000
        mov r36 = 0
        mov r37 = 0
        mov r38 = 0;;
        break.i 0x100000;;
        movl r4 = flag
        cmp.ne p8, p0 = r0, r10         // no hardware thread is free
        cmp.eq p6, p7 = r0, r8
        mov r10 = 1;;
 (p8)   br.cond.spnt.few .fail
 (p7)   br.cond.sptk.few .parent;;
.child:
        st8.rel [r4] = r10
        br.cond.sptk.few .child;;
.parent:
        ld8.acq r5 = [r4];;
        cmp.eq p6, p0 = r0, r5;;
 (p6)   br.cond.sptk.few .parent;;      // until the other thread runs
        mov r9 = 0;;
.fail:
        mov r15 = 1236                  // exit_group
        mov r33 = r9;;
        break.i 0x100000;;
        .endp _start#

        .section .bss
        .align 16384
flag:   .skip 128
        .align 16384
stack:  .skip 0x8000
