// SPDX-License-Identifier: MIT
// A little of everything that the monitors distinguish: unaligned accesses, advanced loads that displace one another in
// the ALAT, floating-point checks, loads that fail, serialisation, indirect branches that change their target, calls,
// long loops that prefetch, changes of the privilege level, flushed lines, purged translations, stores to more lines than
// the L3 holds (with an argument: fewer), and two threads that wait for lines of memory. `pmon -p montecito stat -e EVENT
// -- ./mixed` shows what an event counts. Prints "mixed".

        .text
        .explicit
        .global _start#
        .proc _start#
_start:
        alloc r32 = ar.pfs, 0, 48, 8, 48
        adds r2 = 16, r12;;
        ld8 r2 = [r2]                   // argc
        movl r4 = data
        mov r5 = 63;;
        mov.i ar.lc = r5
        mov.i ar.ec = r0
        adds r6 = 1, r4;;
.unaligned:
        ld4 r7 = [r6], 8
        adds r8 = 64, r4;;
        st4 [r6] = r7, 0
        br.cloop.sptk.few .unaligned;;

        mov r5 = 40                     // 41 advanced loads into registers that rotate: the ALAT has 32 entries
        mov r9 = r4;;
        mov.i ar.lc = r5;;
.advance:
        ld8.a r40 = [r9], 8
        br.ctop.sptk.few .advance;;
        clrrrb;;
        ldfd.a f6 = [r4]
        ldfd.a f7 = [r8];;
        stfd [r4] = f1;;                // the first one fails
        ldfd.c.clr f6 = [r4]
        ldfd.c.clr f7 = [r8];;
        ldfd.a f6 = [r4];;
        stfd [r4] = f0;;
        chk.a.clr f6, .recover;;
.recover:
        ldf8 f8 = [r4]
        ld8.s r10 = [r0];;
        tnat.nz p6, p7 = r10;;
        frcpa.s0 f9, p6 = f1, f8
        fpma.s0 f11 = f1, f1, f1
        xchg8 r11 = [r8], r4;;
        lfetch.nt1 [r8], 128
        probe.r r12 = r4, 3;;
        srlz.i;;

        mov r13 = 31                    // two targets in turn
        movl r14 = .even
        movl r15 = .odd;;
.turn:
        and r16 = 1, r13;;
        cmp.eq p6, p7 = r0, r16;;
 (p6)   mov b6 = r14
 (p7)   mov b6 = r15;;
        br.cond.sptk.many b6;;
.even:
        adds r13 = -1, r13
        br.call.sptk.many b0 = leaf#;;
.odd:
        adds r13 = -1, r13;;
        cmp.gt p6, p7 = 0, r13
 (p7)   br.cond.dptk.many .turn;;

        movl r17 = 0xc000000000000000;; // to level 0, and back in a function's return
        mov.i ar.pfs = r17;;
        epc;;
        ptc.e r0
        srlz.d
        movl r18 = .back;;
        mov b6 = r18
        mov.i ar.pfs = r17;;
        br.ret.sptk.many b6;;
.back:
        alloc r32 = ar.pfs, 0, 8, 8, 0
        movl r18 = .back;;
        fc r18
        fc r4;;
        sync.i;;
        srlz.i;;

        mov r15 = 1213                  // a second thread
        movl r40 = 0x100;;
        movl r41 = stack
        movl r42 = 0x8000
        mov r43 = 0
        mov r44 = 0
        mov r45 = 0;;
        break.i 0x100000;;
        cmp.eq p6, p7 = r0, r8
        movl r19 = large
        cmp.ltu p8, p0 = 1, r2;;        // with an argument, few lines
        movl r20 = 131071;;             // 131072 lines of 128 bytes: 16 MB
 (p8)   movl r20 = 4000
        movl r21 = 0x1000000;;
 (p6)   movl r20 = 4000
 (p6)   add r19 = r19, r21;;
        mov.i ar.lc = r20;;
.lines:
        { .mmb
        st8 [r19] = r20, 128
        ld8 r22 = [r4]
        br.cloop.sptk.many .lines;;
        }
 (p6)   br.cond.spnt.few .leave;;
        mov r15 = 1027
        mov r40 = 1;;
        movl r41 = text
        mov r42 = 6;;
        break.i 0x100000;;
.leave:
        mov r15 = 1025
        mov r40 = 0;;
        break.i 0x100000;;
        .endp _start#

        .proc leaf#
leaf:
        alloc r32 = ar.pfs, 0, 96, 0, 0;;
        mov.i ar.pfs = r32;;
        br.ret.sptk.many b0;;
        .endp leaf#

        .section .rodata
text:   string "mixed\n"
        .data
        .align 64
data:   .skip 1024
        .section .bss
        .align 16384
stack:  .skip 0x8000
large:  .skip 0x1100000
