// SPDX-License-Identifier: MIT
// The front end at its limits: prefetches of lines that are all in flight, and more waiting prefetches than its queue
// holds; prefetches of lines that the L2D waits for, which the L3 rejects; demand fetches that the L2I serves while another
// line arrives; and more branches than can retire, while one of them waits for its register. Prints "fetched" if all
// code was executed as often as it should.
        .text
        .explicit
        .global _start#
        .proc _start#
_start:
        alloc r32 = ar.pfs, 0, 4, 4, 0
        mov r7 = 1024
        mov r8 = 0
        mov r20 = 16
        mov r19 = 15;;

        movl r4 = far;;                 // code that is read as data, and prefetched behind that
        .irp i, 0, 1, 2, 3
        ld8 r5 = [r4], r7;;
        .hint\i: brp.sptk.imp far + 1024 * \i, .hint\i
        .endr
.near:  brp.sptk.imp .more0, .near
        brp.sptk.imp .more12, .near;;
        add r6 = r5, r4                 // waits until they are there

        .align 64
        .irp i, 0, 3, 6, 9, 12, 15      // eighteen prefetches
.more\i:
        { .bbb
        brp.sptk.imp many + 128 * (\i + 1), .more\i
        brp.sptk.imp many + 128 * (\i + 2), .more\i
        brp.sptk.imp many + 128 * (\i + 3), .more\i;;
        }
        .endr

        mov.i ar.lc = r19;;
.round:                                 // six lines of one set of the L1I: the L2I has them all. The same of another set
        .irp i, 3, 4, 5, 6, 7, 8
.next\i:
        brp.sptk.imp set + 1024 + 4096 * (\i - 3), .next\i;;
        .rept \i
        nop.m 0;;
        .endr
        .if \i < 8
        br.call.sptk.few b0 = set + 4096 * (\i - 2);;
        .else
        br.call.sptk.few b0 = set;;
        .endif
        .endr
        br.cloop.sptk.few .round;;

.empty:
        tbit.nz p8, p9 = r8, 0
        cmp.ne p6, p7 = r0, r0
        cmp.ne p10, p11 = 1, r20;;
        { .mib
        adds r8 = 1, r8
        adds r20 = -1, r20
 (p8)   br.cond.sptk.few .join;;        // always mispredicted: every second time it is taken
        }
        .align 32
.join:                                  // two bundles and three branches in each cycle
        { .mbb
        nop.m 0
 (p6)   br.cond.spnt.few .exit
 (p6)   br.cond.spnt.few .exit
        }
        { .mib
        nop.m 0
        nop.i 0
 (p6)   br.cond.spnt.few .exit;;
        }
        { .mbb
        nop.m 0
 (p6)   br.cond.spnt.few .exit
 (p6)   br.cond.spnt.few .exit
        }
        { .mib
        nop.m 0
        mov.i ar.lc = r0
 (p6)   br.cond.spnt.few .exit;;
        }
        { .mbb
        nop.m 0
 (p6)   br.cond.spnt.few .exit
 (p6)   br.cond.spnt.few .exit
        }
        { .mib
        nop.m 0
        nop.i 0
 (p6)   br.cond.spnt.few .exit;;
        }
        { .mbb
        nop.m 0
 (p6)   br.cond.spnt.few .exit
        br.cloop.spnt.few .empty        // its counter has just become 0
        }
        { .mib
        nop.m 0
        nop.i 0
 (p6)   br.cond.spnt.few .exit;;        // the ninth
        }
 (p10)  br.cond.sptk.few .empty;;

        mov r15 = 1025
        mov r36 = 1
        adds r9 = -112, r8;;            // 16 rounds of six calls, and 16 additions
        cmp.ne p6, p7 = r0, r9;;
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

        .align 4096
        .skip 2048
set:
        .rept 6
        { .mib
        adds r8 = 1, r8
        nop.i 0
        br.ret.sptk.few b0;;
        }
        .skip 4080
        .endr
        .align 128
far:    .skip 4096
many:   .skip 4096

        .section .rodata
text:   string "fetched\n"
