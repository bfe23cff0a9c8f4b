// SPDX-License-Identifier: MIT
// Control speculation: loads that are executed before the test of their address. 100 addresses; every fourth is null,
// so that 25 speculative loads give NaT, and 25 checks fail and reach their recovery code. Data speculation: 50 loads
// are advanced above a store that hits every fifth of them, so that 10 check loads and 10 chk.a fail.
// Exits with status 0 if the sums are right.

        .text
        .explicit
        .global _start#
        .proc _start#
_start:
        alloc r32 = ar.pfs, 0, 1, 3, 0
        movl r4 = datum
        mov r5 = 0                      // i
        mov r6 = 0;;                    // sum of what was loaded
        mov r7 = 0                      // recoveries
.next:
        { .mii
        nop.m 0
        and r8 = 3, r5
        adds r5 = 1, r5;;
        }
        { .mii
        cmp.eq p6, p7 = 0, r8
        nop.i 0
        nop.i 0;;
        }
        { .mmi
 (p6)   mov r9 = r0
 (p7)   mov r9 = r4
        nop.i 0;;
        }
        { .mmi
        ld8.s r10 = [r9];;
        chk.s.m r10, .recover
        nop.i 0;;
        }
.back:
        { .mmi
        add r6 = r6, r10
        cmp.gtu p6, p7 = 100, r5
        nop.i 0;;
        }
        { .mib
        nop.m 0
        nop.i 0
 (p6)   br.cond.dptk.few .next;;
        }
        movl r20 = 25
        movl r21 = 75 * 3;;
        cmp.ne p8, p9 = r7, r20
        cmp.ne p10, p11 = r6, r21;;
 (p8)   br.cond.spnt.few .wrong
 (p10)  br.cond.spnt.few .wrong;;
        mov r5 = 0
        mov r6 = 0;;
        mov r7 = 0
        adds r14 = 8, r4
        adds r16 = 16, r4;;
.advance:                                  // the store is to another word, but each fifth time to the loaded one
        { .mii
        nop.m 0
        mov r15 = r16
        adds r6 = 1, r6;;
        }
        { .mii
        cmp.eq p6, p7 = 5, r6
        adds r5 = 1, r5
        nop.i 0;;
        }
        { .mmi
 (p6)   mov r15 = r14
 (p6)   mov r6 = r0
        nop.i 0;;
        }
        { .mmi
        ld8.a r10 = [r14]
        ld8.a r11 = [r14]
        nop.i 0;;
        }
        { .mmi
        st8 [r15] = r5
        nop.m 0
        nop.i 0;;
        }
        { .mmi
        ld8.c.clr r10 = [r14]
        chk.a.clr r11, .again
        nop.i 0;;
        }
.done:
        { .mmi
        cmp.gtu p6, p7 = 50, r5
        nop.m 0
        nop.i 0;;
        }
        { .mib
        nop.m 0
        nop.i 0
 (p6)   br.cond.dptk.few .advance;;
        }
        cmp.ne p8, p9 = 10, r7
        cmp.ne p10, p11 = 50, r10;;     // the last iteration stored 50
 (p8)   br.cond.spnt.few .wrong
 (p10)  br.cond.spnt.few .wrong;;
        mov r33 = r0
        br.cond.sptk.few .exit;;
.wrong:
        mov r33 = 1
.exit:
        mov r15 = 1025;;
        break.i 0x100000;;
.recover:
        mov r10 = r0
        adds r7 = 1, r7
        br.cond.sptk.few .back;;
.again:
        ld8 r11 = [r14]
        adds r7 = 1, r7
        br.cond.sptk.few .done;;
        .endp _start#

        .section .data
        .align 64
datum:  data8 3, 0, 0
