// SPDX-License-Identifier: MIT
// A program that programs its own monitors, and prints what they count: 1000 rounds of a loop with a load, a store and a
// branch. PMC4 counts branches (event 0x5b), PMC5 stores (0xd1; loads are of another set, which cannot be counted at the
// same time), PMC6 instructions (0x08). The registers need privilege level 0: epc enters it. Run it with `machine run`,
// so that no other program uses the monitors.

        .text
        .explicit
        .global _start#
        .proc _start#
_start:
        alloc r32 = ar.pfs, 0, 8, 4, 0
        movl r4 = 0xc000000000000000;;  // the level to return to, which epc wants to be the present one
        mov.i ar.pfs = r4;;
        epc;;
        mov r4 = 4
        mov r6 = 0;;
        movl r5 = 0x7a005b0f            // all levels, any state of lines, event 0x5b
        movl r7 = 0x7a00d10f
        movl r8 = 0x7a00080f
        mov r9 = 5
        mov r10 = 6;;
        mov pmd[r4] = r0
        mov pmd[r9] = r0
        mov pmd[r10] = r0
        mov pmc[r4] = r5
        mov pmc[r9] = r7
        mov pmc[r10] = r8
        movl r14 = word
        mov r15 = 999;;
        mov.i ar.lc = r15
        sum 4;;                         // PSR.up: user counters count
        mov pmc[r0] = r0;;              // not frozen
        srlz.d;;
.loop:
        { .mmb
        ld8 r16 = [r14]
        st8 [r14] = r17
        br.cloop.sptk.few .loop;;
        }
        mov r18 = 1;;
        mov pmc[r0] = r18;;             // frozen
        srlz.d;;
        mov r33 = pmd[r4]
        mov r34 = pmd[r9];;
        mov r35 = pmd[r10]
        mov r40 = r33
        br.call.sptk.many b0 = print#;;
        mov r40 = r34
        br.call.sptk.many b0 = print#;;
        mov r40 = r35
        br.call.sptk.many b0 = print#;;
        mov r15 = 1025
        mov r40 = 0;;
        break.i 0x100000;;
        .endp _start#

// Prints a number, up to seven digits, and the end of a line.
        .proc print#
print:
        alloc r33 = ar.pfs, 1, 3, 4, 0
        movl r14 = text_end
        mov r16 = 10
        setf.sig f8 = r32;;
        st1 [r14] = r16, -1
        movl r17 = 0xcccccccccccccccd;; // a tenth, times 2 to the 67
        setf.sig f9 = r17
        mov r34 = 1;;
.digit:
        xma.hu f10 = f8, f9, f0;;
        getf.sig r18 = f10
        getf.sig r19 = f8;;
        shr.u r18 = r18, 3;;            // the number divided by ten
        shladd r20 = r18, 2, r18;;
        shladd r20 = r20, 1, r0;;
        sub r21 = r19, r20
        setf.sig f8 = r18
        adds r34 = 1, r34;;
        adds r21 = 48, r21
        cmp.ne p6, p7 = r0, r18;;
        st1 [r14] = r21, -1
 (p6)   br.cond.sptk.few .digit;;
        adds r14 = 1, r14
        mov r15 = 1027
        mov r36 = 1;;
        mov r37 = r14
        mov r38 = r34;;
        break.i 0x100000;;
        mov.i ar.pfs = r33;;
        br.ret.sptk.many b0;;
        .endp print#

        .data
        .align 64
word:   data8 0
text:   .skip 31
text_end:
        .skip 1
