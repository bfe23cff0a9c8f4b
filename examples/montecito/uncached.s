// SPDX-License-Identifier: MIT
// Memory that is not cacheable. The program maps physical memory, enters level 0, and inserts translations that show its
// pages as uncacheable data, as uncacheable code, and as memory whose writes are coalesced; a fourth shows the ports of
// devices. Each access of the first kind is a transaction on the bus of less than a line. A line of coalesced writes is
// one transaction when it is full; what fwb finds in the buffers is written in parts of 32, 16 and 8 bytes. Prints
// "uncached" if memory has what was written.
        .text
        .explicit

// Shows 16 KB of physical memory at another address; data and code have the same pages here.
        .macro show virtual, entry
        movl r20 = \virtual
        movl r21 = \entry
        mov r22 = 0x38;;
        mov cr.ifa = r20
        mov cr.itir = r22;;
        itc.d r21;;
        srlz.d;;
        .endm

        .global _start#
        .proc _start#
_start:
        alloc r32 = ar.pfs, 0, 8, 6, 0
        mov r15 = 1151                  // mmap at 0x1000000: it is what the translations call physical memory
        movl r40 = 0x1000000
        movl r41 = 0x10000
        mov r42 = 7
        mov r43 = 0x30
        mov r44 = -1
        mov r45 = 0;;
        break.i 0x100000;;
        movl r4 = code                  // copies the code that is to be fetched from uncacheable memory
        movl r5 = 0x1004000
        mov r6 = 63;;
        mov.i ar.lc = r6;;
.copy:
        ld8 r7 = [r4], 8;;
        st8 [r5] = r7, 8
        br.cloop.sptk.few .copy;;

        movl r17 = 0xc000000000000000;;
        mov.i ar.pfs = r17;;
        epc;;
        rsm 0x2000;;                    // interruptions are not collected while their registers are written
        srlz.d;;
        show 0x2000000, 0x10005f1       // uncacheable, read and write, level 3
        show 0x2004000, 0x10047f1       // uncacheable code
        show 0x2008000, 0x10085f9       // coalescing
        show 0x200c000, 0x3fffffc0005f1 // ports
        ssm 0x2000;;
        srlz.d;;

        movl r4 = 0x2000000
        movl r5 = 0x2004000
        movl r6 = 0x2008000
        movl r7 = 0x200c000
        mov r8 = 99;;
        mov b6 = r5
        mov.i ar.lc = r8;;
.single:
        st8 [r4] = r8
        ld8 r9 = [r4];;
        st4 [r4] = r9, 8
        br.cloop.sptk.few .single;;

        mov r8 = 15;;
        mov.i ar.lc = r8
        mov r10 = r6;;
.line:                                  // a whole line
        st8 [r10] = r8, 8
        br.cloop.sptk.few .line;;
        adds r11 = 8, r10
        adds r12 = 16, r10
        adds r13 = 24, r10;;
        st8 [r10] = r8                  // 32 bytes
        st8 [r11] = r8
        st8 [r12] = r8
        st8 [r13] = r8
        adds r10 = 64, r10;;
        adds r11 = 8, r10
        adds r12 = 40, r10
        adds r13 = 128, r10;;
        st8 [r10] = r8                  // 16 bytes, and 8 of the upper half of 16
        st8 [r11] = r8
        st8 [r12] = r8
        st1 [r13] = r8;;                // one byte: a transaction of 8
        fwb;;
        ld8 r14 = [r13];;               // coalesced writes are read from memory

        ld8.s r9 = [r4]                 // not speculated: becomes NaT
        mov r8 = 9;;
        mov.i ar.lc = r8;;
.port:
        st1 [r7] = r8
        ld1 r9 = [r7]
        br.cloop.sptk.few .port;;

        mov r8 = 0
        br.call.sptk.many b0 = b6;;     // 10 + 1: executes the code
        cmp.ne p6, p7 = 11, r8
        movl r10 = 0x1008078            // the last word of the line, as cacheable memory
        mov r15 = 1025
        mov r40 = 1;;
        ld8 r11 = [r10]
 (p6)   br.cond.spnt.few .exit;;
        cmp.ne p6, p7 = 15, r11
 (p6)   br.cond.spnt.few .exit;;
        mov r15 = 1027
        mov r40 = 1
        movl r41 = text
        mov r42 = 9;;
        break.i 0x100000;;
        mov r15 = 1025
        mov r40 = 0;;
.exit:
        break.i 0x100000;;
        .endp _start#

// Copied to 0x1004000. The branch with .many starts the prefetch of the code behind its target.
        .align 64
        .proc code#
code:
        adds r8 = 10, r8
        br.cond.sptk.many .far;;
        .skip 128
.far:
        adds r8 = 1, r8
        br.ret.sptk.many b0;;
        .skip 256
        .endp code#

        .section .rodata
text:   string "uncached\n"
