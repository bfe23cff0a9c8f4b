// SPDX-License-Identifier: MIT
// A device that copies memory, and clean lines that leave the L3. The program maps the registers of the machine's device
// in an uncacheable page, and lets the device copy lines that the program has modified, lines that it has only read, and
// lines that no cache holds. Then it makes the processor announce on the bus which clean lines leave the L3
// (PAL_PROC_SET_FEATURES), and reads more lines than a small L3 holds. Prints "copied" if the copy is right.
        .text
        .explicit
        .global _start#
        .proc _start#
_start:
        alloc r32 = ar.pfs, 0, 8, 6, 0
        mov r15 = 1151                  // mmap: the device sees memory by its physical address
        movl r40 = 0x1000000
        movl r41 = 0x40000
        mov r42 = 3
        mov r43 = 0x30
        mov r44 = -1
        mov r45 = 0;;
        break.i 0x100000;;
        movl r4 = 0xc000000000000000;;
        mov.i ar.pfs = r4;;
        epc;;
        rsm 0x2000;;
        srlz.d
        movl r4 = 0x2000000
        movl r5 = 0x3fffffb0005f1       // uncacheable, read and write, level 3
        mov r6 = 0x38;;
        mov cr.ifa = r4
        mov cr.itir = r6;;
        itc.d r5;;
        ssm 0x2000;;
        srlz.d
        mov r14 = 1;;                   // the command
.command:
        movl r7 = 0x1000000             // source: 2048 bytes, modified
        movl r8 = 0x1010000             // destination: half modified, half read
        mov r9 = 255
        mov r10 = 127;;
        mov.i ar.lc = r9
        mov r11 = r7
        mov r16 = r8;;
.fill:
        add r12 = r11, r14;;
        st8 [r11] = r12, 8
        br.cloop.sptk.few .fill;;
        mov.i ar.lc = r10
        adds r17 = 1024, r16;;
.touch:
        st8 [r16] = r0, 8
        ld8 r18 = [r17], 8
        br.cloop.sptk.few .touch;;
        mov r9 = 2056                   // and 8 bytes
        adds r19 = 8, r4
        adds r20 = 16, r4
        adds r21 = 24, r4;;
        st8 [r4] = r7
        st8 [r19] = r8
        st8 [r20] = r9;;
        st8 [r21] = r14;;               // copies
        mf.a;;
        adds r22 = 2040, r8
        adds r23 = 2040, r7;;
        ld8 r24 = [r22]
        add r25 = r23, r14
        mov r26 = 1;;
        cmp.ne p6, p7 = r24, r25
 (p6)   br.cond.spnt.few .wrong;;
        movl r7 = 0x1004000             // the same for lines that were only read, and for lines that no cache holds
        movl r8 = 0x1014000;;
        ld8 r24 = [r7]
        st8 [r4] = r7
        st8 [r19] = r8
        st8 [r21] = r14
        adds r14 = 1, r14;;
        cmp.gt p6, p7 = 5, r14
 (p6)   br.cond.sptk.few .command;;

        mov r9 = 80;;                   // ten reads and ten writes of ports
        st8 [r20] = r9;;
        st8 [r21] = r14;;
        mf.a
        mov r9 = 2056;;
        st8 [r20] = r9;;
        mov r28 = 18                    // PAL_PROC_SET_FEATURES, of the processor's set 18
        mov r29 = 1
        mov r30 = 18;;
        break.i 0x110000;;
        movl r7 = 0x1020000
        mov r9 = 1023;;
        mov.i ar.lc = r9
        adds r8 = 128, r7;;
.clean:                                 // reads two lines at a time
        { .mmi
        ld8 r24 = [r7], 64
        ld8 r25 = [r8], 64
        nop.i 0
        }
        { .mib
        nop.m 0
        nop.i 0
        br.cloop.sptk.few .clean;;
        }
        movl r7 = 0x102c000
        movl r8 = 0x1034000
        movl r9 = 0x4000
        mov r14 = 1;;
        st8 [r4] = r7                   // the device reads what was just displaced
        st8 [r19] = r8
        st8 [r20] = r9
        st8 [r21] = r14
        mov r9 = 511
        movl r7 = 0x1020000;;
        mov.i ar.lc = r9;;
.dirty:                                 // the same with lines that are written
        st8 [r7] = r9, 128
        br.cloop.sptk.few .dirty;;
        st8 [r21] = r14
        movl r7 = 0x1020000
        mov r9 = 1029;;                 // ends within a page: no walk of the VHPT comes behind the last line
        mov.i ar.lc = r9
        adds r8 = 128, r7;;
.leave:                                 // clean lines again; the device reads those that are just leaving
        { .mmi
        ld8 r24 = [r7], 64
        ld8 r25 = [r8], 64
        nop.i 0
        }
        { .mib
        nop.m 0
        nop.i 0
        br.cloop.sptk.few .leave;;
        }
        st8 [r21] = r14
        mov r26 = 0;;
.wrong:
        alloc r32 = ar.pfs, 0, 8, 6, 0
        cmp.ne p6, p7 = r0, r26
        mov r15 = 1025
        mov r40 = 1
 (p6)   br.cond.spnt.few .exit;;
        mov r15 = 1027
        movl r41 = text
        mov r42 = 7;;
        break.i 0x100000;;
        mov r15 = 1025
        mov r40 = 0;;
.exit:
        break.i 0x100000;;
        .endp _start#

        .section .rodata
text:   string "copied\n"
